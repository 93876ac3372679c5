"""The ridge in noise with a spectrum: a minimum over the rest of w, and its derivatives."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.losses import LOGISTIC, SQUARE
from needlescope.models.nodes import JointLaw
from needlescope.theory.saddle.problem import Saddle
from needlescope.theory.saddle.ridge import anisotropic, isotropic, resolvent
from needlescope.theory.saddle.solver import MAX_RESIDUAL, nested, solve
from needlescope.theory.saddle.square import solve_square
from needlescope.theory.spectrum.directions import Directions
from tests.theory.saddle.laws import as_array, as_point, random_point


def explicit(seed: int, k: int, d: int = 9) -> tuple[np.ndarray, np.ndarray, Directions]:
    """Return eigenvalues, k orthonormal columns, and the same as directions."""
    rng = np.random.default_rng(seed)
    s, U = np.sort(rng.lognormal(size=d)), np.linalg.qr(rng.standard_normal((d, k)))[0]
    W = np.einsum("di,dj->dij", U, U)
    return s, U, Directions(s, np.full(d, 1.0 / d), W)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("t", [0.02, 1.0, 30.0])
def test_D_is_the_minimum_over_the_rest_of_w(k: int, t: float) -> None:
    """min of u(λΣ⁻¹ + χ)u over u with Uᵀu = μ, less χμ², by the KKT system."""
    (s, U, where), delta, lam = explicit(k, k), 1.7, 0.3
    at = resolvent(t, delta, lam, where)
    assert t * np.mean(1.0 / (lam / s + at.chi)) == pytest.approx(delta, rel=1e-12)
    assert at.chi > -lam / s.max()
    kkt = np.block([[np.diag(lam / s + at.chi), -U], [U.T, np.zeros((k, k))]])
    for mu in np.eye(k):
        u = np.linalg.solve(kkt, np.append(np.zeros(len(s)), mu))[: len(s)]
        least = u @ ((lam / s + at.chi) * u) - at.chi * mu @ mu
        assert mu @ at.D @ mu == pytest.approx(least, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_derivatives_are_finite_differences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    _, _, where = explicit(seed, 2)
    delta, lam = float(np.exp(rng.uniform(-1, 1))), 10.0 ** rng.uniform(-2, 0)
    x = np.append(rng.standard_normal(3), np.exp(rng.standard_normal(2)))

    def at(x: np.ndarray):
        return anisotropic(x[:2], x[3], x[4], delta, lam, where)

    here = at(x)
    for i in range(5):
        step = np.where(np.arange(5) == i, 1e-5 * x[4], 0.0)
        up, down, h = at(x + step), at(x - step), 2e-5 * x[4]
        assert (up.value - down.value) / h == pytest.approx(here.slopes[i], rel=1e-5, abs=1e-7)
        assert (up.slopes - down.slopes) / h == pytest.approx(here.bends[i], rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("lam", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_one_level_is_white_noise(lam: float, scale: float) -> None:
    """Of variance s: the ridge on u = √s w is λ/s."""
    one = Directions(np.full(1, scale), np.ones(1), np.eye(2)[None])
    mu = np.array([0.3, -1.2])
    result = anisotropic(mu, 0.7, 1.9, 1.3, lam, one)
    expected = isotropic(mu, 0.7, 1.9, 1.3, lam / scale)
    assert result.value == pytest.approx(expected.value, rel=1e-12)
    assert result.slopes == pytest.approx(expected.slopes, rel=1e-12, abs=1e-14)
    assert result.bends == pytest.approx(expected.bends, rel=1e-12, abs=1e-13)


def with_spectrum(law: JointLaw, loss, delta: float, ridge: float) -> Saddle:
    return Saddle(law, loss, delta, ridge, spectrum=explicit(5, law.directions)[2])


def test_the_square_loss_in_closed_form_is_stationary(law: JointLaw) -> None:
    for delta in (0.2, 0.95, 1.05, 3.0, 400.0):
        for ridge in (1e-8, 1e-3, 1.0, 100.0):
            problem = with_spectrum(law, SQUARE, delta, ridge)
            point = solve_square(law, delta, ridge, problem.spectrum)
            assert problem.local(point).residual < 1e-9


def test_the_solver_finds_it_from_anywhere(law: JointLaw) -> None:
    problem = with_spectrum(law, SQUARE, 1.4, 0.05)
    exact = solve_square(law, 1.4, 0.05, problem.spectrum)
    start = random_point(np.random.default_rng(0), law.directions)
    for method in (solve, nested):
        point, local = method(problem, start)
        assert local.residual <= MAX_RESIDUAL
        assert as_array(point) == pytest.approx(as_array(exact), rel=2e-6, abs=1e-8)


def test_the_maximum_over_t_is_the_least_over_w_there(law: JointLaw) -> None:
    """At the saddle of a smooth loss F falls both ways in t, and rises in all of (μ, b, ρ)."""
    problem = with_spectrum(law, LOGISTIC, 2.0, 0.1)
    start = solve_square(law, 2.0, 0.1, problem.spectrum)
    point, local = solve(problem, start)
    k = law.directions
    for factor in (0.5, 0.9, 1.1, 2.0):
        assert problem.local(point._replace(t=factor * point.t)).value < local.value
    reduced = (
        local.hessian[: k + 2, : k + 2]
        - np.outer(local.hessian[: k + 2, -1], local.hessian[-1, : k + 2]) / local.hessian[-1, -1]
    )
    assert np.linalg.eigvalsh(reduced).min() > 0.0
    assert as_point(as_array(point)).t == point.t
