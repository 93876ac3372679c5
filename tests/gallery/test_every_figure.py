"""Every figure takes what there is, and refuses a table with nothing that it draws."""

from __future__ import annotations

from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from needlescope import figures
from needlescope.experiments.units.calls import SIMULATED
from needlescope.gallery.registry import names, published
from tests.gallery.tables import answers, complete, drawing, drawing_of

NAMES = names()


@pytest.fixture(autouse=True)
def no_computing(monkeypatch):
    """Drawing must not compute, nor show."""

    def refuse(*_):
        raise AssertionError("a figure computed")

    monkeypatch.setattr("needlescope.experiments.units.calls.run_call", refuse)
    monkeypatch.setattr("needlescope.experiments.units.unit.run_call", refuse)
    monkeypatch.setattr(plt, "show", refuse)


STRANGE = ("simulation", "theory", "most numbers")  # axes that may not find a range


def numeric(table):
    """The columns that hold numbers."""
    return [name for name in table if pd.api.types.is_numeric_dtype(table[name])]


def without(table, lost):
    """The table of units of which some failed: their numbers are gone, and empty columns."""
    blanked = table.assign(**{answer: table[answer].mask(lost) for answer in answers(table)})
    return blanked.dropna(axis=1, how="all")


def parts(table):
    """Tables of which something is missing, and what it is."""
    simulated = table.call.isin(SIMULATED)
    yield "everything", pd.DataFrame()
    yield "known columns", pd.DataFrame({"a": [1]})
    yield "rows", table[:0]
    yield "simulation", table[~simulated]
    yield "theory", table[simulated]
    yield "all numbers", without(table, simulated | True)
    for call in table.call.unique():
        yield f"the numbers of {call}", without(table, table.call == call)
    most = pd.Series(np.random.default_rng(0).random(len(table)) < 0.95, index=table.index)
    yield "most numbers", without(table, most)


NOTHING = {"everything", "known columns", "rows", "all numbers"}
NOTHING_BY = {
    "rates": {"theory", "the numbers of asymptote"},  # no limit to be above of
    "deep_training": {"simulation", "the numbers of simulate_deep"},  # no training to watch
}
NOTHING_ALONE = {  # what a single panel cannot do without
    "capacity": {"simulation", "theory", "the numbers of capacity"}
    | {"the numbers of simulate_separability"},
    "separation": {"theory", "the numbers of oracle_threshold"},
}
FEWER = {  # axes
    ("phases", "theory"): 3,  # maps of those L alone that have rings, and their colours
    ("deep_training", "most numbers"): 2,  # the one training that is left does not attend
}
NEEDED = {  # columns without which nothing is drawn
    "deep_generalise": {"task.L"},
    "deep_lengths": {"task.L"},
    "deep_rare": {"task.pi"},
    "deep_training": {"path_epochs_1"},
    "errors": {"training.alpha1"},
    "alignment": {"training.alpha0"},
    "attention_map": {"training.alpha0", "task.theta"},
    "joint": {"task.L", "task.theta", "training.alpha1", "test_error"},
    "keep_up": {"task.L"},
    "kinds": {"task.L", "task.R", "training.alpha0", "training.alpha1", "test_error"},
    "length": {"test_task.L", "test_error"},
    "limit": {"task.L"},
    "phases": {"task.L", "task.theta"},
    "rare": {"task.pi"},
    "rates": {"training.alpha1", "test_error", "limit"},
    "reuse": {"training.alpha1", "test_error"},
    "robustness": {"training.alpha1", "noise.df"},
    "separation": {"task.L"},
    "steps": {"task.L"},
    "win_or_lose": {"test_error", "training.alpha0"},
}


@cache
def whole(name):
    """Whether each panel of a figure has data, where nothing is missing."""
    return [panel.has_data() for panel in getattr(figures, name)(complete(name)).axes]


@pytest.mark.sampled(13)
@pytest.mark.parametrize("name", NAMES)
def test_a_complete_table_fills_every_panel(name):
    assert whole(name) and all(whole(name))


def drawn_or_refused(name, table, **options):
    """Draw a table; None if the figure says why it does not."""
    try:
        return getattr(figures, name)(table, **options)
    except ValueError as problem:
        assert str(problem).startswith(f"figures.{name} ")
        return None


def drawing_or_refused(name, table, **options):
    """Return what is drawn of a table; None if the figure says why nothing is."""
    try:
        return drawing(name, table, **options)
    except ValueError as problem:
        assert str(problem).startswith(f"figures.{name} ")
        return None


