"""How far bags are from what the theory assumes: numbers, each with a judgement in plain words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LEVELS = ("as the theory assumes", "somewhat off", "far off")
FAR_OFF = 2  # the level at which the theory's numbers are not to be trusted
AGREEING_ERRORS = 2.0  # standard errors within which a measured error agrees


class Departure(NamedTuple):
    """A number, what it would be in the theory, how far it is: 0 as assumed, 1 somewhat, 2 far.

    It is about an assumption of the theory, or about an ``"error"`` that was measured.
    """

    value: float
    assumed: float
    level: int
    words: str
    about: str = "assumption"


def departures(
    noise: dict[str, float],
    alignment: dict[str, float],
    spread: float,
    measured: dict[str, float],
    errors: dict[str, float],
    expected: dict[str, float],
) -> dict[str, Departure]:
    """Judge the shape of the noise, the signal, the alignment, and the errors.

    ``errors`` are standard errors of the difference between measured and expected ones.

    Examples
    --------
    >>> noise = {"skewness": 0.0, "kurtosis": 9.0, "correlation": 0.01}
    >>> found = departures(noise, {"measured": 0.8, "predicted": 0.8}, 1.0, {}, {}, {})
    >>> found["kurtosis"].words
    '9.000, against 3.000: far off'
    """
    found = {
        "skewness": _judge(noise["skewness"], 0.0, 0.3, 1.0),
        "kurtosis": _judge(noise["kurtosis"], 3.0, 0.5, 2.0),
        "correlation within bags": _judge(noise["correlation"], 0.0, 0.05, 0.2),
    }
    if np.isfinite(spread):  # there is a signal
        found["spread of the signal"] = _judge(spread, 1.0, 0.2, 0.6)
        found["alignment"] = _judge(alignment["measured"], alignment["predicted"], 0.1, 0.25)
    for name, error in expected.items():
        near = max(AGREEING_ERRORS * errors[name], 0.01)
        judged = _judge(measured[name], error, near, 1.5 * near, ("as predicted", *LEVELS[1:]))
        found[f"error, {name}"] = judged._replace(about="error")
    return found


def errors_level(found: dict[str, Departure]) -> int:
    """Return how far measured errors are from what the theory expects, the worst of them."""
    return max(one.level for one in found.values() if one.about == "error")


def trust(found: dict[str, Departure], signal: bool, guessing: bool = True) -> str:
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
    errors = errors_level(found)
    off = [name for name, one in found.items() if one.level and one.about != "error"]
    which = ", ".join(off)
    if errors == 0 and not off:
        return (
            "the theory can be trusted here: its assumptions hold and it predicts the measured "
            "errors"
        )
    if errors == 0:
        return f"the theory predicts the measured errors, though its assumptions are off ({which})"
    why = f" ({which})" if off else ""
    if errors < FAR_OFF:
        return f"take the theory as a rough guide here: the measured errors are somewhat off{why}"
    return f"do not trust the theory's numbers here: the measured errors are far off{why}"


def _judge(
    value: float, assumed: float, near: float, far: float, levels: tuple[str, ...] = LEVELS
) -> Departure:
    away = abs(value - assumed)
    level = int(away > near) + int(away > far)
    return Departure(value, assumed, level, f"{value:.3f}, against {assumed:.3f}: {levels[level]}")
