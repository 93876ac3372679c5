"""How far bags are from the theory's assumptions: numbers, each with a verdict in a sentence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import bdtr

DRIFT = "strength in halves"
LEVELS = ("as the theory assumes", "somewhat off", "far off")
FAR_OFF = 2  # the level at which the theory's numbers are not to be trusted
VERDICTS = ("as predicted", "cannot tell", "not as predicted")
CANNOT_TELL = 1
AGREEING_ERRORS = 2.75  # standard errors of counting within which a measured error agrees
AGREEING_DIFFERENCE = 0.01  # that always agrees, unless it is a miss by the factor below
MISSED_FACTOR = 2.0  # between the measured and the predicted error, that is a miss
MISSED_ERRORS = 2.0  # standard errors of counting, from which it is
UNCERTAIN_FACTOR = 1.5  # by which the task's uncertainty changes a prediction too uncertain to use
BEATEN_CHANCE = 1e-3  # that counting alone takes a measured error below the Bayes error
DRIFTING = 0.1  # relative change of θ from halves to all


class Departure(NamedTuple):
    """A number, its value in the theory, and how far off it is: 0 as assumed, 1 somewhat, 2 far.

    It is about an assumption of the theory, or about an ``"error"`` that was measured.
    """

    value: float
    assumed: float
    level: int
    sentence: str
    about: str = "assumption"


class Drift(NamedTuple):
    """θ of halves of the bags and of all: whether they differ, and all on one side."""

    halves: float
    all: float
    off: bool
    one_sided: bool

    def judge(self) -> Departure:
        """Judge whether θ changes as bags are added, which it does not in the theory.

        Examples
        --------
        >>> Drift(4.17, 2.37, True, True).judge().sentence
        '4.17, against 2.37: θ falls as bags are added, the model does not hold'
        """
        level, verdict = int(self.off), LEVELS[0]
        if self.off:
            verdict = "halves differ by more than the model allows"
        if self.off and self.one_sided and abs(self.halves - self.all) > DRIFTING * self.all:
            change = "falls" if self.halves > self.all else "grows"
            level, verdict = FAR_OFF, f"θ {change} as bags are added, the model does not hold"
        sentence = f"{self.halves:.2f}, against {self.all:.2f}: {verdict}"
        return Departure(self.halves, self.all, level, sentence)


class ErrorComparison(NamedTuple):
    """A measured error with its counting error, and a predicted one between low and high."""

    measured: float
    counted_se: float
    predicted: float
    low: float
    high: float

    def judge(self) -> Departure:
        """Judge whether the measured error is as predicted, is not, or whether that is uncertain.

        The uncertainty of the task makes a prediction uncertain. Where it changes it by a factor of
        1.5, and by more than counting does, the verdict is undecided, unless the measured error is
        beyond even that. Elsewhere an error twice or half as large as predicted is a miss, if
        counting does not explain it.

        Examples
        --------
        >>> ErrorComparison(0.12, 0.02, 0.10, 0.09, 0.11).judge().sentence
        '0.120, against 0.100: as predicted'
        >>> ErrorComparison(0.32, 0.03, 0.17, 0.05, 0.34).judge().sentence
        '0.320, against 0.170: the prediction is too uncertain (0.050 to 0.340)'
        >>> ErrorComparison(0.32, 0.03, 0.15, 0.12, 0.19).judge().sentence
        '0.320, against 0.150: not as predicted'
        """
        m, p, counting = self.measured, self.predicted, AGREEING_ERRORS * self.counted_se
        away = abs(m - p)
        above = self.high >= UNCERTAIN_FACTOR * p and self.high - p > counting
        below = p >= UNCERTAIN_FACTOR * self.low and p - self.low > counting
        uncertainty, uncertain = (self.high - p, above) if m > p else (p - self.low, below)
        twofold = max(m, p) >= MISSED_FACTOR * min(m, p) and away > MISSED_ERRORS * self.counted_se
        missed = twofold and not uncertain
        if missed or away > max(float(np.hypot(counting, uncertainty)), AGREEING_DIFFERENCE):
            level, verdict = FAR_OFF, VERDICTS[FAR_OFF]
        elif above or below:
            verdict = f"the prediction is too uncertain ({self.low:.3f} to {self.high:.3f})"
            level = CANNOT_TELL
        else:
            level, verdict = 0, VERDICTS[0]
        return Departure(m, p, level, f"{m:.3f}, against {p:.3f}: {verdict}", "error")


class BayesFloor(NamedTuple):
    """The least error measured, its number of bags, and the Bayes error of the task, at least low.

    The Bayes error is that of an estimate: a classifier that beats it shows that the estimate is
    wrong.
    """

    measured: float
    bags: int
    bayes: float
    low: float

    def judge(self) -> Departure:
        """Judge whether a measured error is below the estimated Bayes error.

        Examples
        --------
        >>> BayesFloor(0.004, 3000, 0.03, 0.028).judge().sentence
        '0.004, against 0.030: below the estimated Bayes error, not as predicted'
        >>> BayesFloor(0.004, 3000, 0.03, 0.004).judge().sentence
        '0.004, against 0.030: below the estimated Bayes error, which may be 0.004'
        """
        wrong = round(self.measured * self.bags)
        level, verdict = 0, "not below the estimated Bayes error"
        if bdtr(wrong, self.bags, self.bayes) < BEATEN_CHANCE:
            level = FAR_OFF if bdtr(wrong, self.bags, self.low) < BEATEN_CHANCE else CANNOT_TELL
            verdict = "below the estimated Bayes error, " + (
                "not as predicted" if level == FAR_OFF else f"which may be {self.low:.3f}"
            )
        sentence = f"{self.measured:.3f}, against {self.bayes:.3f}: {verdict}"
        return Departure(self.measured, self.bayes, level, sentence, "error")


def departures(
    noise: dict[str, float],
    alignment: dict[str, float],
    spread: float,
    compared: dict[str, ErrorComparison],
    drift: Drift | None = None,
    floor: BayesFloor | None = None,
) -> dict[str, Departure]:
    """Judge the shape of the noise, the signal, the alignment, and the errors.

    Examples
    --------
    >>> noise = {"skewness": 0.0, "kurtosis": 9.0, "correlation": 0.01}
    >>> result = departures(noise, {"measured": 0.8, "predicted": 0.8}, 1.0, {})
    >>> result["kurtosis"].sentence
    '9.000, against 3.000: far off'
    """
    result = {
        "skewness": _judge(noise["skewness"], 0.0, 0.3, 1.0),
        "kurtosis": _judge(noise["kurtosis"], 3.0, 0.5, 2.0),
        "correlation within bags": _judge(noise["correlation"], 0.0, 0.05, 0.2),
    }
    if np.isfinite(spread):  # there is a signal
        result["spread of the signal"] = _judge(spread, 1.0, 0.2, 0.6)
        result["alignment"] = _judge(alignment["measured"], alignment["predicted"], 0.1, 0.25)
    if drift is not None:
        result[DRIFT] = drift.judge()
    for name, value in compared.items():
        result[name] = value.judge()
    if floor is not None:
        result["least error"] = floor.judge()
    return result


def verdict(result: dict[str, Departure], signal: bool) -> str:
    """Return the verdict on the measured errors: that of the worst, if there is a signal.

    Examples
    --------
    >>> verdict({"error, pooled": Departure(0.3, 0.3, 0, "", "error")}, True)
    'as predicted'
    """
    return VERDICTS[errors_level(result) if signal else CANNOT_TELL]


def errors_level(result: dict[str, Departure]) -> int:
    """Return the largest level of the measured errors."""
    return max(item.level for item in result.values() if item.about == "error")


def drifts(result: dict[str, Departure]) -> bool:
    """Return whether θ changes as bags are added."""
    return DRIFT in result and result[DRIFT].level == FAR_OFF


def trust(result: dict[str, Departure], signal: bool, guessing: bool = True) -> str:
    """Say in one sentence how far to trust the predictions: the measured errors decide.

    ``guessing``: no measured classifier is better than always answering the more frequent label.

    Examples
    --------
    >>> close = Departure(0.1, 0.1, 0, "")
    >>> trust({"kurtosis": close, "error, pooled": close._replace(about="error")}, True)
    'the theory can be trusted here: its assumptions hold and it predicts the measured errors'
    """
    if not signal and guessing:
        return "no signal was found, by the theory's two steps or by the measured classifiers"
    if not signal:
        return (
            "the theory's two steps found no signal, but a measured classifier did: the theory "
            "does not describe these bags, or needs more of them"
        )
    errors = errors_level(result)
    off = [name for name, value in result.items() if value.level and value.about != "error"]
    which = ", ".join(off)
    why = f" ({which})" if off else ""
    if errors == FAR_OFF:
        return (
            "do not trust the theory's numbers here, nor a plan by them: the measured errors are "
            f"not as predicted{why}"
        )
    if drifts(result):
        return (
            "do not trust a plan by the theory's numbers: "
            f"{result[DRIFT].sentence.partition(': ')[2]}{why}"
        )
    if errors == CANNOT_TELL:
        return (
            f"cannot tell how far to trust the theory here: its predictions are too uncertain{why}"
        )
    if not off:
        return (
            "the theory can be trusted here: its assumptions hold and it predicts the measured "
            "errors"
        )
    return f"the theory predicts the measured errors, though its assumptions are off ({which})"


def _judge(value: float, assumed: float, near: float, far: float) -> Departure:
    away = abs(value - assumed)
    level = int(away > near) + int(away > far)
    return Departure(value, assumed, level, f"{value:.3f}, against {assumed:.3f}: {LEVELS[level]}")
