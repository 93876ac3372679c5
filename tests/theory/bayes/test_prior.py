"""The prior of a whitened signal: its overlaps, their fields, and white noise."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.theory.bayes.prior import UNIFORM, Prior, prior_of

SPREAD = Prior(np.array([3.0, 0.5, 0.1]), np.array([0.2, 0.75, 0.25]) / 1.0)
TASK = ns.Task(8, 1, 4.0, 0.5)


def test_white_noise_has_odds() -> None:
    field = np.array([0.01, 1.0, 30.0])
    assert UNIFORM.overlap(field) == pytest.approx(field / (1.0 + field))
    assert UNIFORM.gain(field) == pytest.approx(1.0 / (1.0 + field) ** 2)
    assert UNIFORM.field(np.array([0.25]), np.array([0.75])) == pytest.approx([1.0 / 3.0])
    assert prior_of(TASK) is UNIFORM


def test_the_overlap_is_that_of_independent_gaussian_channels() -> None:
    """Of x ~ N(0, P) seen as Â x + √Â noise the posterior mean has E[x x̂] = P²Â/(1 + PÂ)."""
    prior = Prior(np.array([1.6, 0.4]), np.array([0.5, 0.5]))
    rng, field, n = np.random.default_rng(0), 2.3, 400_000
    x = rng.standard_normal((2, n)) * np.sqrt(prior.P)[:, None]
    seen = field * x + np.sqrt(field) * rng.standard_normal(x.shape)
    estimate = prior.P[:, None] * seen / (1.0 + prior.P[:, None] * field)
    each = (x * estimate).mean(axis=0)
    error = each.std() / np.sqrt(n)
    assert abs(each.mean() - prior.overlap(np.array(field))) < 4.0 * error


@pytest.mark.parametrize("P", [[1.6, 0.4], [19.0, 1e-3], [2.0, 0.0]])
def test_the_field_of_an_overlap(P: list[float]) -> None:
    P = np.array(P)
    prior = Prior(P[P > 0.0], np.full((P > 0.0).sum(), 1.0 / P.sum()))
    field = np.geomspace(1e-9, 1e9, 40)
    q, rest = prior.overlap(field), (prior.P / (1.0 + prior.P * field[:, None])) @ prior.share
    assert q + rest == pytest.approx(1.0)
    assert prior.field(q, rest) == pytest.approx(field, rel=1e-8)
    h = 1e-5 * field
    slope = (prior.overlap(field + h) - prior.overlap(field - h)) / (2.0 * h)
    assert prior.gain(field[5:25]) == pytest.approx(slope[5:25], rel=1e-5)


def test_that_of_a_task_has_the_variances_of_its_whitened_components() -> None:
    noise = ns.Noise(spectrum=ns.Spectrum([4.0, 1.0, 0.5], [1, 2, 5]))
    task = TASK.replace(noise=noise, signal=(0.5, 0.5, 0.0))
    prior = prior_of(task)
    each = np.array([0.5 / 0.125 / 4.0, 0.5 / 0.25 / 1.0])
    each /= 0.5 / 4.0 + 0.5
    assert sorted(prior.P) == pytest.approx(sorted(each))
    assert prior.P @ prior.share == pytest.approx(1.0)


def test_many_levels_are_those_of_a_few_nodes() -> None:
    noise = ns.Noise(spectrum=ns.Spectrum.power_law(0.8, 2000))
    prior = prior_of(TASK.replace(noise=noise))
    assert len(prior.P) < 200
    s = noise.spectrum.s
    P = (1.0 / s) / np.mean(1.0 / s)
    for field in (1e-3, 0.7, 100.0):
        exact = np.mean(P**2 * field / (1.0 + P * field))
        assert prior.overlap(np.array(field)) == pytest.approx(exact, rel=1e-9)


def test_one_eigenvalue_changes_nothing_but_the_strength() -> None:
    noise = ns.Noise(spectrum=[4.0])
    here = ns.bayes_optimal(TASK.replace(noise=noise), [0.5, 2.0])
    there = ns.bayes_optimal(TASK.replace(theta=2.0), [0.5, 2.0])
    assert here.overlap == pytest.approx(there.overlap, rel=1e-12)
    assert here.test_error == pytest.approx(there.test_error, rel=1e-12)
