"""Whether a plan's limit rests on bags too rare to occur in its training set."""

from __future__ import annotations

import warnings

import numpy as np

from ..errors import NoMinimiser, NotConverged
from ..theory.learning import predict
from .solve import Solution
from .spec import PlanSpec

ROUGH_TOL = 1e-3  # of the test error


def rare_event_note(spec: PlanSpec, model: str, result: Solution) -> tuple[str, ...]:
    """Say that the limit of a plan rests on training bags rarer than one in n1, if so."""
    reached = result.reached
    if reached is None or reached.training is None:
        return ()
    task, training = spec.task(result.at).replace(pi=reached.balance), reached.training
    try:
        with warnings.catch_warnings():  # the note says it
            warnings.simplefilter("ignore", RuntimeWarning)
            outcome = predict(task, training, model, d=spec.d, tol=ROUGH_TOL)
    except (NoMinimiser, NotConverged):  # the tolerance is too small
        return ()
    if not outcome.notes:
        return ()
    assert outcome.rare_event_shift is not None
    here, other = outcome.test_error, outcome.test_error + outcome.rare_event_shift
    without = f"the error would be {other:.3g}" if np.isfinite(other) else "nothing can be trained"
    return (
        f"The limit of large d, {here:.3g}, rests on training bags rarer than one in "
        f"{training.alpha1 * spec.d:.0f}: without them {without}.",
    )
