"""Sums over the possible sets of signal tokens: how likely each is, and each token with them.

With uniform positions there are C(L, R) sets, too many to list: sums over them are elementary
symmetric polynomials, which one token more takes from e_k to e_k + e^{logit} e_{k−1}. All of it is
in logarithms, which do not overflow.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, logsumexp

from ...arrays import FloatArray
from ...models.segments import softmax
from ...task import Positions, Task


def log_mean(task: Task, logits: FloatArray) -> FloatArray:
    """Return log of the mean of exp(Σ_{l ∈ S} logits) over the sets S, for each row of logits.

    Examples
    --------
    The pairs of 4, 2 and 1 multiply to 8, 4 and 2:

    >>> import needlescope as ns
    >>> task = ns.Task(L=3, R=2, theta=1.0, pi=0.5)
    >>> float(np.exp(log_mean(task, np.log([[4.0, 2.0, 1.0]])))[0].round(6))
    4.666667
    """
    L, R = task.L, task.R
    if isinstance(task.positions, Positions):
        sums = logits @ task.positions.patterns(L).T
        return np.asarray(logsumexp(sums, axis=1, b=task.positions.probabilities))
    shift = np.zeros(len(logits))
    if 2 * R > L:  # all tokens, less those that are left out
        shift, R, logits = logits.sum(axis=1), L - R, -logits
    logs = np.full((R + 1, len(logits)), -np.inf)
    logs[0] = 0.0
    for column in logits.T:
        logs[1:] = np.logaddexp(logs[1:], column + logs[:-1])
    return np.asarray(shift + logs[R] - (gammaln(L + 1) - gammaln(R + 1) - gammaln(L - R + 1)))


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
        return softmax(logits, axis=1)
    before, after = _prefixes(R, logits), _prefixes(R, logits[:, ::-1])[:, ::-1]
    # sets that hold l: k − 1 tokens before it, R − k after it
    both = before[:, :-1, :R] + after[:, 1:, R - 1 :: -1][:, :, :R]
    return np.asarray(np.exp(logits + logsumexp(both, axis=2) - before[:, -1:, R]))


def _prefixes(R: int, logits: FloatArray) -> FloatArray:
    """Return log e_k of the first l tokens, at [sample, l, k]."""
    n, L = logits.shape
    result = np.full((n, L + 1, R + 1), -np.inf)
    result[:, :, 0] = 0.0
    for token in range(L):
        took = result[:, token, :-1] + logits[:, token, None]
        result[:, token + 1, 1:] = np.logaddexp(result[:, token, 1:], took)
    return result


def _given(positions: Positions, L: int, logits: FloatArray) -> FloatArray:
    patterns = positions.patterns(L)
    weight = softmax(logits @ patterns.T + np.log(positions.probabilities), axis=1)
    return np.asarray(weight @ patterns)
