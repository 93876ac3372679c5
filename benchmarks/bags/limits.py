"""How near to the limit of learning? ``python -m benchmarks.bags.limits``.

Bags as the theory draws them, several sets for each task, and `MILClassifier()` as it comes:
the share of fresh bags that it gets wrong, beside the least that anyone can who learns from as
many bags (`bayes_optimal`).
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

import needlescope as ns
from needlescope.estimators import MILClassifier

SETS, FRESH = 3, 4000


class Case(NamedTuple):
    """A task, and how many features and bags there are."""

    L: int
    R: int
    theta: float
    pi: float
    d: int
    bags: int


CASES = (
    Case(100, 1, 4.0, 0.5, 300, 300),
    Case(30, 1, 4.0, 0.1, 100, 1200),
    Case(10, 1, 3.5, 0.5, 100, 200),
    Case(10, 1, 5.0, 0.5, 100, 100),
    Case(30, 1, 4.0, 0.5, 100, 300),
    Case(50, 1, 5.0, 0.5, 100, 200),
    Case(10, 2, 3.0, 0.5, 50, 200),
    Case(20, 3, 2.5, 0.3, 50, 400),
    Case(30, 2, 3.5, 0.2, 60, 400),
    Case(5, 1, 3.0, 0.5, 40, 200),
    Case(100, 3, 4.0, 0.5, 100, 200),
    Case(20, 1, 6.0, 0.05, 50, 1000),
)


def draw(case: Case, signal: Any, bags: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Draw bags of noise in which R instances of each positive carry the signal.

    >>> rng = np.random.default_rng(0)
    >>> X, y = draw(Case(4, 2, 9.0, 0.5, 3, 0), np.array([9.0, 0.0, 0.0]), 200, rng)
    >>> bool(((X[:, :, 0] > 4.5).sum(axis=1) == 2 * y).mean() > 0.99)
    True
    """
    y = (rng.random(bags) < case.pi).astype(int)
    X = rng.standard_normal((bags, case.L, case.d), dtype=np.float32)
    for k in np.flatnonzero(y):
        X[k, rng.choice(case.L, case.R, replace=False)] += signal.astype(np.float32)
    return X, y


def errors(case: Case, sets: int = SETS, fresh: int = FRESH) -> list[float]:
    """Return the error on fresh bags of a classifier fitted to each set."""
    result = []
    for seed in range(sets):
        rng = np.random.default_rng(seed)
        signal = rng.standard_normal(case.d)
        signal *= case.theta / np.linalg.norm(signal)
        clf = MILClassifier(random_state=seed).fit(*draw(case, signal, case.bags, rng))
        wrong = []
        for _ in range(fresh // 500):
            X, y = draw(case, signal, 500, rng)
            wrong.append(float((clf.predict(X) != y).mean()))
        result.append(float(np.mean(wrong)))
    return result


def main() -> int:
    """Print a row for each case."""
    print("| L | R | θ | π | features | bags | error | limit |")
    print("|" + " ---: |" * 8)
    with threadpool_limits(1):
        for case in CASES:
            task = ns.Task(L=case.L, R=case.R, theta=case.theta, pi=case.pi)
            limit = ns.bayes_optimal(task, case.bags / case.d).test_error
            own = np.array(errors(case))
            cell = f"{own.mean():.3f} ± {own.std(ddof=1) / np.sqrt(len(own)):.3f}"
            given = " | ".join(f"{value:g}" for value in case)
            print(f"| {given} | {cell} | {float(limit):.3f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
