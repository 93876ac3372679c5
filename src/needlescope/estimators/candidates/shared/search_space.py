"""What is compared: what the parameters of a classifier fix, and what they leave open.

A parameter that is "auto" stands for several values. Ridges are in units of d/n, features per bag:
that is how the ridge that suits the theory scales, and one of fixed size is too large for many
bags, too small for few.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...bags.preprocessing import Preprocessing

EFFORTS = ("quick", "standard", "thorough")
WHITENED = 0.02  # a shrinkage that removes correlations and is not thrown by the noise in them
SHRINKAGES = (1.0, WHITENED)
ITERATIONS = (0, 10, 25)
FIRST_ITERATIONS = 10  # of a first comparison, at most
MEAN_RIDGES = (0.5, 0.05, 0.005, 5e-4, 5e-5)
RIDGES = (0.3, 0.03, 0.003)
MAX_KAPPA = 1e6  # attention is on one instance long before
RIDGE_RANGE = (1e-12, 1e100)  # beyond, no readout is found, or its squares overflow
MAX_QUERIES = 1000  # each takes a few passes over the bags, and makes all readouts larger
MAX_ITERATIONS = 10**6  # of refinement, which ends by itself when there is nothing to gain
INITS = ("two_steps", "contrastive_pca", "amp")


class SearchSpec(NamedTuple):
    """What the parameters of a classifier fix, and what they leave "auto"."""

    kappa: Any = "auto"
    ridge: Any = "auto"
    max_refine_iter: Any = "auto"
    n_queries: Any = 1
    shrinkage: Any = 1.0
    random_features: Any = False
    pooling: str = "auto"
    init: str = "auto"
    append_mean: Any = "auto"
    split: str = "reuse"
    effort: str = "standard"
    both_sides: bool = False  # a signal may be in bags of either class

    def plain(self) -> SearchSpec:
        """Return the same with preprocessing and initialisation as in the theory, if "auto"."""
        theory: dict[str, Any] = {"shrinkage": 1.0, "random_features": False}
        theory |= {"init": "two_steps", "append_mean": False, "n_queries": 1}
        fixed = {k: v for k, v in theory.items() if getattr(self, k) == "auto"}
        return self._replace(both_sides=False, **fixed)

    def preprocessings(self, *, roomy: bool) -> list[Preprocessing]:
        """List the preprocessings: random features, if there is room, of standardised instances."""
        shrinkages: Any = SHRINKAGES[:1] if self.effort == "quick" else SHRINKAGES
        if not is_auto(self.shrinkage):
            shrinkages = (self.shrinkage,)
        if not is_auto(self.random_features):
            random_features = bool(self.random_features)
            return [Preprocessing(shrinkage, random_features) for shrinkage in shrinkages]
        expanded = [Preprocessing(shrinkages[0], True)] * roomy
        return [*map(Preprocessing, shrinkages), *expanded]


class SearchSpace(NamedTuple):
    """What a candidate needs to know to say what it offers in one preprocessing."""

    spec: SearchSpec
    preprocessing: Preprocessing
    width: int  # features of a preprocessed instance
    summaries: bool = True  # whether summaries are offered: of one preprocessing, if they fit
    held: bool = True  # whether instances are held, and not read again in each pass
    first: bool = True  # whether this is the first of the preprocessings
    in_bag: float = 1.0  # instances in a bag, on average

    @property
    def quick(self) -> bool:
        """Whether only what is quick is compared."""
        return self.spec.effort == "quick"

    @property
    def any_pooling(self) -> bool:
        """Whether candidates of every kind are compared."""
        return self.spec.pooling == "auto"

    @property
    def cheapest(self) -> bool:
        """Whether only the mean is compared: with random features all else takes its time."""
        return self.quick and self.any_pooling and self.preprocessing.random_features

    @property
    def several_queries(self) -> bool:
        """Whether more than one query is asked for."""
        return not is_auto(self.spec.n_queries) and int(self.spec.n_queries) > 1

    @property
    def offers_summaries(self) -> bool:
        """Whether classifiers of summaries are among the candidates."""
        offered = self.summaries and not self.several_queries and not self.cheapest
        return offered or not self.any_pooling

    def mean_ridges(self, unit: float) -> list[float]:
        """List the ridges of what has no query."""
        return self._ridges(MEAN_RIDGES, unit)

    def ridges(self, unit: float) -> list[float]:
        """List the ridges of what has a query."""
        return self._ridges(RIDGES[:2] if self.quick else RIDGES, unit)

    def _ridges(self, relative: tuple[float, ...], unit: float) -> list[float]:
        fixed = self.spec.ridge
        return [unit * item for item in relative] if is_auto(fixed) else [float(fixed)]

    def iterations(self, most: int = MAX_ITERATIONS) -> tuple[int, ...]:
        """List the numbers of iterations of a refinement, up to ``most`` if they are "auto"."""
        if not is_auto(self.spec.max_refine_iter):
            return (int(self.spec.max_refine_iter),)
        return tuple(k for k in ITERATIONS[: 2 if self.quick else 3] if k <= most)

    def inits(self, offered: tuple[str, ...]) -> tuple[str, ...]:
        """List the initialisations, of those that are offered if they are "auto"."""
        if not is_auto(self.spec.init):
            return (self.spec.init,)
        return offered[:1] if self.quick else offered

    def sides(self, *, one_sided: bool) -> tuple[bool, ...]:
        """List the classes that a signal may be in: whether it is the negative one."""
        return (False, True) if one_sided and self.spec.both_sides else (False,)


def is_auto(value: Any) -> bool:
    """Whether a parameter is left open."""
    return isinstance(value, str) and value == "auto"


def check_switch(name: str, value: Any) -> None:
    """Refuse a parameter that is neither "auto" nor True or False."""
    if not is_auto(value) and not isinstance(value, bool | np.bool_):
        raise ValueError(f'{name} must be "auto", True or False, got {value!r}')


def check_auto(name: str, value: Any, low: float, high: float, *, whole: bool = False) -> None:
    """Refuse a parameter that is neither "auto" nor a number from ``low`` to ``high``."""
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
