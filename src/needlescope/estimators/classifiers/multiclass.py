"""More than two classes, one-vs-rest: a binary classifier for each class against all others.

The calibrated log odds s_k of the classes give probabilities proportional to exp(a s_k + b_k). The
slope a and the shifts b_k are fitted to the same held-out bags: each classifier alone is too
cautious about what the others know. Without held-out bags, the probability of each class is its
own, divided by the sum over classes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from sklearn.base import clone

from ...arrays import FloatArray, IndexArray
from ...solvers.calibration import FLATTEST_CALIBRATION, PRIOR

Method = TypeVar("Method", bound=Callable[..., Any])


class JointCalibration(NamedTuple):
    """Joint calibration: the slope a of all log odds, and the shift b_k of each class."""

    slope: float
    shifts: FloatArray


IDENTITY = JointCalibration(1.0, np.zeros(()))


def one_vs_rest(join: Callable[[Any, list[Any]], Any]) -> Callable[[Method], Method]:
    """Let a method of a binary classifier answer for more classes.

    ``join`` takes the classifier and the answers of its binary classifiers.
    """

    def decorate(method: Method) -> Method:
        @wraps(method)
        def answer(self: Any, *args: Any, **named: Any) -> Any:
            binary = getattr(self, "binary_", None)
            if binary is None:
                return method(self, *args, **named)
            return join(self, [method(item, *args, **named) for item in binary])

        return answer  # type: ignore[return-value]

    return decorate


def side_by_side(classifier: Any, answers: list[Any]) -> FloatArray:
    """Join the columns of all classes."""
    return np.column_stack(answers)


def log_odds(classifier: Any, answers: list[FloatArray]) -> FloatArray:
    """Return the jointly calibrated log odds, a column for each class."""
    slope, shifts = classifier.joint_ or IDENTITY
    return np.asarray(slope * np.column_stack(answers) + shifts)


def instance_scores(classifier: Any, answers: list[list[FloatArray]]) -> list[FloatArray]:
    """Return the instance contributions to the log odds, a column for each class."""
    slope, shifts = classifier.joint_ or IDENTITY
    bags = [np.column_stack(each) for each in zip(*answers, strict=True)]
    return [slope * bag + shifts / len(bag) for bag in bags]


def label_names(classifier: Any, answers: list[Any]) -> Any:
    """Prefix every feature name with the label of its class."""
    both = zip(classifier.classes_, answers, strict=True)
    return np.array([f"{label}_{name}" for label, names in both for name in names], dtype=object)


def probabilities(classifier: Any, answers: list[FloatArray]) -> FloatArray:
    """Return the probabilities of all classes from those of each against the others."""
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
    """Fit a binary classifier of each class against all others."""
    fitted = []
    for code in np.unique(codes):
        item = clone(classifier).set_params(
            class_weight=None,  # it is part of the weights
            cv=cv,
            random_state=int(random.randint(2**31 - 1)),
        )
        fitted.append(item.fit(bags, codes == code, sample_weight=weight, groups=groups))
    return fitted


def fit_calibration(
    binary: list[Any], kinds: IndexArray, weight: FloatArray
) -> JointCalibration | None:
    """Calibrate all classes on held-out bags; None if a class has none."""
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
    """Fit slope and shifts by the least logarithmic loss."""

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
