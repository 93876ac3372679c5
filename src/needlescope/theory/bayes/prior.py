"""What is known of the signal before any data: the variances of its whitened components.

White noise: all directions are alike, and a field Â gives the squared overlap q = Â/(1 + Â).
With a covariance Σ, the components of √d Σ^{-1/2}ξ on level k have the variance P_k, proportional
to ω_k/(p_k s_k), here with mean ⟨P⟩ = 1: the strength of the whitened signal has the rest. Then

    q = ⟨P² Â/(1 + P Â)⟩      1 − q = ⟨P/(1 + P Â)⟩      dq/dÂ = ⟨P²/(1 + P Â)²⟩

and the field that reaches an overlap replaces q/(1 − q).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...task import Task
from ..spectrum.quadrature import quadrature

ROOT_STEPS = 100
BLOCK = 1 << 20  # numbers at a time


class Prior(NamedTuple):
    """Variances P with their shares of the dimensions, ⟨P⟩ = 1."""

    P: FloatArray
    share: FloatArray

    def overlap(self, field: FloatArray) -> FloatArray:
        """Return the squared overlap q that a field reaches.

        >>> bool(Prior(np.array([2.0, 0.0]), np.full(2, 0.5)).overlap(np.array(1.5)) == 0.75)
        True
        """
        P, x = self.P, np.asarray(field)[..., None]
        return np.asarray((P * (P * x) / (1.0 + P * x)) @ self.share)

    def gain(self, field: FloatArray) -> FloatArray:
        """Return dq/dÂ."""
        P, x = self.P, np.asarray(field)[..., None]
        return np.asarray((P / (1.0 + P * x)) ** 2 @ self.share)

    def field(self, q: FloatArray, rest: FloatArray) -> FloatArray:
        """Return the field that reaches each overlap q = 1 − rest.

        Newton on log q − log(1 − q) as a function of log Â, which is the identity for P = 1.
        """
        if len(self.P) == 1:
            return np.asarray(q / rest / self.P[0])
        step = max(1, BLOCK // len(self.P))
        parts = [
            self._field(q[first : first + step], rest[first : first + step])
            for first in range(0, len(q), step)
        ]
        return np.concatenate(parts)

    def _field(self, q: FloatArray, rest: FloatArray) -> FloatArray:
        P, p = self.P, self.share
        target = np.log(q) - np.log(rest)
        x = target - np.log(p @ P**2)  # exact as q → 0
        for _ in range(ROOT_STEPS):
            PA = P * np.exp(x)[:, None]
            left = (P / (1.0 + PA)) @ p
            here = (P * PA / (1.0 + PA)) @ p
            slope = (PA * P / (1.0 + PA) ** 2) @ p * (1.0 / here + 1.0 / left)
            move = np.clip((target - np.log(here) + np.log(left)) / slope, -3.0, 3.0)
            x = x + move
            if np.abs(move).max() < 1e-12 * (1.0 + np.abs(x).max()):
                break
        return np.asarray(np.exp(x))


UNIFORM = Prior(np.ones(1), np.ones(1))


def prior_of(task: Task) -> Prior:
    """Return the prior of a task's signal.

    >>> import needlescope as ns
    >>> noise = ns.Noise(spectrum=[4.0, 1.0])
    >>> prior_of(ns.Task(8, 1, 4.0, 0.5, noise=noise, signal="flat")).P
    array([1.6, 0.4])
    """
    levels = task.levels
    if levels is None:
        return UNIFORM
    P = levels.weight / (levels.share * levels.s * levels.gain**2)
    known = P > 0.0
    values, place = np.unique(P[known], return_inverse=True)
    share = np.bincount(place, levels.share[known]).astype(float)
    fewer = quadrature(values)
    if fewer is None:
        return Prior(values[::-1], share[::-1])
    nodes, basis = fewer
    weight = basis @ (share * values)  # of ⟨P f⟩: the mean of P stays 1
    return Prior(nodes[::-1], (weight / nodes)[::-1])
