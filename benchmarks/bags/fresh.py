"""Sets that no default was chosen by: ``python -m benchmarks.bags.fresh FOLDER`` writes them.

They were named before any was looked at: bags of handwritten digits with other digits to be looked
for, fewer bags and more of them; bags of cells, of which one in a positive bag is malignant, each
cell in one bag only; bags as the theory draws them, with other numbers, and some where every
instance carries the signal and attention should not pay. ``python -m benchmarks.bags FOLDER --data
...`` compares the classifiers on them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

from needlescope.estimators.bags.bags import as_bags
from needlescope.estimators.bags.datasets import make_digit_bags

from .data import SEED, DataSet, theory

DIGITS: dict[str, dict[str, Any]] = {
    "digit-0": {"bags": 400, "L": 20, "digit": 0},
    "digit-1": {"bags": 400, "L": 20, "digit": 1},
    "digit-8": {"bags": 400, "L": 20, "digit": 8},
    "digit-5-few": {"bags": 100, "L": 10, "digit": 5},
    "digit-9-rare": {"bags": 1000, "L": 15, "digit": 9, "positive": 0.1},
}
THEORY: dict[str, dict[str, Any]] = {
    "theory-few-of-30": {"bags": 500, "L": 30, "R": 3, "d": 60, "theta": 3.0, "every": 3},
    "theory-all": {"bags": 300, "L": 5, "R": 5, "d": 50, "theta": 1.0},
}


def cells(L: int = 5) -> DataSet:
    """Return bags of benign cells; in every second one, a cell is malignant instead.

    >>> cells().X
    <79 bags of 5 instances, 30 features, float64>
    """
    X, benign = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(SEED)
    good, bad = (rng.permutation(np.flatnonzero(benign == kind)).tolist() for kind in (1, 0))
    bags, labels = [], []
    while len(good) >= L:
        labels.append(len(bags) % 2)
        own = [good.pop() for _ in range(L - labels[-1])] + [bad.pop() for _ in range(labels[-1])]
        bags.append(X[rng.permutation(own)])
    return DataSet("cells", as_bags(np.array(bags)), np.array(labels))


def fresh() -> list[DataSet]:
    """Return all of them."""
    result = [cells()]
    for name, options in DIGITS.items():
        X, y = make_digit_bags(**options, random_state=SEED)
        result.append(DataSet(name, as_bags(X), y))
    return result + [theory(**options)._replace(name=name) for name, options in THEORY.items()]


def main(words: list[str]) -> int:
    """Write the sets to a folder."""
    if len(words) != 1:
        print("usage: python -m benchmarks.bags.fresh FOLDER", file=sys.stderr)
        return 2
    folder = Path(words[0])
    folder.mkdir(parents=True, exist_ok=True)
    for item in fresh():
        bag = np.repeat(np.arange(len(item.X)), item.X.lengths)
        np.savez(folder / f"{item.name}.npz", X=item.X.instances, bag=bag, y=item.y)
        print(f"{item.name}: {item.X!r}, {int(item.y.sum())} positive")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
