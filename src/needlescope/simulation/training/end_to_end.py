"""Training without stages: (q, w, b) together, by L-BFGS from several starts.

Minimises (1/n) Σ loss + (ridge/2)‖w‖² + (ridge_q/2)‖q‖² over all parameters of the attention
classifier; without a ridge_q, that of the readout serves both. The problem is not convex, and
without its penalty the query could grow for ever; of several starts the one with the least
objective is kept. They are random, but for the first where the training has steps, which is where
these lead; joint training may start small, or from the signal itself.

The kinks of a piecewise quadratic loss are rounded, to widths that fall: each descent starts where
the one before has ended. So the objective ends within the largest jump of the slope times width/8
of a minimum.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize

from ...arrays import FloatArray
from ...errors import NotConverged
from ...losses import Loss, PiecewiseQuadratic, get_loss
from ...models.blocks import Data
from ...models.gradient import State, gradient, pack, unpack
from ...training import Training

TOGETHER_TOLERANCE = 1e-5  # of the gradient's norm, relative to its norm at the start
TOGETHER_ITERATIONS = 5000
SMALL = 0.01  # norms of a small start
INFORMED_READOUT = 2.0  # norm of the readout of an informed start; the query's is θ/2
WIDTHS = (0.3, 0.1, 0.03, 0.01)  # of kinks: the norms change by less than 1e-3 in the last step


def train_together(data: Data, starts: Sequence[State], training: Training) -> tuple[State, float]:
    """Return the best of the local minima reached, and its relative gradient norm.

    `NotConverged` is raised if the best has not converged, whatever became of the others.
    """
    result = [descend(data, start, training) for start in starts]
    value, residual, best = min(result, key=lambda item: item[0])
    if not residual <= TOGETHER_TOLERANCE:
        raise NotConverged(
            f"end-to-end training stopped at a relative gradient of {residual:.1e}, above "
            f"{TOGETHER_TOLERANCE:g}, and an objective of {value:.6g}; a larger ridge makes it "
            "easier"
        )
    return best, residual


def random_starts(
    state: State, training: Training, starts: int, rng: np.random.Generator
) -> list[State]:
    """Return random parameters, the query as long as that of a state after steps."""
    length = max(float(np.linalg.norm(state.q)), 1.0 / training.beta)
    return _random(len(state.q), starts, rng, length)


def joint_starts(
    xi: FloatArray, theta: float, start: str, starts: int, rng: np.random.Generator
) -> list[State]:
    """Return where joint training starts: random parameters, small ones, or along the signal."""
    if start == "informed":
        return [State(0.5 * theta * xi, INFORMED_READOUT * xi, 0.0)]
    length = SMALL if start == "small" else 1.0
    return _random(len(xi), starts, rng, length, length)


def _random(
    d: int, starts: int, rng: np.random.Generator, q_length: float, w_length: float = 1.0
) -> list[State]:
    result = []
    for _ in range(starts):
        q, w = rng.standard_normal((2, d)) / np.sqrt(d)
        result.append(State(q_length * q, w_length * w, 0.0))
    return result


def descend(data: Data, state: State, training: Training) -> tuple[float, float, State]:
    """Return the objective, the relative gradient and the state that L-BFGS ends in.

    The state is where it starts; kinks are rounded, to widths that fall.
    """
    loss = get_loss(training.loss)
    if not (isinstance(loss, PiecewiseQuadratic) and loss.kinked):
        return _descend_smooth(data, state, training, loss)
    for width in WIDTHS:
        value, residual, state = _descend_smooth(data, state, training, loss.rounded(width))
    return value, residual, state


def _descend_smooth(
    data: Data, state: State, training: Training, loss: Loss
) -> tuple[float, float, State]:
    d = len(state.q)
    ridge = np.full(2 * d, training.ridge)  # of query and readout, as `pack` has them
    if training.is_joint:
        ridge[:d] = training.ridge_q

    def objective(at: FloatArray) -> tuple[float, FloatArray]:
        """Return the regularised mean loss at a vector (q, w, b), and its gradient."""
        state_at = unpack(at, state.q.shape)
        pull = gradient(data, state_at, loss, training.beta, dtype=np.float64)
        slope = pack(State(pull.q, pull.w, pull.b))
        slope[:-1] += ridge * at[:-1]
        return pull.loss + 0.5 * float(ridge @ at[:-1] ** 2), slope

    first = pack(state)
    scale = float(np.linalg.norm(objective(0.0 * first)[1]))
    stop = TOGETHER_TOLERANCE * scale / np.sqrt(len(first))  # L-BFGS-B looks at the largest entry
    options = {
        "maxiter": TOGETHER_ITERATIONS,
        "maxfun": 2 * TOGETHER_ITERATIONS,
        "ftol": 0.0,
        "gtol": stop,
    }
    at = minimize(objective, first, jac=True, method="L-BFGS-B", options=options).x
    value, slope = objective(at)
    residual = float(np.linalg.norm(slope)) / max(scale, 1e-300)
    return value, residual, unpack(at, state.q.shape)
