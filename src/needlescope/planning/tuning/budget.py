"""What there is to train on: a number of bags, perhaps with given positives, or money to spend.

Training bags may hold another share of positives than test bags. The trained score then has the
wrong bias, which is shifted to where the test error is least (`readouts.best_shift`). The query and
the direction of the readout are those of training. For the Bayes-optimal learner only the number of
positives counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...grid import real
from ...task import Task


class Costs(NamedTuple):
    """What a positive and a negative bag cost."""

    positive: float
    negative: float

    def of(self, balance: float) -> float:
        """Return the mean cost of a bag.

        Examples
        --------
        >>> Costs(10.0, 1.0).of(0.5)
        5.5
        """
        return balance * self.positive + (1.0 - balance) * self.negative

    def total(self, positives: float, n: float) -> float:
        """Return the cost of n bags with this many positives."""
        return positives * self.positive + (n - positives) * self.negative


class Budget(NamedTuple):
    """A task, and the data to train on.

    ``amount`` is what there is for each dimension: bags, or money if bags have costs. ``positives``
    are bags for each dimension, too.
    """

    task: Task
    amount: float
    d: float = np.inf
    costs: Costs | None = None
    positives: float | None = None

    def balance(self) -> float:
        """Return the share of positives in training; where it is free, one to begin with."""
        if self.positives is not None:
            return min(self.positives / self.amount, 1.0 - 1e-6)
        return 0.5 if self.costs is not None else float(self.task.pi)

    def alpha(self, balance: float) -> float:
        """Return the bags for each dimension that can be had.

        Examples
        --------
        >>> import needlescope as ns
        >>> Budget(ns.Task(L=4, R=1, theta=4.0, pi=0.5), 11.0, costs=Costs(10.0, 1.0)).alpha(0.5)
        2.0
        """
        return self.amount / (1.0 if self.costs is None else self.costs.of(balance))

    def training_task(self, balance: float) -> Task:
        """Return the task with the balance of training."""
        return self.task if balance == self.task.pi else self.task.replace(pi=balance)

    def test_pi(self, balance: float) -> float | None:
        """Return the share of positives in tests, if it is another than in training."""
        return None if balance == self.task.pi else float(self.task.pi)


def check_costs(costs: object) -> Costs:
    """Return the costs of a positive and of a negative bag, or refuse them.

    Examples
    --------
    >>> check_costs((1.0, -2.0))
    Traceback (most recent call last):
    ValueError: costs must be a finite number above 0, got -2.0 in an array of shape (2,)
    """
    result = real("costs", costs, 0.0, np.inf, open_low=True, sense=(1e-9, 1e9))
    if np.shape(result) != (2,):
        raise ValueError(
            "costs must be two numbers, what a positive and what a negative bag costs, got "
            f"{costs!r}"
        )
    return Costs(*result.tolist())
