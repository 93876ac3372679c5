"""Stage 4, smooth losses: the gradient of J at the answer, recomputed here from its definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize
from sklearn.linear_model import LogisticRegression

from needlescope.errors import NoMinimiser, NotConverged
from needlescope.losses import LOGISTIC, SQUARE, SQUARED_HINGE, PiecewiseQuadratic
from needlescope.solvers.minimise import minimise, minimise_path
from needlescope.solvers.problem import Problem
from needlescope.solvers.products import Products
from needlescope.solvers.smooth import ridged as smooth
from needlescope.solvers.smooth import subspace

HUBER = PiecewiseQuadratic(
    [-1.0, 1.0], [(0.0, -2.0, 1.0), (1.0, -1.0, 1.5), (0.0, 0.0, 1.0)], name="flat_huber"
)  # straight, curved, straight: no curvature at all far from the origin
SMALL = ((60, 20), (20, 60), (40, 40), (41, 40))
LARGE = ((900, 180), (180, 900), (220, 200), (200, 220))  # these go through the span
RIDGES = (10.0, 1e-2, 1e-5, 1e-8)


def sample(n, p, seed=0, rate=0.5, shift=1.0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < rate, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    F = rng.standard_normal((n, p))
    F[:, : min(3, p)] += shift * (y[:, None] > 0)
    return F, y


def objective(F, y, loss, ridge, c, w, b):
    return c @ loss.value(F @ w + b, y) + 0.5 * ridge * w @ w


def gradient(F, y, loss, ridge, c, w, b):
    r = c * loss.derivative(F @ w + b, y)
    return np.append(F.T @ r + ridge * w, r.sum())


def relative(F, y, loss, ridge, fit, c=None):
    """The residual that is promised, in float64."""
    F = np.asarray(F, float)
    c = np.full(len(y), 1.0 / len(y)) if c is None else c
    zero = gradient(F, y, loss, ridge, c, np.zeros(F.shape[1]), 0.0)
    here = gradient(F, y, loss, ridge, c, fit.w, fit.b)
    return np.linalg.norm(here) / np.linalg.norm(zero)


@pytest.fixture(params=["square", "logistic", "squared_hinge", "pseudo_huber", "flat_huber"])
def smooth_loss(request, pseudo_huber):
    losses = (SQUARE, LOGISTIC, SQUARED_HINGE, pseudo_huber, HUBER)
    return {one.name: one for one in losses}[request.param]


# ---------------------------------------------------------------- the gradient vanishes


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

    found = scipy_minimize(value, np.zeros(9), method="BFGS", options={"gtol": 1e-7})
    here = value(np.append(fit.w, fit.b))
    assert here <= found.fun + 1e-14
    assert here == pytest.approx(found.fun, rel=1e-9)
    np.testing.assert_allclose(fit.w, found.x[:-1], atol=1e-4)


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


@pytest.mark.parametrize("shape", SMALL + LARGE, ids=str)
@pytest.mark.parametrize("rank", ["full", "lacking"])
def test_square_without_ridge_is_least_norm(shape, rank):
    F, y = sample(*shape, seed=11)
    if rank == "lacking":
        F[:, -5:] = F[:, :5] @ np.random.default_rng(12).standard_normal((5, 5))
        F[-4:] = F[:4]
    c = np.random.default_rng(13).dirichlet(np.full(shape[0], 5.0))
    mean, level = c @ F, c @ y
    X = np.sqrt(c)[:, None] * (F - mean)
    expected = np.linalg.pinv(X, rcond=1e-11) @ (np.sqrt(c) * (y - level))
    fit = minimise(F, y, "square", 0.0, c)
    size = np.abs(expected).max()
    np.testing.assert_allclose(fit.w, expected, atol=1e-8 * size)
    assert fit.b == pytest.approx(level - expected @ mean, abs=1e-7 * size)
    small = minimise(F, y, "square", 1e-8, c)
    assert np.linalg.norm(small.w) <= np.linalg.norm(fit.w) * (1.0 + 1e-9)


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


@pytest.mark.parametrize("shape", LARGE[:2], ids=str)
def test_span_and_factorised_newton_agree(smooth_loss, shape, monkeypatch):
    F, y = sample(*shape, seed=18)
    expected = minimise(F, y, smooth_loss, 0.1, tolerance=1e-12).w
    monkeypatch.setattr(smooth, "SMALL", 10**9)
    alone = minimise(F, y, smooth_loss, 0.1, tolerance=1e-12)
    np.testing.assert_allclose(alone.w, expected, atol=1e-10)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "square"])
@pytest.mark.parametrize("shape", [(900, 180), (200, 500)], ids=str)
def test_span_suffices_where_problems_are_easy(loss, shape, monkeypatch):
    """Without the factorised method to fall back on; that of p > n sees jumps of D ahead."""
    F, y = sample(*shape, seed=22)

    def refuse(*_):
        raise AssertionError("the span should have been enough")

    monkeypatch.setattr(smooth, "newton", refuse)
    monkeypatch.setattr(smooth, "SMALL_SQUARE", 0)
    for dtype in (np.float32, np.float64):
        fit = minimise(F.astype(dtype), y, loss, 0.3)
        assert fit.residual <= 1e-9


@pytest.mark.parametrize("shape", [(455, 234), (234, 455)], ids=str)
def test_features_too_far_off_centre_for_single_precision(shape):
    F, y = sample(*shape, seed=23, shift=0.0)
    fit = minimise(F + 300.0, y, "logistic", 1e-6)
    assert relative(F + 300.0, y, LOGISTIC, 1e-6, fit) <= 1.01e-9


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_in_many_blocks(dtype, monkeypatch):
    monkeypatch.setattr("needlescope.solvers.products.PRODUCT_BLOCK", 700)
    monkeypatch.setattr("needlescope.solvers.products.SINGLE_PANEL", 700)
    monkeypatch.setattr("needlescope.solvers.cholesky.MATRIX_PANEL", 700)
    monkeypatch.setattr(subspace, "MOST_DIRECTIONS", 12)
    monkeypatch.setattr(subspace, "KEPT_DIRECTIONS", 5)
    for shape in LARGE[:2]:
        F, y = sample(*shape, seed=19)
        F = F.astype(dtype)
        for ridge in (0.3, 1e-6):
            fit = minimise(F, y, "logistic", ridge)
            assert relative(F, y, LOGISTIC, ridge, fit) <= 1.01e-9
    products, exact = Products(F), F.astype(float)
    v = np.linspace(-1.0, 1.0, F.shape[1])
    np.testing.assert_allclose(products.forward(v), exact @ v, atol=1e-12)
    z = (exact @ v) ** 2
    np.testing.assert_allclose(products.backward(z), exact.T @ z, rtol=1e-11)
    at, blocks = zip(*((one, block.copy()) for one, block in products.blocks()), strict=True)
    assert len(blocks) > 1 and np.array_equal(np.concatenate(blocks), exact)
    assert [one.start for one in at[1:]] == [one.stop for one in at[:-1]]


# ---------------------------------------------------------------- questions without an answer


def test_cancelling_gradient():
    """Both classes at the same points: (0, 0) is the answer and the gradient there is zero."""
    F = np.vstack([sample(20, 5)[0]] * 2)
    y = np.repeat([1.0, -1.0], 20)
    for loss in ("square", "logistic", "squared_hinge"):
        fit = minimise(F, y, loss, 0.1)
        assert np.abs(fit.w).max() <= 1e-15
        assert fit.residual <= 1e-9


@pytest.mark.parametrize("label", [1.0, -1.0])
def test_one_class(label, pseudo_huber):
    F, y = sample(30, 5)[0], np.full(30, label)
    for loss in ("square", "squared_hinge", pseudo_huber):
        fit = minimise(F, y, loss, 0.1)
        assert not fit.w.any()
        assert fit.b == pytest.approx(label, abs=1e-12)
        assert np.array_equal(fit.scores, np.full(30, fit.b))
    with pytest.raises(NoMinimiser, match=r"all labels are .* the logistic loss falls for ever"):
        minimise(F, y, "logistic", 0.1)


def test_without_ridge(pseudo_huber):
    F, y = sample(300, 4, seed=20, shift=0.5)
    F = np.column_stack([F, F[:, 0] + F[:, 1]])
    for loss in (LOGISTIC, SQUARED_HINGE, pseudo_huber):
        fit = minimise(F, y, loss, 0.0)
        assert relative(F, y, loss, 0.0, fit) <= 1.01e-9
        near = minimise(F, y, loss, 1e-9, tolerance=1e-11)
        np.testing.assert_allclose(fit.w, near.w, atol=1e-6)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_separable_without_ridge(loss):
    F, y = sample(20, 30, seed=21)
    with pytest.raises(NoMinimiser, match="hyperplane separates the classes"):
        minimise(F, y, loss, 0.0)


def test_flat_without_ridge():
    """Any readout will do whose scores stay in the valley of the loss: there is no single one."""
    valley = PiecewiseQuadratic(
        [-1.0, 1.0], [(1.0, 1.0, 0.5), (0.0, 0.0, 0.0), (1.0, -1.0, 0.5)], name="valley"
    )
    F, y = sample(300, 4, seed=20, shift=0.5)
    with pytest.raises(NoMinimiser, match="the valley loss is flat along a direction"):
        minimise(F, y, valley, 0.0)


@pytest.mark.parametrize("shape", SMALL[:2] + LARGE[:2], ids=str)
def test_not_converged_says_so(shape, smooth_loss):
    """No float64 gradient is that small: an answer would be a lie."""
    F, y = sample(*shape)
    with pytest.raises(NotConverged, match=r"gradient of \d.* not 1e-19, in \d+ .*larger ridge"):
        minimise(F, y, smooth_loss, 1e-3, tolerance=1e-19)


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


def test_problem_is_a_plain_tuple():
    F, y = sample(60, 20)
    fit = smooth.minimise_smooth(Problem(F, y, LOGISTIC, 0.1, np.full(60, 1 / 60)), 1e-9)
    assert np.array_equal(fit.w, minimise(F, y, "logistic", 0.1).w)


# ---------------------------------------------------------------- several ridges on end


@pytest.mark.parametrize("shape", SMALL + LARGE[:2])
@pytest.mark.parametrize("ridges", [(10.0, 0.1, 1e-5), (1e-5, 0.1, 10.0)])
def test_each_of_several_ridges_gets_its_minimiser(smooth_loss, shape, ridges):
    F, y = sample(*shape)
    fits = minimise_path(F, y, smooth_loss, ridges)
    for ridge, fit in zip(ridges, fits, strict=True):
        assert relative(F, y, smooth_loss, ridge, fit) <= 1e-9 * (1 + 1e-6)
        assert fit.scores == pytest.approx(F @ fit.w + fit.b, rel=1e-9, abs=1e-9)


def test_the_next_ridge_starts_where_the_last_one_ended():
    F, y = sample(60, 20)
    again = minimise_path(F, y, "logistic", [0.1, 0.1], tolerance=1e-4)
    assert again[0].iterations > 0
    assert again[1].iterations == 0
    assert np.array_equal(again[0].w, again[1].w)


def test_methods_without_a_path_serve_several_ridges_too():
    F, y = sample(60, 20)
    weight = np.where(np.arange(60) < 50, 0.02, 0.0)
    for loss, ridges in (("hinge", [0.1, 0.01]), ("square", [0.1, 0.0])):
        for ridge, fit in zip(ridges, minimise_path(F, y, loss, ridges, weight), strict=True):
            alone = minimise(F, y, loss, ridge, weight)
            assert fit.w == pytest.approx(alone.w, rel=1e-6, abs=1e-9)
            assert fit.scores == pytest.approx(F @ alone.w + alone.b, rel=1e-6, abs=1e-9)
