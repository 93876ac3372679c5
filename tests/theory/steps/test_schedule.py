"""A whole schedule: what it reduces to, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import needlescope as ns
from needlescope.lattice import REPLICATES
from needlescope.theory.law import tokens
from needlescope.theory.steps import schedule as path
from needlescope.theory.steps import sums

TASK = ns.Task(L=6, R=1, theta=4.0, pi=0.5)
TRAINING = ns.Training(4.0, 2.0, eta_w=0.5, eta_b=4.0, eta_q=3.0)
NAMES = ("signal_w", "norm_w", "cosine_w", "signal_q", "norm_q", "cosine_q", "kappa")


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    """Paths and draws that were kept, here or elsewhere, would be those of other lattices."""
    for kept in (path.at_level, sums.draw):
        kept.cache_clear()
    yield
    for kept in (path.at_level, sums.draw):
        kept.cache_clear()


def numbers(alignment: ns.Alignment) -> list[float]:
    return [getattr(alignment, name) for name in NAMES]


def after(*shares: float, alpha0: float = 4.0, **sizes) -> ns.Alignment:
    schedule = ns.Schedule(shares, **sizes)
    return ns.align(TASK, TRAINING.replace(alpha0=alpha0, schedule=schedule))


def test_one_step_is_the_first_alone_and_attention_is_pooling() -> None:
    training = TRAINING.replace(schedule=ns.Schedule.even(1))
    result = ns.align(TASK, training)
    assert result.signal_w == pytest.approx(ns.align(TASK, TRAINING).signal_w, rel=1e-12)
    assert result.norm_w == pytest.approx(ns.align(TASK, TRAINING).norm_w, rel=1e-12)
    assert result.query == ns.Query(0.0, 0.0)
    error = ns.predict(TASK, training).test_error
    assert error == pytest.approx(ns.predict(TASK, training, "pooled").test_error, abs=1e-7)


def test_a_step_of_size_zero_only_takes_its_batch_away() -> None:
    two = after(0.5, 0.25, 0.25, alpha0=8.0, eta_w=(1, 1, 0), eta_b=(4, 4, 0), eta_q=(3, 3, 0))
    fewer = after(2 / 3, 1 / 3, alpha0=6.0, eta_w=1.0, eta_b=4.0, eta_q=3.0)
    assert numbers(two) == pytest.approx(numbers(fewer), rel=1e-9)


def test_much_data_align_query_and_readout_with_the_signal() -> None:
    result = after(0.25, 0.25, 0.25, 0.25, alpha0=1e6)
    assert result.cosine_w > 0.9999 and result.cosine_q > 0.9999


def test_without_a_signal_nothing_aligns() -> None:
    result = ns.align(TASK.replace(theta=0.0), TRAINING.replace(schedule=ns.Schedule.even(4)))
    assert result.signal_w == result.signal_q == result.cosine_q == 0.0 < result.norm_q


def test_where_the_signal_sits_does_not_matter() -> None:
    placed = TASK.replace(positions=ns.Positions([(0,), (3,)], [0.9, 0.1]))
    training = TRAINING.replace(schedule=ns.Schedule.even(3))
    assert numbers(ns.align(TASK, training)) == numbers(ns.align(placed, training))


def test_beta_is_a_unit_of_the_query() -> None:
    """With β doubled, and q's step a quarter as long, β q moves as before."""
    item = ns.align(TASK, TRAINING.replace(schedule=ns.Schedule.even(4)))
    two = TRAINING.replace(schedule=ns.Schedule.even(4, eta_q=3.0 / 4.0), beta=2.0)
    assert ns.align(TASK, two).kappa == pytest.approx(item.kappa, rel=1e-9)
    assert ns.align(TASK, two).cosine_q == pytest.approx(item.cosine_q, rel=1e-9)


def test_a_grid_is_its_points() -> None:
    training = TRAINING.replace(alpha0=[2.0, 8.0], schedule=ns.Schedule.even(3))
    result = ns.align(TASK, training)
    each = [
        ns.align(TASK, TRAINING.replace(alpha0=a, schedule=ns.Schedule.even(3))) for a in (2.0, 8.0)
    ]
    assert result.cosine_q.tolist() == [item.cosine_q for item in each]
    assert (result.cosine_q_se < 1e-4).all() and np.isnan(result.constant).all()


