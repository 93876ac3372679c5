"""What can be chosen when a classifier is trained, and which choices are compared.

A setting is a strength κ of the queries, a ridge λ, a number of refining iterations and a number of
queries; κ = 0 is mean pooling. A parameter that is "auto" stands for several values. They are
compared by the loss on bags held out within the training data.

Ridges are in units of d/n, features per bag: that is how the ridge that suits the theory scales,
and one of fixed size is too large for many bags, too small for few. Where the number of iterations
is chosen, attention is given two ridges instead of three: stopping early regularises as well.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

MOST_KAPPA = 1e6  # attention is on one instance long before; single precision tells no more apart
RIDGE_RANGE = (1e-12, 1e100)  # beyond, no readout is found, or its squares overflow
MOST_QUERIES = 1000  # each takes a few passes over the bags, and makes all readouts larger
MOST_STEPS = 10**6  # of refinement, which ends by itself when there is nothing to gain
AUTO_KAPPA = (0.0, 2.0)
AUTO_REFINE = (0, 10)
AUTO_RIDGES = (0.5, 0.05, 0.005)
REFINED_RIDGES = (0.3, 0.03)
AUTO_QUERIES = (1, 4)


class Setting(NamedTuple):
    """One choice of everything that can be chosen."""

    kappa: float
    ridge: float
    iterations: int = 0
    queries: int = 1


def settings(
    kappa: Any, ridge: Any, refine: Any, queries: Any = 1, unit: float = 1.0
) -> list[Setting]:
    """List the settings that the parameters leave open, each family by increasing iterations.

    Parameters
    ----------
    kappa, ridge, refine, queries
        As in `AttentionClassifier`.
    unit
        Features per bag, the unit of the ridges that "auto" stands for.

    Examples
    --------
    >>> settings(2.0, 0.1, "auto")[1]
    Setting(kappa=2.0, ridge=0.1, iterations=10, queries=1)
    >>> [len(settings(kappa, "auto", "auto")) for kappa in (0.0, 2.0, "auto")]
    [3, 4, 7]
    >>> [one.queries for one in settings("auto", 0.1, 0, "auto")]
    [1, 1, 4]
    """
    found = []
    for one in AUTO_KAPPA if isinstance(kappa, str) else (float(kappa),):
        refined = one > 0.0 and isinstance(refine, str)
        steps = AUTO_REFINE if refined else (0 if one == 0.0 else int(refine),)
        ridges = REFINED_RIDGES if refined else AUTO_RIDGES
        counts = AUTO_QUERIES if one > 0.0 else AUTO_QUERIES[:1]
        for count in counts if isinstance(queries, str) else (int(queries),):
            for lam in [unit * r for r in ridges] if isinstance(ridge, str) else [float(ridge)]:
                found += [Setting(one, lam, k, count) for k in steps]
    return found


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
