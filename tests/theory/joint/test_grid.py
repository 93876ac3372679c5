"""A grid goes through `predict`; its branches are followed where they come from."""

from __future__ import annotations

import numpy as np

import needlescope as ns
from needlescope.theory.joint import grid

TASK = ns.Task(L=3, R=1, theta=3.0, pi=0.5)


def test_a_branch_is_followed_from_where_it_starts(monkeypatch):
    """The informed one from much data to little, the uninformed one the other way."""
    seen, solve = [], grid.predict_point
    monkeypatch.setattr(
        grid,
        "predict_point",
        lambda problem, *more: (seen.append(problem.alpha), solve(problem, *more))[1],
    )
    training = ns.Training.joint([2.0, 8.0, 4.0], ridge=0.1, ridge_q=0.1)
    each = [ns.predict(TASK, training, start=start) for start in ("informed", "uninformed")]
    assert seen == [8.0, 4.0, 2.0, 2.0, 4.0, 8.0]
    np.testing.assert_allclose(each[0].test_error, each[1].test_error, atol=2e-3)