def test_a_schedule_is_followed_once_for_all_readouts(monkeypatch) -> None:
    calls = []
    right = path.follow
    monkeypatch.setattr(path, "follow", lambda *given: calls.append(given) or right(*given))
    monkeypatch.setattr(path, "LATTICE_POINTS", (64, 128))
    training = TRAINING.replace(alpha1=[1.0, 2.0, 4.0], schedule=ns.Schedule.even(2, eta_w=0.123))
    assert ns.align(TASK, training).cosine_q.shape == (3,) and len(calls) == REPLICATES


def test_long_sequences_are_followed_as_if_all_tokens_were_drawn(monkeypatch) -> None:
    task = ns.Task(L=200, R=2, theta=6.0, pi=0.5)
    training = ns.Training(8.0, 1.0, schedule=ns.Schedule.even(4, 2.0, 4.0, 100.0))
    monkeypatch.setattr(path, "LATTICE_POINTS", (512,))
    some = ns.align(task, training)
    monkeypatch.setattr(tokens, "MAX_EXACT_TOKENS", 1000)
    for kept in (path.at_level, sums.draw):
        kept.cache_clear()
    every = ns.align(task, training)
    assert some.cosine_q != every.cosine_q
    for name in ("cosine_q", "cosine_w", "kappa", "norm_w"):
        gap = getattr(some, name) - getattr(every, name)
        error = np.hypot(getattr(some, f"{name}_se"), getattr(every, f"{name}_se"))
        assert abs(gap) <= 4.5 * error + 1e-4 * abs(getattr(every, name))


def test_a_path_that_is_left_to_chance_is_not_returned(monkeypatch) -> None:
    monkeypatch.setattr(path, "LATTICE_POINTS", (64, 128))
    wild = TRAINING.replace(loss="square", schedule=ns.Schedule.even(40, 5.0, 5.0, 50.0))
    with pytest.raises(ns.NotConverged, match="the path is unstable with steps this long"):
        ns.align(TASK, wild)


def test_where_no_lattice_could_tell_none_is_refined(monkeypatch) -> None:
    calls = []
    row = {"cosine_q": 0.0, "cosine_q_se": 0.7, "kappa": 1.0, "kappa_se": 0.0}
    monkeypatch.setattr(path, "at_level", lambda *given: calls.append(given[2]) or row)
    training = TRAINING.replace(schedule=ns.Schedule.even(3))
    with pytest.raises(
        ns.NotConverged, match=r"with 256 lattice points: .*take shorter ones \(eta_w"
    ):
        path.after_schedule(TASK, training)
    assert calls == [2**8]


def test_a_bias_that_replicates_share_is_part_of_the_error(monkeypatch) -> None:
    """The errors of steps add up to it; the replicates' spread does not show it."""
    ends = {2**8: 0.4, 2**10: 0.46, 2**12: 0.49, 2**14: 0.496}
    monkeypatch.setattr(path, "at_level", lambda task, training, points: {
        "cosine_q": ends[points], "cosine_q_se": 1e-6, "kappa": 1.0, "kappa_se": 0.0})  # fmt: skip
    training = TRAINING.replace(schedule=ns.Schedule.even(3))
    result = path.after_schedule(TASK, training)
    assert result["cosine_q"] == 0.496 and result["cosine_q_se"] == pytest.approx(0.002, rel=1e-3)
    rough = path.after_schedule(TASK, training, 0.015)
    assert rough["cosine_q"] == 0.49 and rough["finest"] == pytest.approx(0.0025, rel=1e-3)


def test_several_signals_that_never_come_change_nothing() -> None:
    training = TRAINING.replace(schedule=ns.Schedule.even(3))
    item, two = (ns.align(TASK.replace(signals=s), training) for s in (None, (0.0, 1.0)))
    assert two.cosines_q == (0.0, item.cosine_q) and two.kappa == item.kappa
    assert two.cosines_q_se[1] == pytest.approx(item.cosine_q_se)


