"""How the bags of a study are drawn: as they come, with given positives, or for what they cost.

Training may hold another share of positives than later bags, whose share is π. With b the share
among the n bags of training, the log odds of a trained classifier move by log π/(1 − π) −
log b/(1 − b), which makes them those of later bags.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logit

from ..tuning.budget import Costs


class Drawn(NamedTuple):
    """How the bags of training are drawn from an amount, which is bags, or money with costs.

    ``positives`` is a number whatever n; ``balance`` the share of positives that costs are paid
    for. With neither, bags come as they do later.
    """

    pi: float
    positives: int | None = None
    costs: Costs | None = None
    balance: float | None = None

    @property
    def shifted(self) -> bool:
        """Whether the number of positives is chosen, so that answers move for later bags."""
        return self.positives is not None or self.costs is not None

    @property
    def mean_cost(self) -> float:
        """What a bag costs on average, where bags have costs."""
        if self.costs is None or self.balance is None:
            return 1.0
        return self.costs.of(self.balance)

    def bags(self, amount: float) -> tuple[int, int | None]:
        """Return the bags for about an amount, and how many are positive, if that is chosen.

        Examples
        --------
        >>> Drawn(0.1, costs=Costs(10.0, 1.0), balance=0.5).bags(1100.0)
        (200, 100)
        >>> Drawn(0.1, positives=7).bags(100.0), Drawn(0.1).bags(100.0)
        ((100, 7), (100, None))
        """
        n = max(round(amount / self.mean_cost), 2)
        if self.balance is not None:
            return n, int(np.clip(round(self.balance * n), 1, n - 1))
        return n, None if self.positives is None else min(self.positives, n - 1)

    def affordable(self, amount: float) -> tuple[int, int | None]:
        """Return the most bags that cost no more than an amount.

        Examples
        --------
        >>> Drawn(0.1, costs=Costs(10.0, 1.0), balance=0.5).affordable(1109.0)
        (201, 100)
        """
        n, positives = self.bags(amount)
        while n > 2 and self.amount(n, positives) > amount * (1.0 + 1e-9):
            n -= 1
            positives = self.bags(self.mean_cost * n)[1]
        return n, positives

    def amount(self, n: int, positives: int | None) -> float:
        """Return the bags, or what they cost."""
        return float(n) if self.costs is None else self.costs.total(float(positives or 0), n)

    def shift(self, n: float, positives: float | None) -> float:
        """Return what log odds move by, for later bags."""
        if positives is None or not 0 < positives < n:
            return 0.0
        return float(logit(self.pi) - logit(positives / n))

    def least(self, of_class: int) -> float:
        """Return the amount that has this many bags of each class, on average."""
        if self.positives is not None:
            return float(self.positives + 2 * of_class)
        share = self.pi if self.balance is None else self.balance
        return of_class / min(share, 1.0 - share) * self.mean_cost
