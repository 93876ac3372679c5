"""The gradient and the scores of attention against plain loops, which share no code with them."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.losses import Loss, get_loss
from needlescope.models import ATTENTION, POOLED, VECTORIZED, blocks
from needlescope.models.blocks import Arrays
from needlescope.models.gradient import State, gradient, model_scores
from tests.models.plain import (
    BETA,
    DIFFERENCES,
    STATES,
    D,
    L,
    plain_loss,
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


class TestGradient:
    def test_it_is_the_slope_of_the_mean_loss(self, loss: Loss, state: State) -> None:
        data = sample()
        result = gradient(data, state, loss, BETA)
        assert result.loss == pytest.approx(plain_loss(data, state, loss, BETA), rel=1e-12)
        slope = plain_slope(data, state, loss, BETA)
        scale = 1.0 + np.abs(slope).max()
        assert result.q == pytest.approx(slope[:D], abs=DIFFERENCES * scale)
        assert result.w == pytest.approx(slope[D:-1], abs=DIFFERENCES * scale)
        assert result.b == pytest.approx(slope[-1], abs=DIFFERENCES * scale)

    def test_blocks_add_up(self, small_blocks: None, state: State) -> None:
        data, loss = sample(), get_loss("logistic")
        result = gradient(data, state, loss, BETA)
        slope = plain_slope(data, state, loss, BETA)
        assert np.concatenate([result.q, result.w, [result.b]]) == pytest.approx(
            slope, abs=DIFFERENCES * (1.0 + np.abs(slope).max())
        )

    @pytest.mark.parametrize("moving", ["", "b", "w", "q", "wq", "qwb"])
    def test_what_is_not_asked_is_zero_and_the_rest_unchanged(self, moving: str) -> None:
        data, at, loss = sample(), STATES["all"], get_loss("logistic")
        whole, part = gradient(data, at, loss, BETA), gradient(data, at, loss, BETA, moving=moving)
        assert part.loss == whole.loss
        assert part.b == whole.b
        assert part.w == pytest.approx(whole.w if "w" in moving else np.zeros(D), rel=1e-12)
        assert part.q == pytest.approx(whole.q if "q" in moving else np.zeros(D), rel=1e-12)

    def test_single_precision_is_close_and_can_be_raised(self, loss: Loss, state: State) -> None:
        single = sample(dtype=np.float32)
        double = Arrays(single.X.astype(float), single.y)
        exact = gradient(double, state, loss, BETA)
        rough = gradient(single, state, loss, BETA)
        raised = gradient(single, state, loss, BETA, dtype=np.float64)
        for name in ("loss", "q", "w", "b"):
            expected = getattr(exact, name)
            # logits below 100 in single precision carry 1e-5 into the softmax
            scale = 1.0 + np.abs(state.q).sum() ** 2
            assert getattr(rough, name) == pytest.approx(expected, rel=2e-6, abs=2e-6 * scale)
            assert getattr(raised, name) == pytest.approx(expected, rel=1e-13, abs=1e-14)

    def test_one_token_leaves_the_query_alone(self) -> None:
        data = Arrays(np.random.default_rng(0).standard_normal((5, 1, D)), np.ones(5))
        assert not gradient(data, STATES["all"], get_loss("logistic"), BETA).q.any()

    def test_huge_logits_do_not_overflow(self) -> None:
        at = State(1e6 * np.ones(D), np.ones(D), 0.0)
        result = gradient(sample(), at, get_loss("logistic"), 10.0)
        assert np.isfinite([result.loss, result.b, *result.q, *result.w]).all()


class TestScores:
    def test_attention(self, small_blocks: None, state: State) -> None:
        data = sample()
        expected = [plain_score(X, state, BETA) for X in data.X]
        assert model_scores(data, ATTENTION, state, BETA) == pytest.approx(
            np.array(expected), abs=1e-12 * (1.0 + np.abs(state.q).sum())
        )

    def test_pooled(self, small_blocks: None) -> None:
        data, at = sample(), STATES["all"]
        expected = [X.mean(axis=0) @ at.w + at.b for X in data.X]
        assert model_scores(data, POOLED, at, BETA) == pytest.approx(np.array(expected))

    @pytest.mark.parametrize(("dtype", "allowed"), [(np.float32, 1e-6), (np.float64, 1e-13)])
    def test_vectorized(self, small_blocks: None, dtype: type, allowed: float) -> None:
        data = sample(dtype=dtype)
        W = np.random.default_rng(5).standard_normal((L, D))
        result = model_scores(data, VECTORIZED, State(np.zeros(D), W.ravel(), 0.3), BETA)
        expected = [float((W * X).sum()) + 0.3 for X in data.X.astype(float)]
        assert result == pytest.approx(np.array(expected), abs=allowed)
