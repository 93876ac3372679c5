"""Stage 4 as a competent user would compute it with NumPy and SciPy alone.

The last training stage (w and b minimise the ridge logistic loss at a fixed query) has a limit in
five scalars: x = (mu1, mu2, b, log rho, log gamma). With r the proximal point of the logistic loss
at c = mu1 m1 + mu2 m2 + b + nu |a| G, nu^2 = mu2^2 + rho^2, delta = alpha1, they solve

    E[l' m1] + ridge mu1 = 0,    E[l' m2] + mu2 / (delta gamma) = 0,    E[l'] = 0,
    rho^2 = delta gamma^2 E[|a|^2 l'^2],
    1 / (delta gamma) = ridge + E[|a|^2 l'' / (1 + |a|^2 gamma l'')].

Plain tools throughout: Monte Carlo for the attention scalars (v.a, g.a, |a|^2), adaptive quadrature
for G, Newton's iteration for the proximal point, ``scipy.optimize.root`` for the equations. The
package under test is not imported: this is its opponent in the timings and an independent check.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from scipy.integrate import quad_vec
from scipy.optimize import approx_fprime, root
from scipy.special import ndtr, softmax

Array = NDArray[np.float64]
QUAD_TOLERANCE = 1e-7  # the estimates are pessimistic: the values come out good to 1e-10
RESIDUAL_TOLERANCE = 1e-6  # on equations divided by their own scale
PILOT_NODES = 1000  # Jacobians, and starts where none is given, come from this many nodes
FINAL_FACTOR = 20  # the last average is cheap and noisy: it has this many times more nodes
BATCHES = 16  # parts of the nodes, from whose spread the standard error comes
BLOCK = 8192  # nodes handled at a time: the temporaries then stay in the processor's cache


class PlainOutcome(NamedTuple):
    """Errors in the limit with the Monte Carlo standard error, and the solution behind them."""

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

    def part(self, start: int, stop: int) -> "Nodes":
        """Some of the nodes, as a sample of its own."""
        features, square_norm, weight = (each[..., start:stop] for each in self)
        return Nodes(features, square_norm, weight / weight.sum())


def attention_nodes(
    L: int, R: int, theta: float, pi: float, kappa: float, cosine: float, nodes: int, rng: Generator
) -> Nodes:
    """Draw ``nodes`` plain Monte Carlo nodes for each label."""
    columns = np.empty((5, 2 * nodes))
    for start in range(0, 2 * nodes, BLOCK):
        y = np.tile([1.0, -1.0], min(BLOCK, 2 * nodes - start) // 2)
        g = rng.standard_normal((y.size, L))
        v = np.outer(y > 0, np.arange(L) < R)  # exchangeable tokens: any R of them will do
        a = softmax(kappa * (g + theta * cosine * v), axis=1)
        signal = theta * (v * a).sum(axis=1)
        m1 = cosine * signal + (g * a).sum(axis=1)
        m2 = np.sqrt(1 - cosine**2) * signal
        weight = np.where(y > 0, pi, 1 - pi) / nodes
        columns[:, start : start + BLOCK] = y * m1, y * m2, y, (a**2).sum(axis=1), weight
    return Nodes(columns[:3], columns[3], columns[4])


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


def _scales(x: Array) -> tuple[float, float, float]:
    """nu, rho and gamma, kept finite however far a trial step goes."""
    rho, gamma = np.exp(np.clip(x[-2:], -40, 40))
    return np.hypot(x[-4], rho), rho, gamma


def _expectation(x: Array, nodes: Nodes, f: Callable[..., Array], scale: Array) -> Array:
    """``scale`` times E f over nodes and G ~ N(0, 1); f(block, g, r, p) sums over one block."""
    nu, _, gamma = _scales(x)
    blocks = []
    for start in range(0, nodes.weight.size, BLOCK):
        block = Nodes(*(each[..., start : start + BLOCK] for each in nodes))
        deviation = nu * np.sqrt(block.square_norm)
        blocks.append((block, x[:-2] @ block.features, deviation, gamma * block.square_norm))

    def integrand(G: float) -> Array:
        total = sum(f(block, g, *logistic_prox(m + s * G, g)) for block, m, s, g in blocks)
        return np.exp(-(G**2) / 2) / np.sqrt(2 * np.pi) * scale * total

    # Normal mass beyond 8.5: 2e-17. Far from the solution more than 100 intervals are a waste.
    accuracy = {"epsabs": QUAD_TOLERANCE, "epsrel": QUAD_TOLERANCE, "norm": "max", "limit": 100}
    return quad_vec(integrand, -8.5, 8.5, points=(-3.0, 0.0, 3.0), **accuracy)[0]


def _averages(block: Nodes, g: Array, _: Array, p: Array) -> Array:
    """One block's sums for E[-l' m], E[-l'], E[|a|^2 l'^2], E[|a|^2 l'' / (1 + g l'')]."""
    features, square_norm, weight = block
    force, curvature = weight * p, p * (1 - p)
    noise = (force * p) @ square_norm
    response = (weight * square_norm) @ (curvature / (1 + g * curvature))
    return np.array([*(features @ force), noise, response])


def residuals(x: Array, nodes: Nodes, alpha1: float, ridge: float) -> Array:
    """The stationarity equations, each divided by its scale so that small ridges stay visible."""
    nu, rho, gamma = _scales(x)
    dg = alpha1 * gamma
    scale = np.array([*[-dg / nu] * (len(x) - 2), dg * gamma / rho**2, dg])
    out = _expectation(x, nodes, _averages, scale)
    out[-4] += x[-4] / nu
    out[:-4] += dg * ridge * x[:-4] / nu  # mu1, which the pooled model lacks
    out[-2:] = np.log(np.maximum([out[-2], out[-1] + dg * ridge], 1e-300))
    return out


def _jacobian(x: Array, nodes: Nodes, alpha1: float, ridge: float) -> Array:
    """The residuals' derivatives on few nodes: near enough, and free beside the equations."""
    few = nodes.part(0, 2 * PILOT_NODES)
    return approx_fprime(x, lambda z: residuals(z, few, alpha1, ridge), 1e-6)


