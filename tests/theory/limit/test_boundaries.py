"""Where learning becomes possible, and easy: against the phases of the limit itself."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns


def test_boundaries_are_where_the_phase_changes():
    task = ns.Task(300, 1, 4.5, 0.4)
    edge = ns.phase_boundaries(task)
    assert edge.verdict == "jumps" and edge.possible < edge.easy
    alpha = np.array(
        [0.98 * edge.possible, 1.02 * edge.possible, 0.97 * edge.easy, 1.03 * edge.easy]
    )
    found = ns.learning_limit(task, alpha, accuracy=0.05)
    assert found.phase.tolist() == ["weak", "hard", "hard", "easy"]
    assert found.test_error[0] == pytest.approx(edge.error_before, abs=0.02)
    assert found.test_error[1] == pytest.approx(edge.error_after, abs=0.02)
    smooth = ns.phase_boundaries(task.replace(L=np.array([5, 300])))
    assert smooth.verdict.tolist() == ["smooth", "jumps"] and np.isnan(smooth.easy[0])
