"""Linear attention with a known signal: its law, its limits, and hard attention."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import chdtr, chndtr, ndtr

import needlescope as ns
from needlescope.theory.oracle.quadratic import below, best_linear


def test_without_a_query_the_score_is_normal():
    tau = np.linspace(-3.0, 4.0, 8)
    result, uncertainty = below(7, 0.6, 5.0, 0.0, tau)
    assert (abs(result - ndtr(tau - 0.6)) <= uncertainty + 1e-12).all()
    assert (uncertainty < 1e-8).all()


@pytest.mark.parametrize("L", [2, 3, 50, 4000])
def test_with_an_endless_query_it_is_chi_square(L):
    x = (L - 1.0) + np.sqrt(2.0 * (L - 1.0)) * np.linspace(-0.6, 5.0, 8)
    tau = (x - L + 1.0) / np.sqrt(2.0 * (L - 1.0))
    assert below(L, 0.0, 0.0, np.pi / 2, tau)[0] == pytest.approx(chdtr(L - 1, x), abs=1e-8)
    assert below(L, 0.0, 7.0, np.pi / 2, tau)[0] == pytest.approx(chndtr(x, L - 1, 7.0), abs=1e-8)


@pytest.mark.parametrize(
    ("L", "m", "noncentral", "angle"),
    [
        (6, 0.5, 3.0, 0.9),
        (40, 0.0, 0.0, 1.2),
        # α = −0.3 errs by 7e-4 here, though no term grows
        (1418, 1.0888, 559.2, 1.4228),
        (737, 11.82, 255.0, 1.446),
        # five deviations below the mean α = 0.3 leaves uncertainty
        (159, 3.4073639, 2673.0176, 1.26739036),
        (521, 14.958149, 1163.3591, 1.5356265),
    ],
)
def test_chances_are_known_as_well_as_they_say(L, m, noncentral, angle):
    """Against the trapezoid rule over the mean of the tokens, from one tail to the other."""
    mean, square = np.cos(angle), np.sin(angle) / np.sqrt(2.0 * (L - 1.0))
    spread = np.sqrt(mean**2 + square**2 * (2.0 * (L - 1.0) + 4.0 * noncentral))
    tau = mean * m + square * noncentral + spread * np.linspace(-5.0, 6.0, 12)
    result, uncertainty = below(L, m, noncentral, angle, tau)
    z = np.linspace(-10.0, 10.0, 4001)
    weight = np.exp(-0.5 * z * z) / np.exp(-0.5 * z * z).sum()
    x = np.maximum((tau[:, None] - mean * (z + m)) / square + L - 1.0, 0.0)
    assert (abs(result - chndtr(x, L - 1.0, noncentral) @ weight) <= uncertainty + 1e-11).all()
    assert (uncertainty < 1e-8).all()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("L", "R", "theta", "pi"),
    [
        (2, 1, 3.0, 0.4),
        (10, 3, 2.0, 0.1),
        (10, 1, 0.5, 0.9),
        (100, 1, 6.0, 0.5),
        (40, 30, 1.0, 0.3),
    ],
)
def test_it_lies_between_pooling_and_the_best_of_all(L, R, theta, pi):
    task = ns.Task(L, R, theta, pi)
    pooled, linear, bayes = (
        ns.oracle(task, model, tol=1e-3) for model in ("pooled", "linear", "bayes")
    )
    assert linear.error <= pooled.error
    assert linear.error >= bayes.error - 4.0 * bayes.error_se


def test_no_other_temperature_or_threshold_does_better():
    L, R, theta, pi = 20, 2, 2.5, 0.3
    best = best_linear(L, R, theta, pi)
    m, noncentral = theta * R / np.sqrt(L), theta**2 * R * (1.0 - R / L)
    for kappa in best.kappa * np.array([0.5, 0.9, 1.0, 1.1, 2.0]):
        angle = np.arctan(kappa * np.sqrt(2.0 * (L - 1.0) / L))
        taus = np.linspace(-2.0, 6.0, 200)
        negative, positive = (
            below(L, 0.0, 0.0, angle, taus)[0],
            below(L, m, noncentral, angle, taus)[0],
        )
        assert (pi * positive + (1.0 - pi) * (1.0 - negative)).min() >= best.error - 1e-9


@pytest.mark.parametrize("R", [1, 5])
def test_all_tokens_signal_or_none_strong_is_pooling(R):
    task = ns.Task(5, R, 2.0 if R == 5 else 1e-12, 0.5)
    linear, pooled = ns.oracle(task, "linear"), ns.oracle(task, "pooled")
    assert (linear.error, linear.kappa) == (pooled.error, 0.0)


def test_hard_attention_is_what_soft_attention_tends_to():
    """Where positives are rare the best attention is hard; elsewhere it is no worse."""
    rare = ns.Task(10, 1, 4.0, 0.01)
    assert ns.oracle(rare, "hard").error == ns.oracle(rare, "attention").error
    common = ns.Task(10, 1, 3.0, 0.5)
    hard, best = ns.oracle(common, "hard"), ns.oracle(common, "attention")
    assert best.error < hard.error
    assert hard.kappa == np.inf


@pytest.mark.sampled(2)
@pytest.mark.parametrize("model", ["hard", "linear"])
def test_a_threshold_is_where_the_error_is_reached(model):
    task = ns.Task(20, 2, 1.0, 0.4)
    theta = ns.oracle_threshold(task, model, 0.1).theta
    assert ns.oracle(task.replace(theta=theta), model).error == pytest.approx(0.1, abs=1e-3)


def test_a_hard_threshold_may_lie_beyond_pooling_s():
    task = ns.Task(5, 5, 1.0, 0.5)
    hard, pooled = (ns.oracle_threshold(task, model, 0.1).theta for model in ("hard", "pooled"))
    assert hard > pooled


@pytest.mark.sampled(2)
@pytest.mark.parametrize("model", ["hard", "linear"])
@pytest.mark.parametrize(
    ("L", "R", "theta", "pi"),
    [
        pytest.param(2, 1, 2.0, 0.5, marks=pytest.mark.slow),
        pytest.param(10, 1, 3.0, 0.3, marks=pytest.mark.slow),
        (10, 4, 1.5, 0.5),
        pytest.param(40, 2, 3.0, 0.7, marks=pytest.mark.slow),
        pytest.param(5, 5, 1.0, 0.5, marks=pytest.mark.slow),
    ],
)
def test_drawing_finds_the_same(model, L, R, theta, pi):
    task = ns.Task(L, R, theta, pi)
    drawn = ns.simulate_oracle(task, model, samples=10_000, trials=12, seed=5, n_jobs=1)
    assert abs(drawn.error - ns.oracle(task, model).error) < 4.5 * drawn.error_se
