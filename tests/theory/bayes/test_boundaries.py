"""Where learning becomes possible, and easy: against the phases of the limit itself."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.theory.bayes import boundaries
from needlescope.theory.bayes.posterior_mass import LADDER


def test_boundaries_are_where_the_phase_changes():
    task = ns.Task(300, 1, 4.5, 0.4)
    edge = ns.phase_boundaries(task)
    assert edge.verdict == "jumps" and edge.alpha_it < edge.alpha_amp
    alpha = np.array(
        [0.98 * edge.alpha_it, 1.02 * edge.alpha_it, 0.97 * edge.alpha_amp, 1.03 * edge.alpha_amp]
    )
    result = ns.bayes_optimal(task, alpha, tol=0.05)
    assert result.phase.tolist() == ["impossible", "hard", "hard", "easy"]
    assert result.test_error[0] == pytest.approx(edge.error_before, abs=0.02)
    assert result.test_error[1] == pytest.approx(edge.error_after, abs=0.02)
    smooth = ns.phase_boundaries(task.replace(L=np.array([5, 300])))
    assert smooth.verdict.tolist() == ["smooth", "jumps"] and np.isnan(smooth.alpha_amp[0])


def test_a_verdict_is_that_of_all_replicates(monkeypatch):
    """On the verge of jumping, two of eight replicates of the first level jump: it goes on."""
    task = ns.Task(30, 1, 4.4, 0.5)
    assert ns.phase_boundaries(task).verdict == "smooth"
    monkeypatch.setattr(boundaries, "LADDER", LADDER[:1])
    with pytest.raises(
        ns.NotConverged, match=r"whether the overlap jumps at theta=.* is within the numerical"
    ):
        ns.phase_boundaries(task)


@pytest.mark.parametrize("edge", ["alpha_it", "alpha_amp"])
def test_on_a_boundary_the_jump_is_in_doubt(edge):
    task = ns.Task(100, 1, 4.0, 0.5)
    at = getattr(ns.phase_boundaries(task), edge)
    result = ns.bayes_optimal(task, at, tol=0.9)
    which = "" if edge == "alpha_it" else "amp_"
    assert getattr(result, f"{which}overlap_se") > 0.3
    assert getattr(result, f"{which}test_error_se") > 0.15
    away = ns.bayes_optimal(task, 1.05 * at)
    assert getattr(away, f"{which}overlap_se") < 0.01
