"""The stages against the model written out in plain loops, which share no code with them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import SeedSequence

import needlescope as ns
from needlescope.losses import Loss, get_loss
from needlescope.models import ATTENTION, blocks
from needlescope.models.blocks import Arrays, features, hold
from needlescope.models.gradient import State, gradient
from needlescope.noise import STANDARD
from needlescope.running.seeds import child
from needlescope.simulation.checks import specify
from needlescope.simulation.samples.data import tokens
from needlescope.simulation.training import stages
from needlescope.simulation.training.specification import Trial
from needlescope.simulation.training.stages import (
    balance,
    first_step,
    query_step,
    start,
)
from needlescope.simulation.trial import align_trial
from tests.models.plain import (
    BETA,
    DIFFERENCES,
    STATES,
    STEP,
    D,
    L,
    N,
    plain_score,
    plain_slope,
    sample,
)


@pytest.fixture(params=STATES, ids=str)
def state(request: pytest.FixtureRequest) -> State:
    """A state at zero, at a half-way point or away from it."""
    return STATES[request.param]


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two samples in a block."""
    monkeypatch.setattr(blocks, "TOKEN_BLOCK", 2 * L * D)


class TestSteps:
    TRAINING = ns.Training(3.0, 3.0, beta=BETA, eta_w=0.7, eta_b=0.4, eta_q=2.5)

    def test_start(self) -> None:
        q, w, b = start(5)
        assert q.shape == w.shape == (5,)
        assert not q.any()
        assert not w.any()
        assert b == 0.0

    @pytest.mark.parametrize("order", ["joint", "sequential"])
    def test_first_step_by_its_definition(self, small_blocks: None, loss: Loss, order: str) -> None:
        data, training = sample(), self.TRAINING.replace(loss=loss, first_step=order)
        before = float(np.mean([loss.derivative(np.array(0.0), int(y)) for y in data.y]))
        b = -0.4 * before
        at = b if order == "sequential" else 0.0
        pull = np.zeros(D)
        for X, y in zip(data.X, data.y, strict=True):
            pull += float(loss.derivative(np.array(at), int(y))) * X.sum(axis=0) / L / N
        result = first_step(data, start(D), training)
        assert result.b == pytest.approx(b, rel=1e-13)
        assert result.w == pytest.approx(-0.7 * pull, rel=1e-12, abs=1e-15)
        assert not result.q.any()

    def test_sequential_is_not_joint(self) -> None:
        data = sample()
        joint, after = (
            first_step(data, start(D), self.TRAINING.replace(first_step=order))
            for order in ("joint", "sequential")
        )
        assert np.abs(joint.w - after.w).max() > 1e-3

    @pytest.mark.parametrize("order", ["joint", "sequential"])
    def test_first_step_from_elsewhere(self, order: str) -> None:
        data, at = sample(), STATES["all"]
        loss, training = get_loss("logistic"), self.TRAINING.replace(first_step=order)
        slope = plain_slope(data, at, loss, BETA)
        b = at.b - 0.4 * slope[-1]
        if order == "sequential":
            slope = plain_slope(data, at._replace(b=b), loss, BETA)
        result = first_step(data, at, training)
        assert result.b == pytest.approx(b, abs=DIFFERENCES)
        assert result.w == pytest.approx(at.w - 0.7 * slope[D:-1], abs=DIFFERENCES)
        assert np.array_equal(result.q, at.q)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_balanced_slopes_add_up_to_zero(
        self, small_blocks: None, loss: Loss, dtype: type
    ) -> None:
        data = sample(60, dtype=dtype)
        first = first_step(data, start(D), self.TRAINING.replace(loss=loss))
        result = balance(data, first, loss, BETA)
        assert np.array_equal(result.w, first.w) and not result.q.any()
        jumps = 2.0 / 60 if loss.kinked else 1e-13  # a slope jumps by 2 at most, of one sample
        assert abs(gradient(data, result, loss, BETA, moving="b").b) <= jumps
        assert abs(gradient(data, first, loss, BETA, moving="b").b) > 0.05

    def test_one_kind_of_labels_leaves_the_bias(self, loss: Loss) -> None:
        data = Arrays(sample().X, -np.ones(N))
        assert balance(data, STATES["readout"], loss, BETA) == STATES["readout"]

    def test_query_cannot_move_before_the_readout_does(self) -> None:
        assert not query_step(sample(), start(D), self.TRAINING).q.any()

    def test_query_step_and_further_ones(self, loss: Loss) -> None:
        data, training = sample(), self.TRAINING.replace(loss=loss)
        at = first_step(data, start(D), training)
        for _ in range(4):
            slope = plain_slope(data, at, loss, BETA)
            result = query_step(data, at, training)
            assert result.q == pytest.approx(at.q - 2.5 * slope[:D], abs=4.0 * DIFFERENCES)
            assert np.array_equal(result.w, at.w)
            assert result.b == at.b
            at = result

    @pytest.mark.parametrize("order", ["joint", "sequential"])
    @pytest.mark.parametrize(("steps", "balanced"), [(1, False), (3, False), (1, True), (3, True)])
    def test_a_trial_takes_these_steps_on_its_first_data_set(
        self, steps: int, order: str, balanced: bool
    ) -> None:
        task, xi = ns.Task(L=4, R=2, theta=2.0, pi=0.4), np.array([0.0, 0.6, 0.8])
        training = self.TRAINING.replace(first_step=order, query_steps=steps, balanced=balanced)
        options = {"signal": 5.0 * xi, "sampler": "tokens"}
        (point,) = specify(task, training, "attention", D, **options).points()
        trial = Trial(point, SeedSequence(11))
        D0 = hold(tokens(task, 9, xi, STANDARD, trial.stream("D0")), np.float64)
        loss = get_loss("logistic")
        slope = plain_slope(D0, start(D), loss, BETA)
        b = -0.4 * slope[-1]
        if order == "sequential":
            slope = plain_slope(D0, start(D)._replace(b=b), loss, BETA)
        at = State(np.zeros(D), -0.7 * slope[D:-1], b)
        for _ in range(30 * balanced):  # Newton's method, once, before the query moves
            bend = np.mean([loss.second(np.array(plain_score(X, at, BETA)), 1) for X in D0.X])
            at = at._replace(b=at.b - plain_slope(D0, at, loss, BETA)[-1] / bend)
        for _ in range(steps):
            at = at._replace(q=at.q - 2.5 * plain_slope(D0, at, loss, BETA)[:D])
        result = align_trial(trial)
        # single precision, three steps of size 2.5
        assert result["signal_w"] == pytest.approx(at.w @ xi, abs=1e-6)
        assert result["norm_w"] == pytest.approx(np.linalg.norm(at.w), abs=1e-6)
        assert result["signal_q"] == pytest.approx(at.q @ xi, abs=2e-5)
        assert result["norm_q"] == pytest.approx(np.linalg.norm(at.q), abs=2e-5)
        assert result["kappa"] == pytest.approx(BETA * np.linalg.norm(at.q), abs=2e-5)
        assert result["cosine_w"] == pytest.approx(result["signal_w"] / result["norm_w"])
        assert result["cosine_q"] == pytest.approx(result["signal_q"] / result["norm_q"])

    def test_a_trial_takes_a_schedule_s_steps_each_on_a_batch_of_its_own(self) -> None:
        task, xi = ns.Task(L=4, R=2, theta=2.0, pi=0.4), np.array([0.0, 0.6, 0.8])
        schedule = ns.Schedule((0.5, 0.25, 0.25), eta_w=(0.7, 0.5, 0.0), eta_q=(9.0, 2.0, 1.5))
        training = self.TRAINING.replace(alpha0=16.0 / D, schedule=schedule)
        options = {"signal": 5.0 * xi, "sampler": "tokens"}
        (point,) = specify(task, training, "attention", D, **options).points()
        assert point.batches == (8, 4, 4) and point.n0 == 16
        trial, loss, at = Trial(point, SeedSequence(11)), get_loss("logistic"), start(D)
        sizes = zip(schedule.eta_w, schedule.eta_q, strict=True)
        for number, (n, (eta_w, eta_q)) in enumerate(zip(point.batches, sizes, strict=True)):
            seed = child(trial.stream("D0"), number)
            batch = hold(tokens(task, n, xi, STANDARD, seed), np.float64)
            slope = plain_slope(batch, at, loss, BETA)
            at = State(at.q - eta_q * slope[:D], at.w - eta_w * slope[D:-1], at.b - 0.4 * slope[-1])
        result = align_trial(trial)
        assert result["signal_w"] == pytest.approx(at.w @ xi, abs=1e-6)
        assert result["norm_w"] == pytest.approx(np.linalg.norm(at.w), abs=1e-6)
        assert result["signal_q"] == pytest.approx(at.q @ xi, abs=2e-5)
        assert result["norm_q"] == pytest.approx(np.linalg.norm(at.q), abs=2e-5)

    def test_a_readout_may_be_trained_on_all_batches_again(self) -> None:
        task = ns.Task(L=4, R=2, theta=2.0, pi=0.4)
        training = ns.Training(2.0, 2.0, schedule=ns.Schedule.even(2))
        result = ns.simulate(task, training, d=10, trials=2, reuse="D0", n_jobs=1)
        assert np.isfinite(result.test_error) and result.options["sampler"] == "tokens"


class TestReadout:
    @pytest.mark.parametrize("name", ["square", "logistic", "squared_hinge"])
    def test_it_is_a_stationary_point_of_the_penalised_mean_loss(self, name: str) -> None:
        data, training = sample(60), ns.Training(20.0, 20.0, loss=name, ridge=0.05)
        F, loss = features(data, ATTENTION, np.ones(D), BETA), get_loss(name)
        fit = stages.readout(F, data.y, training)

        def objective(at: np.ndarray) -> float:
            scores = [sum(f * w for f, w in zip(row, at[:-1], strict=True)) + at[-1] for row in F]
            values = [loss.value(np.array(z), int(y)) for z, y in zip(scores, data.y, strict=True)]
            return float(np.mean(values)) + 0.5 * 0.05 * float(at[:-1] @ at[:-1])

        at = np.append(fit.w, fit.b)
        for move in STEP * np.eye(D + 1):
            slope = (objective(at + move) - objective(at - move)) / (2.0 * STEP)
            assert slope == pytest.approx(0.0, abs=DIFFERENCES)
        assert fit.scores == pytest.approx(F @ fit.w + fit.b, abs=1e-12)