def _root(nodes: Nodes, alpha1: float, ridge: float, start: Array) -> tuple[Array, float]:
    """Try MINPACK's two methods from ``start``; the solution and its largest residual, or raise."""
    arguments = (nodes, alpha1, ridge)
    for method, options in (("hybr", {"factor": 1.0}), ("lm", {"maxiter": 100})):
        result = root(residuals, start, arguments, method, _jacobian, tol=1e-8, options=options)
        worst = float(np.abs(result.fun).max())
        if worst < RESIDUAL_TOLERANCE:
            return result.x, worst
    raise RuntimeError(f"No solution at alpha1={alpha1:g}, ridge={ridge:g}: {result.message}")


def _errors(x: Array, nodes: Nodes) -> Array:
    """Weighted test error of each pair of nodes, y = +1 and y = -1; their sum is the average."""
    deviation = _scales(x)[0] * np.sqrt(nodes.square_norm)
    each = nodes.weight * ndtr(-(x[:-2] @ nodes.features) / deviation)
    return each.reshape(-1, 2).sum(axis=1)


def _standard_error(x: Array, nodes: Nodes, final: Nodes, alpha1: float, ridge: float) -> float:
    """Of the final average, and of the solution: one Newton step on each of several batches."""
    size = nodes.weight.size // (2 * BATCHES) * 2
    if size == 0:  # pooled: exact nodes
        return 0.0
    inverse = np.linalg.inv(_jacobian(x, nodes, alpha1, ridge))
    slope = approx_fprime(x, lambda z: _errors(z, nodes).sum(), 1e-6) @ inverse
    batches = (nodes.part(k * size, (k + 1) * size) for k in range(BATCHES))
    shifts = [slope @ residuals(x, batch, alpha1, ridge) for batch in batches]
    pairs = _errors(x, final)
    return float(np.sqrt(pairs.size * pairs.var(ddof=1) + np.var(shifts, ddof=1) / BATCHES))


def solve(
    nodes: Nodes, final: Nodes, alpha1: float, ridge: float, start: Array | None = None
) -> PlainOutcome:
    """Solve on ``nodes``, from ``start`` or a first solution on few; test error on ``final``."""
    if start is None:
        guess = np.array([1.0, 0.1, -1.0, 0.0, 0.0])[-len(nodes.features) - 2 :]
        start, _ = _root(nodes.part(0, 2 * PILOT_NODES), alpha1, ridge, guess)
    x, residual = _root(nodes, alpha1, ridge, start)
    error = float(_errors(x, final).sum())
    se = _standard_error(x, nodes, final, alpha1, ridge)
    loss = _expectation(x, nodes, lambda n, _g, r, _p: n.weight @ np.logaddexp(0, -r), np.ones(1))
    return PlainOutcome(error, se, float(loss[0]), x, residual)


def solve_path(
    nodes: Nodes, final: Nodes, alphas: Iterable[float], ridge: float
) -> list[PlainOutcome | None]:
    """Solve along a grid of alpha1, each point started from the last; None where it fails."""
    outcomes: list[PlainOutcome | None] = []
    start = None
    for alpha1 in alphas:
        try:
            outcomes.append(outcome := solve(nodes, final, alpha1, ridge, start))
            start = outcome.solution
        except RuntimeError:
            outcomes.append(None)
    return outcomes


def attention(
    L: int,
    R: int,
    theta: float,
    pi: float,
    kappa: float,
    cosine: float,
    alpha1: float,
    ridge: float,
    nodes: int,
    seed: int,
    start: Array | None = None,
) -> PlainOutcome:
    """Attention after stage 4, logistic loss, at a query given by kappa and its cosine to xi.

    Parameters
    ----------
    nodes : int
        Monte Carlo nodes of each label; the final average draws `FINAL_FACTOR` times as many anew.
    start : array, optional
        A solution nearby, from which to start.

    Raises
    ------
    RuntimeError
        If neither root finder converges.
    """
    rng = default_rng(seed)
    law = (L, R, theta, pi, kappa, cosine)
    training = attention_nodes(*law, nodes, rng)
    return solve(training, attention_nodes(*law, FINAL_FACTOR * nodes, rng), alpha1, ridge, start)


def pooled(L: int, R: int, theta: float, pi: float, alpha1: float, ridge: float) -> PlainOutcome:
    """The pooled model after stage 4, logistic loss; no Monte Carlo in it.

    Examples
    --------
    >>> round(pooled(L=4, R=1, theta=4.0, pi=0.3, alpha1=10.0, ridge=2.5e-4).test_error, 6)
    0.165706
    """
    nodes = pooled_nodes(L, R, theta, pi)
    return solve(nodes, nodes, alpha1, ridge)


def nodes_needed(
    problem: Mapping[str, Any], target: float = 1e-4, pilot: int = 2000, batches: int = 8
) -> int:
    """Nodes for which `attention`'s test error has the standard error ``target``.

    ``problem`` holds the arguments of `attention` from L to ridge. The spread over independent
    pilot runs is scaled as 1/sqrt(nodes); 8 runs give it to 25%, the number of nodes to 50%.
    """
    errors: list[float] = []
    start = None
    for seed in range(batches):
        outcome = attention(**problem, nodes=pilot, seed=seed, start=start)
        errors.append(outcome.test_error)
        start = outcome.solution
    return int(np.ceil(pilot * np.var(errors, ddof=1) / target**2))
