"""Features over the blocks of a data set against plain loops, which share no code with them."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.models import ATTENTION, POOLED, VECTORIZED, blocks
from needlescope.models.blocks import features
from needlescope.models.gradient import State
from tests.models.plain import (
    BETA,
    STATES,
    D,
    L,
    N,
    plain_feature,
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


class TestFeatures:
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_attention(self, small_blocks: None, state: State, dtype: type) -> None:
        data = sample(dtype=dtype)
        result = features(data, ATTENTION, state.q, BETA)
        expected = [plain_feature(X.astype(float), state.q, BETA) for X in data.X]
        scale = 1.0 + np.abs(state.q).sum()
        allowed = 2e-6 * scale if dtype == np.float32 else 1e-13 * scale
        assert result == pytest.approx(np.array(expected), abs=allowed)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_pooled(self, small_blocks: None, dtype: type) -> None:
        data = sample(dtype=dtype)
        result = features(data, POOLED, np.ones(D), BETA)
        expected = [[sum(X[t, j] for t in range(L)) / L for j in range(D)] for X in data.X]
        allowed = 1e-6 if dtype == np.float32 else 1e-14
        assert result == pytest.approx(np.array(expected), abs=allowed)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_vectorized_features_keep_the_precision_of_the_tokens(
        self, small_blocks: None, dtype: type
    ) -> None:
        data = sample(dtype=dtype)
        result = features(data, VECTORIZED, np.ones(D), BETA)
        assert result.shape == (N, L * D)
        for row, X in zip(result, data.X, strict=True):
            assert row.tolist() == [X[t, j] for t in range(L) for j in range(D)]

    def test_attention_without_a_query_is_pooling(self) -> None:
        data = sample()
        attended = features(data, ATTENTION, np.zeros(D), BETA)
        assert attended == pytest.approx(features(data, POOLED, np.zeros(D), BETA))

    def test_a_very_strong_query_picks_its_favourite_token(self) -> None:
        data, q = sample(), np.array([1.0, -2.0, 0.5])
        result = features(data, ATTENTION, 1e6 * q, 1.0)
        expected = [X[np.argmax(X @ q)] for X in data.X]
        assert result == pytest.approx(np.array(expected))
