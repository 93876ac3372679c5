"""Does choosing overfit few bags? ``python -m benchmarks.bags.small FOLDER`` compares.

Of every data set 60 bags are drawn, half of them positive, several times; `MILClassifier()`
chooses by these, and each of the ways that it chooses from is fitted to them alone. All are judged
on the bags that were not drawn. *In hindsight* is the way that has the largest AUC on the
data set, which nobody knows beforehand.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from needlescope.estimators import MILClassifier

from .data import DataSet, load_all

BAGS, DRAWS = 60, 6
AUTO = "chosen"
PLAIN = {"shrinkage": 1.0, "random_features": False}
KERNEL = {"shrinkage": 1.0, "random_features": True}
WHITE = {"shrinkage": 0.02, "random_features": False}
WAYS: dict[str, dict[str, Any]] = {
    AUTO: {},
    "mean": {"pooling": "mean", **PLAIN},
    "summaries": {"pooling": "summaries", **PLAIN},
    "forest": {"pooling": "forest", **PLAIN},
    "log-mean-exp": {"pooling": "log_mean_exp", **PLAIN},
    "attention": {"pooling": "attention", **PLAIN},
    "log-mean-exp, whitened": {"pooling": "log_mean_exp", **WHITE},
    "attention, whitened": {"pooling": "attention", **WHITE},
    "mean, random features": {"pooling": "mean", **KERNEL},
    "log-mean-exp, random features": {"pooling": "log_mean_exp", **KERNEL},
    "attention, random features": {"pooling": "attention", **KERNEL},
}


class Row(NamedTuple):
    """What was chosen on a data set, beside the best way in hindsight: AUCs over draws."""

    data: str
    chosen: float
    best: str
    hindsight: float
    ahead: float  # the mean of the differences
    error: float  # and its standard error over draws


def draws(y: Any, bags: int, count: int, seed: int = 0) -> Iterator[tuple[Any, Any]]:
    """Draw bags to train on, as many of each class, and name the rest.

    >>> [(len(known), len(rest)) for known, rest in draws(np.arange(100) % 2, 60, 2)]
    [(60, 40), (60, 40)]
    """
    rng = np.random.default_rng(seed)
    for _ in range(count):
        sides = [rng.permutation(np.flatnonzero(y == side))[: bags // 2] for side in (0, 1)]
        known = np.sort(np.concatenate(sides))
        yield known, np.setdiff1d(np.arange(len(y)), known)


def aucs(data: DataSet, bags: int = BAGS, count: int = DRAWS) -> dict[str, list[float]]:
    """Return the AUC of every way on the bags that were not drawn, draw by draw."""
    result: dict[str, list[float]] = {name: [] for name in WAYS}
    for known, rest in draws(data.y, bags, count):
        for name, fixed in WAYS.items():
            clf = MILClassifier(random_state=0, **fixed).fit(data.X[known], data.y[known])
            result[name].append(roc_auc_score(data.y[rest], clf.decision_function(data.X[rest])))
    return result


def beside_hindsight(data: str, result: dict[str, list[float]]) -> Row:
    """Compare what was chosen with the way that is best on average.

    >>> beside_hindsight("some", {"chosen": [0.5, 0.75], "mean": [0.5, 0.5], "trees": [0.5, 1.0]})
    Row(data='some', chosen=0.625, best='trees', hindsight=0.75, ahead=-0.125, error=0.125)
    """
    own = np.array(result[AUTO])
    best = max((name for name in result if name != AUTO), key=lambda name: np.mean(result[name]))
    off = own - np.array(result[best])
    error = float(off.std(ddof=1) / np.sqrt(len(off)))
    return Row(
        data, float(own.mean()), best, float(np.mean(result[best])), float(off.mean()), error
    )


def main(words: list[str]) -> int:
    """Print a row for each data set, and the mean of every way over all of them."""
    parser = argparse.ArgumentParser(prog="benchmarks.bags.small", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="a folder of .npz files: X, bag, y")
    parser.add_argument("--bags", type=int, default=BAGS, help=f"to train on ({BAGS})")
    parser.add_argument("--draws", type=int, default=DRAWS, help=f"of them ({DRAWS})")
    parser.add_argument("--data", nargs="+", help="only these data sets")
    wanted = parser.parse_args(words)
    sets = [item for item in load_all(wanted.folder) if not wanted.data or item.name in wanted.data]
    means = []
    print("| data | chosen | best way in hindsight | its AUC | chosen less it |")
    print("| --- | ---: | --- | ---: | ---: |")
    with threadpool_limits(1):
        for data in sets:
            result = aucs(data, wanted.bags, wanted.draws)
            row = beside_hindsight(data.name, result)
            cells = f"{row.chosen:.3f} | {row.best} | {row.hindsight:.3f}"
            print(f"| {row.data} | {cells} | {row.ahead:+.3f} ± {row.error:.3f} |", flush=True)
            means.append([np.mean(result[name]) for name in WAYS])
    listed = zip(WAYS, np.mean(means, axis=0), strict=True)
    print("\nmean of sets: " + ", ".join(f"{name} {auc:.3f}" for name, auc in listed))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
