"""The experiment "errors": the paper's sizes, and the peak that a small d rounds off."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from needlescope.experiments.comparison import grid, trials
from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores.store import Store
from needlescope.experiments.units.unit import Unit
from needlescope.figures.reading.rows import means
from needlescope.gallery.paper import errors as module
from needlescope.gallery.paper.errors import LOSSES, PAPER_MODELS, errors
from needlescope.gallery.registry import published

FIGURE = published("errors")


@pytest.mark.parametrize("full", [False, True])
def test_each_dot_has_its_line(full):
    units = FIGURE.units(full)
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

    assert len(FIGURE.scores(table("pooled", 1.0))) == 0
    assert len(FIGURE.scores(table("pooled", 2.0))) == 2
    assert len(FIGURE.scores(table("vectorized", 1.0))) == 2


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    units = []
    for point in grid(model=PAPER_MODELS, loss=LOSSES, alpha1=(0.5, 2.0)):
        arguments = module._arguments(**point)
        units.append(Unit("predict", arguments))
        units += trials("simulate", {**arguments, "d": 20}, 3)
    with Store(tmp_path_factory.mktemp("errors") / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        return store.to_pandas(units)


def test_two_losses_by_three_quantities(table):
    figure = errors(table)
    figure.canvas.draw()
    assert figure.get_size_inches()[0] == 7.0 and len(figure.axes) == 6
    for ax in figure.axes:
        assert len(ax.containers) == 3 and ax.get_xscale() == "log"
    words = [ax.get_ylabel().split(",")[0] for ax in figure.axes]
    assert words == ["test error", "training loss", "training error"] * 2
    assert all(r"\alpha_1" in ax.get_xlabel() for ax in figure.axes[3:])
    assert [ax.get_title(loc="left") for ax in figure.axes[::3]] == ["logistic loss", "square loss"]
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["attention", "mean pooling", "flat linear"]


def test_dots_are_means_with_standard_errors(table):
    where = (table.call == "simulate") & (table.model == "pooled")
    values = table[where & (table["training.loss"] == "square") & (table["training.alpha1"] == 2.0)]
    result = means(values, "training.alpha1", "test_error").iloc[0]
    numbers = values.test_error.to_numpy()
    assert result["mean"] == pytest.approx(numbers.mean())
    assert result["se"] == pytest.approx(numbers.std(ddof=1) / np.sqrt(3))
    drawn = [box[0].get_ydata()[-1] for box in errors(table).axes[3].containers]
    assert pytest.approx(result["mean"]) in drawn


@pytest.mark.parametrize("loss", LOSSES)
def test_one_panel_into_given_axes(table, loss):
    figure, ax = plt.subplots()
    assert errors(table, ax=ax, loss=loss) is figure
    assert figure.axes == [ax] and not figure.legends and len(ax.containers) == 3
    assert {"attention", "mean pooling", "flat linear"} <= {text.get_text() for text in ax.texts}


@pytest.mark.slow
def test_missing_rows_are_left_out(table):
    simulated = table[table.call == "simulate"].drop(columns="train_loss")
    for part in (table[table.call == "predict"], simulated):
        errors(part).canvas.draw()
    failed = table.assign(test_error=table.test_error.where(table.model != "pooled"))
    assert [len(ax.containers) for ax in errors(failed).axes[:3]] == [2, 3, 3]


def test_the_loss_is_logistic_where_the_table_does_not_say(table):
    _, ax = plt.subplots()
    logistic = table[table["training.loss"] == "logistic"]
    errors(logistic.drop(columns="training.loss"), ax=ax)
    assert len(ax.containers) == 3
    square = table[table["training.loss"] == "square"].drop(columns="training.loss")
    assert [ax.get_title(loc="left") for ax in errors(square).axes] == ["logistic loss"] * 3


def test_a_single_trial_has_no_bar(table):
    once = table.drop_duplicates(["call", "model", "training.loss", "training.alpha1"])
    errors(once).canvas.draw()


def both(table, column, *values):
    """The table once for each value of a column, errors a little larger each time."""
    parts = [table.assign(**{column: value}) for value in values]
    for rank, part in enumerate(parts):
        part["test_error"] += 0.05 * rank
    return pd.concat(parts, ignore_index=True)


def test_a_curve_and_dots_of_its_own_for_each_signal(table):
    figure = errors(both(table, "task.theta", 4.0, 5.0))
    assert [text.get_text() for text in figure.legends[1].get_texts()] == ["θ = 4", "θ = 5"]
    square = table["training.loss"] == "square"
    for model, colour in (("attention", "#0072B2"), ("pooled", "#D55E00")):
        rows = table[square & (table.model == model)]
        theory = rows[rows.call == "predict"].sort_values("training.alpha1").test_error
        trials = rows[rows.call == "simulate"].groupby("training.alpha1").test_error.mean()
        panel = figure.axes[3]
        lines = [
            line for line in panel.lines if line.get_color() == colour and line.get_ls() != "None"
        ]
        dots = [
            container.lines[0]
            for container in panel.containers
            if container.lines[0].get_color() == colour
        ]
        assert [line.get_linestyle() for line in lines] == ["-", "--"]
        for rank, (line, dot) in enumerate(zip(lines, dots, strict=True)):
            drawn = [np.asarray(item.get_ydata(), float) for item in (line, dot)]
            assert drawn[0] == pytest.approx(theory.to_numpy(float) + 0.05 * rank)
            assert drawn[1] == pytest.approx(trials.to_numpy(float) + 0.05 * rank)
    assert len({container.lines[0].get_marker() for container in figure.axes[3].containers}) == 2


def test_names_beside_lines_say_whose_signal_they_are(table):
    _, ax = plt.subplots()
    errors(both(table, "task.theta", 4.0, 5.0), ax=ax)
    names = {text.get_text() for text in ax.texts}
    assert {"attention, θ = 4", "attention, θ = 5", "mean pooling, θ = 5"} <= names


def test_what_a_model_does_not_depend_on_makes_no_curve_of_it(table):
    panel = errors(both(table, "training.alpha0", 4.0, 8.0)).axes[0]
    colours = [box.lines[0].get_color() for box in panel.containers]
    assert sorted(map(colours.count, set(colours))) == [1, 1, 2]  # two of attention


@pytest.mark.slow
def test_a_row_of_panels_for_each_loss_that_is_there(table):
    logistic = table[table["training.loss"] == "logistic"]
    assert len(errors(logistic).axes) == 3
    more = pd.concat([table, logistic.assign(**{"training.loss": "hinge"})], ignore_index=True)
    figure = errors(more)
    figure.canvas.draw()
    titles = [ax.get_title(loc="left") for ax in figure.axes[::3]]
    assert titles == ["logistic loss", "square loss", "hinge loss"]


def test_legends_name_what_is_there(table):
    names = errors(table[table.model != "vectorized"]).legends[0].get_texts()
    assert [text.get_text() for text in names] == ["attention", "mean pooling"]


def with_limit(table, **more):
    row = {"call": "bayes_optimal", "test_error": [0.03, 0.02, 0.01], **more}
    return pd.concat([table, pd.DataFrame({**row, "alpha": [3.0, 4.5, 6.0]})], ignore_index=True)


def test_the_bayes_optimal_error_is_a_thin_line_at_all_the_data(table):
    figure = errors(with_limit(table, **{"task.theta": 5.0}))
    for place, ax in enumerate(figure.axes):
        thin = [line for line in ax.lines if line.get_linewidth() == 0.9]
        assert len(thin) == (place in (0, 3))  # test errors alone
        for line in thin:  # α0 = 4; fewer than the query took cannot be had
            assert line.get_xdata().tolist() == [0.5, 2.0]
            assert line.get_ydata().tolist() == [0.02, 0.01]
    assert [text.get_text() for text in figure.legends[1].get_texts()] == ["Bayes-optimal"]


@pytest.mark.slow
def test_the_limit_has_a_line_for_each_signal_and_none_for_two_query_data(table):
    many = pd.concat(
        [
            with_limit(table.assign(**{"task.theta": item}), **{"task.theta": item})
            for item in (4.0, 5.0)
        ]
    )
    thin = [line for line in errors(many).axes[0].lines if line.get_linewidth() == 0.9]
    assert len(thin) == 2 and thin[0].get_linestyle() != thin[1].get_linestyle()
    unsure = with_limit(both(table, "training.alpha0", 4.0, 8.0))
    assert not [line for line in errors(unsure).axes[0].lines if line.get_linewidth() == 0.9]