def test_several_signals_on_explicit_tokens() -> None:
    """Three joint steps, each on a fresh batch, by the plain gradient."""
    task = ns.Task(5, 1, 4.0, 0.5, signals=(0.7, 0.3))
    training = ns.Training(9.0, 1.0, schedule=ns.Schedule.even(3, 1.0, 1.0, 6.0))
    theory = ns.align(task, training)
    made = ns.simulate_alignment(task, training, d=100, trials=12, seed=3, n_jobs=1)
    for name in ("cosines_w", "cosines_q"):
        gap = np.subtract(getattr(made, name), getattr(theory, name))
        allowed = np.hypot(getattr(made, f"{name}_se"), 1.0 / 100)  # O(1/d)
        assert (np.abs(gap) < 4.0 * allowed).all(), (name, gap / allowed)


def population(state: np.ndarray, y: int, x: np.ndarray) -> float:
    """The mean loss of w = m_w ξ, b and q = m_q ξ over samples seen along ξ."""
    m_w, b, m_q = state
    a = np.exp(m_q * (x - x.max(axis=1, keepdims=True)))
    score = m_w * (a * x).sum(axis=1) / a.sum(axis=1) + b
    return float(np.logaddexp(0.0, -y * score).mean())


def test_with_batches_without_end_a_schedule_is_gradient_descent() -> None:
    """Then w and q stay along ξ, and the loss is one of three numbers: by differences."""
    task = TASK.replace(pi=0.6)
    sizes = {"eta_w": (2.0, 0.5, 1.0), "eta_b": (1.0, 3.0, 0.2), "eta_q": (7.0, 2.0, 4.0)}
    noise = np.random.default_rng(0).standard_normal((6, 2**13, task.L))
    ends = []
    for x in noise:
        state = np.zeros(3)
        for by in zip(*sizes.values(), strict=True):
            moved = [state + sign * h for h in 1e-4 * np.eye(3) for sign in (1, -1)]
            losses = [
                task.pi * population(at, 1, x + task.theta * (np.arange(task.L) < task.R))
                + (1.0 - task.pi) * population(at, -1, x)
                for at in moved
            ]
            state = state - np.array(by) * (np.diff(losses)[::2] / -2e-4)
        ends.append(state[[0, 2]])
    mean, error = np.mean(ends, axis=0), np.std(ends, axis=0, ddof=1) / np.sqrt(6)
    schedule = ns.Schedule((0.2, 0.5, 0.3), **sizes)
    result = ns.align(task, ns.Training(1e6, 1.0, schedule=schedule))
    assert result.cosine_q > 0.999 and result.cosine_w > 0.999
    gap = np.array([result.signal_w, result.signal_q]) - mean
    assert (np.abs(gap) <= 5.0 * error).all(), (gap, error)


def test_more_steps_than_theory_follows_are_refused_before_the_first() -> None:
    long = ns.Training(alpha0=4.0, alpha1=1.0, schedule=ns.Schedule.even(1_001))
    with pytest.raises(ValueError, match=r"at most 1000 steps, got 1001; take fewer and longer"):
        ns.align(ns.Task(L=4, R=1, theta=3.0, pi=0.5), long)


def test_each_step_of_each_replicate_is_reported() -> None:
    seen: list[int] = []
    training = ns.Training(alpha0=4.0, alpha1=1.0, schedule=ns.Schedule.even(3))
    task = ns.Task(L=4, R=1, theta=3.0, pi=0.5)
    for index in (0, 1):
        path.follow(task, training, 64, index, lambda done, failed: seen.append(done))
    assert seen == [1, 2, 3, 4, 5, 6]


def test_one_signal_has_one_cosine_whatever_the_scale():
    row = path.cosine_fields(TASK, "q", (-3.0,), 5.0, scale=2.0)
    assert row == {"signal_q": -6.0, "norm_q": 10.0, "cosine_q": pytest.approx(-0.6)}


def test_a_vector_of_zero_norm_has_cosine_zero():
    assert path.cosine_fields(TASK, "w", (0.0,), 0.0)["cosine_w"] == 0.0
