"""Separability: against a linear-programming solver, and by certificates that cannot be forged."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from needlescope.errors import NotConverged
from needlescope.solvers.separation.separable import separability

COVERS = ("finite_newton",)


def samples(seed: int, n: int, p: int, signal: float = 0.6, rate: float = 0.5):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < rate, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    F = rng.standard_normal((n, p))
    F[:, 0] += signal * y
    return F, y


def by_linear_program(F, y) -> bool:
    rows = y[:, None] * np.column_stack([F, np.ones(len(y))])
    free = np.zeros(rows.shape[1])
    return linprog(free, A_ub=-rows, b_ub=-np.ones(len(y)), bounds=(None, None)).status == 0


def holds(found, F, y) -> bool:
    """Verify a certificate in plain sums, without the package's own check."""
    F = np.asarray(F, float)
    if found.separable:
        unit = np.isclose(found.w @ found.w + found.b**2, 1.0, rtol=1e-12)
        margins = y * (F @ found.w + found.b)
        return bool(unit and margins.min() >= found.margin > 0.0)
    a = found.weights
    rows = y[:, None] * np.column_stack([F, np.ones(len(y))])
    size = np.abs(rows).max(axis=0)
    balanced = np.abs(a @ rows) <= 1e-12 * np.maximum(size, 1e-300)
    return bool((a >= 0.0).all() and abs(a.sum() - 1.0) < 1e-12 and balanced.all())


class TestTruth:
    @pytest.mark.parametrize(("rate", "ratio"), [(0.5, 1.6), (0.15, 2.6)])
    def test_agrees_with_a_linear_program_around_the_threshold(self, rate, ratio):
        answers = []
        for seed in range(80):
            p = 3 + seed % 20
            F, y = samples(seed, round(p * (ratio + 0.03 * (seed % 60))) + 2, p, rate=rate)
            result = separability(F, y)
            assert result.separable == by_linear_program(F, y), seed
            assert result.proven
            assert result.check(F, y)
            assert holds(result, F, y)
            answers.append(result.separable)
        assert 15 < sum(answers) < 65

    def test_agrees_on_coarse_features_full_of_ties(self):
        answers = []
        for seed in range(60):
            F, y = samples(seed, 14, 5)
            F = np.round(F)
            result = separability(F, y)
            assert result.separable == by_linear_program(F, y), seed
            assert result.check(F, y)
            answers.append(result.separable)
        assert 5 < sum(answers) < 55

    def test_units_of_the_features_do_not_matter(self):
        for seed in range(20):
            F, y = samples(seed, 60, 20, signal=0.8)
            scale = 10.0 ** np.random.default_rng(seed).uniform(-6, 6, 20)
            result = separability(F * scale + 3.0 * scale, y)
            assert result.separable == separability(F, y).separable
            assert result.check(F * scale + 3.0 * scale, y)

    @pytest.mark.parametrize(("n", "p", "signal"), [(740, 250, 0.8), (3000, 150, 2.0)])
    def test_larger_samples_near_capacity(self, n, p, signal):
        answers = set()
        for seed in range(12):
            F, y = samples(seed, n, p, signal)
            result = separability(F.astype(np.float32), y)
            assert holds(result, F.astype(np.float32), y)
            assert result.proven
            answers.add(result.separable)
        assert answers == {True, False}

    def test_cover_counts_half_at_twice_the_dimension(self):
        # Without signal n = 2(p + 1) points with random labels are separable half of the time
        # (Cover 1965); 100 trials have a standard error of 0.05.
        rng = np.random.default_rng(5)
        trials = [
            separability(rng.standard_normal((42, 20)), rng.choice([-1.0, 1.0], 42)).separable
            for _ in range(100)
        ]
        assert abs(np.mean(trials) - 0.5) < 0.2


