"""`needlescope.plan` at the door: with a task, or with pilot data in place of one."""

from __future__ import annotations

import needlescope as ns


def test_it_is_the_plan_of_the_package():
    found = ns.plan(L=4, theta=4.0, d=20, n=100, learner="pooled", interval=False, others=False)
    assert (found.R, found.pi, found.unknown) == (1, 0.5, "error")
    assert isinstance(found, ns.Plan) and not isinstance(found, ns.PilotPlan)
