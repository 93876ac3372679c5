"""The iteration at finite dimension against state evolution."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.simulation.amp.simulate_amp import _Trial, _trial
from needlescope.simulation.error import estimated
from tests.agreement.points import gap_and_error, pair

SEED = np.random.SeedSequence(4)
SIGMAS = 4.5  # of 18 comparisons by 24 trials: one in three hundred seeds goes beyond by chance
ESCAPED = 0.3  # an overlap between the two that are stationary at L = 100, θ = 4
POINTS = [
    (ns.Task(10, 1, 4.0, 0.5), 2.0),
    (ns.Task(8, 2, 3.0, 0.3), 1.5),
    (ns.Task(20, 1, 3.5, 0.5), 4.0),
    (ns.Task(12, 5, 1.5, 0.5), 2.0),
    (ns.Task(4, 2, 2.5, 0.4, ns.Positions([(0, 1), (1, 2), (0, 3)], [0.5, 0.3, 0.2])), 2.0),
    (ns.Task(10, 8, 1.0, 0.4), 1.0),
]


@pytest.fixture
def rough_integrals(monkeypatch):
    """Test errors of a trial to about 1e-3: without bias, and in the scatter over trials."""
    monkeypatch.setattr(estimated, "ESTIMATE_TOL", 1.0)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("task", "alpha"), POINTS)
def test_it_reaches_the_limit(task, alpha, rough_integrals):
    """What a finite d adds is of order 1/d: two of them say what is left without it."""
    small, large = (
        ns.simulate_amp(task, alpha, d=d, trials=24, seed=[2, d], iterations=15, n_jobs=1)
        for d in (50, 100)
    )
    told = ns.bayes_optimal(task, alpha)
    assert told.phase == "easy"
    for name, value in (
        ("overlap", pair(told, "overlap")),
        ("self_overlap", pair(told, "overlap")),
        ("test_error", pair(told, "test_error")),
    ):
        gap, error = gap_and_error(pair(small, name), pair(large, name), value)
        assert abs(gap) < SIGMAS * error, name


@pytest.mark.slow
def test_it_finds_the_needle_in_a_hundred_tokens_within_ten_rounds():
    task = ns.Task(100, 1, 4.0, 0.5)
    result = ns.simulate_amp(task, 1.0, d=400, trials=2, iterations=10, n_jobs=1)
    assert result.test_error == pytest.approx(0.164, abs=0.02)
    path = result.trials["path"]
    assert path.shape == (2, 11) and (path[:, 0] == 0.0).all() and (path[:, -1] > 0.8).all()
    assert result.path == pytest.approx(path.mean(axis=0))
    assert result.path_se == pytest.approx(abs(path[1] - path[0]) / 2.0)


@pytest.mark.slow
def test_where_it_is_hard_it_stays_at_nothing():
    task = ns.Task(1000, 1, 5.0, 0.5)
    assert ns.bayes_optimal(task, 0.5).phase == "hard"
    result = ns.simulate_amp(task, 0.5, d=60, trials=2, iterations=10, n_jobs=1)
    assert result.overlap < 0.3 and result.test_error > 0.4


def test_plain_iteration_takes_itself_for_better_than_it_is():
    """Without the correction a sample's own part in the estimate counts as evidence for it."""
    options = {"d": 200, "trials": 8, "seed": 1, "iterations": 20, "n_jobs": 1}
    task = ns.Task(10, 1, 2.0, 0.5)
    best, plain = (ns.simulate_amp(task, 1.0, method=method, **options) for method in ("amp", "em"))
    assert plain.self_overlap - plain.overlap > 0.3
    assert abs(best.self_overlap - best.overlap) < 3.0 * (best.self_overlap_se + best.overlap_se)
    assert plain.test_error > best.test_error


