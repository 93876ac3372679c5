"""What other learners need or reach, for comparison with a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import NoMinimiser, NotConverged
from ..grid import choice
from ..losses import Loss
from ..results.planned import OtherLearner
from ..theory.oracle.least_error import oracle
from . import LEARNERS, USUAL
from .learners import ORACLES, Learner, get_learner
from .sentences import cannot, counted, has_error
from .solve import rough_root
from .spec import PlanSpec

TOL = 2e-3  # of the test error of another learner


def check_others(others: Any) -> None:
    """Refuse what is neither True nor False nor names of learners.

    Examples
    --------
    >>> check_others("joint")
    Traceback (most recent call last):
    ValueError: others must be True, False or a list of learners such as ['joint'], got 'joint'
    """
    if isinstance(others, bool | np.bool_):
        return
    if isinstance(others, str) or not isinstance(others, Sequence):
        raise ValueError(
            f"others must be True, False or a list of learners such as ['joint'], got {others!r}"
        )
    for name in others:
        choice("others", name, tuple(LEARNERS))


def names_of(others: bool | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the other learners that are asked for.

    Examples
    --------
    >>> names_of(True)
    ('attention', 'pooled', 'vectorized', 'bayes_optimal', 'amp')
    """
    if isinstance(others, bool | np.bool_):
        return USUAL if others else ()
    return tuple(dict.fromkeys(others))


def other_learners(
    spec: PlanSpec, learner: Learner | None, loss: str | Loss, others: bool | Sequence[str] = True
) -> tuple[OtherLearner, ...]:
    """Return what each other learner, and each oracle, needs or reaches; where unknown, why.

    A plan for a classifier has no ``learner`` among them.
    """
    if isinstance(others, bool | np.bool_) and not others:
        return ()
    planned = None if learner is None else learner.name
    rest = [get_learner(name, loss) for name in names_of(others) if name != planned]
    result = []
    for other in (*rest, *ORACLES):
        try:
            value, sentence = _value_and_sentence(replace(spec, learner=other.name), other)
        except (NotConverged, NoMinimiser) as problem:
            reason = str(problem).partition(";")[0]
            value, sentence = np.nan, f"{other.label}: not known ({reason})"
        result.append(OtherLearner(other.name, value, sentence))
    return tuple(result)


def _value_and_sentence(spec: PlanSpec, learner: Learner) -> tuple[float, str]:
    """Return the value of the argument that was left out, and a sentence about it."""
    label, unknown = learner.label, spec.unknown
    if unknown == "error":
        budget = spec.budget(spec.n)
        value = float(learner.evaluate(budget, learner.tune(budget), TOL).error)
        return value, f"{has_error(label, value)} in the limit of large d"
    assert spec.error is not None
    if learner in ORACLES and unknown == "n":
        value = float(learner.tune(spec.budget(spec.d)).error)
        return (0.0 if value <= spec.error else np.inf), has_error(label, value)
    if unknown == "n" and learner.name in ("pooled", "vectorized", "joint"):
        best = float(oracle(spec.task(), learner.model, tol=1e-3).error)
        if best > spec.error:
            return (
                np.inf,
                f"{cannot(label, spec)}: with a known signal its test error is {best:.3g}",
            )
    root = rough_root(spec, learner)
    if not root.reached:
        nowhere = 0.0 if unknown == "L" else np.inf
        return nowhere, cannot(label, spec, float(root.setting.error))
    if unknown == "n" and spec.costs is not None:
        return root.at, f"{label} needs to spend {root.at:,.4g}"
    if unknown == "n":
        value = float(np.ceil(root.at))
        return value, f"{label} needs {counted(value)}"
    if unknown == "theta":
        return root.at, f"{label} needs a signal of strength {root.at:.3g}"
    value = float(np.floor(root.at))
    return value, f"{label} reaches it among up to {value:,.0f} instances"
