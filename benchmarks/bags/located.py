"""Where is the signal? ``python -m benchmarks.bags.located [FOLDER]``.

In positive bags that were held out, instances with the signal are told from the others: by what
they add to the log odds, and by the attention on them. The AUC of each bag is taken, and their mean
over five folds, with the standard error over bags. Sets are the digits and the theory's bags, and
every ``.npz`` of the folder that says, in an array ``signal``, which instances have it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from needlescope.estimators.classifiers.mil import MILClassifier

from .data import SEED, DataSet, load_all, load_npz
from .entrants import available

Located = dict[str, list[Any]]
FOLDS = 5
ABMIL = ("ABMIL", "ABMIL, hidden layer")


def located_sets(folder: Path | None) -> list[DataSet]:
    """Return the sets whose signal instances are known, as one flat array for each set."""
    result = [item._replace(instances=np.ravel(item.instances)) for item in load_all(None)
             if item.instances is not None]  # fmt: skip
    for path in sorted(folder.glob("*.npz")) if folder else []:
        with np.load(path) as stored:
            if "signal" not in stored:
                continue
            order = np.argsort(stored["bag"], kind="stable")
            signal = stored["signal"][order].astype(bool)
        result.append(load_npz(path)._replace(instances=signal))
    return result


def ours(name: str, **options: Any) -> Callable[[Any, Any, Any], Located]:
    """Return how to locate by a classifier of the package, fitted to other bags."""

    def locate(X: Any, y: Any, fresh: Any) -> Located:
        clf = MILClassifier(random_state=SEED, **options).fit(X, y)
        return {
            f"{name}: contributions": clf.instance_scores(fresh),
            f"{name}: of what attends": clf.instance_scores(fresh, explain="attention"),
            f"{name}: attention": clf.attention_weights(fresh),
        }

    return locate


def theirs(name: str, make: Callable[[], Any]) -> Callable[[Any, Any, Any], Located]:
    """Return how to locate by the attention of an alternative."""
    return lambda X, y, fresh: {name: make().fit(X, y).attention_weights(fresh)}


def locators() -> list[Callable[[Any, Any, Any], Located]]:
    """Return all ways to locate that are installed."""
    there, _ = available()
    return [
        ours("default"),
        ours("log-mean-exp", pooling="log_mean_exp"),
        *(theirs(name, there[name]) for name in ABMIL if name in there),
    ]


def within(result: list[Any], has: list[Any]) -> list[float]:
    """Return the AUC within each bag that has instances of both kinds.

    >>> within([np.array([0.1, 0.5]), np.ones(2)], [np.array([False, True]), np.zeros(2, bool)])
    [1.0]
    """
    both = [k for k, item in enumerate(has) if item.any() and not item.all()]
    return [float(roc_auc_score(has[k], result[k])) for k in both]


def located(item: DataSet) -> dict[str, tuple[float, float]]:
    """Return the mean AUC within positive bags, and its standard error, of every way."""
    has = np.split(item.instances, item.X.starts[1:-1])
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    result: dict[str, list[float]] = {}
    for train, test in folds.split(item.y, item.y):
        test = test[item.y[test] == 1]
        for locate in locators():
            for name, each in locate(item.X[train], item.y[train], item.X[test]).items():
                result.setdefault(name, []).extend(within(each, [has[k] for k in test]))
    return {
        name: (float(np.mean(each)), float(np.std(each, ddof=1) / np.sqrt(len(each))))
        for name, each in result.items()
    }


def main(words: list[str]) -> int:
    """Print a table."""
    if len(words) > 1:
        print("usage: python -m benchmarks.bags.located [FOLDER]", file=sys.stderr)
        return 2
    for place, data in enumerate(located_sets(Path(words[0]) if words else None)):
        result = located(data)
        if not place:
            print(f"| | {' | '.join(result)} |")
            print("| --- |" + " ---: |" * len(result))
        cells = (f"{mean:.3f} ± {error:.3f}" for mean, error in result.values())
        print(f"| {data.name} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
