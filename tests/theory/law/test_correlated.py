"""Attention's law on correlated tokens, against a quadrature and the law of independent ones."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss

import needlescope as ns
from needlescope.models import ATTENTION, HARD, LINEAR
from needlescope.theory.law.attention import attention_limit
from needlescope.theory.law.correlated import (
    MOST_TOKENS,
    Attended,
    correlated_draw,
    correlated_limit,
    correlated_samples,
    scores,
    shift_variance,
    signal_tokens,
    variance,
)
from needlescope.theory.law.ladder import LADDER

QUERY = ns.Query(1.5, 0.8)


def correlation(L: int, rho: float) -> np.ndarray:
    place = np.arange(L)
    return rho ** abs(place[:, None] - place) if rho else np.eye(L)


@pytest.mark.parametrize(("L", "rho"), [(1, 0.5), (2, -0.7), (5, 0.3), (6, 0.0), (9, 0.95)])
def test_the_shift_is_the_best_linear_estimate(L, rho):
    inverse = np.linalg.inv(correlation(L, rho))
    assert shift_variance(L, rho) == pytest.approx(1.0 / inverse.sum(), rel=1e-12)


@pytest.mark.parametrize("rho", [-0.8, 0.0, 0.4])
def test_variances_and_scores_have_the_correlation(rho):
    C, rng = correlation(5, rho), np.random.default_rng(0)
    a = rng.standard_normal((5, 3))
    assert variance(a, rho) == pytest.approx(np.diag(a.T @ C @ a), rel=1e-12)
    g = scores(rng.random((200_000, 5)), rho)
    assert np.cov(g) == pytest.approx(C, abs=0.015)  # 4 standard errors


@pytest.mark.parametrize(("L", "R"), [(5, 1), (5, 2), (6, 4), (4, 4)])
def test_uniform_positions(L, R):
    rng = np.random.default_rng(1)
    v = signal_tokens(L, R, rng.random((40_000, min(R, L - R))), "uniform")
    assert (v.sum(axis=0) == R).all()
    assert v.mean(axis=1) == pytest.approx(np.full(L, R / L), abs=0.01)
    if R == 2:  # every pair is as likely
        pairs = (v @ v.T)[np.triu_indices(L, 1)] / v.shape[1]
        assert pairs == pytest.approx(np.full(10, 0.1), abs=0.006)


def test_given_positions():
    places = ns.Positions([(0, 1), (2, 3)], [0.75, 0.25])
    v = signal_tokens(4, 2, np.array([[0.1], [0.74], [0.76]]), places)
    assert v.T.tolist() == [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1]]


@pytest.mark.parametrize("rho", [0.6, -0.5])
def test_two_tokens_against_a_quadrature(rho):
    """With L = 2 all depends on x = (g_1 − g_2)/√(2(1 − ρ)) ~ N(0, 1)."""
    kappa, tilt = 1.3, 2.0
    x, weight = hermegauss(60)
    difference, weight = np.sqrt(2.0 * (1.0 - rho)) * x, weight / weight.sum()
    a = 1.0 / (1.0 + np.exp(-kappa * (difference + tilt)))
    expected = {
        "mass": weight @ a,
        "score": weight @ ((a - 0.5) * difference),
        "A": weight @ (a**2 + (1.0 - a) ** 2 + 2.0 * rho * a * (1.0 - a)),
    }
    positive, negative = correlated_draw(Attended(ATTENTION, 2, 1, kappa, tilt, rho), 2**12)
    for name, value in expected.items():
        means = getattr(positive, name).mean(axis=1)
        assert means.mean() == pytest.approx(value, abs=5.0 * means.std(ddof=1) / np.sqrt(8) + 1e-9)
    assert not negative.mass.any()


@pytest.mark.parametrize("law", ["compressed", "samples"])
def test_without_a_correlation_it_is_the_law_of_independent_tokens(law):
    level, seen = LADDER[2], Attended(ATTENTION, 6, 2, 1.5, 3.0 * 0.8, 0.0)
    plain = attention_limit(6, 2, 3.0, 1.5, 0.8, level)
    if law == "compressed":
        found = [correlated_limit(seen, 3.0, 0.8, level)]
    else:
        found = correlated_samples(seen, 3.0, 0.8, level.points)
    for name in ("positive", "negative"):
        other = [getattr(item, name) for item in found]
        for moment in (lambda n: n.m[:, 0], lambda n: n.A, lambda n: n.A * n.m[:, 0]):
            (base, base_error), (mean, error) = (
                estimate([row @ moment(nodes) for nodes in each for row in nodes.replicas])
                for each in ([getattr(plain, name)], other)
            )
            assert mean == pytest.approx(base, abs=4.5 * np.hypot(error, base_error) + 1e-12)
        assert other[0].tau[0, 0] == pytest.approx(1.0 / 6.0)


def estimate(values: list[float]) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def test_pooled_tokens_are_those_of_another_strength_and_ridge():
    """The mean of correlated tokens has variance v: features scaled by √(L v), ridge by 1/(L v)."""
    noise = ns.Noise(token_correlation=0.5)
    task = ns.Task(6, 2, 3.0, 0.4, noise=noise)
    v = correlation(6, 0.5).sum() / 36.0
    assert task.mean_variance == pytest.approx(v)
    training = ns.Training(alpha1=2.0, loss="logistic", ridge=0.05)
    result = ns.predict(task, training, "pooled")
    scaled = ns.predict(
        ns.Task(6, 2, 3.0 / np.sqrt(6.0 * v), 0.4),
        training.replace(ridge=0.05 / (6.0 * v)),
        "pooled",
    )
    for name in ("test_error", "train_loss", "train_error"):
        assert getattr(result, name) == pytest.approx(getattr(scaled, name), abs=1e-9)
    assert "with correlated tokens" in result.provenance


def test_whitening_dimensions_leaves_tokens_correlated():
    spectrum = ns.Spectrum.two_levels(4.0, 0.25, 0.2)
    noise = ns.Noise(spectrum=spectrum, token_correlation=0.5)
    task = ns.Task(4, 1, 3.0, 0.5, noise=noise, signal="quiet")
    assert task.whitened == ns.Task(4, 1, 6.0, 0.5, noise=ns.Noise(token_correlation=0.5))
    assert task.whitened.levels is None


def test_signals_side_by_side_gain_less_than_signals_apart():
    """Correlated tokens are not exchangeable: neighbours share their noise."""
    noise, training = ns.Noise(token_correlation=0.8), ns.Training(alpha1=3.0, ridge=0.01)
    near, far = (
        ns.Task(6, 2, 2.0, 0.5, noise=noise, positions=ns.Positions([places]))
        for places in ((2, 3), (0, 5))
    )
    errors = [ns.predict(task, training, query=QUERY).test_error for task in (near, far)]
    assert abs(errors[0] - errors[1]) > 0.01
    pooled = [ns.predict(task, training, "pooled").test_error for task in (near, far)]
    assert pooled[0] == pooled[1]


@pytest.mark.parametrize("model", [HARD, LINEAR])
def test_other_kinds_of_attention(model):
    positive, negative = correlated_draw(Attended(model, 3, 1, np.inf, 2.0, 0.5), 2**8)
    if model is HARD:
        assert set(np.unique(positive.mass)) == {0.0, 1.0}
        assert np.allclose(negative.A, 1.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda t, r: ns.predict(t, r), "the theory of a trained query supports only noise"),
        (lambda t, r: ns.align(t, r), "the theory of a trained query supports only noise"),
        (lambda t, r: ns.focus(t, r), "the theory of a trained query supports only noise"),
        (lambda t, r: ns.predict(t, r, "vectorized"), "the theory of the vectorized model supp"),
        (lambda t, r: ns.capacity(t, "vectorized"), "the theory of the vectorized model support"),
        (lambda t, r: ns.asymptote(t, "vectorized"), "the theory of the vectorized model suppor"),
        (lambda t, r: ns.oracle(t), "oracle supports only noise that is independent from token"),
        (lambda t, r: ns.simulate_oracle(t), "simulate_oracle supports only noise that is indep"),
        (lambda t, r: ns.bayes_optimal(t, 1.0), "the Bayes-optimal learner supports only noise"),
        (lambda t, r: ns.phase_boundaries(t), "phase_boundaries supports only noise that is in"),
        (lambda t, r: ns.simulate_amp(t, 1.0), "simulate_amp supports only noise that is indep"),
        (lambda t, r: ns.tune(t, 1.0), "the planner supports only noise that is independent fro"),
        (lambda t, r: ns.crossover(t, r), "crossover supports only noise that is independent"),
    ],
)  # fmt: skip
def test_what_does_not_support_it_says_so(call, words):
    task = ns.Task(4, 1, 3.0, 0.5, noise=ns.Noise(token_correlation=0.5))
    with pytest.raises(ValueError, match=f"^{re.escape(words)}") as caught:
        call(task, ns.Training(alpha0=2.0, alpha1=1.0))
    assert "token_correlation=0.5; leave it out" in str(caught.value)


def test_too_many_tokens_are_refused():
    task = ns.Task(MOST_TOKENS + 1, 1, 3.0, 0.5, noise=ns.Noise(token_correlation=0.5))
    for call in (ns.predict, ns.focus):
        with pytest.raises(
            ValueError, match=r"^L must be at most 1000 where tokens are correlated"
        ):
            call(task, ns.Training(alpha1=1.0), query=QUERY)
    with pytest.raises(ValueError, match=r"^L must be at most 1000"):
        ns.asymptote(task, query=QUERY)
