"""Measures of a classifier on held-out bags: what people report of it.

Each goes from scores and signs (−1 or +1) to a number. Scores are answers (−1 or +1), decision
values, or log odds, as the measure needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...grid import real

LEAST_PROBABILITY = 1e-12


class Measure(NamedTuple):
    """A measure by its name: how it is computed, and which way is better.

    ``worst`` is its value for a classifier that knows nothing, ``best`` for one that errs nowhere.
    ``needs`` is what of a classifier it is computed from.
    """

    name: str
    compute: Callable[[FloatArray, FloatArray], float]
    worst: float
    best: float
    needs: Literal["answers", "scores", "probabilities"]

    @property
    def falls(self) -> bool:
        """Whether smaller is better."""
        return self.best < self.worst


def error(score: FloatArray, sign: FloatArray) -> float:
    """Return the share of wrong answers; a score of 0 counts as negative.

    >>> error(np.array([1.0, -2.0, 0.5]), np.array([1.0, -1.0, -1.0])) == 1 / 3
    True
    """
    return float((np.where(score > 0.0, 1.0, -1.0) != sign).mean())


def balanced_accuracy(score: FloatArray, sign: FloatArray) -> float:
    """Return the mean of sensitivity and specificity.

    >>> balanced_accuracy(np.array([1.0, -2.0, 0.5]), np.array([1.0, -1.0, -1.0]))
    0.75
    """
    positive = score > 0.0
    return 0.5 * float(positive[sign > 0.0].mean() + (~positive)[sign < 0.0].mean())


def auc(score: FloatArray, sign: FloatArray) -> float:
    """Return the area under the ROC curve: how often a positive scores above a negative.

    >>> auc(np.array([1.0, 0.0, 0.5]), np.array([1.0, -1.0, -1.0]))
    1.0
    """
    positive, negative = score[sign > 0.0], np.sort(score[sign < 0.0])
    below = np.searchsorted(negative, positive, "left")
    tied = np.searchsorted(negative, positive, "right") - below
    return float((below + 0.5 * tied).mean() / len(negative))


def sensitivity_at(specificity: float) -> Callable[[FloatArray, FloatArray], float]:
    """Return the measure of sensitivity at a specificity, on the threshold that gives it.

    >>> at = sensitivity_at(0.5)
    >>> at(np.array([3.0, 0.0, 2.0, 1.0]), np.array([1.0, 1.0, -1.0, -1.0]))
    0.5
    """

    def compute(score: FloatArray, sign: FloatArray) -> float:
        threshold = np.quantile(score[sign < 0.0], specificity, method="higher")
        return float((score[sign > 0.0] > threshold).mean())

    return compute


def log_loss(score: FloatArray, sign: FloatArray) -> float:
    """Return the mean negative log probability of the truth; scores are log odds.

    >>> round(log_loss(np.array([0.0, 0.0]), np.array([1.0, -1.0])), 4)
    0.6931
    """
    least = np.log(LEAST_PROBABILITY)
    return float(np.logaddexp(0.0, -np.clip(score * sign, least, -least)).mean())


NAMES = ("error", "auc", "balanced_accuracy", "log_loss", "sensitivity")


def get_measure(name: str, pi: float, specificity: float | None = None) -> Measure:
    """Return a measure by its name, with its values for no knowledge and for no errors.

    Examples
    --------
    >>> get_measure("error", 0.2).worst, get_measure("auc", 0.2).falls
    (0.2, False)
    >>> get_measure("f1", 0.2)
    Traceback (most recent call last):
    ValueError: measure must be one of 'error', 'auc', 'balanced_accuracy', 'log_loss', ...
    """
    if name not in NAMES:
        listed = ", ".join(map(repr, NAMES))
        raise ValueError(f"measure must be one of {listed}, got {name!r}")
    if (name == "sensitivity") != (specificity is not None):
        raise ValueError(
            "specificity goes with measure='sensitivity', which is measured there; got "
            f"measure={name!r} and specificity={specificity!r}"
        )
    if specificity is not None:
        at = float(real("specificity", specificity, 0.0, 1.0, open_low=True, open_high=True))
        return Measure(name, sensitivity_at(at), 1.0 - at, 1.0, "scores")
    entropy = float(-pi * np.log(pi) - (1.0 - pi) * np.log(1.0 - pi))
    return {
        "error": Measure("error", error, min(pi, 1.0 - pi), 0.0, "answers"),
        "auc": Measure("auc", auc, 0.5, 1.0, "scores"),
        "balanced_accuracy": Measure("balanced_accuracy", balanced_accuracy, 0.5, 1.0, "answers"),
        "log_loss": Measure("log_loss", log_loss, entropy, 0.0, "probabilities"),
    }[name]
