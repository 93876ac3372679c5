"""The experiment "errors": the paper's sizes, and the peak that a small d rounds off."""

from __future__ import annotations

import pandas as pd
import pytest

from needlescope.experiments.published.errors import EXPERIMENT


@pytest.mark.parametrize("full", [False, True])
def test_each_dot_has_its_line(full):
    units = EXPERIMENT.units(full)
    assert len({unit.key for unit in units}) == len(units)

    def points(call):
        return {
            (u.arguments["model"], *map(u.arguments["training"].get, ("loss", "alpha1")))
            for u in units
            if u.call == call
        }

    assert points("simulate") < points("predict")
    largest = max(u.arguments["d"] for u in units if u.call == "simulate")
    assert largest == (1000 if full else 200)


def test_the_peak_is_drawn_but_not_scored():
    def table(model, alpha1):
        place = {"training.loss": "square", "training.alpha1": alpha1, "model": model}
        numbers = {"test_error": 0.4, "train_loss": 0.1, "train_error": 0.0}
        trials = [{"call": "simulate", "d": 1000, **place, **numbers}] * 2
        return pd.DataFrame([{"call": "predict", **place, **numbers}, *trials])

    assert len(EXPERIMENT.compare(table("pooled", 1.0))) == 0
    assert len(EXPERIMENT.compare(table("pooled", 2.0))) == 2
    assert len(EXPERIMENT.compare(table("vectorized", 1.0))) == 2
