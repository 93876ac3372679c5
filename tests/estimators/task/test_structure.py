"""The spectrum of noise and the place of a signal in it, estimated: no bias, and honest errors."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.estimators.bags.bags import Bags
from needlescope.estimators.bags.scaling import Scaling, no_scaling
from needlescope.estimators.task.structure import (
    NoiseSpectrum,
    Place,
    clusters,
    noise_spectrum,
    place_of,
    structured,
)

D = 40
TRUE = np.where(np.arange(D) < 8, 4.0, 0.25)


def negatives(n, L=5, offset=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, L, D)) + offset * rng.standard_normal((n, 1, D))
    turn = np.linalg.qr(rng.standard_normal((D, D)))[0]
    return Bags.from_array((X * np.sqrt(TRUE / (1.0 + offset**2))) @ turn), -np.ones(n)


def known(s, between=0.0):
    s = np.asarray(s, float)
    flat = Scaling(np.zeros(len(s)), np.eye(len(s)))
    return NoiseSpectrum(s, s, flat, 0.01, np.full(len(s), between))


@pytest.mark.parametrize("n", [12, 60])
def test_the_variance_of_the_eigenvalues_is_not_that_of_the_sample(n):
    """At n = 12 there are 1.5 instances for each feature, and sample eigenvalues spread widely."""
    dimension = TRUE.sum() ** 2 / (TRUE @ TRUE)
    result = noise_spectrum(*negatives(n), no_scaling(D), dimension)
    assert result is not None
    relative = result.s.var() / result.s.mean() ** 2
    assert relative == pytest.approx(D / dimension - 1.0, rel=0.02)
    shrunk = result.shrunk.var() / result.shrunk.mean() ** 2
    assert shrunk < relative
    assert result.shrinkage == pytest.approx({12: 0.25, 60: 0.07}[n], abs=0.1)


def test_whitened_negatives_are_white():
    bags, y = negatives(400)
    result = noise_spectrum(bags, y, no_scaling(D), TRUE.sum() ** 2 / (TRUE @ TRUE))
    assert result is not None
    X = result.whitening.apply(bags.instances)
    assert np.cov(X.T) == pytest.approx(np.eye(D), abs=0.15)
    assert not result.between.any()
    assert result.dimension == pytest.approx(D, rel=0.02)


def test_negatives_overstate_a_strength_in_coordinates_that_they_whitened():
    dimension = TRUE.sum() ** 2 / (TRUE @ TRUE)
    seen, said = [], []
    for seed in range(12):
        bags, y = negatives(40, seed=seed)  # 200 instances
        result = noise_spectrum(bags, y, no_scaling(D), dimension)
        assert result is not None
        noise = bags.instances @ np.linalg.inv(np.cov(bags.instances.T))
        seen.append(np.trace(np.cov(noise.T)) / (1.0 / TRUE).sum())  # ξᵀS⁻¹ξ over ξᵀΣ⁻¹ξ
        said.append(result.optimism)
    assert np.mean(said) == pytest.approx(np.sqrt(1.0 - D / 200), rel=0.05)
    assert np.mean(said) == pytest.approx(np.mean(seen) ** -0.5, rel=0.05)


def test_white_noise_has_no_spectrum():
    assert noise_spectrum(*negatives(20), no_scaling(D), 0.95 * D) is None


def test_constant_features_are_no_dimensions():
    bags, y = negatives(100)
    X = np.concatenate([bags.instances, np.ones((len(bags.instances), 3))], axis=1)
    wide = Bags(X, bags.starts)
    dimension = TRUE.sum() ** 2 / (TRUE @ TRUE)
    result = noise_spectrum(wide, y, no_scaling(D + 3), dimension)
    assert result is not None and len(result.s) == D
    assert result.s.mean() == pytest.approx(1.0, rel=0.05)


def test_an_offset_of_a_bag_is_a_part_of_each_eigenvalue():
    dimension = TRUE.sum() ** 2 / (TRUE @ TRUE)
    result = noise_spectrum(*negatives(600, offset=0.5), no_scaling(D), dimension)
    assert result is not None
    assert (result.between / result.s).mean() == pytest.approx(0.25 / 1.25, abs=0.02)
    assert result.seen(0.2) == pytest.approx(result.s + 4.0 * result.between)
    assert result.seen(np.inf) == pytest.approx(result.s - result.between)


class TestPlace:
    """z of a few groups, from products of directions whose noises are independent."""

    s = np.repeat([0.25, 1.0, 2.0, 4.0], 25)

    def directions(self, z, cosine, seed):
        rng = np.random.default_rng(seed)
        zeta = np.sqrt(z / z.sum())

        def direction():
            noise = rng.standard_normal(len(z)) / np.sqrt(len(z))
            return cosine * zeta + np.sqrt(1.0 - cosine**2) * noise

        return [(direction(), direction()) for _ in range(4)]

    def test_it_has_no_bias_and_its_error_covers_it(self):
        z = np.where(self.s < 0.5, 0.04, 0.0)
        scores, found = [], []
        for seed in range(60):
            place = place_of(known(self.s), self.directions(z, 0.6, seed), 0.36)
            scores.append((place.log_s - np.log(0.25)) / place.log_s_se)
            found.append(place.z[:25].sum())
        assert np.mean(found) > 0.9  # noise alone would leave 0.64 + 0.36 / 4
        assert np.mean(np.square(scores)) < 1.0  # weights below zero are cut

    def test_an_even_signal_lies_evenly(self):
        z = np.full(100, 0.01)
        each = [place_of(known(self.s), self.directions(z, 0.8, seed), 0.64) for seed in range(60)]
        scores = [(item.log_s - np.log(self.s).mean()) / item.log_s_se for item in each]
        assert abs(np.mean(scores)) < 0.4
        assert 0.1 < np.mean(np.square(scores)) < 1.3  # four pairs know more than one

    def test_a_random_signal_is_uneven_within_groups(self):
        """Directions without noise: groups of a power law do not say where in them a signal is."""
        s = np.arange(1.0, 41.0) ** -1.0
        scores = []
        for seed in range(200):
            zeta = np.random.default_rng(seed).standard_normal(40)
            place = place_of(known(s), [(zeta, zeta)], 1.0)
            truth = zeta**2 @ np.log(s) / (zeta @ zeta)
            scores.append((place.log_s - truth) / place.log_s_se)
        assert abs(np.mean(scores)) < 0.25
        assert np.mean(np.square(scores)) == pytest.approx(1.0, rel=0.3)

    def test_it_moves_by_its_standard_error(self):
        place = Place(np.full(4, 0.25), float(np.log([0.25, 1.0, 2.0, 4.0]).mean()), 0.1)
        moved = place.moved(np.array([0.25, 1.0, 2.0, 4.0]), 2.0)
        assert moved.z @ np.log([0.25, 1.0, 2.0, 4.0]) == pytest.approx(place.log_s + 0.2)
        assert moved.z.sum() == pytest.approx(1.0) and (np.diff(moved.z) > 0.0).all()


def test_the_task_in_noise_is_the_given_one_once_whitened():
    rng = np.random.default_rng(0)
    s, z = rng.uniform(0.1, 3.0, 50), rng.dirichlet(np.ones(50))
    white = ns.Task(8, 1, 3.0, 0.4)
    task = structured(white, known(s), Place(z, float(z @ np.log(s)), 0.1))
    assert task.whitened.theta == pytest.approx(3.0)
    assert task.theta == pytest.approx(3.0 * np.sqrt(z @ s), rel=0.02)
    assert task.noise.spectrum.mean == pytest.approx(s.mean(), rel=1e-9)


def test_offsets_weaken_a_signal_as_they_add_to_its_noise():
    place = Place(np.full(4, 0.25), float(np.log(2.0)), 0.0)
    white = ns.Task(10, 1, 3.0, 0.4)
    task = structured(white, known(np.full(4, 2.0), between=0.5), place, 0.1)
    assert task.theta == pytest.approx(3.0 * np.sqrt(2.0))
    assert task.whitened.theta == pytest.approx(3.0 * np.sqrt(2.0 / (2.0 + 9 * 0.5)))


def test_clusters_are_never_empty():
    x = np.array([0.0, 0.0, 0.0, 7.0])
    assert clusters(x, 3).tolist() == [0, 0, 0, 1]
