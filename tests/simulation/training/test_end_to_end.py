"""Query and readout trained together: stationary, below their start, the best of all starts."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import HINGE, Loss, get_loss
from needlescope.models.blocks import Arrays
from needlescope.models.gradient import State, pack, unpack
from needlescope.simulation.training.end_to_end import (
    WIDTHS,
    joint_starts,
    random_starts,
    train_together,
)
from needlescope.simulation.training.stages import start
from tests.conftest import TWO_KINKS
from tests.models.plain import (
    BETA,
    DIFFERENCES,
    STATES,
    D,
    plain_loss,
    plain_slope,
    sample,
)


class TestTogether:
    @staticmethod
    def objective(data: Arrays, state: State, loss: Loss, ridge: float) -> float:
        penalty = 0.5 * ridge * float(state.q @ state.q + state.w @ state.w)
        return plain_loss(data, state, loss, BETA) + penalty

    @pytest.mark.parametrize("name", ["logistic", "square", "squared_hinge"])
    @pytest.mark.parametrize("ridge", [1e-2, 0.1])
    def test_the_result_is_stationary_and_below_its_start(self, name: str, ridge: float) -> None:
        data, loss = sample(45), get_loss(name)
        training = ns.Training(15.0, 15.0, loss=name, ridge=ridge, beta=BETA)
        best, residual = train_together(data, [STATES["all"]], training)
        slope = plain_slope(data, best, loss, BETA) + ridge * np.concatenate(
            [best.q, best.w, [0.0]]
        )
        scale = np.linalg.norm(plain_slope(data, start(D), loss, BETA))
        assert np.linalg.norm(slope) < 1e-5 * scale + 3.0 * DIFFERENCES
        assert residual == pytest.approx(np.linalg.norm(slope) / scale, abs=1e-6)
        result, begun = (self.objective(data, at, loss, ridge) for at in (best, STATES["all"]))
        assert result < begun

    @pytest.mark.parametrize("name", ["hinge", "two_kinks"])
    def test_kinks_end_near_the_least_objective(self, name: str) -> None:
        """No small step along any coordinate, or back towards the start, lowers the objective."""
        loss = {"hinge": HINGE, "two_kinks": TWO_KINKS}[name]
        data, ridge = sample(45), 0.1
        training = ns.Training(15.0, 15.0, loss=loss, ridge=ridge, beta=BETA)
        more = random_starts(STATES["all"], training, 1, np.random.default_rng(0))
        best, _ = train_together(data, [STATES["all"], *more], training)
        slope = plain_slope(data, best, loss.rounded(WIDTHS[-1]), BETA)
        slope += ridge * np.concatenate([best.q, best.w, [0.0]])
        scale = np.linalg.norm(plain_slope(data, start(D), loss, BETA))
        assert np.linalg.norm(slope) < 1e-3 * scale
        reached = self.objective(data, best, loss, ridge)
        jump = float(np.diff(loss.derivative(np.array([[0.999, 1.001], [1.999, 2.001]]), 1)).max())
        allowed = 2.0 * jump * WIDTHS[-1] / 8.0
        for step in (1e-3, 1e-2, 0.1):
            for direction in np.eye(2 * D + 1):
                for sign in (1.0, -1.0):
                    at = pack(best) + sign * step * direction
                    moved = self.objective(data, unpack(at, best.q.shape), loss, ridge)
                    assert moved > reached - allowed

    def test_the_best_of_all_starts_is_kept(self) -> None:
        """Pure noise has many local minima; more starts, the first the same, never do worse."""
        y = np.where(np.arange(40) % 2 == 0, 1.0, -1.0)
        data = Arrays(np.random.default_rng(3).standard_normal((40, 6, 8)), y)
        training, loss = ns.Training(15.0, 15.0, ridge=1e-2, beta=BETA), get_loss("logistic")
        state = State(np.eye(8)[0], np.eye(8)[1], 0.0)
        values = []
        for starts in range(1, 9):
            more = random_starts(state, training, starts - 1, np.random.default_rng(1))
            best, _ = train_together(data, [state, *more], training)
            values.append(self.objective(data, best, loss, 1e-2))
        assert values == sorted(values, reverse=True)
        assert values[-1] < values[0] - 0.01

    def test_a_good_start_is_not_lost_among_random_ones(self) -> None:
        data, loss = self.needles(), get_loss("logistic")
        training = ns.Training(15.0, 15.0, ridge=1e-2, beta=BETA)
        good = State(np.array([3.0, 0.0, 0.0]), np.array([3.0, 0.0, 0.0]), -3.0)
        alone, _ = train_together(data, [good], training)
        more = random_starts(good, training, 3, np.random.default_rng(2))
        best, _ = train_together(data, [good, *more], training)
        assert self.objective(data, best, loss, 1e-2) <= self.objective(data, alone, loss, 1e-2)

    @staticmethod
    def needles() -> Arrays:
        rng = np.random.default_rng(3)
        X = rng.standard_normal((60, 8, D))
        y = np.where(np.arange(60) % 2 == 0, 1.0, -1.0)
        X[y > 0, rng.integers(0, 8, 30), 0] += 5.0
        return Arrays(X, y)


class TestStarts:
    def test_lengths_are_as_documented(self) -> None:
        rng, xi = np.random.default_rng(0), np.eye(4000)[0]
        for where, length in (("random", 1.0), ("small", 0.01)):
            for state in joint_starts(xi, 3.0, where, 2, rng):
                assert np.linalg.norm(state.q) == pytest.approx(length, rel=0.05)
                assert np.linalg.norm(state.w) == pytest.approx(length, rel=0.05)

    def test_an_informed_start_is_the_signal(self) -> None:
        (state,) = joint_starts(np.eye(5)[1], 3.0, "informed", 4, np.random.default_rng(0))
        np.testing.assert_array_equal(state.q, 1.5 * np.eye(5)[1])
        np.testing.assert_array_equal(state.w, 2.0 * np.eye(5)[1])

    def test_where_training_starts_decides_what_it_finds(self) -> None:
        """Many tokens and large ridges: a random start stays close to pooling."""
        task = ns.Task(L=100, R=1, theta=4.0, pi=0.5)
        training = ns.Training.joint(8.0, ridge=0.15, ridge_q=0.15)
        least = {}
        for where in ("random", "small", "informed"):
            result = ns.simulate(task, training, d=30, trials=2, start=where, starts=1, n_jobs=1)
            least[where] = result.trials["test_error"].min()
        assert least["informed"] < 0.2
        assert min(least["random"], least["small"]) > 0.4