@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", NAMES)
def test_a_figure_has_its_series_unless_there_is_nothing_to_draw(name):
    """All ways to lack everything, a third of the others, and other thirds of other figures."""
    ways = list(parts(complete(name)))
    some = [item for item, _ in ways if item not in NOTHING][NAMES.index(name) % 3 :: 3]
    panels = len(drawing_of(name).panels)
    nothing = NOTHING | NOTHING_BY.get(name, set())
    for missing, part in ways:
        if missing not in NOTHING and missing not in some:
            continue
        result = drawing_or_refused(name, part)
        if missing != "most numbers":  # which may be those of one call or another
            assert (result is None) == (missing in nothing), missing
        if result is not None and (name, missing) not in FEWER:
            assert len(result.panels) == panels and all(panel.marks for panel in result.panels), (
                missing
            )
        if missing in some:
            lone = drawing_or_refused(name, part, alone=True)
            refused = missing in nothing | NOTHING_ALONE.get(name, set())
            assert (lone is None) == refused or missing == "most numbers", missing


@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", NAMES)
def test_a_figure_that_lacks_much_is_drawn(name):
    """In one of the ways that may leave axes without a range."""
    ways = dict(parts(complete(name)))
    missing = STRANGE[NAMES.index(name) % len(STRANGE)]
    figure = drawn_or_refused(name, ways[missing])
    if figure is not None:
        figure.draw_without_rendering()  # which lays everything out
        assert len(figure.axes) == FEWER.get((name, missing), len(whole(name)))
        assert all(filled(panel) for panel in figure.axes)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_drawn_unless_there_is_nothing_to_draw(name):
    panels = len(whole(name))
    for missing, part in parts(complete(name)):
        nothing = NOTHING | NOTHING_BY.get(name, set())
        figure = drawn_or_refused(name, part)
        _, ax = plt.subplots()
        alone = drawn_or_refused(name, part, ax=ax)
        if missing != "most numbers":  # which may be those of one call or another
            assert (figure is None) == (missing in nothing), missing
            assert (alone is None) == (missing in nothing | NOTHING_ALONE.get(name, set())), missing
        if figure is not None:
            if missing in STRANGE:
                figure.draw_without_rendering()  # which lays everything out
            assert len(figure.axes) == FEWER.get((name, missing), panels), missing
            assert all(filled(panel) for panel in figure.axes), missing
        assert not ax.has_data() if alone is None else alone.axes == [ax], missing
        plt.close("all")


def filled(panel):
    """Whether a panel has data, or says that it has none."""
    said = any("not in the table" in text.get_text() for text in panel.texts)
    drawn = panel.collections or panel.images
    return said or any(len(line.get_xdata()) for line in panel.lines) or drawn


@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", NAMES)
def test_a_figure_has_its_series_where_columns_are_missing(name):
    """Those that it needs, and a twelfth of the others, other twelfths of other figures."""
    table, needed = complete(name), NEEDED.get(name, set())
    others = [item for item in numeric(table) if item not in needed]
    for column in (*sorted(needed), *others[NAMES.index(name) % 12 :: 12]):
        result = drawing_or_refused(name, table.drop(columns=column))
        assert (result is None) == (column in needed), column


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_drawn_unless_the_column_is_one_it_needs(name):
    table = complete(name)
    for column in numeric(table):
        figure = drawn_or_refused(name, table.drop(columns=column))
        assert (figure is None) == (column in NEEDED.get(name, set())), column
        plt.close("all")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_what_the_figure_does_not_draw_has_one_value(name):
    table = complete(name)
    column = (
        "task.theta" if name in ("joint", "rare", "deep_rare") else "task.pi"
    )  # which they draw
    column = "pi" if name == "real" else column  # whose calls have no task
    both = pd.concat([table, table.assign(**{column: 0.123})], ignore_index=True)
    if name == "errors":  # which draws it
        assert [text.get_text() for text in figures.errors(both).legends[1].get_texts()] == [
            "π = 0.123",
            "π = 0.5",
            "Bayes-optimal",
        ]
        return
    with pytest.raises(ValueError, match=column.replace(".", r"\.")):
        getattr(figures, name)(both)


@pytest.mark.sampled(15)
@pytest.mark.parametrize("name", NAMES)
def test_other_rows_of_a_store_change_nothing(name):
    table = complete(name)
    of_its_calls = name in ("alignment", "keep_up", "rare", "deep_training")
    other = "capacity" if of_its_calls else "alignment"
    other = complete(other).assign(**{"task.pi": 0.9})
    beside = drawing(name, pd.concat([table, other]))
    assert repr(drawing_of(name)) == repr(beside)


@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_missing_is_not_compared(name):
    """Without one side nothing is; of other ways a third is tried, other thirds of others."""
    compare, table = published(name).scores, complete(name)
    whole = len(compare(table))
    for place, (missing, part) in enumerate(parts(table)):
        if missing in ("simulation", "theory", "all numbers"):
            assert compare(part).empty, missing
        elif len(part) and place % 3 == NAMES.index(name) % 3:
            assert len(compare(part)) <= whole, missing
