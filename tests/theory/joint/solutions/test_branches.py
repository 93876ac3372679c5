"""Branches: from much data and from little, where they meet, and where they do not."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.errors import NotConverged
from needlescope.theory.joint.equations.error import fresh_error
from needlescope.theory.joint.equations.order import from_vector
from needlescope.theory.joint.prediction import problem_of
from needlescope.theory.joint.solutions import branches, solver
from needlescope.theory.joint.solutions.branches import coarse, collapsed, informed, uninformed
from needlescope.theory.joint.solutions.solver import COARSE, lattice

TASK = ns.Task(L=4, R=1, theta=4.0, pi=0.4)
PROBLEM = problem_of(TASK, ns.Training.joint(2.0, ridge=0.05, ridge_q=0.05))
LONG = ns.Task(L=60, R=1, theta=4.0, pi=0.5)
TRAPPED = problem_of(LONG, ns.Training.joint(8.0, ridge=0.15, ridge_q=0.15))


def test_both_ways_lead_to_the_same_solution_among_few_tokens():
    nodes = lattice(4, COARSE, 1)
    down, up = informed(PROBLEM, nodes).x, uninformed(PROBLEM, nodes).x
    np.testing.assert_allclose(down, up, atol=0.05)


def test_a_solution_nearby_is_a_start(monkeypatch):
    first = coarse(PROBLEM)
    monkeypatch.setattr(branches, "informed", None)  # not needed
    np.testing.assert_allclose(coarse(PROBLEM, first.x + 0.02).x, first.x, atol=0.05)


def test_a_start_that_leads_far_away_is_not_believed(monkeypatch):
    first = coarse(PROBLEM)
    monkeypatch.setattr(branches, "FAR", 1e-9)
    with pytest.raises(NotConverged, match="neither from much data nor from little"):
        coarse(PROBLEM, first.x + 0.02)


def test_a_short_query_is_a_solution_of_its_own():
    """Among many tokens and with large ridges, training may stay close to pooling."""
    nodes = lattice(60, COARSE, 1)
    good, bad = (from_vector(branch(TRAPPED, nodes).x) for branch in (informed, collapsed))
    assert good.root[0, 0] > 1.0
    assert bad.root[0, 0] < 0.3
    right, wrong = (fresh_error(order, LONG, nodes.q) for order in (good, bad))
    assert wrong > 0.35
    assert right < 0.2


def test_the_name_of_a_start_chooses_the_branch(monkeypatch):
    tried = []

    def ends(name):
        def branch(problem, nodes):
            tried.append(name)
            raise NotConverged("ended")

        return branch

    for name in ("informed", "collapsed", "uninformed"):
        monkeypatch.setattr(branches, name, ends(name))
    for start in branches.STARTS:
        with pytest.raises(NotConverged):
            coarse(PROBLEM._replace(start=start))
    assert tried == ["informed", "collapsed", "uninformed", "uninformed", "collapsed", "informed"]


def test_a_single_minimum_has_no_second_branch():
    with pytest.raises(NotConverged, match="a single minimum"):
        collapsed(PROBLEM, lattice(4, COARSE, 1))


def test_where_a_branch_has_ended_the_other_is_returned(monkeypatch):
    def ends(problem, nodes):
        raise NotConverged("ended")

    monkeypatch.setattr(branches, "informed", ends)
    other = coarse(PROBLEM)
    up = uninformed(PROBLEM, lattice(4, COARSE, 1))
    np.testing.assert_allclose(other.x, up.x)
    assert other.branch == "uninformed" != PROBLEM.start


def test_no_start_that_works_is_said(monkeypatch):
    monkeypatch.setattr(solver, "NEWTON_STEPS", 0)
    with pytest.raises(NotConverged, match=r"neither from much data .* mostly a larger one"):
        coarse(PROBLEM)
