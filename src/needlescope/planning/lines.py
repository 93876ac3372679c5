"""What other learners need or reach: a line for each, which stands or falls by itself."""

from __future__ import annotations

import numpy as np

from ..errors import NoMinimiser, NotConverged
from ..losses import Loss
from ..results.planned import Line
from ..theory.oracle.least_error import oracle
from . import words
from .learners import AMP, BAYES_OPTIMAL, FLOORS, NAMES, Learner, get_learner
from .missing import roughly
from .spec import PlanSpec

LINE_ERROR = 2e-3  # numerical error of an error on a line


def lines(spec: PlanSpec, learner: Learner, loss: str | Loss) -> tuple[Line, ...]:
    """Return a line for each other learner, and for those who know the signal."""
    others = [get_learner(name, loss) for name in NAMES if name != learner.name]
    return tuple(_line(spec, item) for item in (*others, *FLOORS))


def _line(spec: PlanSpec, learner: Learner) -> Line:
    """Return what another learner needs or reaches; where that is not known, why."""
    try:
        return Line(learner.name, *_other(spec, learner))
    except (NotConverged, NoMinimiser) as problem:
        return Line(learner.name, np.nan, words.unknown(learner.words, problem))


def _other(spec: PlanSpec, learner: Learner) -> tuple[float, str]:
    """Return what another learner needs or reaches, and a sentence about it."""
    if spec.unknown == "error":
        budget = spec.budget(spec.n)
        value = float(learner.evaluate(budget, learner.tune(budget), LINE_ERROR).error)
        return value, f"{words.reaches(learner.words, value)} in the limit of large d"
    assert spec.error is not None
    if learner in FLOORS and spec.unknown == "n":
        value = float(learner.tune(spec.budget(spec.d)).error)
        return (0.0 if value <= spec.error else np.inf), words.reaches(learner.words, value)
    if spec.unknown == "n" and learner not in (BAYES_OPTIMAL, AMP) and learner.name != "attention":
        best = float(oracle(spec.task(), learner.name, tol=1e-3).error)
        if best > spec.error:
            return np.inf, words.never(learner.words, best)
    root = roughly(spec, learner)
    if not root.enough:
        nowhere = 0.0 if spec.unknown == "L" else np.inf
        return nowhere, words.stuck(learner.words, spec.unknown, root.setting.error)
    if spec.unknown == "n" and spec.costs is not None:
        return root.at, words.spends(learner.words, root.at)
    at = {"n": np.ceil, "L": np.floor}.get(spec.unknown, float)(root.at)
    return float(at), words.needs(learner.words, spec.unknown, float(at))