class TestDegenerate:
    @pytest.mark.parametrize("y", [[1.0], [-1.0], [1.0, 1.0], [-1.0, -1.0, -1.0]])
    def test_one_class_is_separable_by_its_bias(self, y):
        F, y = np.ones((len(y), 3)), np.array(y)
        result = separability(F, y)
        assert result.separable
        assert not result.w.any()
        assert result.b == y[0]
        assert result.check(F, y)

    @pytest.mark.parametrize("p", [1, 4, 40])
    def test_equal_samples_with_opposite_labels_are_not(self, p):
        F, y = samples(0, 12, p, signal=9.0)
        F[7], y[7] = F[0], -y[0]
        result = separability(F, y)
        assert not result.separable
        assert result.proven
        assert result.check(F, y)

    def test_as_many_samples_as_dimensions_are(self):
        F, y = samples(3, 60, 80)
        result = separability(F, y)
        assert result.separable
        assert holds(result, F, y)

    def test_samples_that_only_touch_are_not(self):
        # All on the line x = 0, with alternating labels: the line itself separates nothing.
        F = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [1.0, 0.0], [-1.0, 0.0]])
        y = np.array([1.0, -1.0, 1.0, 1.0, -1.0])
        result = separability(F, y)
        assert not result.separable
        assert not result.proven  # three samples on a line bear all the weight
        assert result.residual < 1e-13
        assert result.check(F, y)

    def test_weights_of_three_samples_on_a_line(self):
        result = separability(np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, 1.0, -1.0]))
        # Σ α y = 0 and Σ α y F = 0 leave (2, 3, 1)/6.
        np.testing.assert_allclose(result.weights, [1 / 3, 1 / 2, 1 / 6], rtol=1e-12)

    def test_constant_and_missing_features(self):
        y = np.array([1.0, -1.0, 1.0])
        assert not separability(np.zeros((3, 0)), y).separable
        assert not separability(np.full((3, 2), 7.0), y).separable
        assert separability(np.array([[7.0, 1.0], [7.0, 0.0], [7.0, 2.0]]), y).separable

    @pytest.mark.parametrize(
        ("gap", "separable"), [(1e-3, True), (1e-9, True), (-1e-3, False), (-1e-5, False)]
    )
    def test_a_narrow_gap(self, gap, separable):
        F = np.array([[0.0], [1.0], [1.0 + gap], [2.0]])
        result = separability(F, np.array([-1.0, -1.0, 1.0, 1.0]))
        assert result.separable == separable
        assert result.proven

    def test_bad_input_is_refused_in_a_sentence(self):
        with pytest.raises(ValueError, match="labels −1 or \\+1"):
            separability(np.ones((2, 1)), [0.0, 1.0])
        with pytest.raises(ValueError, match="finite"):
            separability(np.array([[np.nan], [1.0]]), [-1.0, 1.0])

    def test_no_answer_rather_than_a_wrong_one(self, monkeypatch):
        monkeypatch.setattr("needlescope.solvers.separation.separable.MOST_ROUNDS", 1)
        with pytest.raises(NotConverged, match="neither a separating hyperplane nor"):
            separability(*samples(1, 90, 30))


class TestForgery:
    """A certificate that was tampered with does not verify."""

    def test_of_a_hyperplane(self):
        F, y = samples(0, 40, 30, signal=1.0)
        result = separability(F, y)
        assert result.separable
        worst = np.argmin(y * (F @ result.w + result.b))
        shifted = result._replace(b=result.b - 1.01 * y[worst] * (result.margin + 1e-9))
        assert not shifted.check(F, y)
        assert not result._replace(w=-result.w).check(F, y)
        assert not result._replace(w=np.full(30, np.nan)).check(F, y)
        assert not result._replace(w=np.zeros(30), b=0.0).check(F, y)
        assert not result.check(F, -y)

    def test_of_weights(self):
        F, y = samples(0, 100, 20)
        result = separability(F, y)
        assert not result.separable
        assert result.proven
        heaviest, a = np.argmax(result.weights), result.weights
        moved = a.copy()
        moved[heaviest] *= 0.99
        assert not result._replace(weights=moved / moved.sum()).check(F, y)
        assert not result._replace(weights=2.0 * a).check(F, y)
        assert not result._replace(weights=-a).check(F, y)
        assert not result._replace(weights=np.full(100, 0.01)).check(F, y)
        assert not result._replace(weights=np.zeros(100)).check(F, y)
        assert not result._replace(separable=True).check(F, y)
        other = separability(*samples(1, 100, 20))
        assert not other.check(F, y)

    def test_negative_weights_do_not_pass_on_separable_samples(self):
        F, y = samples(0, 40, 30, signal=1.0)
        rows = y[:, None] * np.column_stack([F, np.ones(40)])
        null = np.linalg.svd(rows.T)[2][-1]
        result = separability(F, y)
        forged = result._replace(separable=False, weights=null / null.sum(), proven=False)
        assert np.abs(forged.weights @ rows).max() < 1e-12
        assert not forged.check(F, y)
