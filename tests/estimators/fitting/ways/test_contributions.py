"""What instances add: exact sums, and signs that say what an instance says."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.fitting.ways.contributions import parts
from needlescope.estimators.fitting.ways.evidence import LogMeanExp
from needlescope.models.gradient import State
from needlescope.models.segments import Even, Ragged

RNG = np.random.default_rng(0)
ROWS = RNG.standard_normal((60, 3))
SHAPES = [Even(6), Ragged.at(np.array([0, 1, 3, 20, 60]))]


@pytest.mark.parametrize("segments", SHAPES, ids=["even", "ragged"])
@pytest.mark.parametrize("size", [0.0, 1e-9, 1.0, 30.0, 1e4])
def test_they_add_up(segments, size):
    q = size * RNG.standard_normal((2, 3))
    for model in (LogMeanExp(q[:1], -0.7), State(q, RNG.standard_normal((2, 3)), 0.4)):
        each, score = parts(ROWS, segments, model)
        assert np.isfinite(each).all()
        np.testing.assert_allclose(segments.sum(each), score, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("shift", [-50.0, -3.0, 0.0, 3.0, 50.0])
def test_evidence_is_in_the_order_of_odds_and_nothing_adds_nothing(shift):
    seen = np.array([-2.0, -0.5, 0.0, 0.0, 1.0, 4.0]) + shift
    each, _ = parts(seen[:, None], Even(6), LogMeanExp(np.ones((1, 1)), 0.0))
    assert (np.diff(each) >= -1e-12).all()
    assert (np.sign(each[np.abs(seen) > 1e-9]) * np.sign(seen[np.abs(seen) > 1e-9]) >= 0.0).all()
    assert np.abs(each[seen == 0.0]).max(initial=0.0) < 1e-12
