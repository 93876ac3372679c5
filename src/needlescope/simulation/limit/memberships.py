"""Which tokens carry the signal: the posterior over sets of R tokens, given logits."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from ...arrays import FloatArray
from ...task import Positions, Task


def memberships(task: Task, logits: FloatArray) -> FloatArray:
    """Return P(l ∈ S) for each token of each sample, with P(S) ∝ exp(Σ_{l ∈ S} logits).

    Examples
    --------
    Of three tokens, two of which carry a signal, the least likely pair leaves out the strongest:

    >>> import needlescope as ns
    >>> p = memberships(ns.Task(L=3, R=2, theta=1.0, pi=0.5), np.log([[4.0, 2.0, 1.0]]))
    >>> p.round(3), float(p.sum().round(6))
    (array([[0.857, 0.714, 0.429]]), 2.0)
    """
    if isinstance(task.positions, Positions):
        return _given(task.positions, task.L, logits)
    L, R = task.L, task.R
    if R == L:
        return np.ones_like(logits)
    if 2 * R > L:  # the others, with the sign turned
        return 1.0 - _uniform(L - R, -logits)
    return _uniform(R, logits)


def _uniform(R: int, logits: FloatArray) -> FloatArray:
    if R == 1:
        p = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(p / p.sum(axis=1, keepdims=True))
    before, after = _prefixes(R, logits), _prefixes(R, logits[:, ::-1])[:, ::-1]
    # sets that hold l: k − 1 tokens before it, R − k after it
    both = before[:, :-1, :R] + after[:, 1:, R - 1 :: -1][:, :, :R]
    return np.asarray(np.exp(logits + logsumexp(both, axis=2) - before[:, -1:, R]))


def _prefixes(R: int, logits: FloatArray) -> FloatArray:
    """Return log e_k of the first l tokens, at [sample, l, k]."""
    n, L = logits.shape
    found = np.full((n, L + 1, R + 1), -np.inf)
    found[:, :, 0] = 0.0
    for token in range(L):
        took = found[:, token, :-1] + logits[:, token, None]
        found[:, token + 1, 1:] = np.logaddexp(found[:, token, 1:], took)
    return found


def _given(positions: Positions, L: int, logits: FloatArray) -> FloatArray:
    patterns = positions.patterns(L)
    weight = logits @ patterns.T + np.log(positions.probabilities)
    weight = np.exp(weight - weight.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    return np.asarray(weight @ patterns)
