"""Trials without tokens: the exact law of everything that the stages of training compute.

With standard Gaussian noise a trial depends on its n·L·d numbers only through a few projections,
and the rest can be drawn as sums. Nothing is approximated: the law holds at every n, L and d.

- Stage 2. Given the labels, Σ gᵢ X̄ᵢ is one Gaussian vector V about its mean. Given V, the means X̄ᵢ
  along w are Gaussian with the constraint that they add up to V: a draw, less its part along g.
  Whether or not the bias then balances the slopes, which are functions of these means, what
  follows is the same.
- Stage 3. The centred tokens P Xᵢ are independent of the means. Along w they are cᵢ ~ N(0, P), of
  which only v·c and ‖c‖² matter; across w their sum Σ hᵢ Zᵢᵀ tᵢ, tᵢ = P Xᵢ w, is one Gaussian
  vector of variance Σ hᵢ² ‖tᵢ‖².
- Stage 4. A feature is θ(v·a) ξ + (g·a) q̂ + ‖a‖ z with z ~ N(0, I − q̂q̂ᵀ). A rotation of the
  directions that no signal marks changes nothing, so with fewer samples than such directions their
  n × k Gaussian matrix becomes n × n: lower triangular with chi-distributed diagonal (Bartlett).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...losses import get_loss
from ...losses.balance import balancing_shift
from ...models import MODELS
from ...models.gradient import State
from ...models.model import Weigh
from ...models.segments import peak, softmax
from ...task import Task
from ...training import Training
from ..samples.data import flipped, kinds, marks, signal_tokens
from ..samples.normal import normal

Reduced: TypeAlias = (
    "Callable[[Task, FloatArray, int, float, Any, np.random.Generator], FloatArray]"
)


class Means(NamedTuple):
    """D0 before stage 3: training labels, and the noise of each mean token along w, times √L.

    ``tokens`` is the number of tokens of each sample that carry the signal.
    """

    y: FloatArray
    noise: FloatArray
    tokens: IndexArray
    carried: IndexArray  # which of the signals, where there is one


def first_step(
    task: Task, training: Training, truth: FloatArray, d: int, rng: np.random.Generator
) -> tuple[State, Means]:
    """Stages 1 and 2 on samples with true labels ``truth``; signals are the first unit vectors."""
    tokens, y = signal_tokens(task, truth, rng), flipped(task, truth, rng)
    loss, n, zero = get_loss(training.loss), len(y), np.zeros(len(y))
    drawn = kinds(task, n, rng)
    carried = np.zeros(n, int) if drawn is None else drawn
    b = -training.eta_b * float(loss.derivative(zero, y).mean())
    g = loss.derivative(zero + b if training.first_step == "sequential" else zero, y)
    size = float(np.sqrt(g @ g))
    noise = rng.standard_normal(d)  # Σ gᵢ zᵢ = ‖g‖ noise
    pull = size / np.sqrt(task.L) * noise
    for k in range(task.kinds):
        for R, _ in task.counts:
            carriers = (tokens == R) & (carried == k)
            pull[k] += float(g[carriers].sum()) * task.theta * R / task.L
    w = -training.eta_w / n * pull
    along = rng.standard_normal(n)
    norm = float(np.linalg.norm(w))
    if norm > 0.0:
        along += g * (float(noise @ w) / norm - float(g @ along) / size) / size
    return State(np.zeros(d), w, b), Means(y, along, tokens, carried)


def balance(task: Task, training: Training, state: State, means: Means) -> State:
    """Between the stages 2 and 3: move the bias to where the mean slope of the loss is zero."""
    shift = balancing_shift(_scores(task, state, means), means.y, get_loss(training.loss))
    return state._replace(b=state.b + shift)


def query_step(
    task: Task, training: Training, state: State, means: Means, rng: np.random.Generator
) -> State:
    """Stage 3, from the state that `first_step` returned with the means."""
    L, theta = task.L, task.theta
    y, n, norm = means.y, len(means.y), float(np.linalg.norm(state.w))
    if norm == 0.0 or L == 1:
        return state  # no gradient: the score does not depend on q
    m = state.w[means.carried]
    h = get_loss(training.loss).derivative(_scores(task, state, means), y)
    # c = P Z w/‖w‖ has L − 1 free coordinates; the first is along P v, of squared length S.
    S = means.tokens * (L - means.tokens) / L
    first = rng.standard_normal(n)
    others = rng.chisquare(L - 2, n) if L > 2 else np.zeros(n)
    lift = theta * m * np.sqrt(S)  # of t = P X w along P v/√S
    size = (lift + norm * first) ** 2 + norm**2 * others  # ‖t‖²
    signal = theta * np.sqrt(S) * (lift + norm * first)  # θ v·t
    self_part = (lift + norm * first) * first + norm * others  # t·c
    across = rng.standard_normal(len(state.w))
    direction = state.w / norm
    across -= (across @ direction) * direction
    pull = float(h @ self_part) * direction + float(np.sqrt((h * h) @ size)) * across
    for k in range(task.kinds):
        item = means.carried == k
        pull[k] += float(h[item] @ signal[item])
    return state._replace(q=-training.eta_q * training.beta / (n * L) * pull)


def _scores(task: Task, state: State, means: Means) -> FloatArray:
    """Return the scores of D0 while the query is zero."""
    lift = task.theta * means.tokens / task.L * state.w[means.carried]
    noise = float(np.linalg.norm(state.w)) * means.noise / np.sqrt(task.L)
    result: FloatArray = lift + noise + state.b
    return result


def attention_features(
    task: Task,
    y: FloatArray,
    d: int,
    kappa: float,
    cosine: Any,
    rng: np.random.Generator,
    weigh: Weigh = softmax,
) -> FloatArray:
    """Return features in a basis that begins with q̂ and ξ⊥ ∝ ξ − s q̂, or one for each signal."""
    carried = kinds(task, len(y), rng)
    if carried is not None:
        own = np.array(cosine)[carried]
        a, mass, score = attention_scalars(task, y, kappa, own, rng, weigh)
        size, rows = np.sqrt(a), beside(cosine)[carried]
        noise = rng.standard_normal(rows.shape)
        special = (task.theta * mass)[:, None] * rows + size[:, None] * noise
        along = task.theta * own * mass + score
        return _features([along, *special.T], size, d - 1 - task.kinds, rng)
    a, mass, score = attention_scalars(task, y, kappa, cosine, rng, weigh)
    across = np.sqrt((1.0 - cosine) * (1.0 + cosine))
    size = np.sqrt(a)
    special = [task.theta * cosine * mass + score]
    if d > 1:  # in one dimension the query is along the signal and nothing else is left
        special.append(task.theta * across * mass + size * rng.standard_normal(len(y)))
    return _features(special, size, d - len(special), rng)


def beside(cosines: Any) -> FloatArray:
    """Return what is left of each of several signals beside the query, in a basis of its own.

    The left parts have inner products 1{k = l} − s_k s_l; their principal axes are the basis.

    Examples
    --------
    >>> rows = beside((0.6, 0.8))
    >>> (rows @ rows.T).round(6)
    array([[ 0.64, -0.48],
           [-0.48,  0.36]])
    """
    left = np.eye(len(cosines)) - np.outer(cosines, cosines)
    values, vectors = np.linalg.eigh(left)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def attention_scalars(
    task: Task,
    y: FloatArray,
    kappa: float,
    cosine: Any,
    rng: np.random.Generator,
    weigh: Weigh = softmax,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Draw (‖a‖², v·a, g·a) of samples with labels ``y``; v·a counts positives only.

    The cosine is that of the query with the signal, one for each sample where they have several.
    """
    size, mass, score = (np.empty(len(y)) for _ in range(3))
    tokens = signal_tokens(task, y, rng)
    for rows, g, a in attention_weights(task, tokens, kappa, cosine, rng, weigh):
        marked = first_tokens(tokens[rows])
        size[rows] = np.einsum("nl,nl->n", a, a)
        mass[rows] = (a[:, : marked.shape[1]] * marked).sum(axis=1)
        score[rows] = np.einsum("nl,nl->n", a, g)
    return size, mass, score


