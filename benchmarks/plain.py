"""Stage 4 as a competent user would compute it with NumPy and SciPy alone.

The last training stage (w and b minimise the ridge logistic loss at a fixed query) has a limit in
five scalars: x = (mu1, mu2, b, log rho, log gamma). With r the proximal point of the logistic loss
at c = mu1 m1 + mu2 m2 + b + nu |a| G, nu^2 = mu2^2 + rho^2, delta = alpha1, they solve

    E[l' m1] + ridge mu1 = 0,    E[l' m2] + mu2 / (delta gamma) = 0,    E[l'] = 0,
    rho^2 = delta gamma^2 E[|a|^2 l'^2],
    1 / (delta gamma) = ridge + E[|a|^2 l'' / (1 + |a|^2 gamma l'')].

Plain tools throughout: Monte Carlo for the attention scalars (v.a, g.a, |a|^2), adaptive quadrature
for G, a vectorised Newton iteration for the proximal point, ``scipy.optimize.root`` for the
equations. The package under test is not imported: this file is its opponent in the timings and an
independent check of its numbers.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad_vec
from scipy.optimize import approx_fprime, root
from scipy.special import ndtr, softmax

Array = NDArray[np.float64]
QUAD_TOLERANCE = 1e-8
RESIDUAL_TOLERANCE = 1e-6  # on equations divided by their own scale
PILOT_NODES = 1000  # Jacobians, and starts where none is given, come from this many nodes
BLOCK = 8192  # nodes handled at a time: the temporaries then stay in the processor's cache


class PlainOutcome(NamedTuple):
    """Errors in the limit, and the solution they come from.

    ``test_error_se`` is the standard error of the final Monte Carlo average, the solution held
    fixed. The solution fluctuates with the nodes too: `test_error_spread` measures the whole.
    """

    test_error: float
    test_error_se: float
    train_loss: float
    solution: Array
    residual: float


class Nodes(NamedTuple):
    """Nodes of the labels +1, -1, +1, ...; ``features`` has rows y m1 (attention), y m2 and y."""

    features: Array
    square_norm: Array
    weight: Array

    def first(self, pairs: int) -> "Nodes":
        """The first nodes of each label, with the labels' weights kept."""
        features, square_norm, weight = (part[..., : 2 * pairs] for part in self)
        return Nodes(features, square_norm, weight / weight.sum())


def attention_nodes(
    L: int, R: int, theta: float, pi: float, kappa: float, cosine: float, nodes: int, seed: int
) -> Nodes:
    """Draw ``nodes`` plain Monte Carlo nodes for each label."""
    rng = np.random.default_rng(seed)
    y = np.tile([1.0, -1.0], nodes)
    g = rng.standard_normal((2 * nodes, L))
    v = np.outer(y > 0, np.arange(L) < R)  # exchangeable tokens: which R of them does not matter
    a = softmax(kappa * (g + theta * cosine * v), axis=1)
    signal = theta * (v * a).sum(axis=1)
    m1 = cosine * signal + (g * a).sum(axis=1)
    m2 = np.sqrt(1 - cosine**2) * signal
    weight = np.where(y > 0, pi, 1 - pi) / nodes
    return Nodes(y * np.array([m1, m2, np.ones_like(y)]), (a**2).sum(axis=1), weight)


def pooled_nodes(L: int, R: int, theta: float, pi: float) -> Nodes:
    """The pooled model's two nodes, one for each label: a = 1/L exactly."""
    features = np.array([[theta * R / L, 0.0], [1.0, -1.0]])
    return Nodes(features, np.full(2, 1 / L), np.array([pi, 1 - pi]))


def logistic_prox(c: Array, g: Array) -> tuple[Array, Array]:
    """Solve x = c + g p, p = 1 / (1 + e^x), the logistic proximal point of the margin c.

    f(x) = x - c - g p is increasing, concave for x > 0 and convex for x < 0. Newton's iteration
    started between 0 and the root is therefore monotone and needs no safeguard.
    """
    gap = np.log1p(g) + np.maximum(-c, 0)  # c + gap is above the root
    below = np.maximum(np.maximum(c, 0), np.log(g / (2 * gap)))
    x = np.where(c + g / 2 >= 0, below, np.minimum(c + g, 0))
    with np.errstate(over="ignore"):  # e^x = inf gives the right p = 0
        for _ in range(60):
            p = 1 / (1 + np.exp(x))
            step = (c + g * p - x) / (1 + g * p * (1 - p))
            x += step
            if np.all(np.abs(step) < 1e-7 * (1 + np.abs(x))):  # quadratic: the next is 1e-14
                return x, 1 / (1 + np.exp(x))
    raise RuntimeError("The logistic proximal point did not converge.")


