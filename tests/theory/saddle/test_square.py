"""The square loss in closed form: stationary, and ridge regression on data."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import SQUARE
from needlescope.models import pooled
from needlescope.models.nodes import JointLaw
from needlescope.theory.saddle.problem import Saddle
from needlescope.theory.saddle.solver import MAX_RESIDUAL, solve
from needlescope.theory.saddle.square import solve_square
from tests.theory.saddle.laws import as_array, perturbed, random_law


class TestSquare:
    @pytest.mark.parametrize("seed", range(25))
    def test_the_closed_form_is_stationary(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        law = random_law(rng, int(rng.integers(2, 12)), int(rng.integers(1, 4)))
        for delta in (0.2, 0.95, 1.05, 3.0, 400.0):
            for ridge in (1e-8, 1e-3, 1.0, 100.0):
                local = Saddle(law, SQUARE, delta, ridge).local(solve_square(law, delta, ridge))
                assert local.residual < 1e-10

    @pytest.mark.parametrize("seed", range(5))
    def test_without_a_ridge_it_is_stationary_above_one_sample_a_weight(self, seed: int) -> None:
        law = random_law(np.random.default_rng(seed), 6, 2)
        for delta in (1.01, 2.0, 50.0):
            result = solve_square(law, delta, 0.0)
            assert Saddle(law, SQUARE, delta, 0.0).local(result).residual < 1e-10
            assert as_array(result) == pytest.approx(
                as_array(solve_square(law, delta, 1e-12)), rel=1e-6
            )

    @pytest.mark.parametrize("size", [0.05, 0.5])
    def test_the_solver_finds_it_from_a_perturbed_start(self, law: JointLaw, size: float) -> None:
        for seed, (delta, ridge) in enumerate(((0.7, 0.01), (2.0, 0.1), (5.0, 1e-3))):
            exact = solve_square(law, delta, ridge)
            point, local = solve(Saddle(law, SQUARE, delta, ridge), perturbed(exact, size, seed))
            assert local.residual <= MAX_RESIDUAL
            # a residual of 1e-8 moves the solution by its condition number times that
            assert as_array(point) == pytest.approx(as_array(exact), rel=2e-6, abs=1e-8)

    def test_it_agrees_with_ridge_regression_on_data(self) -> None:
        """Pooled features at d = 400: order parameters of an explicit ridge regression."""
        task, d, delta, ridge, trials = ns.Task(4, 1, 4.0, 0.3), 400, 2.0, 0.05, 6
        result = solve_square(pooled.limit(task).law(task.pi), delta, ridge)
        rows = []
        for seed in range(trials):
            rng = np.random.default_rng(seed)
            n = int(delta * d)
            y = np.where(rng.random(n) < task.pi, 1.0, -1.0)
            X = rng.standard_normal((n, d)) / np.sqrt(task.L)
            X[:, 0] += (y > 0) * task.theta * task.R / task.L
            design = np.column_stack([X, np.ones(n)])
            penalty = np.diag(np.r_[np.full(d, ridge), 0.0])
            w = np.linalg.solve(design.T @ design / n + penalty, design.T @ y / n)
            rows.append([w[0], w[-1], np.linalg.norm(w[1:-1])])
        rows = np.array(rows)
        error = rows.std(axis=0, ddof=1) / np.sqrt(trials)
        z = (rows.mean(axis=0) - [result.mu[0], result.b, result.rho]) / np.hypot(error, 1.0 / d)
        assert np.abs(z).max() < 4.5  # finite d: corrections of order 1/d
