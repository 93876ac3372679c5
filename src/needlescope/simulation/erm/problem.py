"""Stage 4 as an optimisation problem: min over (w, b) of Σ cᵢ ℓ(⟨w, Fᵢ⟩ + b; yᵢ) + (λ/2)‖w‖²."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import FloatArray
from ...losses import Loss

Features = NDArray[np.float32] | NDArray[np.float64]


class Problem(NamedTuple):
    """Features, labels and what to minimise; the bias is not penalised."""

    F: Any  # n × p, float32 or float64
    y: FloatArray  # n labels, −1 or +1
    loss: Loss
    ridge: float
    weight: FloatArray  # n non-negative weights c that sum to one


class Fit(NamedTuple):
    """A minimiser, with the evidence that it is one."""

    w: FloatArray
    b: float
    scores: FloatArray  # ⟨w, Fᵢ⟩ + b of every training sample
    residual: float  # gradient norm relative to its size at (0, 0); with kinks the relative gap
    iterations: int
