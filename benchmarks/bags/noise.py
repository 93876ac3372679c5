"""Is anything found where there is nothing? ``python -m benchmarks.bags.noise`` fits pure noise.

Bags of 10 instances with 10 features, all N(0, 1), with labels that know nothing of them, half of
each. The logarithmic loss of 2,000 fresh bags stands beside that of the base rate, log 2; what the
classifier reports beside both: the least held-out loss of all that it tried, and the loss on bags
held out from the choice, too.

The rule that shrinks log odds, ``needlescope.estimators.selection.nested``, was settled on
draws of seed 1, and by how often something is found by ridge regressions of noise; these are of
seed 3.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from needlescope.estimators import MILClassifier

BAGS, DRAWS, SEED = (50, 100, 200), 12, 3
FRESH = 2000


def noise(n: int, rng: np.random.Generator, fresh: int = FRESH) -> tuple[Any, Any]:
    """Return bags of noise and labels; the first n are to train on, half of each label.

    >>> X, y = noise(10, np.random.default_rng(0), 20)
    >>> X.shape, int(y[:10].sum()), int(y.sum())
    ((30, 10, 10), 5, 15)
    """
    X = rng.standard_normal((n + fresh, 10, 10))
    return X, np.concatenate([rng.permutation(np.arange(n) % 2), np.arange(fresh) % 2])


def losses(n: int, draw: int) -> tuple[float, float, float, float, bool]:
    """Return test losses, as it is and without shrinking, both reported ones, and what is said."""
    X, y = noise(n, np.random.default_rng([SEED, draw]))
    clf = MILClassifier(random_state=draw).fit(X[:n], y[:n])
    signs, told = np.where(y[n:] == 1, 1.0, -1.0), clf.nested_
    odds = clf.decision_function(X[n:])
    before = (odds - told.shift) / told.slope  # but for the few beyond the scores of calibration
    own, raw = (float(np.logaddexp(0.0, -signs * item).mean()) for item in (odds, before))
    return own, raw, told.loss, -clf.cv_results_["mean_test_score"][0], told.found


def main() -> int:
    """Print a row for each number of bags."""
    print(
        "| bags | test loss | without shrinking | held out from the choice | least of all | found |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    with threadpool_limits(1):
        for n in BAGS:
            rows = np.array([losses(n, draw) for draw in range(DRAWS)], float)
            mean, error = rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(DRAWS)
            cells = [f"{m:.3f} ± {e:.3f}" for m, e in zip(mean[:4], error, strict=False)]
            print(f"| {n} | {' | '.join(cells)} | {int(rows[:, 4].sum())} of {DRAWS} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
