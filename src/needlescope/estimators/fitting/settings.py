"""The settings of a classifier: preprocessing, pooling, initialisation, training.

Settings that differ in ridge and number of iterations only belong to one *candidate*, and are
trained together.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..bags.preprocessing import Preprocessing

MOST_KAPPA = 1e6  # attention is on one instance long before
RIDGE_RANGE = (1e-12, 1e100)  # beyond, no readout is found, or its squares overflow
MOST_QUERIES = 1000  # each takes a few passes over the bags, and makes all readouts larger
MOST_STEPS = 10**6  # of refinement, which ends by itself when there is nothing to gain
KINDS = 4  # of summaries: mean, largest, least, standard deviation
POOLINGS = ("mean", "attention", "log_mean_exp", "summaries", "forest")
INITS = ("two_steps", "contrastive_pca", "amp")


class Setting(NamedTuple):
    """A value of every parameter."""

    kappa: float
    ridge: float
    max_refine_iter: int = 0
    n_queries: int = 1
    shrinkage: float | None = 1.0
    random_features: bool = False
    pooling: str = "attention"
    init: str = "two_steps"
    append_mean: bool = False
    in_negatives: bool = False  # the signal is sought in bags of the negative class

    @property
    def one_sided(self) -> bool:
        """Whether one class is assumed to have a signal, and the other none."""
        two_steps = self.init == "two_steps"
        return self.pooling == "log_mean_exp" or (self.pooling == "attention" and not two_steps)

    @property
    def sign(self) -> float:
        """The sign of the class that has the signal."""
        return -1.0 if self.in_negatives else 1.0

    @property
    def candidate(self) -> Setting:
        """The setting without its ridge and its iterations."""
        return self._replace(ridge=0.0, max_refine_iter=0)

    @property
    def attends(self) -> bool:
        """Whether instances are weighted unequally."""
        return self.pooling in ("attention", "log_mean_exp")

    @property
    def numbers(self) -> int:
        """The number of summaries of every feature, or 1."""
        return KINDS if self.pooling in SUMMARIES else 1

    @property
    def family(self) -> tuple[str, bool]:
        """What candidates with similar errors share: pooling, and random features or not."""
        return self.pooling, self.random_features

    @property
    def preprocessing(self) -> Preprocessing:
        """How instances are preprocessed."""
        return Preprocessing(self.shrinkage, self.random_features)

    @property
    def params(self) -> dict[str, Any]:
        """The parameters that apply to this pooling, by name.

        Examples
        --------
        >>> Setting(0.0, 0.1, pooling="mean").params
        {'pooling': 'mean', 'shrinkage': 1.0, 'random_features': False, 'ridge': 0.1}
        """
        if self.pooling not in POOLINGS:  # an architecture
            return {"shrinkage": self.shrinkage}
        names = ["pooling", "shrinkage", "random_features"]
        names += ["ridge"] * (self.pooling != "forest")
        names += ["init", "max_refine_iter"] * self.attends
        names += ["kappa", "n_queries", "append_mean"] * (self.pooling == "attention")
        names += ["in_negatives"] * self.one_sided
        return {name: getattr(self, name) for name in names}

    @property
    def words(self) -> str:
        """The candidate in words.

        Examples
        --------
        >>> Setting(2.0, 0.1, append_mean=True).words
        'attention initialised by two gradient steps, with the mean appended, on standardised
        instances'
        >>> Setting(0.0, 0.1, pooling="mean", shrinkage=0.02, random_features=True).words
        'the mean of whitened instances with random Fourier features'
        """
        shown = "instances as they are"
        if self.shrinkage is not None:
            shown = f"{'standardised' if self.shrinkage == 1.0 else 'whitened'} instances"
        if self.random_features:
            shown += " with random Fourier features"
        if self.pooling == "mean":
            return f"the mean of {shown}"
        if self.pooling in SUMMARIES:
            return f"{SUMMARIES[self.pooling]} of {shown}"
        if self.in_negatives:
            shown += ", the signal sought in negative bags"
        what = "log-mean-exp pooling" if self.pooling == "log_mean_exp" else "attention"
        if self.n_queries > 1:
            what += f" of {self.n_queries} queries"
        appended = ", with the mean appended" if self.append_mean else ""
        return f"{what} initialised by {INITIALISED_BY[self.init]}{appended}, on {shown}"


SUMMARIES = {"summaries": "summaries", "forest": "a random forest on summaries"}
INITIALISED_BY = {
    "two_steps": "two gradient steps",
    "contrastive_pca": "contrastive PCA",
    "amp": "AMP",
    "mean": "the readout of the mean",
}


def check_switch(name: str, value: Any) -> None:
    """Refuse a parameter that is neither "auto" nor True or False."""
    auto = isinstance(value, str) and value == "auto"
    if not auto and not isinstance(value, bool | np.bool_):
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
