"""The points at which theory and simulation are compared, and the z-scores there.

At each point a model is simulated at d and 2d. What finite dimension adds is c/d to leading order,
so ``2 value(2d) − value(d)`` estimates the limit, its error comes from the trials of both, and z is
its distance from the theory in units of both errors. Nothing is allowed for that was not measured.

A readout is trained to a tolerance, and its numbers are known to what that leaves (`floor`). Where
trials scatter by less, as a training loss does that is zero in all of them, there is no score: the
limit must be that near.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import needlescope as ns
from needlescope.losses import get_loss

TOL = 2e-4  # asked of the theory: two of its standard errors
CERTIFIED = 1e-9  # the relative gradient, or duality gap, at which a readout counts as trained
ROUNDING = 4.0 * np.finfo(float).eps  # of a sum of terms of order one
SMALL = 50  # dimensions, and twice as many: for what is compared quickly
MISTAKES = 100  # a count expected below this is too skewed for a z-score
QUERY = ("cosine_w", "norm_w", "cosine_q", "norm_q", "kappa")
NAMES = ("test_error", "train_loss", "train_error", "signal", "norm", "cosine", "bias")

EASY = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
RARE = ns.Task(L=10, R=3, theta=6.0, pi=0.2)
SHORT = ns.Task(L=4, R=1, theta=4.0, pi=0.3)
VERY_RARE = ns.Task(L=6, R=2, theta=3.0, pi=0.06)
PAIR = ns.Task(L=2, R=1, theta=3.0, pi=0.4)
LONG = ns.Task(L=40, R=3, theta=5.0, pi=0.5)
ALL_TOKENS = ns.Task(L=3, R=3, theta=1.5, pi=0.5)
WEAK = ns.Task(L=10, R=1, theta=2.0, pi=0.5)
MOSTLY = ns.Task(L=5, R=4, theta=2.0, pi=0.8)
PLACES = ns.Task(
    L=4, R=2, theta=2.5, pi=0.4, positions=ns.Positions([(0, 1), (1, 2), (0, 3)], [0.5, 0.3, 0.2])
)


class Point(NamedTuple):
    """One comparison: the arguments that `predict` and `simulate` share, and how to simulate."""

    model: str
    task: ns.Task
    training: ns.Training
    shared: dict[str, Any]
    sampler: str
    d: int
    trials: int

    @property
    def name(self) -> str:
        """What the point is called in a test report."""
        t, r = self.task, self.training
        extra = " balanced" * r.balanced
        extra += "" if t.signals is None else f" signals={t.signals}"
        extra += "" if t.levels is None else f" {t.noise.spectrum!r} signal={t.signal}"
        extra += f" token_correlation={t.token_correlation}" * bool(t.token_correlation)
        extra += f" {t.positions}" * (t.positions != "uniform")
        extra += "" if t.signal_noise is None else f" signal_noise {t.signal_noise.spectrum!r}"
        extra += "" if t.label_noise is None else f" label_noise={t.label_noise}"
        extra += "".join(f" {key}={value}" for key, value in self.shared.items())
        loss = r.loss if isinstance(r.loss, str) else r.loss.name
        return (
            f"{self.model} {self.sampler} L={t.L} R={_R(t)} theta={t.theta:g} pi={t.pi:g} {loss} "
            f"ridge={r.ridge:g} alpha0={r.alpha0:g} alpha1={r.alpha1:g} {r.first_step}{extra}"
        )


def _R(task: ns.Task) -> str:
    """Write the number of signal tokens; of a random one its values and mean."""
    if isinstance(task.R, ns.SignalCount):
        return f"{task.R.values} mean {task.R.mean:.3g}"
    return f"{task.R}"


def point(
    model: str,
    sampler: str,
    task: ns.Task,
    loss: Any,
    ridge: float,
    alpha1: float,
    *,
    alpha0: float = 2.0,
    d: int = 100,
    trials: int = 40,
    steps: dict[str, Any] | None = None,
    **shared: Any,
) -> Point:
    """Write a point in one line."""
    training = ns.Training(alpha0, alpha1, loss=loss, ridge=ridge, **(steps or {}))
    return Point(model, task, training, shared, sampler, d, trials)


def scores(one: Point, seed: Any) -> dict[str, float]:
    """Return the z-score of each quantity at a point, where it has one."""
    limit = ns.predict(one.task, one.training, one.model, tol=TOL, **one.shared)
    small, large = (
        ns.simulate(
            one.task, one.training, one.model, d, one.trials, [*seed, d],
            sampler=one.sampler, n_jobs=1, **one.shared,
        )
        for d in (one.d, 2 * one.d)
    )  # fmt: skip
    result = {}
    for name in (*NAMES, *_along_signals(one.task)):
        if name == "bias" and one.training.loss == "hinge":
            continue  # a hinge readout's bias need not be unique
        gap, error = gap_and_error(*(pair(item, name) for item in (small, large, limit)))
        if name == "train_error" and _expected_mistakes(one, limit) < MISTAKES:
            continue
        z = score(gap, error, floor(one, limit, name))
        if z is not None:
            result[name] = z
    return result


def query_scores(one: Point, seed: Any) -> dict[str, float]:
    """Return the z-scores of readout and query after the two steps."""
    limit = ns.align(one.task, one.training)
    small, large = (
        ns.simulate_alignment(
            one.task, one.training, d, one.trials, [*seed, d], sampler=one.sampler, n_jobs=1
        )
        for d in (one.d, 2 * one.d)
    )
    names = (*QUERY, *_each_cosine(one.task))
    pairs = {name: [pair(result, name) for result in (small, large, limit)] for name in names}
    gaps = {name: gap_and_error(*three) for name, three in pairs.items()}
    return {name: float(gap / error) for name, (gap, error) in gaps.items()}


def pair(found: Any, name: str) -> tuple[Any, Any]:
    """Return a number of a result and its standard error."""
    base, _, place = name.rpartition("_")
    if place.isdigit():  # of one of several signals
        each, errors = getattr(found, base), getattr(found, f"{base}_se")
        return each[int(place) - 1], 0.0 if errors is None else errors[int(place) - 1]
    return getattr(found, name), getattr(found, f"{name}_se")


def _along_signals(task: ns.Task) -> list[str]:
    """Return the names of what there is beside for a task of several signals."""
    return (
        [] if task.signals is None else ["rest", *(f"signals_{k + 1}" for k in range(task.kinds))]
    )


def _each_cosine(task: ns.Task) -> list[str]:
    """Return the names of the cosines with each of several signals."""
    if task.signals is None:
        return []
    return [f"cosines_{item}_{k + 1}" for item in "wq" for k in range(task.kinds)]


def gap_and_error(
    small: tuple[Any, Any], large: tuple[Any, Any], limit: tuple[Any, Any]
) -> tuple[Any, Any]:
    """Return what is left of numbers at d and 2d, less their limit, and its standard error."""
    gap = 2.0 * large[0] - small[0] - limit[0]
    return gap, np.hypot(np.hypot(2.0 * large[1], small[1]), limit[1])


def score(gap: float, error: float, least: float) -> float | None:
    """Return a deviation in units of its error; below the least that means anything, none.

    Then a deviation beyond that least is infinite.
    """
    if error > least:
        return float(gap / error)
    return None if abs(gap) <= least else float(np.copysign(np.inf, gap))


def floor(one: Point, limit: ns.Outcome, name: str) -> float:
    """Return how far a trial's number may be off because its readout is trained to a tolerance ε.

    A relative gradient of ε leaves scores that are known to about ε, and a small training loss ℓ of
    them to ε √(2ℓ). With kinks it is the objective J that is known to ε J, and so, by the ridge λ,
    w to √(2εJ/λ), and the training loss, J without its penalty, to 2 √ε J.
    """
    loss, ridge = get_loss(one.training.loss), one.training.ridge
    if loss.kinked:
        J = limit.train_loss + 0.5 * ridge * limit.norm**2
        w = float(np.sqrt(2.0 * CERTIFIED * J / ridge))
        return float(2.0 * np.sqrt(CERTIFIED) * J) if name == "train_loss" else w
    if name == "train_loss":
        return float(ROUNDING + CERTIFIED * np.sqrt(2.0 * abs(limit.train_loss)))
    return CERTIFIED


def _expected_mistakes(one: Point, limit: ns.Outcome) -> float:
    """Return how many wrong signs all trials at the smaller d should show on their own data."""
    training, joins = one.training, one.shared.get("data") == "all"
    alpha = training.alpha1 + (training.alpha0 if joins else 0.0)
    return float(limit.train_error * alpha * one.d * one.trials)


def check_one(found: dict[str, float]) -> None:
    """No score of one point is out of bounds: 1 in 9,000 for the t law of 40 trials."""
    worst = max(found, key=lambda name: abs(found[name]))
    assert abs(found[worst]) < 4.3, found


def check_all(points: list[dict[str, float]]) -> None:
    """Together the scores are centred and of unit size, quantity by quantity.

    Scores of different points are independent; those of one point are not, so each quantity is
    judged on its own: mean and mean square of k scores have standard errors 1/√k and √(2/k).
    """
    for name in dict.fromkeys(name for point in points for name in point):
        z = np.array([point[name] for point in points if name in point])
        k = len(z)
        assert abs(z.mean()) * np.sqrt(k) < 4.0, (name, z)
        assert abs(np.mean(z**2) - 1.0) / np.sqrt(2.0 / k) < 4.5, (name, z)
