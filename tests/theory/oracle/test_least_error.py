"""Oracle errors: agreement with published numbers, order between models, grids and refusals."""

import tracemalloc

import numpy as np
import pytest

import needlescope as ns
from needlescope.theory.oracle.least_error import ORACLES, oracle
from needlescope.theory.oracle.threshold import oracle_threshold

TASKS = [
    ns.Task(L=2, R=1, theta=1.5, pi=0.3),
    ns.Task(L=10, R=3, theta=1.5, pi=0.1),
    ns.Task(L=10, R=9, theta=1.0, pi=0.5),
    ns.Task(L=40, R=16, theta=0.6, pi=0.7),
    ns.Task(L=300, R=2, theta=3.0, pi=0.05),
    ns.Task(L=1000, R=20, theta=1.5, pi=0.5),
    ns.Task(L=1000, R=100, theta=0.8, pi=0.3),
    ns.Task(L=100_000, R=1, theta=4.8, pi=0.01),
    ns.Task(L=100_000, R=1000, theta=0.6, pi=0.5),
]


def test_published_needle_in_a_thousand() -> None:
    # simulation of 10⁶ samples of each label: attention 0.2636 ± 0.0002, Bayes 0.2633 ± 0.0002;
    # eight lattices of 2^14 points: Bayes 0.263034 ± 0.000005
    task = ns.Task(L=1000, R=1, theta=3.72, pi=0.5)
    attention, limit = oracle(task, "attention"), oracle(task, "bayes")
    assert attention.error == pytest.approx(0.26329, abs=1e-5)
    assert limit.error == pytest.approx(0.263034, abs=4 * 5e-6)
    assert attention.kappa == pytest.approx(2.42, abs=0.02)
    assert attention.provenance == ORACLES["attention"].provenance
    assert limit.provenance == "formula: likelihood ratio"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("L", [10, 300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_attention_nearly_reaches_the_bayes_error_for_one_needle(L: int) -> None:
    theta = np.sqrt(2.0 * np.log(L)) * np.array([0.8, 1.2, 2.15])
    task = ns.Task(L=L, R=1, theta=theta, pi=0.5)
    limit = oracle(task, "bayes")
    gap = oracle(task, "attention").error - limit.error
    assert (gap < 0.001).all()
    assert (gap > -3.0 * limit.error_se).all()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("task", TASKS, ids=str)
def test_no_model_beats_bayes_nor_loses_to_pooling(task: ns.Task) -> None:
    result = {model: oracle(task, model) for model in ORACLES}
    limit, trivial = result["bayes"], min(task.pi, 1.0 - task.pi)
    for model, value in result.items():
        most = trivial if model == "hard" else result["pooled"].error  # which hard may lose to
        assert 0.0 <= value.error <= most <= trivial
        assert value.error >= limit.error - 3.0 * limit.error_se, model
        assert value.error_se <= 1e-4


@pytest.mark.parametrize("model", ORACLES)
@pytest.mark.parametrize("pi", [0.001, 0.3, 0.5, 0.999])
def test_without_signal_the_error_is_that_of_the_rarer_label(model: str, pi: float) -> None:
    result = oracle(ns.Task(L=50, R=3, theta=0.0, pi=pi), model)
    assert result.error == min(pi, 1.0 - pi)
    assert result.error_se == 0.0


@pytest.mark.parametrize("L", [1, 2, 7, 4096])
def test_where_every_token_carries_the_signal_pooling_is_optimal(L: int) -> None:
    task = ns.Task(L=L, R=L, theta=1.0 / np.sqrt(L), pi=0.4)
    errors = {oracle(task, model).error for model in ORACLES if model != "hard"}
    assert len(errors) == 1
    assert oracle(task, "hard").error >= errors.pop() - 1e-12
    assert oracle(task, "attention").kappa == 0.0


@pytest.mark.sampled(7)
@pytest.mark.parametrize("model", ORACLES)
@pytest.mark.parametrize("pi", [0.001, 0.5, 0.999])
@pytest.mark.parametrize(
    ("L", "R", "theta"),
    [
        (1, 1, 50.0),
        (2, 1, 1e-6),
        (2, 1, 50.0),
        (33, 32, 5.0),
        (129, 64, 12.0),
        (7000, 23, 9.0),
        (100_000, 1, 50.0),
        (100_000, 40, 20.0),
        (100_000, 99_999, 0.01),
        (100_000, 50_000, 1e-4),
    ],
)
def test_extremes_are_finite_and_silent(
    L: int, R: int, theta: float, pi: float, model: str
) -> None:
    result = oracle(ns.Task(L=L, R=R, theta=theta, pi=pi), model)
    assert 0.0 <= result.error <= min(pi, 1.0 - pi)
    assert 0.0 <= result.error_se <= 1e-4
    assert not np.isnan(result.threshold)


def test_rare_positives_want_the_largest_token_only() -> None:
    result = oracle(ns.Task(L=100, R=1, theta=4.0, pi=0.03))
    assert result.kappa == np.inf
    assert result.sign == 1.0


@pytest.mark.slow
def test_errors_fall_with_the_signal() -> None:
    task = ns.Task(L=200, R=4, theta=np.linspace(0.0, 5.0, 6), pi=0.2)
    for model in ORACLES:
        error = oracle(task, model).error
        assert (np.diff(error) < 3e-4).all(), model


def test_same_call_same_bits() -> None:
    task = ns.Task(L=60, R=3, theta=2.0, pi=0.4)
    for model in ORACLES:
        first, second = (oracle(task, model, tol=1e-3) for _ in range(2))
        assert (first.error, first.error_se) == (second.error, second.error_se)


@pytest.mark.slow
def test_grids_take_the_shape_of_the_task_and_scalars_stay_plain() -> None:
    task = ns.Task(L=[[10], [20]], R=1, theta=[1.0, 2.0, 3.0], pi=0.5)
    for model in ORACLES:
        result = oracle(task, model)
        assert result.error.shape == result.error_se.shape == result.threshold.shape == (2, 3)
        item = oracle(ns.Task(L=20, R=1, theta=3.0, pi=0.5), model)
        assert isinstance(item.error, float)
        assert item.error == result.error[1, 2]
        assert (item.kappa is None) == (model not in ("attention", "hard", "linear"))


@pytest.mark.slow
def test_memory_stays_small_for_long_sequences() -> None:
    tracemalloc.start()
    oracle(ns.Task(L=100_000, R=100, theta=2.0, pi=0.3), "bayes", tol=2e-4)
    oracle(ns.Task(L=100_000, R=100, theta=2.0, pi=0.3), "attention")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**29


# ---------------------------------------------------------------- refusals

TASK = ns.Task(L=1000, R=20, theta=1.5, pi=0.2)


def test_unknown_model_is_refused() -> None:
    with pytest.raises(ValueError, match="model must be one of 'attention', 'pooled'"):
        oracle(TASK, "transformer")
    with pytest.raises(ValueError, match="model must be one of"):
        oracle_threshold(TASK, "transformer", 0.1)


@pytest.mark.parametrize("tol", [0.0, -1.0, 2.0, np.nan])
def test_accuracy_outside_its_range_is_refused(tol: float) -> None:
    with pytest.raises(ValueError, match=r"tol must be a number in \(0, 1\]"):
        oracle(TASK, tol=tol)


def test_accuracy_is_one_number() -> None:
    with pytest.raises(ValueError, match="tol must be one number"):
        oracle(TASK, tol=[1e-3, 1e-4])  # type: ignore[arg-type]


def test_shapes_that_do_not_broadcast_are_refused() -> None:
    with pytest.raises(ValueError, match="arrays in task and error must broadcast"):
        oracle_threshold(TASK.replace(L=[1000, 2000]), "pooled", [0.1, 0.05, 0.02])


@pytest.mark.slow
def test_unreached_accuracy_says_what_was_reached_and_what_to_do() -> None:
    words = r"Bayes error of Task\(L=40.* reached a standard error of .* ask for tol="
    with pytest.raises(ns.NotConverged, match=words):
        oracle(ns.Task(L=40, R=2, theta=2.0, pi=0.5), "bayes", tol=1e-8)
    with pytest.raises(ns.NotConverged, match=r"attention oracle of Task.*pass tol="):
        oracle(TASK, "attention", tol=1e-14)
