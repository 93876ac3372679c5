"""The planner: a question, its answer in a sentence, and a paragraph for a methods section."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..planner.default import plan
from ..results.planned import ClassifierPlan, Plan
from .state import Refused

LEARNERS = ("classifier", "attention", "pooled", "vectorized", "bayes_optimal", "amp", "joint")
NUMBERS = ("L", "R", "theta", "pi", "d", "n", "error")
MOST = {"L": 1000, "d": 1000, "n": 1_000_000}
SECONDS = 60.0  # of a classifier's studies, at the most


class Cancelled(Exception):
    """The question was withdrawn."""


class Teller:
    """Tells of progress, and stops a plan that was withdrawn."""

    def __init__(self, tell: Callable[[int, int, str], None], stopped: Callable[[], bool]) -> None:
        self.tell, self.stopped = tell, stopped

    def __call__(self, done: int, total: int) -> None:
        """Report studies."""
        if self.stopped():
            raise Cancelled
        self.tell(done, total, "")

    def message(self, sentence: str) -> None:
        """Report what the theory says."""
        if self.stopped():
            raise Cancelled
        self.tell(0, 0, sentence)


def read_question(question: Any) -> dict[str, Any]:
    """Return the arguments of `plan`; refuse what is none.

    Examples
    --------
    >>> read_question({"L": 10, "R": 1, "theta": 4.0, "pi": 0.5, "d": 50, "error": 0.1,
    ...                "learner": "pooled"})["learner"]
    'pooled'
    """
    if not isinstance(question, dict):
        raise Refused("", "a question must be an object")
    for name in question:
        if name not in (*NUMBERS, "learner", "assurance", "seconds"):
            raise Refused(str(name)[:40], f"there is no {name!r:.40} in a question")
    given = {name: question[name] for name in question if question[name] is not None}
    for name, value in given.items():
        if name == "learner":
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Refused(name, f"{name} must be a number, got {value!r:.40}")
        if not -np.inf < value < np.inf:
            raise Refused(name, f"{name} must be a finite number, got {value}")
        if value > MOST.get(name, np.inf):
            raise Refused(name, f"{name} must be at most {MOST[name]:,} here, got {value:,}")
    learner = given.pop("learner", "classifier")
    if learner not in LEARNERS:
        names = ", ".join(LEARNERS)
        raise Refused("learner", f"learner must be one of {names}; got {learner!r:.40}")
    seconds = min(float(given.pop("seconds", SECONDS)), SECONDS)
    if learner != "classifier":
        given.pop("assurance", None)
        return {**given, "learner": learner}
    return {**given, "seconds": seconds, "n_jobs": 1}


def answer(
    arguments: dict[str, Any], tell: Callable[[int, int, str], None], stopped: Callable[[], bool]
) -> dict[str, Any]:
    """Return a plan as plain data.

    Examples
    --------
    >>> question = {"L": 4, "theta": 4.0, "d": 50, "error": 0.2, "learner": "pooled"}
    >>> found = answer(read_question(question), lambda *told: None, lambda: False)
    >>> found["unknown"], found["sentence"][:18]
    ('n', 'Mean pooling needs')
    """
    if "seconds" in arguments:
        arguments = {**arguments, "progress": Teller(tell, stopped)}
    result = plan(**arguments)
    value = {"n": result.n, "theta": result.theta, "L": result.L, "error": result.error}
    low, high = _ends(result)
    return {
        **{"sentence": result.verdict, "notes": list(result.notes), "unknown": result.unknown},
        **{"value": float(value[result.unknown]), "low": low, "high": high},
        "others": [[other.learner, other.sentence] for other in result.others],
        "studies": [list(study) for study in getattr(result, "studies", ())],
        "methods": methods(result),
        "provenance": result.provenance,
    }


def _ends(result: Plan) -> tuple[float, float]:
    """Return nine of ten of the answer, or of the error at the answer."""
    if isinstance(result, ClassifierPlan):
        return result.low, result.high
    return (np.nan, np.nan) if result.interval is None else result.interval[:2]


def methods(result: Plan) -> str:
    """Return a paragraph for a methods section."""
    from .. import __version__

    how = (
        f"{len(result.studies)} simulated studies of {result.learner} and a learning curve fitted "
        "to them"
        if isinstance(result, ClassifierPlan)
        else "the theory of attention for weak signals in few tokens (Barnfield, Cui and Lu, 2026; "
        "arXiv 2509.25153)"
    )
    return (
        f"Sample size was planned with needlescope {__version__}, by {how}. Bags of {result.L} "
        f"instances with {result.d} features were assumed to carry, if positive ({result.pi:.0%} "
        f"of them), a signal of {result.theta:.3g} standard deviations of the noise in {result.R} "
        f"of their instances. {result.verdict}"
    )
