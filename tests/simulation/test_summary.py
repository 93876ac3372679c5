"""Answers built from trials: axes in order, errors of the spread, NaN for a single trial."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.results import Separability
from needlescope.simulation.summary import build, by_name, means


def test_axes_are_the_grid_then_trials_then_their_own() -> None:
    rows = [{"error": 0.1 * k, "path": np.full(4, k)} for k in range(6)]
    values = by_name(rows, (2,), 3)
    assert values["error"].ravel() == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
    assert values["error"].shape == (2, 3)
    assert values["path"].shape == (2, 3, 4) and (values["path"][1, 0] == 3.0).all()


def test_errors_are_those_of_the_mean() -> None:
    result = means({"x": np.array([[1.0, 2.0, 6.0], [4.0, 4.0, 4.0]])}, ["x"])
    assert result["x"].tolist() == [3.0, 4.0]
    assert result["x_se"] == pytest.approx([np.sqrt(7.0 / 3.0), 0.0])
    assert np.isnan(means({"x": np.ones((2, 1))}, ["x"])["x_se"]).all()


def test_a_single_problem_has_plain_numbers_and_keeps_its_trials() -> None:
    trials = {"separable": np.array([1.0, 0.0])}
    columns = {"model": "pooled", "fraction": 0.5, "fraction_se": 0.2}
    item = build(Separability, columns, (), None, trials)
    assert type(item.fraction) is float and item.trials is trials
    assert item.provenance == "simulation" and item.model == "pooled"
