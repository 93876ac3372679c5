"""The task of the theory that fits labelled bags best: R, θ, π, and the effective L.

1. Instances are centred, and scaled as those of negative bags, which are noise; their dimension
   is the participation ratio of that noise.
2. Directions trained without a bag show its signal (`signal`) as a `mixture`: R, and t = θ s.
3. The theory predicts s for a task and a number of bags: θ solves θ s(θ) = t (`direction_fit`).
4. The same on halves of the bags: standard errors cover their differences (`halves`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...planning.expected.protocol import alignment
from ...task import Task
from ..bags.bags import Bags
from ..bags.scaling import Scaling, fit_scaling, no_scaling
from . import halves, signal
from .direction_fit import fit_direction, protocol, task_of, theta_error
from .halves import Halves
from .mixture import spread
from .structure import Structure, noise_spectrum, place_of

SIGNAL_ERRORS = 4.0  # standard errors between positive and negative bags with a signal
MOST_SCALED_UP = 2.0  # the largest scale of a feature, relative to that by all instances
LEAST_ALIGNMENT = 0.4  # of the predicted alignment, below which there is no direction of a signal
TOL = 1e-9  # of θ
NO_HALVES = Halves()


class Fitted(NamedTuple):
    """A task with standard errors, and what it rests on; θ = 0 where there is no signal."""

    task: Task
    dimension: float
    noise: dict[str, float]
    alignment: dict[str, float]
    surprise: float = 0.0
    R: float = 0.0
    R_se: float = 0.0
    theta_se: float = 0.0
    spread: float = np.nan
    halves: Halves = NO_HALVES
    pairs: tuple[tuple[FloatArray, FloatArray], ...] = ()  # directions of disjoint halves
    structure: Structure | None = None

    def at(
        self, theta: float = 1.0, R: float = 1.0, place: float = 0.0, *, share: float = 1.0
    ) -> Task:
        """Return the task with θ and R times some factors, and the place moved by standard errors.

        It is that of a model whose weights on instances have Σ a² = ``share``.
        """
        task = self.task if self.structure is None else self.structure.white
        R = int(np.clip(round(task.R * R), 1, task.L))
        task = task.replace(theta=theta * task.theta, R=R)
        return task if self.structure is None else self.structure.task(task, place, share)


def fit_task(bags: Bags, y: FloatArray, random: Any, done: Callable[[], None]) -> Fitted:
    """Estimate the task that bags with labels −1 and +1 are like.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((200, 8, 20)), np.where(np.arange(200) % 2, 1.0, -1.0)
    >>> X[y > 0.0, 0, 0] += 4.0
    >>> bags, random = Bags.from_array(X), np.random.RandomState(0)
    >>> result = fit_task(bags, y, random, lambda: None)
    >>> result.task.R, bool(abs(result.task.theta - 4.0) < 3.0 * result.theta_se)
    (1, True)
    """
    scaling = scaled_as_noise(bags, y)
    dimension = signal.dimension(bags, scaling, y, random)
    spectrum = noise_spectrum(bags, y, scaling, dimension)
    if spectrum is None:
        return _fit(bags, y, scaling, dimension, random, done)
    whitened = Bags(spectrum.whitening.apply(bags.instances), bags.starts)
    plain = no_scaling(len(spectrum.s))
    result = _fit(whitened, y, plain, spectrum.dimension, random, done)
    if result.task.theta == 0.0:  # a signal may be too loud to show in whitened coordinates
        return _fit(bags, y, scaling, dimension, random, lambda: None)
    place = place_of(spectrum, list(result.pairs), result.alignment["measured"] ** 2)
    white = result.task.replace(theta=result.task.theta * spectrum.optimism)
    if spectrum.between.any():  # offsets are in the spectrum, not in a smaller L
        L = max(round(float(bags.lengths.mean())), 1)
        white = white.replace(L=L, R=int(np.clip(round(result.R), 1, L)))
    structure = Structure(spectrum, place, white)
    task = structure.task(white)
    unit = task.theta / result.task.theta
    return result._replace(
        task=task, dimension=float(len(spectrum.s)), structure=structure,
        theta_se=unit * result.theta_se, halves=result.halves.in_units(unit),
    )  # fmt: skip


def _fit(
    bags: Bags,
    y: FloatArray,
    scaling: Scaling,
    dimension: float,
    random: Any,
    done: Callable[[], None],
) -> Fitted:
    """Estimate the task of white noise, its standard errors by halves of the bags too."""
    result = _fit_all_bags(bags, y, scaling, dimension, random, done)
    if result.task.theta == 0.0:
        for _ in range(halves.count(y)):
            done()
        return result
    each = halves.fit_halves(bags, y, scaling, dimension, random, done)
    compared = halves.compare(each, result.task.theta, result.R, SIGNAL_ERRORS)
    theta_se = result.theta_se * max(1.0, compared.relative_distance)
    result = result._replace(halves=compared, theta_se=theta_se)
    if not compared.off:
        return result
    return result._replace(
        theta_se=max(result.theta_se, compared.theta_rms),
        R_se=max(result.R_se, compared.R_rms),
    )


def _fit_all_bags(
    bags: Bags,
    y: FloatArray,
    scaling: Scaling,
    dimension: float,
    random: Any,
    done: Callable[[], None],
) -> Fitted:
    """Estimate the task from all bags, with the model's own standard errors."""
    n, size = len(bags), float(bags.lengths.mean())
    projections = signal.project_bags(bags, scaling, y, random, done)
    pi = float((y > 0.0).mean())
    nothing = Task(L=max(round(size), 1), R=1, theta=0.0, pi=pi)
    if not projections:  # all instances are the same
        return Fitted(nothing, dimension, signal.NO_SHAPE, _cosines(np.nan, np.nan))
    surprise = signal.surprise(bags, y, projections)
    fits = [fit_direction(bags, y, item) for item in projections]
    best = max(fits, key=lambda fit: fit.mixture.gain)
    measured = float(np.sqrt(max(best.projections.agreement, 0.0)))
    if surprise < SIGNAL_ERRORS:
        return Fitted(nothing, dimension, best.shape, _cosines(measured, np.nan), surprise)
    by = protocol(bags, y, dimension, TOL)
    task, mixture = task_of(best, by)
    theta_se = theta_error(best, by, task, mixture)
    expected = alignment(task, n / (2.0 * dimension), best.projections.direction)
    cosines = _cosines(measured, expected)
    if measured < LEAST_ALIGNMENT * expected:  # bags do not differ along one direction
        return Fitted(nothing, dimension, best.shape, cosines, surprise)
    return Fitted(
        *(task, dimension, best.shape, cosines, surprise),
        R=best.mixture.share * size,
        R_se=best.mixture.share_se * size,
        theta_se=theta_se,
        spread=spread(best.positives.ravel(), best.noise.ravel(), best.mixture),
        pairs=best.projections.pairs,
    )


def scaled_as_noise(bags: Bags, y: FloatArray) -> Scaling:
    """Centre all instances, and scale them as those of negative bags, which are noise."""
    n, negative = len(bags), np.flatnonzero(y < 0.0)
    noise_scale = fit_scaling(bags, negative, np.ones(len(negative)), 1.0).scale
    scaling = fit_scaling(bags, np.arange(n), np.ones(n), 1.0)
    # Else a feature that hardly varies in negatives would dominate.
    return scaling._replace(scale=np.minimum(noise_scale, MOST_SCALED_UP * scaling.scale))


def _cosines(measured: float, predicted: float) -> dict[str, float]:
    return {"measured": measured, "predicted": predicted}
