"""The collapse onto one answer: its certificate against data, and where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import needlescope as ns
from needlescope.losses import HINGE, get_loss
from needlescope.models import pooled
from needlescope.theory.saddle.collapse import collapsed_bias
from needlescope.theory.saddle.problem import Saddle
from needlescope.theory.saddle.solver import MAX_RESIDUAL, solve
from needlescope.theory.saddle.square import solve_square


class TestCollapse:
    """Hinge loss, pooled: w = 0, b = −1 is exact when subgradients at the kink balance."""

    @staticmethod
    def problem(task: ns.Task, alpha: float, ridge: float = 0.5) -> Saddle:
        return Saddle(pooled.limit(task).law(task.pi), HINGE, alpha, ridge)

    @staticmethod
    def balanced(task: ns.Task, alpha: float, d: int, seed: int) -> bool:
        """Whether w = 0, b = −1 is optimal on data: a linear programme in n₋ weights."""
        rng = np.random.default_rng(seed)
        n = int(alpha * d)
        positives = round(task.pi * n)
        X = rng.standard_normal((n, d)) / np.sqrt(task.L)
        X[:positives, 0] += task.theta * task.R / task.L
        negatives = n - positives
        result = linprog(
            np.zeros(negatives),
            A_eq=np.vstack([X[positives:].T, np.ones(negatives)]),
            b_eq=np.append(X[:positives].sum(axis=0), positives),
            bounds=(0.0, 1.0),
            method="highs",
        )
        return result.status == 0

    CASES = (
        (ns.Task(6, 1, 0.0, 0.2), 11.3, True),
        (ns.Task(6, 1, 0.0, 0.2), 4.0, False),
        (ns.Task(6, 1, 2.0, 0.2), 25.0, True),
        (ns.Task(6, 1, 2.0, 0.2), 5.0, False),
        (ns.Task(6, 1, 0.0, 0.4), 30.0, True),
        (ns.Task(6, 1, 0.0, 0.4), 11.3, False),
    )

    @pytest.mark.sampled(3)
    @pytest.mark.parametrize(("task", "alpha", "collapses"), CASES)
    def test_the_certificate_agrees_with_the_data(
        self, task: ns.Task, alpha: float, collapses: bool
    ) -> None:
        bias = collapsed_bias(self.problem(task, alpha))
        assert bias == (-1.0 if collapses else None)
        result = [self.balanced(task, alpha, 50, seed) for seed in range(3)]
        assert result == [collapses] * 3

    @pytest.mark.parametrize("ridge", [1e-3, 0.5, 10.0])
    def test_it_does_not_depend_on_the_ridge(self, ridge: float) -> None:
        assert collapsed_bias(self.problem(ns.Task(6, 1, 0.0, 0.2), 11.3, ridge)) == -1.0
        assert collapsed_bias(self.problem(ns.Task(6, 1, 0.0, 0.2), 4.0, ridge)) is None

    def test_rare_negatives_collapse_to_the_other_sign(self) -> None:
        assert collapsed_bias(self.problem(ns.Task(6, 1, 0.0, 0.8), 11.3)) == 1.0

    def test_where_it_does_not_collapse_the_solver_finds_a_readout(self) -> None:
        problem = self.problem(ns.Task(6, 1, 2.0, 0.2), 5.0)
        point, local = solve(problem, solve_square(problem.law, 5.0, 0.5))
        assert local.residual <= MAX_RESIDUAL
        assert point.rho > 1e-3
        constant = 2.0 * 0.2  # mean hinge loss at w = 0, b = −1
        assert local.value < constant

    @pytest.mark.slow
    def test_where_it_collapses_the_solver_does_not_pretend(self) -> None:
        problem = self.problem(ns.Task(6, 1, 0.0, 0.2), 11.3)
        with pytest.raises(ns.NotConverged):
            solve(problem, solve_square(problem.law, 11.3, 0.5))

    @pytest.mark.slow
    def test_the_prediction_is_the_constant_answer(self) -> None:
        task = ns.Task(6, 1, 0.0, 0.2)
        result = ns.predict(task, ns.Training(1.0, 11.3, loss="hinge", ridge=0.5), model="pooled")
        assert (result.norm, result.rest, result.bias) == (0.0, 0.0, -1.0)
        assert result.test_error == pytest.approx(0.2, abs=1e-15)
        assert result.train_error == pytest.approx(0.2, abs=1e-15)
        assert result.train_loss == pytest.approx(0.4, abs=1e-15)

    @pytest.mark.slow
    def test_a_kinked_loss_of_ones_own_collapses_too(self) -> None:
        absolute = ns.PiecewiseQuadratic(
            [1.0], [(0.0, -0.5, 0.5), (0.0, 0.5, -0.5)], name="absolute"
        )
        task = ns.Task(10, 1, 5.0, 0.1)
        law = pooled.limit(task).law(task.pi)
        assert collapsed_bias(Saddle(law, absolute, 100.0, 0.5)) == -1.0
        result = ns.predict(task, ns.Training(4.0, 100.0, loss=absolute, ridge=0.5), model="pooled")
        assert (result.norm, result.bias) == (0.0, -1.0)

    @pytest.mark.parametrize("name", ["square", "logistic", "squared_hinge"])
    def test_a_loss_without_kinks_never_collapses(self, name: str) -> None:
        law = pooled.limit(ns.Task(6, 1, 0.0, 0.2)).law(0.2)
        assert collapsed_bias(Saddle(law, get_loss(name), 11.3, 0.5)) is None