def _expectation(x: Array, nodes: Nodes, f: Callable[..., Array], scale: Array) -> Array:
    """``scale`` times E f over nodes and G ~ N(0, 1); f(block, g, r, p) sums over one block."""
    rho, gamma = np.exp(np.clip(x[-2:], -40, 40))
    mean = x[:-2] @ nodes.features
    deviation = np.hypot(x[-4], rho) * np.sqrt(nodes.square_norm)
    blocks = []
    for start in range(0, mean.size, BLOCK):
        cut = slice(start, start + BLOCK)
        block = Nodes(*(part[..., cut] for part in nodes))
        blocks.append((block, mean[cut], deviation[cut], gamma * block.square_norm))

    def integrand(G: float) -> Array:
        total = sum(f(block, g, *logistic_prox(m + s * G, g)) for block, m, s, g in blocks)
        return np.exp(-(G**2) / 2) / np.sqrt(2 * np.pi) * scale * total

    value, _ = quad_vec(
        integrand,
        -8.5,  # the normal mass beyond is 2e-17
        8.5,
        epsabs=QUAD_TOLERANCE,
        epsrel=QUAD_TOLERANCE,
        norm="max",
        points=(-3.0, 0.0, 3.0),
        limit=100,  # trial points far from the solution are not worth more
    )
    return value


def _averages(block: Nodes, g: Array, _: Array, p: Array) -> Array:
    """One block's sums for E[-l' m], E[-l'], E[|a|^2 l'^2], E[|a|^2 l'' / (1 + g l'')]."""
    features, square_norm, weight = block
    force, curvature = weight * p, p * (1 - p)
    noise = (force * p) @ square_norm
    response = (weight * square_norm) @ (curvature / (1 + g * curvature))
    return np.array([*(features @ force), noise, response])


def residuals(x: Array, nodes: Nodes, alpha1: float, ridge: float) -> Array:
    """The stationarity equations, each divided by its scale so that small ridges stay visible."""
    rho, gamma = np.exp(np.clip(x[-2:], -40, 40))
    nu, dg = np.hypot(x[-4], rho), alpha1 * gamma
    scale = np.array([*[-dg / nu] * (len(x) - 2), dg * gamma / rho**2, dg])
    out = _expectation(x, nodes, _averages, scale)
    out[-4] += x[-4] / nu
    out[:-4] += dg * ridge * x[:-4] / nu  # mu1, which the pooled model lacks
    out[-2:] = np.log(np.maximum([out[-2], out[-1] + dg * ridge], 1e-300))
    return out


def _root(nodes: Nodes, alpha1: float, ridge: float, start: Array) -> tuple[Array, float]:
    """Try MINPACK's two methods from ``start``; the solution and its largest residual, or raise."""
    few = nodes.first(PILOT_NODES)

    def equations(x: Array) -> Array:
        return residuals(x, nodes, alpha1, ridge)

    def jacobian(x: Array) -> Array:
        return approx_fprime(x, lambda z: residuals(z, few, alpha1, ridge), 1e-6)

    for method, options in (("hybr", {"factor": 1.0}), ("lm", {"maxiter": 100})):
        found = root(equations, start, method=method, jac=jacobian, tol=1e-8, options=options)
        worst = float(np.abs(found.fun).max())
        if worst < RESIDUAL_TOLERANCE:
            return found.x, worst
    raise RuntimeError(f"No solution at alpha1={alpha1:g}, ridge={ridge:g}: {found.message}")


def solve(
    nodes: Nodes, alpha1: float, ridge: float, start: Array | None = None
) -> PlainOutcome:
    """Solve the equations on given nodes, from ``start`` or else from a first solution on few."""
    if start is None:
        guess = np.array([1.0, 0.1, -1.0, 0.0, 0.0])[-len(nodes.features) - 2 :]
        start, _ = _root(nodes.first(PILOT_NODES), alpha1, ridge, guess)
    x, residual = _root(nodes, alpha1, ridge, start)
    deviation = np.hypot(x[-4], np.exp(x[-2])) * np.sqrt(nodes.square_norm)
    pairs = (nodes.weight * ndtr(-(x[:-2] @ nodes.features) / deviation)).reshape(-1, 2).sum(axis=1)
    se = np.sqrt(pairs.size) * pairs.std(ddof=1) if pairs.size > 1 else 0.0
    loss = _expectation(
        x, nodes, lambda block, _g, r, _p: np.array([block.weight @ np.logaddexp(0, -r)]), np.ones(1)
    )
    return PlainOutcome(float(pairs.sum()), float(se), float(loss[0]), x, residual)


def solve_path(nodes: Nodes, alphas: Iterable[float], ridge: float) -> list[PlainOutcome | None]:
    """Solve along a grid of alpha1, each point started from the last; None where it fails."""
    outcomes: list[PlainOutcome | None] = []
    start = None
    for alpha1 in alphas:
        try:
            outcomes.append(solve(nodes, alpha1, ridge, start))
            start = outcomes[-1].solution
        except RuntimeError:
            outcomes.append(None)
    return outcomes
