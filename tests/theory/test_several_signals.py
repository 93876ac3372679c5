"""Several signals: what must hold whatever the numbers are."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.paper import derived

TASK = ns.Task(L=8, R=2, theta=3.0, pi=0.4)
TRAINING = ns.Training(alpha1=2.0)
MODELS = ("attention", "pooled", "vectorized", "hard", "linear")
WITH_QUERY = ("attention", "hard", "linear")
ROUGH = 0.01  # what is compared shares its sample
NUMBERS = ("test_error", "train_loss", "train_error", "bias", "norm", "rest", "gamma")


def predict(task, model, kappa=0.8, cosines=None, **more):
    query = None if cosines is None else ns.Query(kappa, cosines=cosines)
    query = query if model in WITH_QUERY else None
    return ns.predict(task, TRAINING.replace(**more), model, query=query, tol=ROUGH)


def same(one, other, names=NUMBERS, **tolerance):
    for name in names:
        expected = pytest.approx(getattr(other, name), **({"rel": 1e-8} | tolerance))
        assert getattr(one, name) == expected, name


@pytest.mark.parametrize("model", MODELS)
def test_all_weight_on_one_of_several_is_one_signal(model):
    result = predict(TASK.replace(signals=(0.0, 1.0, 0.0)), model, cosines=(0.5, 0.7, 0.2))
    query = ns.Query(0.8, 0.7) if model in WITH_QUERY else None
    item = ns.predict(TASK, TRAINING, model, query=query, tol=ROUGH)
    same(result, item, (*NUMBERS, "signal", "cosine"))
    assert result.signals[1] == pytest.approx(item.signal, rel=1e-8)


@pytest.mark.parametrize("model", MODELS)
def test_the_order_of_signals_does_not_matter(model):
    order = [2, 0, 1]
    weights, cosines = np.array([0.2, 0.3, 0.5]), np.array([0.6, -0.2, 0.5])
    result = predict(TASK.replace(signals=weights), model, cosines=cosines)
    turned = predict(TASK.replace(signals=weights[order]), model, cosines=cosines[order])
    same(turned, result, (*NUMBERS, "signal", "cosine"))
    np.testing.assert_allclose(turned.signals, np.array(result.signals)[order], rtol=1e-7)


def test_signals_that_are_alike_are_treated_alike():
    result = predict(TASK.replace(signals=(0.25,) * 4), "attention", cosines=(0.4,) * 4)
    np.testing.assert_allclose(result.signals, result.signals[0], rtol=1e-8)
    assert result.signal == pytest.approx(2.0 * result.signals[0])


def test_a_query_that_sees_no_signal_treats_all_by_their_weight():
    result = predict(TASK.replace(signals=(0.2, 0.8)), "attention", cosines=(0.0, 0.0))
    assert result.signals[1] > result.signals[0] > 0.0
    assert result.cosine_q == 0.0


def test_a_query_of_no_strength_is_pooling():
    several = TASK.replace(signals=(0.2, 0.8))
    result = predict(several, "attention", kappa=0.0, cosines=(0.6, 0.3))
    pooled = predict(several, "pooled")
    same(result, pooled, ("test_error", "train_loss", "train_error", "norm", "signal"))
    np.testing.assert_allclose(result.signals, pooled.signals, rtol=1e-7)


def test_the_readout_has_no_more_along_the_signals_than_it_has():
    result = predict(TASK.replace(signals=(0.4, 0.6)), "attention", cosines=(0.6, 0.8))
    inside = np.sum(np.square(result.signals))  # the query lies in their span
    assert inside + result.rest**2 == pytest.approx(result.norm**2, rel=1e-8)


@pytest.mark.parametrize("model", MODELS)
def test_a_single_weight_is_one_signal_to_the_last_bit(model):
    single = TASK.replace(signals=(1.0,))
    assert single == TASK and hash(single) == hash(TASK) and repr(single) == repr(TASK)
    query = ns.Query(0.8, 0.7) if model in WITH_QUERY else None
    item, other = (
        ns.predict(task, TRAINING, model, query=query, tol=ROUGH) for task in (single, TASK)
    )
    assert item.test_error == other.test_error and item.signals is None


def test_a_test_on_one_kind_after_the_other_averages_to_the_test_on_both():
    both = TASK.replace(signals=(0.5, 0.5))
    query = ns.Query(1.5, cosines=(0.8, 0.4))
    errors = [
        ns.predict(
            both, TRAINING, query=query, test_task=both.replace(signals=item), tol=ROUGH
        ).test_error
        for item in ((1.0, 0.0), (0.0, 1.0), (0.3, 0.7))
    ]
    assert 0.3 * errors[0] + 0.7 * errors[1] == pytest.approx(errors[2], rel=1e-9)
    assert errors[0] < errors[1]  # the query sees the first better


def test_grids_and_tables_have_a_number_for_each_signal():
    task = TASK.replace(signals=(0.3, 0.7), theta=[2.0, 3.0])
    result = ns.predict(task, TRAINING, "pooled")
    assert [signal.shape for signal in result.signals] == [(2,), (2,)]
    table = result.to_pandas()
    np.testing.assert_array_equal(table["signals_2"], result.signals[1])
    assert "signals_1_se" in table and result.shape == (2,)
    assert result.provenance == f"formula: {derived('theorem 5')}, with several signals"


@pytest.mark.slow
def test_the_square_loss_tends_to_its_asymptote():
    task, query = TASK.replace(signals=(0.3, 0.7)), ns.Query(1.0, cosines=(0.7, 0.7))
    limit = ns.asymptote(task, query=query)
    result = ns.predict(task, TRAINING.replace(alpha1=300.0, loss="square", ridge=0.0), query=query)
    expected = limit.limit + limit.rate / 300.0
    assert result.test_error == pytest.approx(expected, abs=3e-4)
    assert limit.rate / 300.0 > 3e-4  # which is seen
    assert limit.provenance == f"formula: {derived('corollary 2')}, with several signals"
