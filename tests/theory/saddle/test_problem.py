"""The saddle problem of stage 4: its derivatives and its shape."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.losses import LOGISTIC, Loss
from needlescope.models.nodes import JointLaw
from needlescope.theory.saddle.problem import Saddle
from needlescope.theory.saddle.solver import _inner, solve
from needlescope.theory.saddle.square import solve_square
from tests.theory.saddle.laws import as_array, as_point, perturbed, random_point


class TestLocal:
    @pytest.mark.parametrize("seed", range(2))
    def test_gradient_and_hessian_are_the_finite_differences(
        self, loss: Loss, law: JointLaw, seed: int
    ) -> None:
        rng = np.random.default_rng(seed)
        problem = Saddle(
            law, loss, float(np.exp(rng.uniform(-1.0, 2.0))), 10.0 ** rng.uniform(-3, 0)
        )
        x = as_array(random_point(rng, law.directions))
        here = problem.local(as_point(x))
        for i in range(len(x)):
            h = 1e-4 * max(abs(x[i]), 0.1)
            step = np.where(np.arange(len(x)) == i, h, 0.0)
            up, down = problem.local(as_point(x + step)), problem.local(as_point(x - step))
            size = np.abs(here.hessian[i]).max() + 1.0
            # truncation, h² times third derivatives; the quadrature of smooth losses, 1e-9, over h
            result = (up.value - down.value) / (2.0 * h)
            assert result == pytest.approx(here.gradient[i], abs=1e-5 * size)
            result = (up.gradient - down.gradient) / (2.0 * h)
            assert result == pytest.approx(here.hessian[i], abs=1e-4 * size)

    def test_the_hessian_is_symmetric(self, loss: Loss, law: JointLaw) -> None:
        at = random_point(np.random.default_rng(1), law.directions)
        hessian = Saddle(law, loss, 2.0, 0.1).local(at).hessian
        assert hessian == pytest.approx(hessian.T, rel=1e-12, abs=1e-14)

    def test_a_fixed_rho_counts_as_solved(self, law: JointLaw) -> None:
        problem = Saddle(law, LOGISTIC, 2.0, 0.1)
        at = random_point(np.random.default_rng(2), law.directions)
        k = law.directions
        assert problem.local(at, fixed_rho=True).gradient[k + 1] == 0.0
        assert problem.local(at).gradient[k + 1] != 0.0
        assert problem.local(at, fixed_rho=True).value == problem.local(at).value

    def test_the_residual_has_no_units(self, law: JointLaw) -> None:
        at = random_point(np.random.default_rng(3), law.directions)
        local = Saddle(law, LOGISTIC, 2.0, 0.1).local(at)
        assert 1e-3 < local.residual <= 1.0 + 1e-12  # a sum of terms, relative to their sizes


class TestShape:
    @pytest.mark.parametrize("seed", range(3))
    def test_it_is_strictly_concave_in_t(self, loss: Loss, law: JointLaw, seed: int) -> None:
        rng = np.random.default_rng(seed)
        at = random_point(rng, law.directions)
        local = Saddle(law, loss, 2.0, 0.1).local(at)
        assert local.hessian[-1, -1] < 0.0
        # and F itself lies below its tangents in t
        for factor in (0.5, 2.0):
            other = Saddle(law, loss, 2.0, 0.1).local(at._replace(t=factor * at.t))
            tangent = local.value + local.gradient[-1] * (factor - 1.0) * at.t
            assert other.value < tangent + 1e-9 * (1.0 + abs(tangent))

    @pytest.mark.parametrize("seed", range(3))
    def test_its_maximum_over_t_is_convex(self, loss: Loss, law: JointLaw, seed: int) -> None:
        rng = np.random.default_rng(seed)
        problem = Saddle(law, loss, 2.0, 0.1)
        ends = [as_array(random_point(rng, law.directions)) for _ in range(2)]
        first, last = (_inner(problem, as_point(x), False)[1].value for x in ends)
        middle = _inner(problem, as_point(0.5 * (ends[0] + ends[1])), False)[1].value
        assert middle < 0.5 * (first + last)

    def test_at_the_solution_the_schur_complement_is_positive(
        self, loss: Loss, law: JointLaw
    ) -> None:
        problem = Saddle(law, loss, 2.0, 0.1)
        _, local = solve(problem, solve_square(law, 2.0, 0.1))
        H = local.hessian
        assert H[-1, -1] < 0.0
        schur = H[:-1, :-1] - np.outer(H[:-1, -1], H[-1, :-1]) / H[-1, -1]
        assert np.linalg.eigvalsh(schur).min() > 0.0

    @pytest.mark.sampled(2)
    def test_no_other_point_does_better(self, loss: Loss, law: JointLaw) -> None:
        problem = Saddle(law, loss, 2.0, 0.1)
        point, local = solve(problem, solve_square(law, 2.0, 0.1))
        for seed in range(4):
            other = perturbed(point, 0.3, seed)
            assert _inner(problem, other, False)[1].value > local.value
            assert problem.local(point._replace(t=other.t)).value < local.value
