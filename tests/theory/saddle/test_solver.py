"""The saddle problem of stage 4: derivatives, shape, closed form, three routes, the collapse."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import needlescope as ns
from needlescope.losses import HINGE, LOGISTIC, SQUARE, Loss, get_loss
from needlescope.models import pooled, vectorized
from needlescope.models.nodes import JointLaw
from needlescope.theory.law.attention import attention_limit
from needlescope.theory.law.ladder import Level
from needlescope.theory.saddle.collapse import collapsed_bias
from needlescope.theory.saddle.problem import Point, Saddle
from needlescope.theory.saddle.solver import RESIDUAL, _inner, _path, nested, newton, solve
from needlescope.theory.saddle.square import solve_square

PAIRS = ns.Positions([(0, 1), (1, 2)], [0.75, 0.25])
LAWS = {
    "pooled": lambda: pooled.limit(ns.Task(10, 1, 5.0, 0.5)).law(0.3),
    "vectorized": lambda: vectorized.limit(ns.Task(6, 2, 2.0, 0.5)).law(0.5),
    "positions": lambda: vectorized.limit(ns.Task(4, 2, 3.0, 0.5, PAIRS)).law(0.2),
    "attention": lambda: attention_limit(6, 2, 3.0, 1.0, 0.9, Level(512, 32)).law(0.3),
}


@pytest.fixture(params=LAWS)
def law(request: pytest.FixtureRequest) -> JointLaw:
    """The law of every model, rare positives and several directions among them."""
    return LAWS[request.param]()


def random_law(rng: np.random.Generator, nodes: int, directions: int) -> JointLaw:
    """Any law at all: random means, variances, labels and weights."""
    y = np.where(np.arange(nodes) % 2 == 0, 1.0, -1.0)
    weight = rng.dirichlet(np.ones(nodes))
    m = rng.normal(size=(nodes, directions)) + y[:, None] * rng.normal(size=directions)
    tau = rng.uniform(0.01, 2.0, (nodes, directions))
    return JointLaw(y, m, tau, rng.uniform(0.01, 1.0, nodes), weight, weight[None])


def random_point(rng: np.random.Generator, k: int) -> Point:
    return Point(
        rng.normal(size=k),
        float(rng.normal()),
        float(np.exp(rng.uniform(-1.0, 1.0))),
        float(np.exp(rng.uniform(-2.0, 1.5))),
    )


def as_array(at: Point) -> np.ndarray:
    return np.array([*at.mu, at.b, at.rho, at.t])


def as_point(x: np.ndarray) -> Point:
    return Point(x[:-3], float(x[-3]), float(x[-2]), float(x[-1]))


def perturbed(at: Point, size: float, seed: int) -> Point:
    return at.moved(size * np.random.default_rng(seed).normal(size=len(at.mu) + 3))


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
            found = (up.value - down.value) / (2.0 * h)
            assert found == pytest.approx(here.gradient[i], abs=1e-5 * size)
            found = (up.gradient - down.gradient) / (2.0 * h)
            assert found == pytest.approx(here.hessian[i], abs=1e-4 * size)

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

    def test_no_other_point_does_better(self, loss: Loss, law: JointLaw) -> None:
        problem = Saddle(law, loss, 2.0, 0.1)
        point, local = solve(problem, solve_square(law, 2.0, 0.1))
        for seed in range(4):
            other = perturbed(point, 0.3, seed)
            assert _inner(problem, other, False)[1].value > local.value
            assert problem.local(point._replace(t=other.t)).value < local.value


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
            found = solve_square(law, delta, 0.0)
            assert Saddle(law, SQUARE, delta, 0.0).local(found).residual < 1e-10
            assert as_array(found) == pytest.approx(
                as_array(solve_square(law, delta, 1e-12)), rel=1e-6
            )

    @pytest.mark.parametrize("size", [0.05, 0.5])
    def test_the_solver_finds_it_from_a_perturbed_start(self, law: JointLaw, size: float) -> None:
        for seed, (delta, ridge) in enumerate(((0.7, 0.01), (2.0, 0.1), (5.0, 1e-3))):
            exact = solve_square(law, delta, ridge)
            point, local = solve(Saddle(law, SQUARE, delta, ridge), perturbed(exact, size, seed))
            assert local.residual <= RESIDUAL
            # a residual of 1e-8 moves the solution by its condition number times that
            assert as_array(point) == pytest.approx(as_array(exact), rel=2e-6, abs=1e-8)

    def test_it_agrees_with_ridge_regression_on_data(self) -> None:
        """Pooled features at d = 400: order parameters of an explicit ridge regression."""
        task, d, delta, ridge, trials = ns.Task(4, 1, 4.0, 0.3), 400, 2.0, 0.05, 6
        found = solve_square(pooled.limit(task).law(task.pi), delta, ridge)
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
        z = (rows.mean(axis=0) - [found.mu[0], found.b, found.rho]) / np.hypot(error, 1.0 / d)
        assert np.abs(z).max() < 4.5  # finite d: corrections of order 1/d


class TestRoutes:
    PROBLEMS = ((2.0, 0.1), (0.7, 0.01), (5.0, 1e-3))

    @staticmethod
    def solution(problem: Saddle) -> np.ndarray:
        start = solve_square(problem.law, problem.delta, problem.ridge)
        point, local = solve(problem, start)
        assert local.residual <= RESIDUAL
        return as_array(point)

    @pytest.mark.parametrize(("delta", "ridge"), PROBLEMS)
    def test_newton_returns_from_nearby(
        self, loss: Loss, law: JointLaw, delta: float, ridge: float
    ) -> None:
        problem = Saddle(law, loss, delta, ridge)
        expected = self.solution(problem)
        point, local = newton(problem, perturbed(as_point(expected), 0.02, 0))
        assert local.residual <= RESIDUAL
        assert as_array(point) == pytest.approx(expected, rel=1e-5, abs=1e-7)

    @pytest.mark.parametrize(("delta", "ridge"), PROBLEMS)
    def test_the_path_arrives_at_the_same_point(
        self, loss: Loss, law: JointLaw, delta: float, ridge: float
    ) -> None:
        problem = Saddle(law, loss, delta, ridge)
        with np.errstate(all="ignore"):
            point, local = _path(problem, solve_square(law, delta, ridge))
        assert local.residual <= RESIDUAL
        assert as_array(point) == pytest.approx(self.solution(problem), rel=1e-5, abs=1e-7)

    def test_the_nested_problem_has_the_same_solution(self, loss: Loss, law: JointLaw) -> None:
        kinked = getattr(loss, "kinked", False)  # the others of those: see below
        for delta, ridge in self.PROBLEMS[:1] if kinked else self.PROBLEMS:
            self.check_nested(Saddle(law, loss, delta, ridge))

    def check_nested(self, problem: Saddle) -> None:
        start = solve_square(problem.law, problem.delta, problem.ridge)
        with np.errstate(all="ignore"):
            point, local = nested(problem, start)
        assert local.residual <= RESIDUAL
        assert as_array(point) == pytest.approx(self.solution(problem), rel=1e-5, abs=1e-7)

    def test_the_start_does_not_matter(self, loss: Loss) -> None:
        law = LAWS["pooled"]()
        problem = Saddle(law, loss, 2.0, 0.1)
        expected = self.solution(problem)
        for start in (Point(np.zeros(1), 0.0, 1.0, 1.0), Point(np.full(1, -3.0), 5.0, 20.0, 0.01)):
            point, local = solve(problem, start)
            assert local.residual <= RESIDUAL
            assert as_array(point) == pytest.approx(expected, rel=1e-5, abs=1e-7)

    def test_with_rho_fixed_only_the_others_move(self, law: JointLaw) -> None:
        problem = Saddle(law, LOGISTIC, 2.0, 0.1)
        start = solve_square(law, 2.0, 0.1)._replace(rho=0.77)
        point, local = solve(problem, start, fixed_rho=True)
        assert point.rho == pytest.approx(0.77, rel=1e-12)  # but for rounding
        assert local.residual <= RESIDUAL
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
        found = {name: sum(parts) for name, parts in terms.items()}
        expected = {"b": 0.0, "mu": -mu / (delta * gamma), "rho": at.rho**2}
        for name, values in found.items():
            z = (values.mean() - expected[name]) / (values.std() / np.sqrt(len(values)) + 1e-9)
            assert abs(z) < 4.5, name


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
        found = linprog(
            np.zeros(negatives),
            A_eq=np.vstack([X[positives:].T, np.ones(negatives)]),
            b_eq=np.append(X[:positives].sum(axis=0), positives),
            bounds=(0.0, 1.0),
            method="highs",
        )
        return found.status == 0

    CASES = (
        (ns.Task(6, 1, 0.0, 0.2), 11.3, True),
        (ns.Task(6, 1, 0.0, 0.2), 4.0, False),
        (ns.Task(6, 1, 2.0, 0.2), 25.0, True),
        (ns.Task(6, 1, 2.0, 0.2), 5.0, False),
        (ns.Task(6, 1, 0.0, 0.4), 30.0, True),
        (ns.Task(6, 1, 0.0, 0.4), 11.3, False),
    )

    @pytest.mark.parametrize(("task", "alpha", "collapses"), CASES)
    def test_the_certificate_agrees_with_the_data(
        self, task: ns.Task, alpha: float, collapses: bool
    ) -> None:
        bias = collapsed_bias(self.problem(task, alpha))
        assert bias == (-1.0 if collapses else None)
        found = [self.balanced(task, alpha, 50, seed) for seed in range(3)]
        assert found == [collapses] * 3

    @pytest.mark.parametrize("ridge", [1e-3, 0.5, 10.0])
    def test_it_does_not_depend_on_the_ridge(self, ridge: float) -> None:
        assert collapsed_bias(self.problem(ns.Task(6, 1, 0.0, 0.2), 11.3, ridge)) == -1.0
        assert collapsed_bias(self.problem(ns.Task(6, 1, 0.0, 0.2), 4.0, ridge)) is None

    def test_rare_negatives_collapse_to_the_other_sign(self) -> None:
        assert collapsed_bias(self.problem(ns.Task(6, 1, 0.0, 0.8), 11.3)) == 1.0

    def test_where_it_does_not_collapse_the_solver_finds_a_readout(self) -> None:
        problem = self.problem(ns.Task(6, 1, 2.0, 0.2), 5.0)
        point, local = solve(problem, solve_square(problem.law, 5.0, 0.5))
        assert local.residual <= RESIDUAL
        assert point.rho > 1e-3
        constant = 2.0 * 0.2  # mean hinge loss at w = 0, b = −1
        assert local.value < constant

    def test_where_it_collapses_the_solver_does_not_pretend(self) -> None:
        problem = self.problem(ns.Task(6, 1, 0.0, 0.2), 11.3)
        with pytest.raises(ns.NotConverged):
            solve(problem, solve_square(problem.law, 11.3, 0.5))

    def test_the_prediction_is_the_constant_answer(self) -> None:
        task = ns.Task(6, 1, 0.0, 0.2)
        found = ns.predict(task, ns.Training(1.0, 11.3, loss="hinge", ridge=0.5), model="pooled")
        assert (found.norm, found.rest, found.bias) == (0.0, 0.0, -1.0)
        assert found.test_error == pytest.approx(0.2, abs=1e-15)
        assert found.train_error == pytest.approx(0.2, abs=1e-15)
        assert found.train_loss == pytest.approx(0.4, abs=1e-15)

    def test_a_kinked_loss_of_ones_own_collapses_too(self) -> None:
        absolute = ns.PiecewiseQuadratic(
            [1.0], [(0.0, -0.5, 0.5), (0.0, 0.5, -0.5)], name="absolute"
        )
        task = ns.Task(10, 1, 5.0, 0.1)
        law = pooled.limit(task).law(task.pi)
        assert collapsed_bias(Saddle(law, absolute, 100.0, 0.5)) == -1.0
        found = ns.predict(task, ns.Training(4.0, 100.0, loss=absolute, ridge=0.5), model="pooled")
        assert (found.norm, found.bias) == (0.0, -1.0)

    @pytest.mark.parametrize("name", ["square", "logistic", "squared_hinge"])
    def test_a_loss_without_kinks_never_collapses(self, name: str) -> None:
        law = pooled.limit(ns.Task(6, 1, 0.0, 0.2)).law(0.2)
        assert collapsed_bias(Saddle(law, get_loss(name), 11.3, 0.5)) is None
