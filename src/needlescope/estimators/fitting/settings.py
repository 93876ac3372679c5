"""What can be chosen when a classifier is trained.

A setting says how instances are shown (shrinkage, cosines), what is read of a bag (its mean
instance, attended ones, evidence, or summaries), where a query starts and how strong it is, and how
it is trained (ridge, refining iterations). Settings that differ in ridge and iterations only are
one *way*, and are trained together.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..bags.views import Glass

MOST_KAPPA = 1e6  # attention is on one instance long before; single precision tells no more apart
RIDGE_RANGE = (1e-12, 1e100)  # beyond, no readout is found, or its squares overflow
MOST_QUERIES = 1000  # each takes a few passes over the bags, and makes all readouts larger
MOST_STEPS = 10**6  # of refinement, which ends by itself when there is nothing to gain
KINDS = 4  # of summaries: mean, largest, least, standard deviation
READS = ("mean", "attended", "evidence", "summaries", "trees")
STARTS = ("steps", "contrast", "iterated")


class Setting(NamedTuple):
    """One choice of everything that can be chosen."""

    kappa: float
    ridge: float
    iterations: int = 0
    queries: int = 1
    shrinkage: float | None = 1.0
    cosines: bool = False
    read: str = "attended"
    start: str = "steps"
    beside: bool = False
    in_negatives: bool = False  # the signal is sought in bags of the negative class

    @property
    def one_sided(self) -> bool:
        """Whether one class is thought to have a signal, and the other none."""
        return self.read == "evidence" or (self.read == "attended" and self.start != "steps")

    @property
    def sign(self) -> float:
        """That of the class which has the signal."""
        return -1.0 if self.in_negatives else 1.0

    @property
    def way(self) -> Setting:
        """The setting but for its ridge and its iterations."""
        return self._replace(ridge=0.0, iterations=0)

    @property
    def attends(self) -> bool:
        """Whether instances are looked at unequally."""
        return self.read in ("attended", "evidence")

    @property
    def numbers(self) -> int:
        """How many numbers a readout sees of every feature: mean, largest, least, deviation."""
        return KINDS if self.read in SUMMARIES else 1

    @property
    def kin(self) -> tuple[str, bool]:
        """What ways have in common that err alike: what is read, and whether of cosines too."""
        return self.read, self.cosines

    @property
    def glass(self) -> Glass:
        """How instances are shown."""
        return Glass(self.shrinkage, self.cosines)

    @property
    def words(self) -> str:
        """The way in words.

        Examples
        --------
        >>> Setting(2.0, 0.1, beside=True).words
        'attention from two steps, beside the mean, of standardised instances'
        >>> Setting(0.0, 0.1, read="mean", shrinkage=0.02, cosines=True).words
        'the mean of whitened instances and cosines'
        """
        shown = "instances as they are"
        if self.shrinkage is not None:
            shown = f"{'standardised' if self.shrinkage == 1.0 else 'whitened'} instances"
        if self.cosines:
            shown += " and cosines"
        if self.read == "mean":
            return f"the mean of {shown}"
        if self.read in SUMMARIES:
            return f"{SUMMARIES[self.read]} of {shown}"
        if self.in_negatives:
            shown += ", sought in negatives"
        if self.read == "evidence":
            return f"the evidence, from {FROM[self.start]}, of {shown}"
        what = "attention" if self.queries == 1 else f"attention of {self.queries} queries"
        beside = ", beside the mean," if self.beside else ""
        return f"{what} from {FROM[self.start]}{beside} of {shown}"


SUMMARIES = {"summaries": "summaries", "trees": "trees on summaries"}
FROM = {
    "steps": "two steps",
    "contrast": "a contrast of covariances",
    "iterated": "iterated attention",
    "mean": "the mean",
}


def check_switch(name: str, value: Any) -> None:
    """Refuse a parameter that is neither "auto" nor True or False.

    Examples
    --------
    >>> check_switch("cosines", "no")
    Traceback (most recent call last):
    ValueError: cosines must be "auto", True or False, got 'no'
    """
    auto = isinstance(value, str) and value == "auto"
    if not auto and not isinstance(value, bool | np.bool_):
        raise ValueError(f'{name} must be "auto", True or False, got {value!r}')


def check_auto(name: str, value: Any, low: float, high: float, *, whole: bool = False) -> None:
    """Refuse a parameter that is neither "auto" nor a number from ``low`` to ``high``.

    Examples
    --------
    >>> check_auto("ridge", -1.0, 0.0, 1e100)
    Traceback (most recent call last):
    ValueError: ridge must be "auto" or a finite number of at least 0, got -1.0
    >>> check_auto("ridge", 1e200, 0.0, 1e100)
    Traceback (most recent call last):
    ValueError: ridge must be at most 1e+100, got 1e+200
    """
    kinds: Any = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if isinstance(value, str):
        good = value == "auto"
    else:
        good = isinstance(value, kinds) and not isinstance(value, bool) and low <= value < np.inf
    if not good:
        what = "whole number" if whole else "finite number"
        raise ValueError(f'{name} must be "auto" or a {what} of at least {low:g}, got {value!r}')
    size = value if isinstance(value, int | str) else float(value)  # single would overflow
    if not isinstance(size, str) and size > high:
        raise ValueError(f"{name} must be at most {high:g}, got {value!r}")
