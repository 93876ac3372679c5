"""Bags drawn from instances: real ones, Gaussian ones as many as these, or Gaussian ones anew.

Instances are split in two halves, of each kind, before any bag is drawn: bags to train on have
those of one, bags to test on those of the other. A bag draws its instances independently, with
replacement, so that many bags share few instances; "gaussian" tokens are new in every bag.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..arrays import FloatArray, IndexArray
from ..models.blocks import Arrays
from ..task import Task
from .task import InstanceTask, task_from_instances

SOURCES = ("real", "reused", "gaussian")
Kinds: TypeAlias = "tuple[FloatArray, FloatArray]"
"""Background and signal instances."""


class Sources(NamedTuple):
    """Where the tokens of bags to train on, and of bags to test on, come from."""

    train: Kinds | None
    test: Kinds | None
    estimate: InstanceTask  # of the training half; of all instances where tokens are new


def sources(
    X: FloatArray, is_signal: IndexArray, whole: InstanceTask, source: str, rng: Any
) -> Sources:
    """Split real or Gaussian instances in two halves, and estimate the task from the first.

    >>> X, marks = np.random.default_rng(0).standard_normal((60, 2)), np.arange(60) < 20
    >>> whole = task_from_instances(X, marks, L=4)
    >>> halves = sources(X, marks, whole, "real", np.random.default_rng(1))
    >>> [len(rows) for rows in (*halves.train, *halves.test)]
    [20, 10, 20, 10]
    """
    if source == "gaussian":
        return Sources(None, None, whole)
    if source == "reused":
        X = gaussian(whole, is_signal, rng)
    order = rng.permutation(len(X))
    kinds = [order[~is_signal[order]], order[is_signal[order]]]
    first = [places[: len(places) // 2] for places in kinds]
    second = [places[len(places) // 2 :] for places in kinds]
    marks = np.repeat([False, True], [len(places) for places in first])
    task = whole.task
    estimate = task_from_instances(X[np.concatenate(first)], marks, L=task.L, R=task.R, pi=task.pi)
    return Sources((X[first[0]], X[first[1]]), (X[second[0]], X[second[1]]), estimate)


def gaussian(whole: InstanceTask, is_signal: IndexArray, rng: Any) -> FloatArray:
    """Return Gaussian instances with the means and covariances of both kinds."""
    task, result = whole.task, rng.standard_normal((len(is_signal), len(whole.mean)))
    result[is_signal] = result[is_signal] @ task.signal_noise.root.T
    result[~is_signal] = result[~is_signal] @ task.noise.root.T
    xi = np.array(task.signal)
    result[is_signal] += task.theta * xi / np.linalg.norm(xi)
    return np.asarray(result + whole.mean)


def draw_bags(whole: InstanceTask, given: Kinds | None, n: int, rng: Any) -> Arrays:
    """Draw n bags of L instances; in a positive, R of them are signal.

    Which places they have does not matter to models that cannot tell places apart.
    """
    task: Task = whole.task
    y = np.where(rng.random(n) < task.pi, 1.0, -1.0)
    marked = (y > 0.0)[:, None] & (np.arange(task.L) < task.R)
    if given is None:
        X = gaussian(whole, marked.ravel(), rng).reshape(n, task.L, -1)
        return Arrays(X, y)
    background, signal = given
    X = background[rng.integers(len(background), size=(n, task.L))]
    X[marked] = signal[rng.integers(len(signal), size=int(marked.sum()))]
    return Arrays(X, y)
