"""Learners: forward functions from a budget to an error, for one inverter.

`Learner.tune` finds settings roughly, for a search. `Learner.error_with` is the error of given
settings on a budget nearby, which gives the slope of the tuned error: the best settings cost
nothing to first order. `Learner.evaluate` returns the error to the requested tolerance, by
`predict`, `bayes_optimal` or `oracle`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..losses import Loss
from ..results import BayesOptimal, Oracle, Outcome
from ..task import Task
from ..theory.bayes.bayes_optimal import bayes_optimal
from ..theory.joint.grid import predict_joint
from ..theory.joint.solutions.continuation import Near
from ..theory.learning import predict
from ..theory.oracle.least_error import oracle
from ..training import Training
from . import LEARNERS, TUNED
from .tuning.bias_shift import shifted_error
from .tuning.budget import Budget
from .tuning.joint import JointSetting, best_joint, joint
from .tuning.search import (
    FEW_EVALUATIONS,
    TunedSetting,
    attention,
    attention_between,
    best_attention,
    best_linear,
    linear,
)
from .tuning.steps import best_steps, with_strength

ROUGH_TOL = 2e-3  # of the Bayes-optimal error, in a search
LEAST_TOL = 1e-3  # of learners whose theory takes seconds for a smaller one
CACHED = 64  # errors that are kept: learners are asked for the same ones
LEAST_SHARE = 0.01  # of the constant answer's error, where that is less


class Evaluation(NamedTuple):
    """An error, its numerical uncertainty, and the training that reaches it, if it is one."""

    error: float
    error_se: float
    training: Training | None = None
    balance: float = np.nan  # share of positives in training
    shift: float = 0.0  # of the bias, after training
    kappa: float = np.nan
    cosine: float = np.nan
    provenance: str = ""
    notes: tuple[str, ...] = ()


class Learner(ABC):
    """A learner, whose test error depends on a budget."""

    name: str
    keeps_settings = False  # whether `between` is much quicker than `tune`

    @property
    def label(self) -> str:
        """What sentences call it."""
        return LEARNERS[self.name]

    @property
    def model(self) -> str:
        """The model that it trains."""
        return self.name

    @abstractmethod
    def tune(self, budget: Budget, near: Any = None) -> Any:
        """Return settings that are about the best, with their ``error``, roughly."""

    def retune(self, budget: Budget, near: Any) -> Any:
        """Return settings from those of a budget nearby, more roughly where that is quicker."""
        return self.tune(budget, near)

    def between(self, budget: Budget, near: Any, far: Any, share: float) -> Any:
        """Return settings for a budget between two that are tuned, ``share`` of the way to one."""
        return self.tune(budget, near)

    def error_with(self, budget: Budget, setting: Any) -> float:
        """Return the error of the same settings on another budget, roughly."""
        return float(self.tune(budget).error)

    @abstractmethod
    def evaluate(self, budget: Budget, setting: Any, tol: float) -> Evaluation:
        """Return the error of settings, to full precision."""


class TwoSteps(Learner):
    """Attention, its query trained by two steps and its readout on the rest of the data."""

    name, keeps_settings = "attention", True

    def __init__(self, loss: str | Loss = "logistic") -> None:
        self.loss = loss

    def tune(self, budget: Budget, near: TunedSetting | None = None) -> TunedSetting:
        """Tune split, κ, steps and ridge."""
        return best_attention(budget, self.loss, near)

    def retune(self, budget: Budget, near: TunedSetting) -> TunedSetting:
        """Tune with fewer evaluations."""
        return best_attention(budget, self.loss, near, FEW_EVALUATIONS)

    def between(
        self, budget: Budget, near: TunedSetting, far: TunedSetting, share: float
    ) -> TunedSetting:
        """Take split and κ between theirs, with the best ridge and steps."""
        return attention_between(budget, self.loss, near, far, share)

    def error_with(self, budget: Budget, setting: TunedSetting) -> float:
        """Keep split, κ and ridge; the steps are the best for the data."""
        fixed = _at_balance(budget, setting)
        return attention(budget, self.loss, fixed, setting, keep_ridge=True).error

    def evaluate(self, budget: Budget, setting: TunedSetting, tol: float) -> Evaluation:
        """Predict the training that these settings make."""
        fixed = _at_balance(budget, setting)
        task, alpha = budget.training_task(fixed.balance), budget.alpha(fixed.balance)
        alpha0 = _whole_bags(fixed.split * alpha, alpha, budget.d)
        alpha1 = alpha - alpha0
        result = best_steps(task, self.loss, alpha0, budget.d)
        ridge = float(setting.readout.ridge)
        start = result.steps.training(alpha0, alpha1, loss=self.loss, ridge=ridge)
        training = with_strength(task, start, fixed.kappa)
        return predicted("attention", budget, training, fixed.balance, tol)


class Linear(Learner):
    """Mean pooling or the flat classifier, on all the data."""

    def __init__(self, name: str, loss: str | Loss = "logistic") -> None:
        self.name, self.loss = name, loss

    def tune(self, budget: Budget, near: TunedSetting | None = None) -> TunedSetting:
        """Tune the ridge."""
        return best_linear(budget, self.name, self.loss, near)

    def error_with(self, budget: Budget, setting: TunedSetting) -> float:
        """Keep the ridge."""
        fixed = _at_balance(budget, setting)
        kept = linear(budget, self.name, self.loss, fixed.balance, fixed, keep_ridge=True)
        return kept.error

    def evaluate(self, budget: Budget, setting: TunedSetting, tol: float) -> Evaluation:
        """Predict the training that these settings make."""
        fixed = _at_balance(budget, setting)
        training = Training(
            alpha1=budget.alpha(fixed.balance), loss=self.loss, ridge=setting.readout.ridge
        )
        return predicted(self.name, budget, training, fixed.balance, tol)


class EndToEnd(Learner):
    """Attention, its query and readout trained together, on all the data."""

    name, model = "joint", "attention"

    def __init__(self, loss: str | Loss = "logistic") -> None:
        self.loss = loss

    def tune(self, budget: Budget, near: JointSetting | None = None) -> JointSetting:
        """Tune both ridges."""
        return best_joint(budget, self.loss, near)

    def error_with(self, budget: Budget, setting: JointSetting) -> float:
        """Keep the ridges."""
        balance = _balance_of(budget, setting)
        ridges = setting.ridge, setting.ridge_q
        return joint(budget, self.loss, *ridges, balance, setting.solution).error

    def evaluate(self, budget: Budget, setting: JointSetting, tol: float) -> Evaluation:
        """Predict the training that these settings make, going on from their solution."""
        balance = _balance_of(budget, setting)
        alpha = budget.alpha(balance)
        training = Training.joint(alpha, self.loss, setting.ridge, setting.ridge_q)
        near = None if setting.solution is None else Near(setting.solution.x, None)
        return predicted_joint(budget, training, balance, tol, near)


class BayesOptimalLearner(Learner):
    """The Bayes-optimal learner, or AMP; both learn from positive bags only."""

    def __init__(self, name: str) -> None:
        self.name = name

    def tune(self, budget: Budget, near: Any = None) -> Evaluation:
        """Return the error, roughly: there is nothing to tune."""
        return self._evaluate(budget, ROUGH_TOL)

    def evaluate(self, budget: Budget, setting: Any, tol: float) -> Evaluation:
        """Return the error, by `bayes_optimal`."""
        return self._evaluate(budget, max(tol, LEAST_TOL))

    def _evaluate(self, budget: Budget, tol: float) -> Evaluation:
        balance = budget.balance() if budget.costs is None else 1.0
        alpha = budget.alpha(balance) * balance / float(budget.task.pi)
        result = _bayes_optimal(budget.task, alpha, tol)
        prefix = "amp_" if self.name == "amp" else ""
        error, error_se = (
            float(getattr(result, f"{prefix}{field}")) for field in ("test_error", "test_error_se")
        )
        return Evaluation(error, error_se, provenance="Bayes-optimal learner")


class OracleLearner(Learner):
    """A model with a known signal: more data change nothing."""

    def __init__(self, name: str, label: str, model: str) -> None:
        self.name, self.known, self._label = name, model, label

    @property
    def label(self) -> str:
        """What sentences call it."""
        return self._label

    def tune(self, budget: Budget, near: Any = None) -> Evaluation:
        """Return the error: there is nothing to tune."""
        return self.evaluate(budget, None, 1e-3)

    def evaluate(self, budget: Budget, setting: Any, tol: float) -> Evaluation:
        """Return the error, by `oracle`."""
        result = _oracle(budget.task, self.known, min(tol, 1e-3))
        return Evaluation(float(result.error), float(result.error_se), provenance="known signal")


@lru_cache(maxsize=CACHED)
def _bayes_optimal(task: Task, alpha: float, tol: float) -> BayesOptimal:
    """Return `bayes_optimal`, which has the errors of two learners in one."""
    return bayes_optimal(task, alpha, tol=tol)


@lru_cache(maxsize=CACHED)
def _oracle(task: Task, model: str, tol: float) -> Oracle:
    return oracle(task, model, tol=tol)


def predicted(
    model: str, budget: Budget, training: Training, balance: float, tol: float
) -> Evaluation:
    """Return what `predict` says of a training, the bias moved if classes have another balance."""
    task = budget.training_task(balance)
    return _evaluation(task, budget, predict(task, training, model, tol=tol), balance)


def predicted_joint(
    budget: Budget, training: Training, balance: float, tol: float, near: Near | None = None
) -> Evaluation:
    """Return what the theory says of joint training, from unknowns nearby if there are any."""
    task, pi = budget.training_task(balance), float(budget.task.pi)
    tol = max(tol, min(LEAST_TOL, LEAST_SHARE * min(pi, 1.0 - pi)))
    options = {"data": "D1", "minimum": "field", "start": "informed", "tol": tol}
    result = predict_joint(task, training, None, options | {"on_error": "raise"}, near)
    return _evaluation(task, budget, result, balance)


def _evaluation(task: Task, budget: Budget, result: Outcome, balance: float) -> Evaluation:
    """Return a prediction as an evaluation, the bias moved if classes have another balance."""
    error, error_se, shift = float(result.test_error), float(result.test_error_se), 0.0
    if (pi := budget.test_pi(balance)) is not None:
        error, error_se, shift = shifted_error(task, result, pi)
    return Evaluation(
        error, error_se, result.training, balance, shift,
        float(result.kappa), float(result.cosine_q), result.provenance, result.notes,
    )  # fmt: skip


def _at_balance(budget: Budget, setting: TunedSetting) -> TunedSetting:
    """Return the settings, at the balance of classes that the budget has, unless it is free."""
    return setting._replace(balance=_balance_of(budget, setting))


def _balance_of(budget: Budget, setting: TunedSetting | JointSetting) -> float:
    """Return the share of positives: that of the budget, unless it is free."""
    return setting.balance if budget.costs is not None else budget.balance()


def _whole_bags(alpha0: float, alpha: float, d: float) -> float:
    """Return samples per dimension for the query: whole ones, at least one of them and one left.

    Examples
    --------
    >>> _whole_bags(3.9, 4.0, 1.0), _whole_bags(0.01, 4.0, 1.0), _whole_bags(1.3, 4.0, np.inf)
    (3.0, 1.0, 1.3)
    """
    if not np.isfinite(d):
        return alpha0
    most = max(int(np.ceil(alpha * d - 1e-9)) - 1, 1)
    return min(max(round(alpha0 * d), 1), most) / d


BAYES_OPTIMAL, AMP = BayesOptimalLearner("bayes_optimal"), BayesOptimalLearner("amp")
ORACLES = (
    OracleLearner("attention_known", "attention with a known signal", "attention"),
    OracleLearner("bayes", "the Bayes classifier with a known signal", "bayes"),
)


def get_learner(name: str, loss: str | Loss = "logistic") -> Learner:
    """Return a learner by its name."""
    if name == "attention":
        return TwoSteps(loss)
    if name == "joint":
        return EndToEnd(loss)
    if name in TUNED:
        return Linear(name, loss)
    return BAYES_OPTIMAL if name == "bayes_optimal" else AMP
