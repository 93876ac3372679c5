"""The experiment "robustness": its units, and Gaussian noise against theory on a small run."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores.store import Store
from needlescope.experiments.units.unit import canonical
from needlescope.gallery.paper.robustness import GAUSSIAN, LAWS, OTHERS, robustness
from needlescope.gallery.registry import published

FIGURE = published("robustness")


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_every_law_has_the_same_dots(full):
    units = FIGURE.units(full)
    assert len({unit.key for unit in units}) == len(units)
    dots = {}
    for unit in units:
        if unit.call == "simulate":
            result = unit.arguments
            law = canonical(result["noise"])
            dots.setdefault(law, set()).add((result["model"], result["training"]["alpha1"]))
    assert len(dots) == 1 + len(OTHERS)
    assert len({frozenset(dot) for dot in dots.values()}) == 1


@pytest.mark.slow
def test_only_gaussian_noise_is_compared(tmp_path):
    correlated = [law for law in OTHERS if law["entries"] == "gaussian"]
    assert len(correlated) == 2
    kept = (None, GAUSSIAN, *correlated)
    units = [
        unit
        for unit in FIGURE.units(False)
        if unit.arguments["training"]["alpha1"] == 2.0 and unit.arguments.get("noise") in kept
    ]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        table = store.to_pandas(units)
    scores = FIGURE.scores(table)
    plain = table["noise.token_correlation"].fillna(0.0) == 0.0
    plain &= table["noise.covariance_decay"].isna()
    alone = FIGURE.scores(table[plain])
    assert len(scores) and scores["z"].tolist() == alone["z"].tolist()
    assert scores["z"].abs().max() < 5.0


def test_nothing_to_compare_in_an_empty_store(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        assert len(FIGURE.scores(store.to_pandas([]))) == 0


@pytest.fixture
def table():
    rows = []
    for model in ("attention", "pooled"):
        for alpha1 in (1.0, 4.0):
            point = {"model": model, "training.alpha1": alpha1}
            numbers = {"test_error": 0.2 / alpha1, "train_loss": 0.1, "train_error": 0.0}
            rows.append({"call": "predict", **point, **numbers})
            for noise in (GAUSSIAN, *OTHERS):
                law = {f"noise.{key}": value for key, value in noise.items()}
                rows += [{"call": "simulate", "d": 9, **point, **law, **numbers}] * 2
    yield pd.DataFrame(rows)
    plt.close("all")


def test_each_law_has_its_dots_in_each_panel(table):
    figure = robustness(table)
    assert len(figure.axes) == 6 and figure.get_size_inches()[0] == 7.0
    assert all(len(ax.containers) == len(LAWS) for ax in figure.axes)
    assert len(figure.legends[0].get_texts()) == 1 + len(LAWS)
    shapes = {container.lines[0].get_marker() for container in figure.axes[0].containers}
    assert len(shapes) == len(LAWS)


def test_draws_one_panel_into_given_axes(table):
    figure, ax = plt.subplots()
    assert robustness(table, ax=ax, model="pooled") is figure
    assert len(figure.axes) == 1 and len(ax.containers) == len(LAWS)


def test_lines_alone_are_drawn(table):
    lines = table[table.call == "predict"].dropna(axis=1)
    assert not robustness(lines).axes[0].containers


def test_the_legend_hides_no_data_in_small_axes(table):
    figure, ax = plt.subplots(figsize=(3.4, 2.8))
    robustness(table, ax=ax)
    figure.canvas.draw()
    lowest = ax.get_legend().get_window_extent().y0
    assert ax.transData.transform((1.0, ax.dataLim.y1))[1] < lowest
