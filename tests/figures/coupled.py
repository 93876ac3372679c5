"""Tables of a sweep whose axes L and θ go together, with numbers made up."""

from __future__ import annotations

import pandas as pd

LENGTHS = {10: 3.0, 100: 4.2, 1000: 5.2}  # L and θ go together


def rows(call="predict", models=("pooled", "attention"), trials=(0.0,), **more):
    """A table of coupled axes: an error that grows with L, one row a trial."""
    return pd.DataFrame(
        {"call": call, "model": model, "task.L": L, "task.theta": theta,
         "test_error": 0.1 + 0.1 * place + 0.05 * (model == "pooled") + trial, **more}
        for model in models
        for place, (L, theta) in enumerate(LENGTHS.items())
        for trial in trials
    )  # fmt: skip


TRIALS = (0.0, 0.01, 0.03)


def both(**more):
    return pd.concat([rows(), rows("simulate", trials=TRIALS, d=200, **more)], ignore_index=True)
