"""Compute and draw the picture of the README: ``python tools/picture.py``.

Writes ``figures/overview.png`` and ``.pdf`` with the tables they are drawn from.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from rich.progress import track

import needlescope as ns

matplotlib.use("Agg")

FOLDER = Path(__file__).parents[1] / "figures"
TASK = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
TRAINING = ns.Training(alpha0=4.0, alpha1=1.0, loss="logistic", ridge=1e-2)
ALPHA = 5.0  # samples per dimension of the Bayes-optimal learner
ERROR = 0.1
LENGTHS = np.unique(np.geomspace(4, 100_000, 14).round().astype(int))


def learning_curves() -> pd.DataFrame:
    """Test error against α1 for the three models, with the oracle error of each."""
    alphas = np.geomspace(0.3, 100.0, 60)
    training = ns.Training(alpha0=4.0, alpha1=alphas, loss="logistic", ridge=1e-2)
    parts = []
    for model in track(("vectorized", "pooled", "attention"), "learning curves"):
        result = ns.predict(TASK, training, model)
        floor = ns.oracle(TASK, model).error
        table = {"model": model, "alpha1": alphas, "test_error": result.test_error, "floor": floor}
        table["bayes_optimal"] = ns.bayes_optimal(TASK, training.alpha0 + alphas).test_error
        parts.append(pd.DataFrame({**table, "test_error_se": result.test_error_se}))
    return pd.concat(parts)


def thresholds() -> pd.DataFrame:
    """The signal at which the test error is 10 %, against L: trained, learnable, known."""
    rows = []
    for L in track(LENGTHS.tolist(), "thresholds"):
        task = ns.Task(L=L, R=1, theta=1.0, pi=0.5)
        bayes = ns.bayes_threshold(task, ALPHA, ERROR)
        for learner, theta in {
            "pooled": ns.training_threshold(task, TRAINING, ERROR, "pooled", data="all").theta,
            "attention": ns.training_threshold(task, TRAINING, ERROR).theta,
            "amp": bayes.amp_theta,
            "bayes_optimal": bayes.theta,
            "oracle": ns.oracle_threshold(task, "bayes", ERROR, tol=1e-3).theta,
        }.items():
            rows.append({"learner": learner, "L": L, "theta": theta})
    return pd.DataFrame(rows)


def main() -> None:
    """Make tables and figure."""
    from needlescope.figures import overview

    FOLDER.mkdir(exist_ok=True)
    tables = {"curves": learning_curves(), "thresholds": thresholds()}
    for name, table in tables.items():
        table.to_csv(FOLDER / f"overview-{name}.csv", index=False)
    figure = overview(**tables)
    for ending in ("png", "pdf"):
        figure.savefig(FOLDER / f"overview.{ending}")


if __name__ == "__main__":
    main()