def first_tokens(tokens: IndexArray) -> Any:
    """Return whether each token carries the signal, where it sits on the first ones.

    Examples
    --------
    >>> first_tokens(np.array([1, 0, 2]))
    array([[ True, False],
           [False, False],
           [ True,  True]])
    """
    return np.arange(int(tokens.max(initial=0))) < tokens[:, None]


def attention_weights(
    task: Task,
    tokens: IndexArray,
    kappa: float,
    cosine: Any,
    rng: np.random.Generator,
    weigh: Weigh = softmax,
) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Draw some samples at a time: which they are, their noise g along q̂, and their attention.

    Tokens are exchangeable here, so the signal sits on the first ones, ``tokens`` of each sample.
    """
    step = max(1, (1 << 20) // task.L)
    cosine = np.broadcast_to(cosine, tokens.shape)[:, None]
    for first in range(0, len(tokens), step):
        rows = slice(first, first + step)
        marked = first_tokens(tokens[rows])
        g = rng.standard_normal((len(marked), task.L))
        hard = np.isinf(kappa)
        scale = 1.0 if hard else kappa
        logits = scale * g
        logits[:, : marked.shape[1]] += scale * task.theta * cosine[rows] * marked
        yield rows, g, (peak if hard else weigh)(logits, 1)


def pooled_features(task: Task, y: FloatArray, d: int, rng: np.random.Generator) -> FloatArray:
    """Return mean tokens in a basis that begins with ξ, or with each of several signals."""
    spread = np.full(len(y), 1.0 / np.sqrt(task.L))
    carried = kinds(task, len(y), rng)
    lift = task.theta * signal_tokens(task, y, rng) / task.L
    if carried is not None:
        special = lift[:, None] * np.eye(task.kinds)[carried]
        special += spread[:, None] * rng.standard_normal(special.shape)
        return _features(list(special.T), spread, d - task.kinds, rng)
    signal = lift + spread * rng.standard_normal(len(y))
    return _features([signal], spread, d - 1, rng)


def vectorized_features(task: Task, y: FloatArray, d: int, rng: np.random.Generator) -> FloatArray:
    """Return flat samples in a basis that begins with ξ in each of the L tokens.

    Several signals come one after the other.
    """
    marked = np.zeros((len(y), task.kinds * task.L))
    positive = np.flatnonzero(y > 0.0)
    (owner, place), carried = marks(task, len(positive), rng).pairs, kinds(task, len(positive), rng)
    if carried is not None:
        place = place + task.L * carried[owner]
    marked[positive[owner], place] = task.theta
    marked += rng.standard_normal(marked.shape)
    return _features(list(marked.T), np.ones(len(y)), task.L * (d - task.kinds), rng)


FEATURES: dict[str, Reduced] = {
    **{
        name: partial(attention_features, weigh=model.weigh)
        for name, model in MODELS.items()
        if model.weigh is not None
    },
    "pooled": lambda task, y, d, kappa, cosine, rng: pooled_features(task, y, d, rng),
    "vectorized": lambda task, y, d, kappa, cosine, rng: vectorized_features(task, y, d, rng),
}
"""The models whose features can be drawn without their tokens. The columns along ξ come first, one
for each weight of a dimension (for attention q̂ and ξ⊥), then all others."""


def _features(
    special: list[FloatArray], size: FloatArray, k: int, rng: np.random.Generator
) -> FloatArray:
    """Put k unmarked directions, noise of ``size`` in each sample, beside the special ones."""
    n, s = len(size), len(special)
    F = np.empty((n, s + min(n, k)))
    F[:, :s] = np.stack(special, axis=1)
    if n >= k:
        for first in range(0, n, 512):
            rows = slice(first, first + 512)
            F[rows, s:] = normal((len(size[rows]), k), rng)
    else:
        chi = np.sqrt(rng.chisquare(k - np.arange(n)))
        numbers = normal((n * (n - 1) // 2,), rng)
        F[:, s:] = 0.0
        for row in range(n):
            place = row * (row - 1) // 2
            F[row, s : s + row] = numbers[place : place + row]
            F[row, s + row] = chi[row]
    F[:, s:] *= size[:, None]
    return F
