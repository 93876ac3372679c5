"""What `estimate_task` returns: a task, predicted and measured errors, and a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...grid import choice
from ...planning.expected.classifier_errors import bags_for_gain
from ...task import Task
from .departures import CANNOT_TELL, FAR_OFF, Departure, drifts, errors_level
from .structure import Structure

GAIN = 0.01
NAMES = {
    "pooled": "mean pooling",
    "attention": "attention",
    "attention, split": "attention as in the theory",
    "mil": "MIL search",
}


@dataclass(frozen=True, eq=False)
class TaskEstimate:
    """The task that bags look like, with predicted and measured errors.

    Attributes
    ----------
    task : Task
        L, R, θ and π as the theory takes them; L is the effective size of a bag. Its ``noise`` is
        the spectrum of negatives, and ``signal`` the weights of the signal on it, unless they are
        white. Features are scaled to unit variance in negatives, so that the mean eigenvalue is 1.
    R, R_se, theta, theta_se : float
        Signal instances in a positive bag, and their strength; with standard errors, which cover
        differences between halves of the bags. That of θ is infinite where the signal is stronger
        than any in the search, about 10. In noise with a spectrum ``task.whitened.theta`` is the
        strength in whitened coordinates.
    dimension : float
        Effective number of features; all that vary where the task has a noise.
    structure : Structure or None
        What ``task.noise`` and ``task.signal`` rest on, None where the noise is white: the
        ``spectrum`` of negatives, with its shrinkage and the offsets of bags, the signal's
        ``place`` in it with a standard error, and the task in whitened coordinates, ``white``.
    tasks : dict of Task
        The task as each of the models sees it: "pooled", "attention", "vectorized". Where bags have
        offsets these add to its noise; elsewhere all are ``task``.
    bags, positives, features : int
        How many there are.
    pos_label : label
        The label of bags with a signal.
    size : float
        Mean number of instances in a bag.
    surprise : float
        By how many standard errors positive bags differ from negative ones. Below 4, or where two
        directions trained on halves of the bags do not agree, there is no signal, and θ is 0. With
        fewer than about twenty negative bags noise alone may reach 4, and the directions decide.
    noise : dict
        Skewness, kurtosis and correlation within bags of negatives, along the trained direction.
    alignment : dict
        The cosine of a direction trained on half of the bags with the signal: ``"measured"`` by
        the agreement of two of them, and ``"predicted"``.
    halves : dict
        Estimates from random halves of the bags: their mean ``"theta"``, its ``"deviation"``,
        their mean ``"R"``, and the share of them in which a signal was ``"found"``. NaN where
        there is no signal in all, or fewer than ten bags of a class. Where θ differs from that of
        all by more than chance, ``departures["strength in halves"]`` says so: the model does not
        hold.
    predicted : dict
        Errors after training on all bags: "pooled", "attention" (its query on one half of them, its
        readout on the other), "vectorized" where bags have one size, and "bayes", the Bayes error
        of the estimated task. Where a measured error is below it, ``departures["least error"]``
        says so, and nothing is as predicted.
    measured, measured_se : dict
        Cross-validated errors: "pooled"; "mil", the search of `MILClassifier`; and "attention,
        split", the classifier that the theory describes.
    measured_auc : dict
        Their AUCs in the same folds.
    expected : dict
        What the theory predicts for "pooled" and "attention, split" in that cross-validation; in
        noise with a spectrum the mean over data sets of this size, by a small simulation, whose
        scatter between data sets adds to the counting error of those measured.
    expected_range : dict
        Their range: the errors at θ two standard errors larger, and by the same factor smaller. In
        noise with a spectrum two standard errors of the signal's place, and of the simulated mean,
        add to it in quadrature on the scale of log odds.
    expected_auc : dict
        What it predicts for their AUCs. Where less than a fifth of the bags are of one class,
        errors say little, and AUCs are compared too.
    departures : dict of Departure
        How far the data are from what the theory assumes, and measured errors from the expected.
    verdict : str
        On the measured errors: "as predicted"; "not as predicted", and a plan is not to be trusted;
        or "cannot tell": the task is too uncertain, or there is no signal. An error twice or half
        as large as predicted is never as predicted unless counting explains it.
    trust : str
        How far to trust the predictions.
    curves : dict
        For each model, predicted errors by number of bags.

    Examples
    --------
    >>> import numpy as np
    >>> from needlescope.estimators import estimate_task
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((100, 6, 10)), np.arange(100) % 2
    >>> X[y == 1, 0, 0] += 4.0
    >>> result = estimate_task(X, y, random_state=0)  # a TaskEstimate
    >>> result.bags, result.positives, result.features, sorted(result.measured)
    (100, 50, 10, ['attention, split', 'mil', 'pooled'])
    >>> result.bags_for(gain=0.4)  # more than there is to gain
    inf
    """

    task: Task
    R: float
    R_se: float
    theta: float
    theta_se: float
    dimension: float
    bags: int
    positives: int
    pos_label: Any
    features: int
    size: float
    surprise: float
    noise: dict[str, float]
    alignment: dict[str, float]
    halves: dict[str, float]
    predicted: dict[str, float]
    measured: dict[str, float]
    measured_se: dict[str, float]
    measured_auc: dict[str, float]
    expected: dict[str, float]
    expected_range: dict[str, tuple[float, float]]
    expected_auc: dict[str, float]
    departures: dict[str, Departure]
    verdict: str
    trust: str
    curves: dict[str, dict[float, float]]
    tasks: dict[str, Task]
    structure: Structure | None = None

    def bags_for(self, gain: float = GAIN, model: str | None = None) -> float:
        """Return how many more bags lower the predicted error by ``gain``.

        Parameters
        ----------
        gain : float, default 0.01
            By how much, above 0.
        model : "attention", "pooled", "vectorized" or None, default None
            Whose error; by default that of the model predicted to be best. The last of them where
            bags have one size.

        Returns
        -------
        float
            Infinity where ten times more bags are not enough.

        Raises
        ------
        ValueError
            If ``gain`` is no number above 0, or ``model`` is none of these.
        """
        number = isinstance(gain, int | float | np.integer | np.floating)
        if isinstance(gain, bool) or not number or not gain > 0.0:
            raise ValueError(f"gain must be a number above 0, got {gain!r}")
        if model is not None:
            choice("model", model, tuple(self.curves))
        return bags_for_gain(self.curves[model or self._best()], gain)

    def __str__(self) -> str:
        """Return a report."""
        task = self.task
        strength = f"θ = {self.theta:.2f} ± {self.theta_se:.2f}"
        if self.theta_se == np.inf:
            strength = f"θ of {self.theta:.0f} or more"
        result = f"{strength}, R = {self.R:.1f} ± {self.R_se:.1f}"
        lines = [
            f"{self.bags} bags, {self.positives} of them positive ({self.pos_label!r}), of "
            f"{self.size:.1f} instances and {self.features} features",
            f"signal: {result} (at {self.surprise:.1f} standard errors)"
            if self.theta
            else f"signal: none found ({self.surprise:.1f} standard errors)",
            f"task of the theory: L = {task.L}, R = {task.R}, θ = {task.theta:.2f}, "
            f"π = {task.pi:.2f}, in {self.dimension:.0f} dimensions",
            *self._place(),
            "predicted error: " + _list(self.predicted),
            "measured error: " + _list(self.measured, self.measured_se),
            *(f"{name}: {departure.sentence}" for name, departure in self.departures.items()),
            self.trust,
            self.sentence(),
        ]
        return "\n".join(lines)

    def _place(self) -> list[str]:
        """Return a line on the spectrum of the noise and the signal's place, unless it is white."""
        levels = self.task.levels
        if levels is None:
            return []
        s, quiet = levels.s, levels.s < levels.share @ levels.s
        return [
            f"noise: variances from {s.min():.2g} to {s.max():.2g}, below their mean in "
            f"{levels.share[quiet].sum():.0%} of directions; there the signal has "
            f"{levels.weight[quiet].sum():.0%} of its weight; whitened it has a strength of "
            f"{self.task.whitened.theta:.2f}"
        ]

    def sentence(self) -> str:
        """Say in one sentence what the theory predicts, and what was measured."""
        if not self.theta:
            return (
                f"no signal in bags labelled {self.pos_label!r} for the theory to predict from (if "
                f"the others carry it, pass pos_label=); measured: {_named(self.measured)}"
            )
        errors = f"{_named(self.predicted)} (measured: {_named(self.measured)})"
        level = errors_level(self.departures)
        if level == FAR_OFF:
            return f"{errors}; not as predicted, so there is no prediction for more bags"
        if drifts(self.departures):
            return f"{errors}; θ changes as bags are added, so there is no prediction for more"
        if level == CANNOT_TELL:
            return f"{errors}; too uncertain to predict the gain of more bags"
        best, more = self._best(), self.bags_for()
        if self.predicted[best] < GAIN:
            return f"{errors}; the error is below {GAIN} already"
        name = NAMES.get(best, best)
        if np.isfinite(more):
            return f"{errors}; {_rounded(more)} more bags would lower that of {name} by {GAIN}"
        return f"{errors}; by the theory, ten times more would not lower that of {name} by {GAIN}"

    def _best(self) -> str:
        return min(self.curves, key=lambda name: self.predicted[name])


def _named(errors: dict[str, float]) -> str:
    return ", ".join(
        f"{name} {errors[model]:.2f}" for model, name in NAMES.items() if model in errors
    )


def _list(errors: dict[str, float], se: dict[str, float] | None = None) -> str:
    return "; ".join(
        f"{name} {error:.3f}" + (f" ± {se[name]:.3f}" if se else "")
        for name, error in errors.items()
    )


def _rounded(count: float) -> int:
    """Round up to two digits."""
    unit = 10 ** max(int(np.floor(np.log10(max(count, 1.0)))) - 1, 0)
    return int(np.ceil(count / unit) * unit)
