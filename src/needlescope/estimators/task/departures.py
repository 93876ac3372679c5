"""How far bags are from what the theory assumes: numbers, each with a judgement in plain words."""

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
AGREEING = 0.01  # what a measured error may be off by in any case, but for twice or half of it
MISSED = 2.0  # times what was predicted, or less than one in so many of it, is a miss
MISSED_ERRORS = 2.0  # standard errors of counting from which it is
OPEN = 1.5  # times what was predicted, or less, by the doubt of θ: a prediction that is open
BEATEN = 1e-3  # the chance that counting alone takes a measured error so far below its floor
DRIFTING = 0.1  # relative change of θ from halves to all


class Departure(NamedTuple):
    """A number, what it would be in the theory, how far it is: 0 as assumed, 1 somewhat, 2 far.

    It is about an assumption of the theory, or about an ``"error"`` that was measured.
    """

    value: float
    assumed: float
    level: int
    words: str
    about: str = "assumption"


class Drift(NamedTuple):
    """θ of halves of the bags and of all: whether they are off, and all on one side of it."""

    halves: float
    all: float
    off: bool
    one_sided: bool

    def judge(self) -> Departure:
        """Say whether θ changes as bags are added, which it does not in the theory.

        Examples
        --------
        >>> Drift(4.17, 2.37, True, True).judge().words
        '4.17, against 2.37: θ falls as bags are added, the model does not hold'
        """
        level, words = int(self.off), LEVELS[0]
        if self.off:
            words = "halves differ by more than the model allows"
        if self.off and self.one_sided and abs(self.halves - self.all) > DRIFTING * self.all:
            way = "falls" if self.halves > self.all else "grows"
            level, words = FAR_OFF, f"θ {way} as bags are added, the model does not hold"
        words = f"{self.halves:.2f}, against {self.all:.2f}: {words}"
        return Departure(self.halves, self.all, level, words)


class Told(NamedTuple):
    """An error that was measured, by counting so far, and one predicted, open from low to high."""

    measured: float
    counted_se: float
    predicted: float
    low: float
    high: float

    def judge(self) -> Departure:
        """Say whether the measured error is as predicted, is not, or whether nobody can tell.

        The doubt of θ opens a prediction. Where it does so by half as much again, and by more than
        counting does, nothing is said, unless the measured error is beyond even that. Elsewhere
        twice what was predicted, or half of it, is a miss if counting does not explain it.

        Examples
        --------
        >>> Told(0.12, 0.02, 0.10, 0.09, 0.11).judge().words
        '0.120, against 0.100: as predicted'
        >>> Told(0.32, 0.03, 0.17, 0.05, 0.34).judge().words
        '0.320, against 0.170: the prediction is too open to say (0.050 to 0.340)'
        >>> Told(0.32, 0.03, 0.15, 0.12, 0.19).judge().words
        '0.320, against 0.150: not as predicted'
        """
        m, p, counting = self.measured, self.predicted, AGREEING_ERRORS * self.counted_se
        away = abs(m - p)
        above = self.high >= OPEN * p and self.high - p > counting
        below = p >= OPEN * self.low and p - self.low > counting
        doubt, open_there = (self.high - p, above) if m > p else (p - self.low, below)
        twofold = max(m, p) >= MISSED * min(m, p) and away > MISSED_ERRORS * self.counted_se
        missed = twofold and not open_there
        if missed or away > max(float(np.hypot(counting, doubt)), AGREEING):
            level, words = FAR_OFF, VERDICTS[FAR_OFF]
        elif above or below:
            words = f"the prediction is too open to say ({self.low:.3f} to {self.high:.3f})"
            level = CANNOT_TELL
        else:
            level, words = 0, VERDICTS[0]
        return Departure(m, p, level, f"{m:.3f}, against {p:.3f}: {words}", "error")


class Floor(NamedTuple):
    """The least error measured, on so many bags, and the Bayes error of the task, low at its least.

    The Bayes error is that of an estimate: a classifier that beats it shows that the estimate is
    wrong.
    """

    measured: float
    bags: int
    bayes: float
    low: float

    def judge(self) -> Departure:
        """Say whether something measured is below the estimated Bayes error.

        Examples
        --------
        >>> Floor(0.004, 3000, 0.03, 0.028).judge().words
        '0.004, against 0.030: below the estimated Bayes error, not as predicted'
        >>> Floor(0.004, 3000, 0.03, 0.004).judge().words
        '0.004, against 0.030: below the estimated Bayes error, open to 0.004'
        """
        wrong = round(self.measured * self.bags)
        level, words = 0, "not below the estimated Bayes error"
        if bdtr(wrong, self.bags, self.bayes) < BEATEN:
            level = FAR_OFF if bdtr(wrong, self.bags, self.low) < BEATEN else CANNOT_TELL
            words = "below the estimated Bayes error"
            words += ", not as predicted" if level == FAR_OFF else f", open to {self.low:.3f}"
        told = f"{self.measured:.3f}, against {self.bayes:.3f}: {words}"
        return Departure(self.measured, self.bayes, level, told, "error")


def departures(
    noise: dict[str, float],
    alignment: dict[str, float],
    spread: float,
    told: dict[str, Told],
    drift: Drift | None = None,
    floor: Floor | None = None,
) -> dict[str, Departure]:
    """Judge the shape of the noise, the signal, the alignment, and the errors.

    Examples
    --------
    >>> noise = {"skewness": 0.0, "kurtosis": 9.0, "correlation": 0.01}
    >>> found = departures(noise, {"measured": 0.8, "predicted": 0.8}, 1.0, {})
    >>> found["kurtosis"].words
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
    for name, value in told.items():
        result[name] = value.judge()
    if floor is not None:
        result["least error"] = floor.judge()
    return result


def verdict(result: dict[str, Departure], signal: bool) -> str:
    """Say whether measured errors are as predicted: the worst of them, and none without a signal.

    Examples
    --------
    >>> verdict({"error, pooled": Departure(0.3, 0.3, 0, "", "error")}, True)
    'as predicted'
    """
    return VERDICTS[errors_level(result) if signal else CANNOT_TELL]


def errors_level(result: dict[str, Departure]) -> int:
    """Return how far measured errors are from what the theory expects, the worst of them."""
    return max(item.level for item in result.values() if item.about == "error")


def drifts(result: dict[str, Departure]) -> bool:
    """Return whether θ changes as bags are added."""
    return DRIFT in result and result[DRIFT].level == FAR_OFF


def trust(result: dict[str, Departure], signal: bool, guessing: bool = True) -> str:
    """Say in one sentence how far to trust the predictions: the errors that were measured decide.

    ``guessing`` says that no classifier measured does better than the more frequent label.

    Examples
    --------
    >>> close = Departure(0.1, 0.1, 0, "")
    >>> trust({"kurtosis": close, "error, pooled": close._replace(about="error")}, True)
    'the theory can be trusted here: its assumptions hold and it predicts the measured errors'
    """
    if not signal and guessing:
        return "no signal was found, by the theory's two steps or by the classifiers measured"
    if not signal:
        return (
            "the theory's two steps found no signal, but a classifier measured does: the theory "
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
            f"{result[DRIFT].words.partition(': ')[2]}{why}"
        )
    if errors == CANNOT_TELL:
        return f"cannot tell how far to trust the theory here: its predictions are too open{why}"
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
