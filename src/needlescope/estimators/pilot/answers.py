"""Three answers from a pilot, and which of them to believe.

The learning curve of the pilot assumes least. Another, the task before the resampled bags, is
believed instead if

- it predicts the curve's error at the largest part of the pilot, within one standard error of both;
- θ does not change as bags are added, else the task is that of no other number of bags;
- its interval is much shorter. Else there is nothing to gain by what it assumes: on bags of bird
  song the task agreed, was as uncertain as the curve, and three times as far from the truth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...planning.studies.measures import Measure
from ...results.planned import PilotAnswer
from .curves import Curves

LEAST_SE = 1e-9
AGREEING = 1.0  # standard errors of both
NARROWER = 0.6  # times the length of the curve's interval, in logs
NINE_OF_TEN = 1.6449  # standard deviations of a normal law, on each side
LABELS = {
    "task": "the task read off the pilot",
    "resampled": "bags made of the pilot's own",
    "curve": "the pilot's own learning curve",
}
"""The answers, and what sentences call them."""


class Measured(NamedTuple):
    """The pilot's own curve at its largest part: the size, the error and its standard error."""

    size: int
    error: float
    se: float


def measured_by(own: Curves, size: int, measure: Measure) -> Measured:
    """Return what the pilot's own curve says at a size.

    >>> from ...planning.studies.measures import get_measure
    >>> own = Curves(100.0, np.array([[-1.0, -0.2, 0.0]]))
    >>> round(measured_by(own, 100, get_measure("error", 0.5)).error, 3)
    0.159
    """
    found = own.error(size, measure)
    return Measured(size, found.value, (found.high - found.low) / (2.0 * NINE_OF_TEN))


def answer_of(
    method: str,
    curves: Curves,
    target: tuple[float | None, float | None],
    own: Curves | None,
    size: int,
    measure: Measure,
) -> PilotAnswer:
    """Return what curves say of the target, and how far they are from the pilot's own.

    Examples
    --------
    >>> from ...planning.studies.measures import get_measure
    >>> curves = Curves(100.0, np.array([[-1.0, -0.2, 0.0]]))
    >>> result = answer_of("task", curves, (200, None), None, 85, get_measure("error", 0.5))
    >>> round(result.value, 3), result.low == result.high
    (0.127, True)
    """
    n, error = target
    if not len(curves.draws):
        return PilotAnswer(method, np.nan, np.nan, np.nan, np.nan, np.nan)
    found = curves.error(n, measure) if n is not None else curves.bags(float(error or 0.0), measure)
    here = curves.error(size, measure).value
    off = np.nan if own is None else distance(curves, own, size)
    ends = found if n is not None else np.ceil(np.array(found) - 1e-9)
    value, low, high = (float(end) for end in ends)
    return PilotAnswer(method, value, low, high, here, off)


def distance(curves: Curves, own: Curves, size: int) -> float:
    """Return how far curves are from others at a size, in standard errors of both.

    >>> a = Curves(100.0, np.array([[-1.0, -0.2, 0.0], [-1.2, -0.2, 0.0]]))
    >>> float(round(distance(a, a.moved(0.1), 85), 2))
    -0.71
    """
    place = np.array([size])
    t, known = curves.t(place)[:, 0], own.t(place)[:, 0]
    se = float(np.hypot(t.std(), known.std()))
    return float(t.mean() - known.mean()) / max(se, LEAST_SE)


def believed(answers: list[PilotAnswer], drifts: bool) -> str:
    """Return the method of the answer to believe.

    >>> curve = PilotAnswer("curve", 0.1, 0.05, 0.2, 0.15, 0.0)
    >>> believed([PilotAnswer("task", 0.05, 0.04, 0.06, 0.07, -2.0), curve], False)
    'curve'
    >>> believed([PilotAnswer("task", 0.09, 0.08, 0.10, 0.14, -0.2), curve], False)
    'task'
    """
    methods = [answer.method for answer in answers]
    if "curve" not in methods:
        return methods[0]
    most = NARROWER * _length(next(answer for answer in answers if answer.method == "curve"))
    for answer in answers:
        agrees = abs(answer.off) <= AGREEING and not drifts
        if answer.method != "curve" and agrees and _length(answer) < most:
            return answer.method
    return "curve"


def _length(answer: PilotAnswer) -> float:
    """Return the length of an interval in logs; NaN if it has no end or no start."""
    if not 0.0 < answer.low <= answer.high:
        return np.nan
    return float(np.log(answer.high / answer.low)) if np.isfinite(answer.low) else np.nan


def reason(answers: list[PilotAnswer], chosen: str, drifts: bool, measured: Measured | None) -> str:
    """Say why an answer is believed."""
    if measured is None:
        return "there is no classifier to check it with on the pilot"
    seen = f"{measured.error:.3g} ± {measured.se:.1g} at {measured.size} bags"
    others = [item for item in answers if item.method != "curve" and np.isfinite(item.here)]
    if chosen != "curve":
        here = next(answer.here for answer in answers if answer.method == chosen)
        return f"it predicts {here:.3g} for what was measured on the pilot, {seen}"
    if not others:
        return f"it assumes nothing of the bags; measured on the pilot: {seen}"
    agree = [LABELS[item.method] for item in others if abs(item.off) <= AGREEING]
    if drifts:
        return "the estimated strength of the signal changes as bags are added"
    if agree:
        return (
            f"it assumes least, and {' and '.join(agree)} would say little more; measured on the "
            f"pilot: {seen}"
        )
    listed = " and ".join(f"{LABELS[answer.method]} {answer.here:.3g}" for answer in others)
    return f"measured on the pilot: {seen}; that is not what is predicted by {listed}"


def worth(value: float, unknown: str, money: bool = False) -> str:
    """Say a value of what was left out.

    >>> worth(1234.0, "n"), worth(0.1234, "error"), worth(np.inf, "n")
    ('1,234 bags', '0.123', 'more bags than can be told')
    """
    if unknown == "error":
        return f"{value:.3g}"
    if not np.isfinite(value):
        return "more bags than can be told"
    return f"to spend {value:,.4g}" if money else f"{value:,.0f} bags"
