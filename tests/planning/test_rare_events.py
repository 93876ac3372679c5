"""A plan says where its limit rests on bags that it will hardly hold."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.planning.inverter import Root
from needlescope.planning.learners import Evaluation
from needlescope.planning.rare_events import rare_event_note
from needlescope.planning.solve import Solution
from needlescope.planning.spec import plan_spec


def noted(d: int, pi: float, balance: float) -> tuple[str, ...]:
    """Return the note of a plan for pooling, trained on 4 d bags of a given share of positives."""
    spec = plan_spec(10, 1, 30.0, pi, d, 4 * d, None, "pooled")
    reached = Evaluation(0.0, 0.0, ns.Training(alpha1=4.0), balance=balance)
    return rare_event_note(spec, "pooled", Solution(np.nan, reached, Root(np.nan, None, 0.0, True)))


def test_a_class_that_training_will_hardly_hold_is_noted() -> None:
    (note,) = noted(3, 0.05, 0.05)
    assert "rests on training bags rarer than one in 12: without them the error would be" in note


@pytest.mark.parametrize(("d", "balance"), [(3, 0.5), (10_000, 0.05)])
def test_nothing_is_noted_where_bags_are_many_or_balanced(d: int, balance: float) -> None:
    assert noted(d, 0.05, balance) == ()
