"""Repeated stratified cross-validation, the same folds for all; each finished fold is kept.

A row is a fold of a data set for one entrant: balanced accuracy, error, AUC, log loss, and the
seconds of processor time that fitting took. Processor time, with one thread, is what a clock would
show on a machine with nothing else to do.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from . import stamp
from .data import DataSet


class Key(NamedTuple):
    """Which fold, of what, for whom."""

    data: str
    splits: int
    repeat: int
    fold: int
    entrant: str
    stamp: str  # of what the result rests on


class Score(NamedTuple):
    """How an entrant did on a fold."""

    accuracy: float  # balanced
    error: float  # the share of bags
    auc: float
    seconds: float
    loss: float  # logarithmic, of scores taken for log odds


Rows = dict[Key, Score]
FIELDS = (*Key._fields, *Score._fields)


def folds(data: DataSet, splits: int, repeat: int) -> Iterator[tuple[int, Any, Any]]:
    """Return the number, the training bags and the test bags of each fold of a repeat.

    They depend on nothing else: a run with more repeats has these folds too.
    """
    parts = StratifiedKFold(splits, shuffle=True, random_state=repeat).split(data.y, data.y)
    return ((fold, known, test) for fold, (known, test) in enumerate(parts))


def judge(make: Callable[[], Any], data: DataSet, known: Any, test: Any) -> Score:
    """Fit a new classifier to some bags and score it on others."""
    X, y = data.X[known], data.y[known]
    with threadpool_limits(1):
        classifier = make()
        started = time.process_time()
        classifier.fit(X, y)
        seconds = time.process_time() - started
        result = classifier.decision_function(data.X[test])
    truth = data.y[test]
    accuracy = float(balanced_accuracy_score(truth, result > 0.0))
    error = float(((result > 0.0) != (truth > 0)).mean())
    loss = float(np.logaddexp(0.0, np.where(truth > 0, -result, result)).mean())
    return Score(accuracy, error, float(roc_auc_score(truth, result)), seconds, loss)


def read(path: Path) -> Rows:
    """Return the rows kept in a file; a last line that a kill cut short is left out."""
    if not path.exists():
        return {}
    result: Rows = {}
    with path.open(newline="") as lines:
        for row in csv.DictReader(lines):
            try:
                splits, repeat, fold = (int(row[name]) for name in ("splits", "repeat", "fold"))
                key = Key(row["data"], splits, repeat, fold, row["entrant"], row["stamp"])
                result[key] = Score(*(float(row[name]) for name in Score._fields))
            except (TypeError, ValueError, KeyError):
                continue
    return result


def write(path: Path, rows: Rows) -> None:
    """Write all rows to a file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".part")
    with fresh.open("w", newline="") as lines:
        table = csv.writer(lines)
        table.writerow(FIELDS)
        table.writerows((*key, *score) for key, score in rows.items())
    fresh.replace(path)


def run(
    sets: list[DataSet],
    entrants: dict[str, Callable[[], Any]],
    splits: int,
    repeats: int,
    path: Path,
    tell: Callable[[Key, bool], None] = lambda key, kept: None,
) -> Rows:
    """Judge every entrant on every fold, but for the folds kept in ``path``."""
    kept, wanted = read(path), {}
    codes = {name: stamp.of_entrant(make()) for name, make in entrants.items()}
    for data in sets:
        content = stamp.of_data(data)
        for repeat in range(repeats):
            for fold, known, test in folds(data, splits, repeat):
                for name, make in entrants.items():
                    rests_on = stamp.both(content, codes[name])
                    key = Key(data.name, splits, repeat, fold, name, rests_on)
                    tell(key, key in kept)
                    if key not in kept:
                        kept[key] = judge(make, data, known, test)
                        write(path, kept)
                    wanted[key] = kept[key]
    return wanted
