"""Does a classifier keep to the standard assumption? ``python -m benchmarks.bags.assumption``.

By the standard assumption a bag is positive because something is there, never because something is
missing. Raff and Holt (arXiv 2310.17867) test it by bags that tempt a classifier to learn something
else: what tells the labels of training bags apart most easily does not hold in the test bags, where
it is turned round, while the rule that makes a bag positive holds in both. An AUC below 1/2 gives
away who learned the temptation. The bags here follow their definitions, with numbers of our own:
background is N(0, I), a concept N(6 e_k, I), poison N(10 e_3, 0.01 I).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score

from needlescope.estimators import MILClassifier, PooledClassifier
from needlescope.estimators.bags.bags import Bags, as_bags

from .entrants import available

D, THETA, POISON = 16, 6.0, 10.0
FEW, MANY = (1, 2), (8, 10)  # how many instances of a kind, at least and at most
BAGS, TEST_BAGS, SETS = 300, 1000, 5
MODES: dict[str, Callable[[int], Any]] = {
    "MILClassifier()": lambda seed: MILClassifier(random_state=seed),
    'pooling="log_mean_exp"': lambda seed: MILClassifier(pooling="log_mean_exp", random_state=seed),
    "PooledClassifier()": lambda seed: PooledClassifier(random_state=seed),
}


class Draw(NamedTuple):
    """What a bag is drawn with: a generator, its label, and whether it is to be trained on."""

    rng: np.random.Generator
    positive: bool
    training: bool

    def some(self, counts: tuple[int, int], axis: int, size: float, spread: float = 1.0) -> Any:
        """Return some instances around a point on an axis."""
        count = self.rng.integers(counts[0], counts[1] + 1)
        result = spread * self.rng.standard_normal((count, D))
        result[:, axis] += size
        return result

    def background(self, counts: tuple[int, int] = (1, 10)) -> Any:
        """Return instances that say nothing."""
        return self.some(counts, 0, 0.0)

    def poison(self) -> list[Any]:
        """Return poison, which negatives have in training and positives in the test."""
        return [self.some((1, 4), 2, POISON, 0.1)] if self.positive != self.training else []


def single_concept(draw: Draw) -> list[Any]:
    """Positives have the concept; negatives have poison in training, positives in the test."""
    concept = [draw.some((1, 4), 0, THETA)] if draw.positive else []
    return [draw.background(), *concept, *draw.poison()]


def frequency(draw: Draw) -> list[Any]:
    """Half of the instances of a positive are the concept in training, one of 20 to 30 after it."""
    size, count = ((1, 10), MANY) if draw.training else ((20, 30), (1, 1))
    return [draw.background(size), *([draw.some(count, 0, THETA)] if draw.positive else [])]


def false_frequency(draw: Draw) -> list[Any]:
    """Positives have many of the concept, negatives few like it; in the test few, and many."""
    counts = MANY if draw.positive == draw.training else FEW
    return [draw.background(), draw.some(counts, 0, THETA if draw.positive else THETA / 2.0)]


def both_poisoned(draw: Draw) -> list[Any]:
    """Positives have both concepts, negatives at most one; poison as for a single concept."""
    have = (0, 1) if draw.positive else ((), (0,), (1,))[draw.rng.integers(3)]
    return [draw.background(), *(draw.some((1, 4), k, THETA) for k in have), *draw.poison()]


def both_frequency(draw: Draw) -> list[Any]:
    """Positives have many of both concepts, negatives few of one; in the test few, and many."""
    counts = MANY if draw.positive == draw.training else FEW
    have = (0, 1) if draw.positive else (draw.rng.integers(2),)
    return [draw.background(), *(draw.some(counts, k, THETA) for k in have)]


TESTS: dict[str, tuple[Callable[[Draw], list[Any]], int]] = {  # and how many concepts it takes
    "single concept": (single_concept, 1),
    "frequency": (frequency, 1),
    "false frequency": (false_frequency, 1),
    "both concepts, poisoned": (both_poisoned, 2),
    "both concepts, false frequency": (both_frequency, 2),
}


def bags_of(test: str, count: int, training: bool, rng: np.random.Generator) -> tuple[Bags, Any]:
    """Draw bags of a test, every second one positive.

    >>> bags_of("single concept", 4, True, np.random.default_rng(0))
    (<4 bags of 3 to 12 instances, 16 features, float64>, array([0, 1, 0, 1]))
    """
    y = np.arange(count) % 2
    make = TESTS[test][0]
    return as_bags([np.concatenate(make(Draw(rng, bool(k), training))) for k in y]), y


def aucs(test: str, seed: int, modes: dict[str, Callable[[int], Any]]) -> dict[str, float]:
    """Return the AUC of each mode on test bags, and that of the rule behind the labels."""
    rng = np.random.default_rng(seed)
    (X, y), (fresh, truth) = bags_of(test, BAGS, True, rng), bags_of(test, TEST_BAGS, False, rng)
    concepts = range(TESTS[test][1])
    rule = [min(float(bag[:, k].max()) for k in concepts) for bag in fresh]
    result = {"the rule": rule}
    result |= {name: make(seed).fit(X, y).decision_function(fresh) for name, make in modes.items()}
    return {name: float(roc_auc_score(truth, scores)) for name, scores in result.items()}


def installed() -> dict[str, Callable[[int], Any]]:
    """Return the modes, and ABMIL if it is there."""
    there, _ = available()
    return MODES | {name: lambda seed, make=make: make().set_params(random_state=seed)
                    for name, make in there.items() if name.startswith("ABMIL")}  # fmt: skip


def main() -> int:
    """Print a table: mean AUCs of several draws, and their standard errors."""
    modes = installed()
    print("| test | the rule | " + " | ".join(modes) + " |")
    print("| --- |" + " ---: |" * (len(modes) + 1))
    for test in TESTS:
        rows = [aucs(test, seed, modes) for seed in range(SETS)]
        cells = []
        for name in rows[0]:
            each = np.array([row[name] for row in rows])
            cells.append(f"{each.mean():.3f} ± {each.std(ddof=1) / np.sqrt(SETS):.3f}")
        print(f"| {test} | " + " | ".join(cells) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
