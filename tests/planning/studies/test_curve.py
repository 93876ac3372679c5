"""The learning curve: coefficients, means, quantiles, and where they meet a target."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from needlescope.planning.studies.curve import (
    crossing,
    fit_curve,
    from_t,
    noise_in_t,
    summary,
    to_t,
)
from needlescope.planning.studies.measures import get_measure

ERROR, AUC = get_measure("error", 0.4), get_measure("auc", 0.4)
SIGMA = 0.1


def fitted(count=400, noise=0.0, seed=0, sigma=SIGMA):
    rng = np.random.default_rng(seed)
    x = rng.uniform(4.0, 7.0, count)
    t = -0.8 - 0.4 * (x - 5.5) + np.hypot(sigma, noise) * rng.standard_normal(count)
    return fit_curve(x, t, -0.35, rng, np.full(count, noise))


@pytest.mark.parametrize("measure", [ERROR, AUC])
def test_t_and_its_measure(measure):
    value = measure.best + np.array([0.1, 0.5, 1.0]) * (measure.worst - measure.best)
    t = to_t(value, measure)
    assert np.allclose(from_t(t, measure), value)
    assert (np.diff(t) > 0.0).all() and t[-1] == pytest.approx(0.0)
    step = 1e-6
    slopes = (to_t(value + step, measure) - t) / step
    assert np.allclose(noise_in_t(value, np.full(3, 0.01), measure), 0.01 * abs(slopes), rtol=1e-4)


def test_scatter_leaves_out_the_noise_of_fresh_bags():
    curve = fitted(4000, noise=0.1)
    at = np.array([5.5])
    assert curve.total(at)[0, 0] == pytest.approx(np.hypot(SIGMA, 0.1), rel=0.05)
    assert curve.scatter(at)[0, 0] == pytest.approx(SIGMA, rel=0.08)
    assert fitted(4000, noise=0.1, sigma=0.0).scatter(at)[0, 0] < 0.03


def falling(count, seed=0, trend=-0.9):
    """Return studies whose scatter falls along a curve that bends."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(4.0, 7.0, count)
    u = x - 5.5
    t = -0.8 - 0.3 * u + 0.15 * u**2 + SIGMA * np.exp(trend * u) * rng.standard_normal(count)
    return x, t, rng


def test_scatter_that_falls_along_the_curve():
    x, t, rng = falling(4000)
    curve = fit_curve(x, t, -0.35, rng)
    at = np.array([4.5, 5.5, 6.5])
    assert np.allclose(curve.scatter(at)[0], SIGMA * np.exp(-0.9 * (at - 5.5)), rtol=0.08)
    assert np.allclose(curve.at(at)[0], [-0.35, -0.8, -0.95], atol=0.015)


def test_a_quantile_follows_scatter_that_falls():
    x, t, rng = falling(4000)
    near = abs(x - 5.5) < 0.5  # the quantile is a parabola only nearly
    at = np.array([5.1, 5.5, 5.9])
    u = at - 5.5
    curve = fit_curve(x[near], t[near], -0.35, rng)
    truth = -0.8 - 0.3 * u + 0.15 * u**2 + ndtri(0.8) * SIGMA * np.exp(-0.9 * u)
    draws = curve.assured(at, 0.8)
    assert (abs(draws[0] - truth) < 4.0 * draws[1:].std(axis=0)).all()
    assert (draws[1:].std(axis=0) < 0.02).all()


def test_a_bend_that_is_expected_counts_where_studies_do_not_tell():
    rng = np.random.default_rng(0)
    x = np.array([5.0, 5.0, 5.5, 5.5])
    flat, bent = (fit_curve(x, -0.3 * x, -0.3, rng, bend=bend) for bend in (0.0, 0.15))
    assert bent.at(np.array([7.0]))[0, 0] > flat.at(np.array([7.0]))[0, 0] + 0.1


def test_the_mean_is_that_of_the_normal_law():
    curve, at = fitted(), np.array([6.0])
    drawn = curve.at(at)[0, 0] + curve.total(at)[0, 0] * ndtri((np.arange(20_000) + 0.5) / 20_000)
    assert curve.mean(at, ERROR)[0, 0] == pytest.approx(from_t(drawn, ERROR).mean(), abs=1e-4)
    result = summary(curve, 6.0, ERROR, 0.8)
    ends = np.quantile(from_t(drawn, ERROR), [0.05, 0.95, 0.8])
    se = 2.0 / np.sqrt(400) * from_t(drawn, ERROR).std()  # of a quantile at the ends
    assert np.allclose([result.low, result.high, result.assured], ends, atol=3.0 * se)
    assert result.deviation == pytest.approx(from_t(drawn, ERROR).std(), rel=0.03)


@pytest.mark.parametrize("measure", [ERROR, AUC])
def test_the_crossing_is_where_the_mean_meets_the_target(measure):
    target = float(from_t(np.array(-1.0), measure))
    at = crossing(fitted(), target, measure, (3.0, 9.0))
    truth = 5.5 + (np.sqrt(1.0 + SIGMA**2) - 0.8) / 0.4
    assert abs(at.x - truth) < 4.0 * at.deviation and at.low < truth < at.high
    assert at.beyond == 0.0


