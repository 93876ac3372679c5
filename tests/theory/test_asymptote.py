"""asymptote and crossover: against the learning curves they are limits of."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns

TASK = ns.Task(L=8, R=2, theta=3.0, pi=0.3)
QUERY = ns.Query(0.8, 0.9)


@pytest.mark.parametrize("model", ["attention", "pooled", "vectorized"])
def test_the_learning_curve_approaches_the_limit_at_the_stated_rate(model):
    query = QUERY if model == "attention" else None
    result = ns.asymptote(TASK, model, query=query, tol=2e-4)
    alpha = 1e4 * (TASK.L if model == "vectorized" else 1)
    training = ns.Training(1.0, alpha, loss="square", ridge=0.0)
    curve = ns.predict(TASK, training, model, query=query, tol=2e-4)
    # the two rest on different resolutions of the same law
    noise = 3.0 * np.hypot(result.limit_se, curve.test_error_se)
    scaled = (curve.test_error - result.limit) * alpha
    assert scaled == pytest.approx(result.rate, rel=2e-3, abs=noise * alpha)


@pytest.mark.parametrize("model", ["pooled", "vectorized"])
def test_the_rate_is_exact_where_the_law_is(model):
    result = ns.asymptote(TASK, model)
    scaled = []
    for alpha in (1e5, 1e6):
        training = ns.Training(1.0, alpha, loss="square", ridge=0.0)
        curve = ns.predict(TASK, training, model)
        scaled.append((curve.test_error - result.limit) * alpha)
    extrapolated = scaled[1] + (scaled[1] - scaled[0]) / 9.0
    assert extrapolated == pytest.approx(result.rate, rel=1e-5)


def test_linear_models_share_the_limit():
    pooled, flat = ns.asymptote(TASK, "pooled"), ns.asymptote(TASK, "vectorized")
    assert pooled.limit == pytest.approx(flat.limit, abs=1e-12)
    assert flat.rate == pytest.approx(TASK.L * pooled.rate, rel=1e-9)


def test_refusals():
    with pytest.raises(ValueError, match="depends on its query"):
        ns.asymptote(TASK)
    with pytest.raises(ValueError, match="kappa must be a finite number"):
        ns.crossover(TASK, kappa=-1.0)
    with pytest.raises(ValueError, match=r"task must be a needlescope\.Task"):
        ns.crossover("task", kappa=1.0)


def test_hard_attention_is_the_limit_of_sharp_attention():
    sharp, hard = (
        ns.predict(TASK, ns.Training(alpha1=2.0), query=ns.Query(kappa, 0.8), tol=3e-4)
        for kappa in (1e6, np.inf)
    )
    assert hard.test_error == pytest.approx(sharp.test_error, abs=1e-6)
    assert hard.train_loss == pytest.approx(sharp.train_loss, abs=1e-6)


def test_it_is_approached_in_noise_with_a_spectrum():
    noise = ns.Noise(spectrum=ns.Spectrum.two_levels(high=4.0, low=0.25, share=0.2))
    task = ns.Task(6, 1, 2.0, 0.5, noise=noise, signal=(0.5, 0.5))
    limit = ns.asymptote(task, "pooled")
    training = ns.Training(alpha1=1e4, loss="square", ridge=1e-9)
    near = ns.predict(task, training, "pooled").test_error
    assert near - limit.limit == pytest.approx(limit.rate / 1e4, rel=0.02)
