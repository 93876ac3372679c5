"""Compression of draws to weighted nodes: what it keeps, and what its error is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from needlescope.theory.law.attention import Samples, draw
from needlescope.theory.law.compression import _merged, _statistics, compress
from needlescope.theory.law.ladder import Level

FINE = Level(2**13, 1024)


def smooth(mass: np.ndarray, score: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Functions of a node as smooth as test errors and losses are."""
    parts = [A, score**3, np.exp(-(score**2)), np.sqrt(A)]
    for b1, b2, bias in ((1.0, 0.5, -1.0), (0.3, 0.0, 0.2), (0.6, 1.5, -1.0)):
        m = b1 * score + b2 * mass + bias
        parts += [ndtr(m / np.sqrt(b1**2 / 10.0 + A)), np.logaddexp(0.0, m)]
    return np.stack(parts)


@pytest.fixture(
    scope="module",
    params=[
        (6, 2, 1.0, 3.0),
        (10, 1, 0.7, 4.9),
        (100, 5, 2.0, 2.0),
        (6, 1, 8.0, 1.0),
        (8, 8, 1.0, 1.0),
    ],
    ids=str,
)
def compressed(request: pytest.FixtureRequest) -> list:
    """Draws of each label with their fine and coarse compression."""
    L, R, kappa, tilt = request.param
    return [(item, *compress(item, FINE.cells)) for item in draw(L, R, kappa, tilt, FINE.points)]


def test_the_coarse_law_tells_the_error_of_the_fine_one() -> None:
    """On the whole: over several laws, at the resolution that `predict` uses."""
    errors, gaps = [], []
    for L, R, kappa, tilt in (
        (6, 2, 1.0, 3.0),
        (10, 1, 0.7, 4.9),
        (100, 5, 2.0, 2.0),
        (6, 1, 8.0, 1.0),
        (8, 8, 1.0, 1.0),
        (1000, 3, 3.0, 4.0),
    ):
        for samples in draw(L, R, kappa, tilt, 2048):
            both = compress(samples, 96)
            fine, coarse = (smooth(*item[:3]) @ item[3] for item in both)
            errors.append(np.linalg.norm(fine - smooth(*samples).mean(axis=(1, 2))))
            gaps.append(np.linalg.norm(fine - coarse))
    assert np.linalg.norm(errors) < 0.25 * np.linalg.norm(gaps)
    assert (np.array(errors) < np.array(gaps)).all()


class TestCompression:
    def test_mean_and_covariance_are_kept_exactly(self, compressed: list) -> None:
        for samples, *both in compressed:
            table = np.stack([samples.mass, samples.score, np.log(samples.A)]).reshape(3, -1)
            for mass, score, A, weight, _ in both:
                nodes = np.stack([mass, score, np.log(A)])
                mean = nodes @ weight
                assert mean == pytest.approx(table.mean(axis=1), abs=1e-13)
                covariance = (nodes * weight) @ nodes.T - np.outer(mean, mean)
                assert covariance == pytest.approx(np.cov(table, bias=True), abs=1e-12)

    def test_smooth_functions_are_kept_to_1e_5(self, compressed: list) -> None:
        for samples, (mass, score, A, weight, _), _ in compressed:
            exact = smooth(*samples).mean(axis=(1, 2))
            assert smooth(mass, score, A) @ weight == pytest.approx(exact, abs=1e-5)

    def test_weights_are_probabilities(self, compressed: list) -> None:
        for _, *both in compressed:
            for item in both:
                weight = item[3]
                assert np.all(weight > 0.0)
                assert weight.sum() == pytest.approx(1.0, abs=1e-13)

    def test_replicate_weights_average_to_the_weights(self, compressed: list) -> None:
        for _, *both in compressed:
            for *_, weight, replicas in both:
                assert replicas.shape == (8, len(weight))
                assert replicas.sum(axis=1) == pytest.approx(np.ones(8), abs=1e-12)
                # on an axis shorter than rounding the two ends of a pair are the same point
                pairs = (replicas.mean(axis=0) - weight).reshape(-1, 2).sum(axis=1)
                assert np.abs(pairs).max() < 1e-14

    def test_replicates_average_to_the_law(self, compressed: list) -> None:
        for _, *both in compressed:
            for mass, score, A, weight, replicas in both:
                values = smooth(mass, score, A)
                assert values @ replicas.mean(axis=0) == pytest.approx(values @ weight, abs=1e-8)

    def test_replicates_average_to_the_law_of_a_saturated_softmax(self) -> None:
        samples, _ = draw(6, 1, 2.0, 15.0, 4096)
        mass, score, A, weight, replicas = compress(samples, 32)[0]
        values = smooth(mass, score, A)
        assert values @ replicas.mean(axis=0) == pytest.approx(values @ weight, abs=1e-8)

    def test_a_replicate_has_its_own_mean(self, compressed: list) -> None:
        for samples, fine, _ in compressed:
            mass, score, A, _, replicas = fine
            for column, values in ((samples.mass, mass), (samples.score, score)):
                assert replicas @ values == pytest.approx(column.mean(axis=1), abs=1e-12)
            assert replicas @ np.log(A) == pytest.approx(np.log(samples.A).mean(axis=1), abs=1e-12)

    def test_the_spread_of_replicates_is_that_of_the_draws(self, compressed: list) -> None:
        for samples, fine, _ in compressed:
            mass, score, A, _, replicas = fine
            result = replicas @ ndtr((2.0 * mass + score - 1.0) / np.sqrt(A + 0.1))
            exact = ndtr((2.0 * samples.mass + samples.score - 1.0) / np.sqrt(samples.A + 0.1))
            # each replicate to first order within a cell: what is left is second order
            assert result.std() == pytest.approx(exact.mean(axis=1).std(), rel=0.3, abs=2e-6)

    def test_the_coarse_law_has_a_quarter_of_the_cells(self, compressed: list) -> None:
        for _, fine, coarse in compressed:
            assert len(fine[3]) == 4 * len(coarse[3])

    def test_a_law_that_is_a_point_is_one_node(self) -> None:
        item = Samples(*(np.full((8, 16), value) for value in (0.5, 0.0, 0.25)))
        for mass, score, A, weight, replicas in compress(item, 32):
            values = mass.tolist(), score.tolist(), A.tolist(), weight.tolist(), replicas.tolist()
            assert values == ([0.5], [0.0], [0.25], [1.0], [[1.0]])


def test_larger_cells_are_merged_as_if_their_samples_were_gone_through_again() -> None:
    rng = np.random.default_rng(0)
    sizes, parents, replicates = np.array([40, 25, 30, 50]), np.array([0, 1, 0, 1]), 4
    x = np.array([[1.0], [1e-3], [0.0]]) + rng.gamma(2.0, size=(3, 145)) * [[1.0], [1e-5], [30.0]]
    owner = rng.integers(0, replicates, 145)
    merged = _merged(_statistics(x, sizes, owner, replicates), parents)
    order = np.argsort(np.repeat(parents, sizes), kind="stable")
    again = _statistics(x[:, order], np.array([70, 75]), owner[order], replicates)
    for item, two in zip(merged, again, strict=True):
        np.testing.assert_allclose(item, two, rtol=1e-9, atol=1e-22)
