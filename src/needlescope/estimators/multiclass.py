"""More than two classes: each against all others, by the same classifier of two.

The log odds s_k of each class, as calibrated by bags held out, make probabilities in proportion to
exp(a s_k + b_k). The slope a and the shifts b_k are fitted to the same bags held out, as each of
the classifiers alone is timid about what the others know. Where none were held out, the
probability of each class is its own, divided by the sum over classes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from sklearn.base import clone

from ..arrays import FloatArray, IndexArray
from ..solvers.calibration import FLATTEST_CALIBRATION, PRIOR

Method = TypeVar("Method", bound=Callable[..., Any])


class JointCalibration(NamedTuple):
    """A calibration of all classes together: the slope of their log odds, and a shift of each."""

    slope: float
    shifts: FloatArray


IDENTITY = JointCalibration(1.0, np.zeros(()))


def one_vs_rest(join: Callable[[Any, list[Any]], Any]) -> Callable[[Method], Method]:
    """Let a method of a classifier of two classes answer for more.

    ``join`` makes one answer of the classifier and the answers of each class against the others.
    """

    def decorate(method: Method) -> Method:
        @wraps(method)
        def answer(self: Any, *args: Any, **label_names: Any) -> Any:
            binary = getattr(self, "binary_", None)
            if binary is None:
                return method(self, *args, **label_names)
            return join(self, [method(item, *args, **label_names) for item in binary])

        return answer  # type: ignore[return-value]

    return decorate


def side_by_side(classifier: Any, answers: list[Any]) -> FloatArray:
    """Put the columns of each class side by side."""
    return np.column_stack(answers)


def log_odds(classifier: Any, answers: list[FloatArray]) -> FloatArray:
    """Calibrate the log odds of all classes together."""
    slope, shifts = classifier.joint_ or IDENTITY
    return np.asarray(slope * np.column_stack(answers) + shifts)


def instance_scores(classifier: Any, answers: list[list[FloatArray]]) -> list[FloatArray]:
    """Return what each instance adds to the log odds of each class: a column for each."""
    slope, shifts = classifier.joint_ or IDENTITY
    bags = [np.column_stack(each) for each in zip(*answers, strict=True)]
    return [slope * bag + shifts / len(bag) for bag in bags]


def label_names(classifier: Any, answers: list[Any]) -> Any:
    """Put the label of its class before every name."""
    both = zip(classifier.classes_, answers, strict=True)
    return np.array([f"{label}_{name}" for label, names in both for name in names], dtype=object)


def probabilities(classifier: Any, answers: list[FloatArray]) -> FloatArray:
    """Return the probability of each class, of those that each has against the others."""
    own = np.stack([both[:, 1] for both in answers], axis=1)
    if classifier.joint_ is None:
        return np.asarray(own / own.sum(axis=1, keepdims=True))
    rest = np.stack([both[:, 0] for both in answers], axis=1)
    slope, shifts = classifier.joint_
    return np.asarray(softmax(slope * (np.log(own) - np.log(rest)) + shifts, axis=1))


def fit_binary(
    classifier: Any,
    bags: Any,
    codes: FloatArray,
    weight: FloatArray,
    groups: Any,
    cv: Any,
    random: np.random.RandomState,
) -> list[Any]:
    """Fit a classifier of each class against all others."""
    fitted = []
    for code in np.unique(codes):
        item = clone(classifier).set_params(
            class_weight=None,  # the weights have it
            cv=cv,
            random_state=int(random.randint(2**31 - 1)),
        )
        fitted.append(item.fit(bags, codes == code, sample_weight=weight, groups=groups))
    return fitted


def fit_calibration(
    binary: list[Any], kinds: IndexArray, weight: FloatArray
) -> JointCalibration | None:
    """Calibrate all classes together, on bags that no classifier or choice had seen.

    Returns None where there are none, or none of a class.
    """
    scores = np.column_stack(
        [
            item.cv_decision_function_ if item.nested_ is None else item.nested_.log_odds
            for item in binary
        ]
    )
    held = np.flatnonzero(~np.isnan(scores).any(axis=1))
    if len(np.unique(kinds[held])) < len(binary):
        return None
    own = np.arange(len(binary)) == kinds[held][:, None]
    return calibrate(scores[held], own, weight[held] / weight[held].sum())


def calibrate(scores: FloatArray, own: Any, weight: FloatArray) -> JointCalibration:
    """Fit the slope and the shifts: the least logarithmic loss.

    Examples
    --------
    >>> kinds = np.repeat(np.eye(3), 2, axis=0)
    >>> found = calibrate(2.0 * kinds - 1.0, kinds, np.full(6, 1 / 6))
    >>> found.slope > 2.0, bool(abs(found.shifts).max() < 1e-3)
    (True, True)
    """

    def loss(at: FloatArray) -> tuple[float, FloatArray]:
        slope, shifts = at[0], at[1:]
        logs = log_softmax(slope * scores + shifts, axis=1)
        off = weight[:, None] * (np.exp(logs) - own)
        slopes = np.concatenate([[float((off * scores).sum())], off.sum(axis=0)])
        away = at - start
        value = -float(weight @ (logs * own).sum(axis=1)) + PRIOR / 2.0 * float(away @ away)
        return value, slopes + PRIOR * away

    start = np.concatenate([[1.0], np.zeros(scores.shape[1])])
    result = minimize(loss, start, jac=True, method="BFGS").x
    return JointCalibration(max(float(result[0]), FLATTEST_CALIBRATION), result[1:])
