"""The saddle problem of stage 4: derivatives, shape, closed form, three routes, the collapse."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import LOGISTIC, Loss
from needlescope.models import pooled
from needlescope.models.nodes import JointLaw
from needlescope.theory.saddle.problem import OrderParameters, Saddle
from needlescope.theory.saddle.solver import MAX_RESIDUAL, _continuation, nested, newton, solve
from needlescope.theory.saddle.square import solve_square
from tests.theory.saddle.laws import LAWS, as_array, as_point, perturbed


class TestRoutes:
    PROBLEMS = ((2.0, 0.1), (0.7, 0.01), (5.0, 1e-3))

    @staticmethod
    def solution(problem: Saddle) -> np.ndarray:
        start = solve_square(problem.law, problem.delta, problem.ridge)
        point, local = solve(problem, start)
        assert local.residual <= MAX_RESIDUAL
        return as_array(point)

    @pytest.mark.parametrize(("delta", "ridge"), PROBLEMS)
    def test_newton_returns_from_nearby(
        self, loss: Loss, law: JointLaw, delta: float, ridge: float
    ) -> None:
        problem = Saddle(law, loss, delta, ridge)
        expected = self.solution(problem)
        point, local = newton(problem, perturbed(as_point(expected), 0.02, 0))
        assert local.residual <= MAX_RESIDUAL
        assert as_array(point) == pytest.approx(expected, rel=1e-5, abs=1e-7)

    @pytest.mark.sampled(5)
    @pytest.mark.parametrize(("delta", "ridge"), PROBLEMS)
    def test_the_path_arrives_at_the_same_point(
        self, loss: Loss, law: JointLaw, delta: float, ridge: float
    ) -> None:
        problem = Saddle(law, loss, delta, ridge)
        with np.errstate(all="ignore"):
            point, local = _continuation(problem, solve_square(law, delta, ridge))
        assert local.residual <= MAX_RESIDUAL
        assert as_array(point) == pytest.approx(self.solution(problem), rel=1e-5, abs=1e-7)

    @pytest.mark.sampled(5)
    def test_the_nested_problem_has_the_same_solution(self, loss: Loss, law: JointLaw) -> None:
        kinked = getattr(loss, "kinked", False)  # the others of those: see below
        for delta, ridge in self.PROBLEMS[:1] if kinked else self.PROBLEMS:
            self.check_nested(Saddle(law, loss, delta, ridge))

    def check_nested(self, problem: Saddle) -> None:
        start = solve_square(problem.law, problem.delta, problem.ridge)
        with np.errstate(all="ignore"):
            point, local = nested(problem, start)
        assert local.residual <= MAX_RESIDUAL
        assert as_array(point) == pytest.approx(self.solution(problem), rel=1e-5, abs=1e-7)

    def test_the_start_does_not_matter(self, loss: Loss) -> None:
        law = LAWS["pooled"]()
        problem = Saddle(law, loss, 2.0, 0.1)
        expected = self.solution(problem)
        for start in (
            OrderParameters(np.zeros(1), 0.0, 1.0, 1.0),
            OrderParameters(np.full(1, -3.0), 5.0, 20.0, 0.01),
        ):
            point, local = solve(problem, start)
            assert local.residual <= MAX_RESIDUAL
            assert as_array(point) == pytest.approx(expected, rel=1e-5, abs=1e-7)

    def test_with_rho_fixed_only_the_others_move(self, law: JointLaw) -> None:
        problem = Saddle(law, LOGISTIC, 2.0, 0.1)
        start = solve_square(law, 2.0, 0.1)._replace(rho=0.77)
        point, local = solve(problem, start, fixed_rho=True)
        assert point.rho == pytest.approx(0.77, rel=1e-12)  # but for rounding
        assert local.residual <= MAX_RESIDUAL
        assert abs(problem.local(point).gradient[law.directions + 1]) > 1e-4

    def test_what_does_not_converge_is_not_returned(self) -> None:
        """Without a ridge, separable data drive the logistic loss to infinity."""
        law = LAWS["vectorized"]()
        begin = time.perf_counter()
        with pytest.raises(ns.NotConverged, match="order parameters did not converge") as caught:
            solve(Saddle(law, LOGISTIC, 0.3, 0.0), solve_square(law, 0.3, 1e-6))
        assert "logistic loss at 0.3 samples per weight, ridge=0; try" in str(caught.value)
        assert time.perf_counter() - begin < 30.0


class TestStationarity:
    """The equations of the theory, written out apart from the code that solves them."""

    @pytest.mark.sampled(3)
    @pytest.mark.parametrize(("delta", "ridge"), [(2.0, 0.1), (0.7, 0.01)])
    def test_the_solution_satisfies_the_equations_by_monte_carlo(
        self, loss: Loss, delta: float, ridge: float
    ) -> None:
        task = ns.Task(4, 1, 4.0, 0.3)
        law = pooled.limit(task).law(task.pi)
        at, _ = solve(Saddle(law, loss, delta, ridge), solve_square(law, delta, ridge))
        G = np.random.default_rng(0).standard_normal(100_000)
        G = np.concatenate([G, -G])
        A, gamma, mu = 1.0 / task.L, 1.0 / at.t, float(at.mu[0])
        nu = np.hypot(mu, at.rho)
        terms: dict[str, Any] = {"b": [], "mu": [], "rho": []}
        for y, chance, m in ((1, task.pi, task.theta / task.L), (-1, 1.0 - task.pi, 0.0)):
            c = mu * m + at.b + nu * np.sqrt(A) * G
            r = loss.prox(c, np.full_like(c, gamma * A), y)
            slope = (c - r) / (gamma * A)
            terms["b"].append(chance * slope)
            terms["mu"].append(chance * slope * m)
            terms["rho"].append(chance * A * slope**2 * delta * gamma**2)
        result = {name: sum(parts) for name, parts in terms.items()}
        expected = {"b": 0.0, "mu": -mu / (delta * gamma), "rho": at.rho**2}
        for name, values in result.items():
            z = (values.mean() - expected[name]) / (values.std() / np.sqrt(len(values)) + 1e-9)
            assert abs(z) < 4.5, name
