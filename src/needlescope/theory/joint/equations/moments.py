"""The replica-symmetric equations: what the unknowns imply for themselves.

With h the minimum of each sample (`fields`), g_l = V⁻¹(h_l − ω_l) = −s (d_l, a_l), n = αd samples
and Λ = α diag(λ_q, λ_w):

    M̂ = αθ E[Σ_l v_l g_l]     Q̂ = α E[Σ_l g_l g_lᵀ]     V̂ = −α E[Σ_l ∂g_l/∂ω_l]     E[ℓ'] = 0
    V = (Λ + V̂)⁻¹     M = V M̂     Q = V (M̂ M̂ᵀ + Q̂) V

By Stein's identity E[∂g/∂ω] = E[g zᵀ] C⁻¹: where the minimum jumps, the derivative itself misses
it. Where data are plenty C is nearly singular and these means are uncertain. The gradient of the
loss at the fields themselves, g⁰ = −s (d, a) at h = ω, is close to g then, and the mean of its
derivatives T = Σ_l ∂g⁰_l/∂ω_l is known without division. So Σ_l g⁰_l z_lᵀ − T C, whose mean is
zero, is a control variate, with the coefficient of least variance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....arrays import FloatArray
from ....losses import LOGISTIC, Loss, PiecewiseQuadratic
from ....task import Task
from .fields import Fields, Pull, load, lowest, minimum, pull_of
from .order import Order, from_vector, to_vector
from .samples import Kind, Samples, chances, fields, kinds_of, labels

FLATTEST = 1e-6  # mean curvature in the bias below which it takes no Newton step
FAR_LARGER = 30.0  # error of one of two estimates of a number, for the other to count alone


class Problem(NamedTuple):
    """A task, how much data, the loss and both ridges."""

    task: Task
    alpha: float
    loss: Loss
    ridge: float
    ridge_q: float
    minimum: str = "field"  # or "lowest"
    start: str = "informed"  # or "uninformed"

    @property
    def penalty(self) -> FloatArray:
        """The diagonal of Λ."""
        return self.alpha * np.array([self.ridge_q, self.ridge])


class Moments(NamedTuple):
    """Means over the samples of each replicate."""

    gz: FloatArray  # E[Σ_l g_l z_lᵀ], replicates × 2 × 2
    gg: FloatArray  # E[Σ_l g_l g_lᵀ]
    gv: FloatArray  # E[Σ_l v_l g_l], replicates × 2
    slope: FloatArray
    bend: FloatArray  # of the loss as the bias moves, with the fields that follow it
    loss: FloatArray
    wrong: FloatArray  # the fraction of training samples on the wrong side
    power: FloatArray  # E[ℓ'²]

    def pooled(self) -> Moments:
        """Return the mean over replicates, as one replicate."""
        return Moments(*(item.mean(axis=0, keepdims=True) for item in self))

    def of(self, replicate: int) -> Moments:
        """Return those of one replicate."""
        return Moments(*(item[replicate : replicate + 1] for item in self))


def moments(problem: Problem, order: Order, samples: Samples) -> Moments:
    """Solve every sample and return the means."""
    parts = [_moments(problem, order, part) for part in samples.parts()]
    return Moments(*(np.concatenate(items) for items in zip(*parts, strict=True)))


def _moments(problem: Problem, order: Order, samples: Samples) -> Moments:
    omega = fields(samples, order, problem.task)
    pull = pull_of(order.V, order.b, labels(samples, problem.task), problem.loss)
    h = minimum(omega, pull) if problem.minimum == "field" else lowest(omega, pull)[0]
    return _means(problem, order, samples, omega, pull, h)


def _means(
    problem: Problem, order: Order, samples: Samples, omega: Fields, pull: Pull, h: Fields
) -> Moments:
    task, n, k = problem.task, samples.q.shape[1], samples.replicates
    at = load(h, pull)
    g = -at.slope * at.a * (h.u - at.f), -at.slope * at.a
    z = samples.q, samples.u
    kinds, chance = kinds_of(task), chances(samples, task)

    def mean(values: FloatArray) -> FloatArray:
        """Average over kinds and points; one number for each replicate."""
        return np.asarray((chance * values).reshape(len(kinds), k, -1).sum(axis=0).mean(axis=-1))

    def pairs(x: FloatArray, y: FloatArray) -> FloatArray:
        return mean(np.einsum("ln,ln->n", x, y))

    tiled = [np.tile(item, len(kinds)) for item in z]
    zero = _zero_mean(pull, omega, tiled, order.root)
    gz = np.empty((k, 2, 2))
    for i, j in np.ndindex(2, 2):
        products = np.einsum("ln,ln->n", g[i], tiled[j])
        gz[:, i, j] = mean(_controlled(products, zero[i, j], samples.points))
    gg = np.array([[pairs(x, y) for y in g] for x in g]).transpose(2, 0, 1)
    gv = np.array([mean(_signal_sum(item, kinds, n)) for item in g]).T
    d, a = g[0] / np.where(at.slope == 0.0, 1.0, -at.slope), at.a
    V = order.V
    reach = np.einsum("ln,ln->n", d, V[0, 0] * d + 2.0 * V[0, 1] * a) + V[1, 1] * np.einsum(
        "ln,ln->n", a, a
    )
    return Moments(
        gz,
        gg,
        gv,
        mean(at.slope),
        mean(at.bend / (1.0 + at.bend * reach)),
        mean(at.loss),
        mean((pull.y * (at.f + pull.b) <= 0.0).astype(float)),
        mean(at.slope**2),
    )


def _controlled(values: FloatArray, zero: FloatArray, points: int) -> FloatArray:
    """Subtract what a variable of mean zero explains, in each replicate of each kind of sample.

    >>> _controlled(np.array([1.0, 3.0]), np.array([-2.0, 2.0]), 2)
    array([2., 2.])
    """
    rows, control = values.reshape(-1, points), zero.reshape(-1, points)
    spread = np.einsum("rn,rn->r", control, control)
    share = np.einsum("rn,rn->r", rows, control) / np.where(spread == 0.0, 1.0, spread)
    return np.asarray(rows - np.clip(share, 0.0, 1.0)[:, None] * control).ravel()


def _zero_mean(pull: Pull, omega: Fields, z: list[FloatArray], root: FloatArray) -> FloatArray:
    """Return Σ_l g⁰_l z_lᵀ − T C of each sample, 2 × 2 × n: the mean of each entry is zero."""
    loss = pull.loss
    if isinstance(loss, PiecewiseQuadratic) and not loss.square:
        pull = pull._replace(loss=LOGISTIC)  # whose curvature has no steps; any loss will do
    at = load(omega, pull)
    a, s, c = at.a, at.slope, at.bend
    d = a * (omega.u - at.f)
    squares = np.einsum("ln,ln->n", a, a)
    qq = -c * np.einsum("ln,ln->n", d, d) + 2.0 * s * np.einsum("ln,ln->n", d, a)
    qu = -c * np.einsum("ln,ln->n", d, a) - s * (1.0 - squares)
    T = np.array([[qq, qu], [qu, -c * squares]])
    products = [[-s * np.einsum("ln,ln->n", x, y) for y in z] for x in (d, a)]
    return np.asarray(np.array(products) - np.einsum("ikn,kj->ijn", T, root))


def _signal_sum(g: FloatArray, kinds: tuple[Kind, ...], n: int) -> FloatArray:
    """Return Σ_l v_l g_l of each sample."""
    parts = [g[: kind.tokens, k * n : (k + 1) * n].sum(axis=0) for k, kind in enumerate(kinds)]
    return np.concatenate(parts)


def residual(problem: Problem, x: FloatArray, means: Moments) -> FloatArray:
    """Return by how much the unknowns violate the equations, nine numbers of order one.

    The equation for V is taken as Cᵥᵀ(Λ + V̂)Cᵥ = I with V = CᵥCᵥᵀ, which is defined everywhere, and
    those for M and Q with the given V.
    """
    order, alpha = from_vector(x), problem.alpha
    M_hat = alpha * problem.task.theta * means.gv[0]
    Q = order.V @ (np.outer(M_hat, M_hat) + alpha * means.gg[0]) @ order.V
    root = np.linalg.cholesky(order.V)
    balance = np.eye(2) - root.T @ precision(problem, order, means) @ root
    b = order.b - float(means.slope[0] / max(means.bend[0], FLATTEST))
    new = to_vector(Order(order.V @ M_hat, Q, order.V, b))
    new[5:8] += balance[0, 0], balance[1, 0], balance[1, 1]
    return np.asarray(new - x)


def precision(problem: Problem, order: Order, means: Moments) -> FloatArray:
    """Return Λ + V̂, which is V⁻¹ at the solution.

    The entry beside the diagonal is known twice: from g^q z^w with an error of √E[(g^q)²]/C_ww,
    from g^w z^q with one of √E[(g^w)²]/C_qq. Where minima jump the two differ, as g is then no
    gradient, and their mean is taken; where one has a far larger error, as for a tiny query, the
    other.
    """
    root = order.root
    V_hat = -problem.alpha * means.gz[0] @ np.linalg.inv(root)
    q, w = (means.gg[0, 0, 0] * root[0, 0] ** 2, means.gg[0, 1, 1] * root[1, 1] ** 2)
    share = 0.5 if FAR_LARGER**-2 < q / w < FAR_LARGER**2 else float(q < w)
    V_hat[0, 1] = V_hat[1, 0] = share * V_hat[0, 1] + (1.0 - share) * V_hat[1, 0]
    return np.asarray(np.diag(problem.penalty) + V_hat)
