"""What other learners need or reach: a line for each, which stands or falls by itself."""

from __future__ import annotations

import numpy as np

from ..errors import NoMinimiser, NotConverged
from ..losses import Loss
from ..outcome.planned import Line
from ..theory.oracle.least_error import oracle
from . import words
from .learners import AMP, BAYES_OPTIMAL, FLOORS, NAMES, Learner, get_learner
from .missing import roughly
from .spec import PlanSpec

LINE_ERROR = 2e-3  # numerical error of an error on a line


def lines(spec: PlanSpec, who: Learner, loss: str | Loss) -> tuple[Line, ...]:
    """Return a line for each other learner, and for those who know the signal."""
    others = [get_learner(name, loss) for name in NAMES if name != who.name]
    return tuple(_line(spec, one) for one in (*others, *FLOORS))


def _line(spec: PlanSpec, who: Learner) -> Line:
    """Return what another learner needs or reaches; where that is not known, why."""
    try:
        return Line(who.name, *_other(spec, who))
    except (NotConverged, NoMinimiser) as problem:
        return Line(who.name, np.nan, words.unknown(who.words, problem))


def _other(spec: PlanSpec, who: Learner) -> tuple[float, str]:
    """Return what another learner needs or reaches, and a sentence about it."""
    if spec.unknown == "error":
        budget = spec.budget(spec.n)
        value = float(who.settle(budget, who.reach(budget), LINE_ERROR).error)
        return value, f"{words.reaches(who.words, value)} in the limit of large d"
    assert spec.error is not None
    if who in FLOORS and spec.unknown == "n":
        value = float(who.reach(spec.budget(spec.d)).error)
        return (0.0 if value <= spec.error else np.inf), words.reaches(who.words, value)
    if spec.unknown == "n" and who not in (BAYES_OPTIMAL, AMP) and who.name != "attention":
        best = float(oracle(spec.task(), who.name, tol=1e-3).error)
        if best > spec.error:
            return np.inf, words.never(who.words, best)
    met = roughly(spec, who)
    if not met.enough:
        nowhere = 0.0 if spec.unknown == "L" else np.inf
        return nowhere, words.stuck(who.words, spec.unknown, met.setting.error)
    if spec.unknown == "n" and spec.costs is not None:
        return met.at, words.spends(who.words, met.at)
    at = {"n": np.ceil, "L": np.floor}.get(spec.unknown, float)(met.at)
    return float(at), words.needs(who.words, spec.unknown, float(at))
