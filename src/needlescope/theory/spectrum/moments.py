"""Moments of a spectrum, which are all that the two gradient steps see of it.

    mean_j = ⟨s^j⟩ = Σ p_k s_k^j        signal_j = Σ ω_k s_k^j

Both are 1 for white noise.
"""

from __future__ import annotations

from typing import NamedTuple

from ...arrays import FloatArray
from ...task import Task


class Moments(NamedTuple):
    """Moments over the dimensions, and over the signal's weights, by their order.

    ``gain`` is ‖Σ^{-1/2}ξ‖.

    >>> import needlescope as ns
    >>> moments_of(ns.Task(L=8, R=1, theta=4.0, pi=0.5)).mean[2]
    1.0
    >>> noise = ns.Noise(spectrum=[3.0, 1.0])
    >>> result = moments_of(ns.Task(8, 1, 4.0, 0.5, noise=noise, signal="loud"))
    >>> result.mean[2], result.signal[2]
    (5.0, 9.0)
    """

    mean: tuple[float, float, float, float, float]
    signal: tuple[float, float, float, float]
    gain: float


WHITE = Moments((1.0, 1.0, 1.0, 1.0, 1.0), (1.0, 1.0, 1.0, 1.0), 1.0)


def moments_of(task: Task) -> Moments:
    """Return the moments of the noise of a task."""
    levels = task.levels
    if levels is None:
        return WHITE
    s, p, omega = levels.s, levels.share, levels.weight

    def moment(weight: FloatArray, order: int) -> float:
        return float(weight @ s**order)

    return Moments(
        (1.0, moment(p, 1), moment(p, 2), moment(p, 3), moment(p, 4)),
        (1.0, moment(omega, 1), moment(omega, 2), moment(omega, 3)),
        levels.gain,
    )
