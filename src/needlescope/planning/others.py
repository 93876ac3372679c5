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
from .tuning.joint import check_joint_loss

TOL = 2e-3  # of the test error of another learner
BRACKET = ("bayes_optimal", "pooled", "attention")  # the quickest to compute first
QUICK_JOINT_L = 50  # instances up to which joint training takes seconds, for n and for an error


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
    spec: PlanSpec,
    learner: Learner | None,
    loss: str | Loss,
    others: bool | Sequence[str] = True,
    known: Sequence[OtherLearner] = (),
) -> tuple[OtherLearner, ...]:
    """Return what each other learner, and each oracle, needs or reaches; where unknown, why.

    A plan for a classifier has no ``learner`` among them. Lines that are ``known`` are not computed
    again. Where all are wanted, joint training has a line, too: it says how to ask.
    """
    everyone = isinstance(others, bool | np.bool_)
    if everyone and not others:
        return ()
    planned, lines = None if learner is None else learner.name, {line[0]: line for line in known}
    names = [name for name in names_of(others) if name != planned]
    if everyone and "joint" not in (planned, *names):
        names.append("joint")
        lines.setdefault("joint", _joint_not_computed(spec, loss))
    wanted = [*(get_learner(name, loss) for name in names), *ORACLES]
    return tuple(lines.get(other.name) or _line(spec, other) for other in wanted)


def lines_beside_studies(
    spec: PlanSpec, loss: str | Loss, others: bool | Sequence[str], known: Sequence[OtherLearner]
) -> tuple[OtherLearner, ...]:
    """Return the lines of a plan for a classifier: joint training is one of them where it is quick.

    Studies take longer than its equations do, for bags that are not too long.
    """
    everyone = isinstance(others, bool | np.bool_)
    if everyone and others and _is_joint_quick(spec, loss):
        known = (*known, *other_learners(spec, None, loss, ["joint"], known)[:1])
    return other_learners(spec, None, loss, others, known)


def _is_joint_quick(spec: PlanSpec, loss: str | Loss) -> bool:
    """Whether joint training has equations for the question that take seconds."""
    short = spec.L is not None and spec.L <= QUICK_JOINT_L
    return short and spec.unknown in ("n", "error") and not _why_not_joint(spec, loss)


def _why_not_joint(spec: PlanSpec, loss: str | Loss) -> str:
    """Return why joint training has no equations for a question; nothing, if it has some."""
    try:
        spec.check_joint()
        check_joint_loss(loss)
    except ValueError as problem:
        return str(problem).partition(", got")[0]
    return ""


def _joint_not_computed(spec: PlanSpec, loss: str | Loss) -> OtherLearner:
    """Return the line that says how to ask for joint training, or why it cannot be had."""
    why = _why_not_joint(spec, loss)
    text = f"not known ({why})" if why else "not computed, as it may take minutes"
    remedy = "" if why else "; ask plan with others=['joint']"
    return OtherLearner("joint", np.nan, f"{LEARNERS['joint']}: {text}{remedy}")


def _line(spec: PlanSpec, other: Learner) -> OtherLearner:
    """Return the line of a learner; where its number does not converge, that says so."""
    try:
        value, sentence = _value_and_sentence(replace(spec, learner=other.name), other)
    except (NotConverged, NoMinimiser) as problem:
        reason = str(problem).partition(";")[0]
        value, sentence = np.nan, f"{other.label}: not known ({reason})"
    return OtherLearner(other.name, value, sentence)


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
