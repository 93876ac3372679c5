"""Minimisers of kinked losses: gaps from the explicit dual, and other people's solvers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog, lsq_linear, minimize_scalar
from sklearn.svm import SVC

from needlescope.errors import NoMinimiser, NotConverged
from needlescope.losses import HINGE, LOGISTIC, SQUARED_HINGE, PiecewiseQuadratic
from needlescope.solvers.algebra.problem import Problem
from needlescope.solvers.kinked.certified import minimise_kinked
from needlescope.solvers.kinked.fenchel import best_bias
from tests.solvers.kinked.losses import ABSOLUTE, KINKED, TWO_KINKS

COVERS = ("interior",)


def problem(n, p, loss=HINGE, ridge=1e-2, seed=0, rate=0.3, signal=2.0, weight=None):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < rate, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    F = rng.standard_normal((n, p))
    F[:, 0] += signal * (y > 0)
    return Problem(F, y, loss, ridge, np.full(n, 1.0 / n) if weight is None else weight)


def objective(given: Problem, w, b) -> float:
    z = np.asarray(given.F, float) @ w + b
    return float(given.weight @ given.loss.value(z, given.y) + 0.5 * given.ridge * (w @ w))


def hinge_gap(given: Problem, fit) -> float:
    """The gap of the textbook dual Σ a − ‖Σ a y F‖²/(2λ), 0 ≤ a ≤ c, Σ a y = 0, from the fit alone.

    Outside the margin a is 0 or c; on it, it solves λ w = Σ a y F within bounds.
    """
    F, y, c = np.asarray(given.F, float), given.y, given.weight
    u = y * fit.scores
    a = np.where(u < 1.0, c, 0.0)
    on = np.abs(u - 1.0) < 1e-4  # a support vector of next to no weight may be this far off
    a[on] = 0.0
    rows = np.column_stack([F, np.ones(len(y))]) * y[:, None]
    need = np.append(given.ridge * fit.w, 0.0) - a @ rows
    bounds = (0.0, c[on] / given.ridge)
    solved = lsq_linear(rows[on].T, need / given.ridge, bounds, method="bvls", tol=1e-15)
    a[on] = given.ridge * solved.x
    assert abs(a @ y) < 1e-9 * a.sum()
    pull = (a * y) @ F
    dual = a.sum() - pull @ pull / (2.0 * given.ridge)
    return (objective(given, fit.w, fit.b) - dual) / objective(given, fit.w, fit.b)


class TestGap:
    @pytest.mark.parametrize(("n", "p"), [(200, 60), (80, 150), (100, 100)])
    @pytest.mark.parametrize("ridge", [1.0, 1e-2, 1e-3, 1e-5])
    def test_of_the_hinge_by_its_explicit_dual(self, n, p, ridge):
        given = problem(n, p, ridge=ridge)
        fit = minimise_kinked(given)
        assert fit.residual <= 1e-9
        assert abs(hinge_gap(given, fit)) <= 1e-8

    @pytest.mark.parametrize("loss", KINKED, ids=lambda loss: loss.name)
    @pytest.mark.parametrize(("n", "p"), [(150, 40), (60, 120)])
    @pytest.mark.parametrize("ridge", [1.0, 1e-2, 1e-4])
    def test_of_every_loss_and_no_neighbour_is_better(self, loss, n, p, ridge):
        rng = np.random.default_rng(1)
        weight = rng.dirichlet(np.ones(n))
        weight[5] = 0.0
        given = problem(n, p, loss, ridge, weight=weight / weight.sum())
        fit = minimise_kinked(given)
        assert fit.residual <= 1e-9
        np.testing.assert_allclose(fit.scores, given.F @ fit.w + fit.b, rtol=0, atol=1e-9)
        least = objective(given, fit.w, fit.b)
        for size in (1.0, 1e-2, 1e-4):
            for _ in range(20):
                w = fit.w + size * rng.standard_normal(p) / np.sqrt(p)
                b = fit.b + size * rng.standard_normal()
                assert objective(given, w, b) >= least - 1e-9 * abs(least)

    def test_tighter_on_demand(self):
        assert minimise_kinked(problem(200, 60), tolerance=1e-12).residual <= 1e-12

    def test_out_of_reach_is_an_error(self):
        with pytest.raises(NotConverged, match="relative duality gap of"):
            minimise_kinked(problem(60, 30, ridge=1e-5), tolerance=1e-19)

    def test_single_precision_features(self):
        given = problem(120, 200)
        single = given._replace(F=given.F.astype(np.float32))
        double = single._replace(F=single.F.astype(float))
        np.testing.assert_allclose(
            minimise_kinked(single).w, minimise_kinked(double).w, rtol=0, atol=1e-7
        )

    @pytest.mark.parametrize("p", [20, 120])
    def test_repeated_samples_are_weights(self, p):
        given = problem(80, p)
        count = np.where(np.arange(80) % 3 == 0, 3, 1)
        weighted = minimise_kinked(given._replace(weight=count / count.sum()))
        n = count.sum()
        repeated = minimise_kinked(
            given._replace(
                F=given.F.repeat(count, 0), y=given.y.repeat(count), weight=np.full(n, 1 / n)
            )
        )
        np.testing.assert_allclose(weighted.w, repeated.w, rtol=0, atol=1e-6)
        assert abs(weighted.b - repeated.b) < 1e-6


class TestOthers:
    @pytest.mark.parametrize(("n", "p"), [(150, 30), (50, 120)])
    @pytest.mark.parametrize("ridge", [1.0, 1e-1, 1e-2])
    def test_support_vector_machine(self, n, p, ridge):
        given = problem(n, p, ridge=ridge)
        fit = minimise_kinked(given)
        other = SVC(kernel="linear", C=1.0 / (n * ridge), tol=1e-8).fit(given.F, given.y)
        np.testing.assert_allclose(fit.w, other.coef_[0], rtol=0, atol=2e-5)
        ours = objective(given, fit.w, fit.b)
        assert ours <= objective(given, other.coef_[0], other.intercept_[0]) + 1e-12

    def test_median_regression_as_the_ridge_vanishes(self):
        # Absolute deviations without a ridge are a linear program; the ridge 1e-7 costs little.
        given = problem(80, 4, ABSOLUTE, ridge=1e-7, rate=0.5)
        n, rows = 80, np.column_stack([given.F, np.ones(80)])
        cost = np.concatenate([np.zeros(5), np.full(2 * n, 0.5 / n)])
        eye = np.eye(n)
        bounds = [(None, None)] * 5 + [(0, None)] * (2 * n)
        best = linprog(cost, A_eq=np.hstack([rows, eye, -eye]), b_eq=given.y, bounds=bounds)
        fit = minimise_kinked(given)
        assert 0.0 <= objective(given, fit.w, fit.b) - best.fun <= 1e-6
        np.testing.assert_allclose(fit.w, best.x[:4], atol=1e-5)

    def test_one_dimension_by_brute_force(self):
        given = problem(40, 1, TWO_KINKS, ridge=0.05)

        def at(w):
            return objective(given, np.array([w]), best_bias(TWO_KINKS, given.F[:, 0] * w, *rest))

        rest = given.y, given.weight
        best = minimize_scalar(at, bracket=(-1.0, 1.0), options={"xtol": 1e-12})
        fit = minimise_kinked(given)
        assert abs(objective(given, fit.w, fit.b) - best.fun) < 1e-12


class TestSpecialPhases:
    @pytest.mark.parametrize(("ridge", "rate"), [(1.0, 0.02), (1e-2, 0.02), (1e-3, 0.01)])
    def test_collapse_onto_the_majority_is_exact(self, ridge, rate):
        # Few positives in much data: all that helps them costs the majority more.
        given = problem(3000, 20, ridge=ridge, rate=rate, signal=0.1)
        fit = minimise_kinked(given)
        assert not fit.w.any()
        assert fit.b == -1.0
        assert fit.residual <= 1e-9
        np.testing.assert_array_equal(fit.scores, -1.0)

    def test_no_collapse_with_more_signal(self):
        fit = minimise_kinked(problem(3000, 20, rate=0.02, signal=4.0))
        assert np.linalg.norm(fit.w) > 0.1

    @pytest.mark.parametrize("label", [-1.0, 1.0])
    @pytest.mark.parametrize("p", [3, 30])
    def test_one_class(self, label, p):
        given = problem(20, p)._replace(y=np.full(20, label))
        fit = minimise_kinked(given)
        assert not fit.w.any()
        assert fit.b == label
        assert fit.residual == 0.0

    def test_middle_of_the_optimal_biases(self):
        # With w = 0 forced by a huge ridge and equal classes every b in [-1, 1] is as good.
        F, y = np.array([[1.0], [1.0], [-1.0], [-1.0]]), np.array([1.0, -1.0, 1.0, -1.0])
        fit = minimise_kinked(Problem(F, y, HINGE, 1.0, np.full(4, 0.25)))
        assert not fit.w.any()
        assert fit.b == 0.0

    def test_no_features_at_all(self):
        fit = minimise_kinked(problem(30, 5)._replace(F=np.zeros((30, 5))))
        assert not fit.w.any()
        assert fit.b == -1.0

    def test_no_minimiser(self):
        with pytest.raises(NoMinimiser, match="needs ridge > 0"):
            minimise_kinked(problem(30, 5, ridge=0.0))
        falling = PiecewiseQuadratic([0.0], [(0, -2, 0), (0, -1, 0)], name="falling")
        given = problem(10, 3, falling)
        with pytest.raises(NoMinimiser, match="decreases without bound"):
            minimise_kinked(given._replace(y=np.ones(10)))

    @pytest.mark.parametrize("loss", [LOGISTIC, SQUARED_HINGE])
    def test_smooth_losses_are_refused(self, loss):
        with pytest.raises(ValueError, match="with kinks"):
            minimise_kinked(problem(30, 5, loss))