@pytest.mark.slow
def test_workers_memory_and_grids_change_nothing():
    task, options = (
        ns.Task(6, 1, [3.0, 4.0], 0.5),
        {"d": 30, "trials": 3, "seed": 4, "iterations": 5},
    )
    item = ns.simulate_amp(task, 2.0, n_jobs=1, **options)
    two = ns.simulate_amp(task, 2.0, n_jobs=2, **options)
    assert item.shape == (2,) and item.trials["path"].shape == (2, 3, 6)
    assert two.overlap == pytest.approx(item.overlap, abs=1e-5)
    job = _Trial(task.replace(theta=3.0), 2.0, 30, 5, "amp", None, None, 1 << 30, SEED)
    kept, made = _trial(job), _trial(job._replace(memory=1))
    assert made["overlap"] == pytest.approx(kept["overlap"], abs=1e-5)


def test_no_sample_with_a_signal_teaches_nothing():
    result = ns.simulate_amp(ns.Task(4, 1, 3.0, 1e-6), 1.0, d=5, trials=2, n_jobs=1)
    assert result.overlap == 0.0 and result.test_error == pytest.approx(1e-6)


def test_one_trial_has_no_standard_error():
    result = ns.simulate_amp(ns.Task(4, 1, 3.0, 0.5), [1.0, 2.0], d=9, trials=1, iterations=3)
    assert result.path_se.shape == result.path.shape == (2, 4) and np.isnan(result.path_se).all()


@pytest.mark.slow
def test_a_finite_dimension_blurs_the_boundary(rough_integrals):
    """State evolution escapes at all α above it and at none below; trials do so more or less."""
    task = ns.Task(100, 1, 4.0, 0.5)
    alpha = ns.phase_boundaries(task).alpha_amp * np.array([0.7, 1.5])
    told = ns.state_evolution(task, alpha, iterations=40, tol=5e-3).path
    assert told[0].max() < ESCAPED < told[1, 10]
    small, large = (
        ns.simulate_amp(task, alpha, d, trials, seed=8, iterations=40, n_jobs=1).trials
        for d, trials in ((100, 200), (400, 100))
    )
    (below, above), (below_large, above_large) = (
        (item["path"][..., -1] > ESCAPED).mean(axis=-1) for item in (small, large)
    )
    assert below > 0.05 and above < 0.85  # 0.18 and 0.72, each ± 0.03
    assert below_large < below and above_large > above  # 0.03 ± 0.02 and 0.88 ± 0.04
    iterations = (small["path"][1] > ESCAPED).argmax(axis=-1)  # 0 for those that do not
    assert np.median(iterations[iterations > 0]) < (told[1] > ESCAPED).argmax()


@pytest.mark.slow
def test_a_learned_strength_finds_the_needle_in_a_hundred_tokens(rough_integrals):
    """From below it would assume too little to see anything."""
    options = {"d": 100, "trials": 12, "seed": 3, "iterations": 20, "n_jobs": 1}
    task = ns.Task(100, 1, 5.0, 0.5)
    known, learned = (
        ns.simulate_amp(task, 1.0, assumed_theta=a, **options) for a in (None, "learned")
    )
    assert abs(learned.trials["overlap"] - known.trials["overlap"]).max() < 0.02
    assert learned.assumed_theta == pytest.approx(5.0, abs=4.0 * learned.assumed_theta_se)


@pytest.mark.slow
def test_a_wrong_number_of_signal_tokens_costs_more_the_wronger_it_is():
    """Trials are paired: the same tokens, decided by other beliefs."""
    task, options = ns.Task(10, 3, 2.5, 0.5), {"d": 150, "trials": 4, "seed": 1, "n_jobs": 1}
    errors = {
        R: ns.simulate_amp(task, 1.0, assumed_R=R, **options).trials["test_error"]
        for R in (1, 2, 3, 4, 6)
    }
    right = ns.simulate_amp(task, 1.0, **options).trials["test_error"]
    assert errors[3].tolist() == right.tolist()
    for near, far in ((3, 2), (2, 1), (3, 4), (4, 6)):
        assert (errors[far] > errors[near]).all()
