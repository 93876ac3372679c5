"""The trained readout (w, b) for one law, loss, class balance, α and ridge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from ...errors import NoMinimiser, NotConverged
from ...losses import Loss
from ...models.nodes import CLEAN, Flips, JointLaw, LimitLaw
from ..spectrum.directions import Directions
from .collapse import collapsed_bias, solve_near_collapse
from .margin import separability
from .problem import Local, OrderParameters, Saddle
from .solver import MAX_RESIDUAL, newton, solve
from .square import solve_square

# The least precision, relative to the scores, to which the bias must be determined.
BIAS_TOLERANCE = 1e-4
VANISHING_T = 1e-10  # t relative to the smallest A that stands for the limit t → 0


class Readout(NamedTuple):
    """The order parameters and the problem they solve; ``local`` is None where w = 0 exactly."""

    problem: Saddle
    point: OrderParameters
    local: Local | None

    @property
    def warm(self) -> OrderParameters | None:
        """A start for a neighbouring problem, None where w = 0."""
        return None if self.local is None else self.point

    @property
    def residual(self) -> float:
        """Largest relative residual of the stationarity equations."""
        return 0.0 if self.local is None else self.local.residual


def train_readout(
    limit: LimitLaw,
    loss: Loss,
    pi: float,
    alpha: float,
    ridge: float,
    warm: OrderParameters | None = None,
    flips: Flips = CLEAN,
    spectrum: Directions | None = None,
) -> Readout:
    """Minimise the ridge-regularised loss on α d samples, in the limit.

    ``warm`` is the solution of a neighbouring problem, ``flips`` are the probabilities of flipping
    the label of a positive and of a negative, ``spectrum`` is where the readout's directions lie in
    that of the noise, in whose whitened coordinates ``limit`` is. A ridge of zero means the limit
    λ → 0⁺ for the square loss; other losses then have a minimiser only beyond the separability
    capacity.
    """
    law, delta = limit.law(pi, flips), alpha / limit.dim
    if ridge == 0.0:
        ridge = _ridgeless(law, loss, alpha, limit.dim, spectrum)
    problem = Saddle(law, loss, delta, ridge, spectrum=spectrum)
    if loss.square:
        point = solve_square(law, delta, ridge, spectrum)
        local = problem.local(point)
        if not local.residual <= MAX_RESIDUAL:
            raise NotConverged(
                f"the square loss's linear system is too ill-conditioned: residual "
                f"{local.residual:.1e} at ridge={ridge:g}, {delta:g} samples per weight; "
                "try a larger ridge"
            )
        return Readout(problem, point, local)
    if warm is not None:
        point, local = newton(problem, warm)
        if local.residual <= MAX_RESIDUAL:
            return _check_bias(Readout(problem, point, local))
    start = solve_square(law, delta, max(ridge, 1e-12), spectrum)
    try:
        point, local = solve(problem, start)
    except NotConverged:
        bias = collapsed_bias(problem)
        if bias is None and loss.kinked:
            point, local = solve_near_collapse(problem, start)
            return Readout(problem, point, local)
        if bias is None:
            raise
        return Readout(problem, OrderParameters(np.zeros(law.directions), bias, 0.0, np.inf), None)
    return _check_bias(Readout(problem, point, local))


def _ridgeless(
    law: JointLaw, loss: Loss, alpha: float, dim: int, spectrum: Directions | None
) -> float:
    """Return the ridge that stands for the limit λ → 0⁺, or raise where there is no minimiser."""
    delta = alpha / dim
    if loss.square:
        if delta == 1.0:
            raise NoMinimiser(
                "at ridge = 0 the square loss has its double-descent peak at one sample per "
                "weight, where the minimiser diverges; use a ridge above 0 or another alpha1"
            )
        if delta > 1.0:
            return 0.0
        # λ/t as t → 0, where E[A/(t + A)] → 1: the root of ⟨s/(λ/t + s)⟩ = δ
        slope = 1.0 / delta - 1.0
        if spectrum is not None:
            s, p = spectrum.s, spectrum.share
            ends = np.array([s.min(), s.max()]) * slope * [1.0 - 1e-9, 1.0 + 1e-9]
            slope = float(brentq(lambda at: float(p @ (s / (at + s))) - delta, *ends))
        return slope * VANISHING_T * float(law.A.min())
    shortfall = separability(law).value
    if delta * shortfall <= 1.0:
        raise NoMinimiser(
            f"at ridge = 0 the {loss.name} loss has no unique finite minimiser on separable data, "
            f"and data are separable up to alpha1 = {dim / max(shortfall, 1e-300):.4g}, got "
            f"alpha1 = {alpha:g}; use a ridge above 0 or more data"
        )
    return 0.0


def _check_bias(readout: Readout) -> Readout:
    """Raise where the loss is flat in the bias, which is then not unique."""
    local, point = readout.local, readout.point
    assert local is not None
    k = len(point.mu)
    try:
        loose = float(np.abs(np.linalg.inv(local.hessian)[k, k]))
    except np.linalg.LinAlgError:
        loose = np.inf
    size = point.rho + float(np.linalg.norm(point.mu)) + abs(point.b)
    if not loose * MAX_RESIDUAL * local.scale[k] <= BIAS_TOLERANCE * max(size, 1.0):
        raise NoMinimiser(
            f"the {readout.problem.loss.name} loss does not determine the bias here: both classes "
            "lie on its straight parts and balance, so an interval of biases minimises it; "
            f"use a smaller ridge (now {readout.problem.ridge:g}) or another loss"
        )
    return readout
