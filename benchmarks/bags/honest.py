"""Are the probabilities honest? ``python -m benchmarks.bags.honest`` compares them with counts.

Classifiers are fitted to bags, each to its own, and give probabilities to fresh ones. Of those that
were given about the same, the mean probability stands beside the share that is positive. Digits are
drawn from the same 1,797 images for both.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from needlescope.estimators import MILClassifier, make_digit_bags

from .data import theory

CLASSIFIERS, FRESH = 12, 4000
EDGES = (0.0, 0.02, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)


class Bin(NamedTuple):
    """The mean probability of some bags, the share of them that is positive, and of all bags."""

    given: float
    found: float
    share: float


def _theory(bags: int, every: int, seed: int) -> tuple[Any, Any]:
    result = theory(bags=bags, L=10, d=30, every=every, seed=seed)
    return result.X, result.y


def _digits(bags: int, L: int, positive: float, seed: int) -> tuple[Any, Any]:
    return make_digit_bags(bags, L=L, positive=positive, random_state=seed)


Draw = Callable[[int, int], tuple[Any, Any]]
"""From a number of bags and a seed to bags and labels."""

CASES: dict[str, tuple[int, Draw]] = {
    "the theory's, half positive, 300 bags": (300, lambda n, s: _theory(n, 2, s)),
    "a fifth positive, 300 bags": (300, lambda n, s: _theory(n, 5, s)),
    "a tenth positive, 500 bags": (500, lambda n, s: _theory(n, 10, s)),
    "digits (L = 20), half positive, 400 bags": (400, lambda n, s: _digits(n, 20, 0.5, s)),
    "digits (L = 10), a fifth positive, 400 bags": (400, lambda n, s: _digits(n, 10, 0.2, s)),
}


def bins(p: Any, y: Any) -> list[Bin]:
    """Sort bags into bins by probability; an empty one is NaN.

    >>> bins(np.array([0.01, 0.5, 0.5]), np.array([0, 1, 0]))[4]
    Bin(given=0.5, found=0.5, share=0.666...)
    """
    place = np.clip(np.searchsorted(EDGES, p, side="right") - 1, 0, len(EDGES) - 2)
    result = []
    for k in range(len(EDGES) - 1):
        own = place == k
        means = (float(p[own].mean()), float(y[own].mean())) if own.any() else (np.nan, np.nan)
        result.append(Bin(*means, float(own.mean())))
    return result


def probabilities(bags: int, draw: Draw, classifiers: int = CLASSIFIERS) -> tuple[Any, Any]:
    """Return what classifiers of so many bags each say of fresh ones, and what these are."""
    given, truth = [], []
    for seed in range(classifiers):
        X, y = draw(bags + FRESH, seed)
        clf = MILClassifier(random_state=seed).fit(X[:bags], y[:bags])
        given.append(clf.predict_proba(X[bags:])[:, 1])
        truth.append(y[bags:])
    return np.concatenate(given), np.concatenate(truth)


def main() -> int:
    """Print a row for each case: mean probability → share of positives, bin by bin."""
    heads = [f"{low:g} to {high:g}" for low, high in pairwise(EDGES)]
    print(f"| probability | {' | '.join(heads)} |")
    print(f"| --- |{' ---: |' * len(heads)}")
    for name, (bags, draw) in CASES.items():
        cells = [
            f"{item.given:.2f} → {item.found:.2f}" for item in bins(*probabilities(bags, draw))
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
