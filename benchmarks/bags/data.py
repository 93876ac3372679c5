"""The data sets of the benchmark: every ``.npz`` of a folder, and those made here.

Those are Musk, bags of handwritten digits, and bags as the theory draws them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from needlescope.estimators.bags.bags import Bags, as_bags
from needlescope.estimators.bags.datasets import load_musk1, make_digit_bags

DIGITS: dict[str, dict[str, Any]] = {
    "digits": {"bags": 400, "L": 20, "R": 1},
    "digits-noisy": {"bags": 400, "L": 20, "R": 1, "noise": 0.2, "positive": 0.25},
}
SEED = 0  # of what is drawn


class DataSet(NamedTuple):
    """Bags with a label 0 or 1 each, and what they are called."""

    name: str
    X: Bags
    y: Any
    instances: Any = None  # (bags, L), which have the signal, where that is known


def load_npz(path: Path) -> DataSet:
    """Read ``X`` (instances × features), ``bag`` (the bag of each instance), ``y`` (per bag).

    The labels are in the order of the bags' sorted names.
    """
    with np.load(path) as stored:
        missing = {"X", "bag", "y"} - set(stored)
        if missing:
            raise ValueError(f"{path} must hold the arrays X, bag and y; no {sorted(missing)}")
        X, bag, y = stored["X"], stored["bag"], stored["y"]
    order = np.argsort(bag, kind="stable")
    bags = Bags.from_table(X[order], bag[order])
    if len(bags) != len(y):
        raise ValueError(f"{path} must have a label for each of its {len(bags)} bags, got {len(y)}")
    labels, place = np.unique(y, return_inverse=True)
    if len(labels) != 2:
        raise ValueError(f"{path} must have two labels, got {labels}")
    return DataSet(path.stem, bags, place)


def theory(
    bags: int = 400,
    L: int = 10,
    R: int = 1,
    d: int = 100,
    theta: float = 4.0,
    every: int = 2,
    seed: int = SEED,
) -> DataSet:
    """Draw bags of Gaussian noise; one of ``every`` so many has R instances with a signal.

    >>> theory(bags=6, L=2, d=3).X
    <6 bags of 2 instances, 3 features, float64>
    >>> theory(bags=4, L=5, R=2).instances.sum(axis=1)
    array([0, 2, 0, 2])
    """
    rng = np.random.default_rng(seed)
    y, X = (np.arange(bags) % every == every - 1).astype(int), rng.standard_normal((bags, L, d))
    places = (rng.integers(L, size=bags)[:, None] + np.arange(R)) % L  # R next to each other
    signal = rng.standard_normal(d)
    signal *= theta / np.linalg.norm(signal)
    has = np.zeros((bags, L), bool)
    has[np.flatnonzero(y)[:, None], places[y == 1]] = True
    X[has] += signal
    return DataSet("theory", as_bags(X), y, has)


def load_all(folder: Path | None) -> list[DataSet]:
    """Return the sets of a folder, then those of the package that are not among them."""
    if folder is not None and not folder.is_dir():
        raise ValueError(f"DIR must be a folder of .npz files, got {folder}")
    result = [load_npz(path) for path in sorted(folder.glob("*.npz"))] if folder else []
    own = [DataSet("musk1", *load_musk1())]
    for name, options in DIGITS.items():
        X, y, shows = make_digit_bags(**options, random_state=SEED, return_instances=True)
        own.append(DataSet(name, as_bags(X), y, shows))
    names = {item.name for item in result}
    return result + [item for item in (*own, theory()) if item.name not in names]