@pytest.mark.parametrize("share", [0.6, 0.8, 0.95])
def test_assurance_asks_for_the_quantile(share):
    target = float(from_t(np.array(-1.0), ERROR))
    at = crossing(fitted(), target, ERROR, (3.0, 9.0), share)
    truth = 5.5 + (1.0 + SIGMA * ndtri(share) - 0.8) / 0.4
    assert abs(at.x - truth) < 4.0 * at.deviation
    assert at.deviation < 0.1
    met = ndtr((to_t(np.array(target), ERROR) - (-0.8 - 0.4 * (at.x - 5.5))) / SIGMA)
    assert met == pytest.approx(share, abs=0.1)


def test_what_is_not_known_of_the_scatter_widens_an_assured_answer():
    curve = fitted(12)
    target = float(from_t(np.array(-1.0), ERROR))
    fixed = curve._replace(levels=np.full_like(curve.levels, curve.levels[0]))
    wide, narrow = (crossing(c, target, ERROR, (3.0, 9.0), 0.95).deviation for c in (curve, fixed))
    assert wide > 1.1 * narrow


def test_a_target_that_no_draw_meets_is_beyond():
    at = crossing(fitted(), 0.001, ERROR, (3.0, 9.0))
    assert at.beyond == 1.0 and at.x == 9.0


def test_failures_of_a_few_do_not_count_for_the_many():
    """One classifier in ten is at chance: the mean shows it, the quantile of 80 % does not."""
    rng = np.random.default_rng(1)
    x = rng.uniform(4.0, 7.0, 600)
    t = -0.8 - 0.1 * (x - 5.5) + 0.05 * rng.standard_normal(600)
    t[::10] = 0.0
    curve = fit_curve(x, t, -0.1, rng)
    truth, at = from_t(t[abs(x - 5.5) < 0.75], ERROR), np.array([5.5])
    assert abs(curve.mean(at, ERROR)[0, 0] - truth.mean()) < 4.0 * truth.std() / np.sqrt(len(truth))
    result = summary(curve, 5.5, ERROR, 0.8)
    assert result.assured == pytest.approx(np.quantile(truth, 0.8), abs=0.01)
    normal = from_t(curve.at(at)[0] + curve.scatter(at)[0] * ndtri(0.8), ERROR)[0]
    assert normal - result.assured > 0.02


def test_the_quantile_is_that_of_the_law_there():
    """Failures become rarer along the curve, and so the law of the scatter changes."""
    rng = np.random.default_rng(0)
    x = rng.uniform(5.1, 5.9, 4000)
    failing = 0.06 - 0.1 * (x - 5.5)  # 0.1 to 0.02
    t = -0.8 - 0.3 * (x - 5.5) + SIGMA * rng.standard_normal(len(x))
    t[rng.uniform(size=len(x)) < failing] = 0.0
    at = np.array([5.2, 5.5, 5.8])
    truth = -0.8 - 0.3 * (at - 5.5) + SIGMA * ndtri(0.8 / (0.94 + 0.1 * (at - 5.5)))
    curve = fit_curve(x, t, -0.3, rng)
    draws = curve.assured(at, 0.8)
    assert (abs(draws[0] - truth) < 4.0 * draws[1:].std(axis=0)).all()


def test_an_assured_answer_is_where_the_quantile_falls():
    """Beyond x = 6 the mean rises, and the quantile goes on falling with the scatter."""
    rng = np.random.default_rng(0)
    x = rng.uniform(5.0, 7.0, 2000)
    u = x - 6.0
    t = -0.8 + 0.05 * u + 0.2 * np.exp(-0.9 * u) * rng.standard_normal(len(x))
    curve = fit_curve(x, t, 0.0, rng)
    truth = 6.4
    t_there = -0.8 + 0.05 * 0.4 + ndtri(0.8) * 0.2 * np.exp(-0.36)
    target = float(from_t(np.array(t_there), ERROR))
    at = crossing(curve, target, ERROR, (4.5, 7.5), 0.8)
    assert abs(at.x - truth) < 4.0 * at.deviation and at.deviation < 0.3 and at.beyond < 0.05


def test_a_hill_after_the_lower_limit_is_no_answer_there():
    """A curve that rises first: it is met at the lower limit, then missed, then met for good."""
    rng = np.random.default_rng(0)
    x = np.linspace(4.0, 6.0, 400)
    t = -0.8 - 0.5 * (x - 4.6) ** 2 + 0.01 * rng.standard_normal(len(x))
    curve = fit_curve(x, t, -0.35, rng)
    target = float(from_t(np.array(-0.9), ERROR))
    at = crossing(curve, target, ERROR, (4.0, 6.0), flat_start=True)
    assert abs(at.x - (4.6 + np.sqrt(0.2))) < 0.05 and at.low > 4.9
    easy = float(from_t(np.array(-0.7), ERROR))
    assert crossing(curve, easy, ERROR, (4.0, 6.0), flat_start=True).x == 4.0
