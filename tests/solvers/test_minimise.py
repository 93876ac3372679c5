"""Stage 4, smooth losses: the gradient of J at the answer, recomputed here from its definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize
from sklearn.linear_model import LogisticRegression

from needlescope.losses import LOGISTIC
from needlescope.solvers.minimise import minimise, minimise_path
from tests.solvers.problems import LARGE, RIDGES, SMALL, gradient, objective, relative, sample

# ---------------------------------------------------------------- the gradient vanishes


@pytest.mark.sampled(3)
@pytest.mark.parametrize("shape", SMALL + LARGE, ids=str)
@pytest.mark.parametrize("ridge", RIDGES)
def test_gradient_vanishes(smooth_loss, shape, ridge):
    F, y = sample(*shape)
    fit = minimise(F, y, smooth_loss, ridge)
    assert relative(F, y, smooth_loss, ridge, fit) <= 1.01e-9
    assert fit.residual == pytest.approx(relative(F, y, smooth_loss, ridge, fit), abs=1e-13)
    np.testing.assert_allclose(fit.scores, F @ fit.w + fit.b, atol=1e-9)


@pytest.mark.parametrize("shape", (*SMALL[:2], *LARGE[:2]), ids=str)
def test_rare_positives_weights_and_single_precision(smooth_loss, shape):
    F, y = sample(*shape, seed=1, rate=0.01)
    F = F.astype(np.float32)
    c = np.random.default_rng(2).gamma(0.3, size=len(y))
    c[5] = 0.0
    c /= c.sum()
    fit = minimise(F, y, smooth_loss, 1e-3, c)
    assert relative(F, y, smooth_loss, 1e-3, fit, c) <= 1.01e-9
    np.testing.assert_allclose(fit.scores, F.astype(float) @ fit.w + fit.b, atol=1e-10)
    again = minimise(F.astype(float), y, smooth_loss, 1e-3, c)
    np.testing.assert_allclose(fit.w, again.w, atol=3e-6 * np.abs(again.w).max())


@pytest.mark.parametrize("shape", LARGE[:2], ids=str)
def test_features_off_centre_and_of_unequal_size(shape, smooth_loss):
    F, y = sample(*shape, seed=3)
    F = F * np.geomspace(0.03, 30.0, shape[1]) + 20.0
    fit = minimise(F, y, smooth_loss, 1e-3)
    assert relative(F, y, smooth_loss, 1e-3, fit) <= 1.01e-9


def test_fortran_order_strides_and_integers():
    F, y = sample(60, 20, seed=4)
    F = np.round(3.0 * F)
    expected = minimise(F, y, "logistic", 0.1).w
    wide = np.repeat(F, 2, axis=1)[:, ::2]
    for given in (np.asfortranarray(F), wide, F.astype(int), F.astype(np.float16)):
        np.testing.assert_allclose(minimise(given, y, "logistic", 0.1).w, expected, rtol=1e-7)


# ---------------------------------------------------------------- against others


def test_objective_against_scipy(smooth_loss):
    F, y = sample(50, 8, seed=5)
    c = np.random.default_rng(6).dirichlet(np.ones(50))
    fit = minimise(F, y, smooth_loss, 0.03, c)

    def value(x):
        return objective(F, y, smooth_loss, 0.03, c, x[:-1], x[-1])

    result = scipy_minimize(value, np.zeros(9), method="BFGS", options={"gtol": 1e-7})
    here = value(np.append(fit.w, fit.b))
    assert here <= result.fun + 1e-14
    assert here == pytest.approx(result.fun, rel=1e-9)
    np.testing.assert_allclose(fit.w, result.x[:-1], atol=1e-4)


def test_gradient_is_that_of_the_objective_by_differences(smooth_loss):
    F, y = sample(30, 5, seed=7)
    c, x, step = np.full(30, 1 / 30), np.linspace(-1.0, 0.7, 6), 1e-6
    stated = gradient(F, y, smooth_loss, 0.1, c, x[:-1], x[-1])
    for k, direction in enumerate(np.eye(6)):
        ahead, behind = x + step * direction, x - step * direction
        rise = objective(F, y, smooth_loss, 0.1, c, ahead[:-1], ahead[-1])
        rise -= objective(F, y, smooth_loss, 0.1, c, behind[:-1], behind[-1])
        assert rise / (2.0 * step) == pytest.approx(stated[k], abs=1e-8)


@pytest.mark.parametrize("shape", SMALL[:2] + LARGE[:1], ids=str)
def test_logistic_against_scikit_learn(shape):
    F, y = sample(*shape, seed=8)
    fit = minimise(F, y, "logistic", 0.05)
    model = LogisticRegression(C=1.0 / (0.05 * len(y)), solver="newton-cg", tol=1e-10)
    model.fit(F, y)
    np.testing.assert_allclose(fit.w, model.coef_[0], atol=1e-6)
    assert fit.b == pytest.approx(model.intercept_[0], abs=1e-6)


@pytest.mark.parametrize("shape", SMALL + LARGE, ids=str)
def test_square_against_the_normal_equations(shape):
    F, y = sample(*shape, seed=9)
    c = np.random.default_rng(10).dirichlet(np.ones(shape[0]))
    X = np.column_stack([F, np.ones(len(y))])
    H = X.T @ (c[:, None] * X) + 0.05 * np.diag(np.append(np.ones(shape[1]), 0.0))
    expected = np.linalg.solve(H, X.T @ (c * y))
    fit = minimise(F, y, "square", 0.05, c)
    np.testing.assert_allclose(np.append(fit.w, fit.b), expected, atol=3e-8)


# ---------------------------------------------------------------- symmetries


@pytest.mark.parametrize("shape", SMALL[:2] + LARGE[:2], ids=str)
def test_weights_are_repetitions_and_order_does_not_matter(smooth_loss, shape):
    F, y = sample(*shape, seed=14)
    rng = np.random.default_rng(15)
    times = rng.integers(0, 4, len(y))
    times[:2] = 1
    index = rng.permutation(np.repeat(np.arange(len(y)), times))
    weighted = minimise(F, y, smooth_loss, 0.01, times / times.sum(), tolerance=1e-11)
    repeated = minimise(F[index], y[index], smooth_loss, 0.01, tolerance=1e-11)
    np.testing.assert_allclose(weighted.w, repeated.w, atol=1e-8)
    np.testing.assert_allclose(weighted.scores[index], repeated.scores, atol=1e-7)


def test_wide_equals_the_solution_in_all_dimensions(smooth_loss):
    """With p > n everything happens in n dimensions; the p × p Newton step must agree."""
    F, y = sample(30, 45, seed=16)
    c = np.full(30, 1 / 30)
    fit = minimise(F, y, smooth_loss, 1e-3, tolerance=1e-12)
    X = np.column_stack([F, np.ones(30)])
    penalty = 1e-3 * np.append(np.ones(45), 0.0)
    D = c * smooth_loss.second(F @ fit.w + fit.b, y)
    H = X.T @ (D[:, None] * X) + np.diag(penalty)
    step = np.linalg.lstsq(H, gradient(F, y, smooth_loss, 1e-3, c, fit.w, fit.b), rcond=None)[0]
    assert np.abs(step).max() <= 1e-8
    row_space = np.linalg.svd(F, full_matrices=False)[2]
    np.testing.assert_allclose(row_space.T @ (row_space @ fit.w), fit.w, atol=1e-12)


def test_the_same_twice():
    F, y = sample(*LARGE[0], seed=17)
    first, second = (minimise(F, y, "logistic", 1e-4) for _ in range(2))
    assert np.array_equal(first.w, second.w)
    assert first.b == second.b


@pytest.mark.parametrize("shape", [(455, 234), (234, 455)], ids=str)
def test_features_too_far_off_centre_for_single_precision(shape):
    F, y = sample(*shape, seed=23, shift=0.0)
    fit = minimise(F + 300.0, y, "logistic", 1e-6)
    assert relative(F + 300.0, y, LOGISTIC, 1e-6, fit) <= 1.01e-9


# ---------------------------------------------------------------- questions without an answer


def test_cancelling_gradient():
    """Both classes at the same points: (0, 0) is the answer and the gradient there is zero."""
    F = np.vstack([sample(20, 5)[0]] * 2)
    y = np.repeat([1.0, -1.0], 20)
    for loss in ("square", "logistic", "squared_hinge"):
        fit = minimise(F, y, loss, 0.1)
        assert np.abs(fit.w).max() <= 1e-15
        assert fit.residual <= 1e-9


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"F": np.zeros(3)}, "F must be a table"),
        ({"F": np.full((60, 20), np.nan)}, "F must be finite"),
        ({"y": np.zeros(60)}, "y must be 60 labels"),
        ({"ridge": -1.0}, "ridge must be a finite number"),
        ({"ridge": np.nan}, "ridge must be a finite number"),
        ({"weight": np.ones(60)}, "weight must be 60 non-negative numbers"),
        ({"tolerance": 0.0}, "tolerance must lie between"),
    ],
)
def test_bad_input(change, sentence):
    F, y = sample(60, 20)
    given = {"F": F, "y": y, "loss": "logistic", "ridge": 0.1} | change
    with pytest.raises(ValueError, match=sentence):
        minimise(**given)


# ---------------------------------------------------------------- several ridges on end


def test_methods_without_a_path_serve_several_ridges_too():
    F, y = sample(60, 20)
    weight = np.where(np.arange(60) < 50, 0.02, 0.0)
    for loss, ridges in (("hinge", [0.1, 0.01]), ("square", [0.1, 0.0])):
        for ridge, fit in zip(ridges, minimise_path(F, y, loss, ridges, weight), strict=True):
            alone = minimise(F, y, loss, ridge, weight)
            assert fit.w == pytest.approx(alone.w, rel=1e-6, abs=1e-9)
            assert fit.scores == pytest.approx(F @ alone.w + alone.b, rel=1e-6, abs=1e-9)
