"""What the figures of fuller attention share: a look for each architecture, and lines of theory.

Colours differ also for the colour-blind (`tests/gallery/test_deep_style.py`), and
architectures that are drawn together differ in their dots as well.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import pandas as pd

from ..deep.catalogue import ARCHITECTURES
from ..figures.drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ..figures.from_rows import (
    BAYES_KEY,
    bayes_line,
    describe_marks,
    dots,
    empty_note,
    error_axis,
    line,
)
from ..figures.marks import Dots, Line, Mark, Rule, numbers
from ..figures.reading.rows import means, select
from ..figures.style import COLOURS, DOTTED

Y = "test_error"
ALPHA0, ALPHA1 = "training.alpha0", "training.alpha1"
SETTINGS = ("training.eta_q", "training.ridge")  # of two steps, of which the best is drawn
ACROSS = (*SETTINGS, "model", "architecture", "lengths")  # what changes in all of these figures
NAMES = tuple(ARCHITECTURES)
TICKS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
JOIN_WIDTH = 0.9  # the width of the line from dot to dot


class MarkerStyle(NamedTuple):
    """The colour and the dots of an architecture."""

    colour: str
    marker: str
    size: float = 3.6


ARCHITECTURE_STYLES = {
    "solvable": MarkerStyle("#332288", "o"),
    "cls": MarkerStyle("#88CCEE", "s"),
    "multihead": MarkerStyle("#117733", "^", 4.4),
    "block": MarkerStyle("#CC6677", "v", 4.4),
    "two_blocks": MarkerStyle("#882255", "D", 3.3),
    "linear": MarkerStyle(COLOURS["linear"], "s"),
    "max": MarkerStyle("#EE7733", "D", 3.3),
    "gated": MarkerStyle("#AA4499", ">", 4.4),
    "gated_hidden": MarkerStyle("#DDCC77", "o"),
    "gru": MarkerStyle("#00BFA0", "s"),
    "convolution": MarkerStyle("#999933", "o"),
}
SPARE_STYLES = (  # of architectures that have none above
    *(MarkerStyle("#0000FF", ">", 4.4), MarkerStyle("#8888EE", "^", 4.4)),
    *(MarkerStyle("#77FFFF", "v", 4.4), MarkerStyle("#BBFFCC", "o")),
)
ARCHITECTURE_STYLES |= dict(
    zip([name for name in NAMES if name not in ARCHITECTURE_STYLES], cycle(SPARE_STYLES))
)
FAMILIES = {  # the panel of each family of architectures: its title, and who is in it
    family: (title, tuple(name for name in NAMES if ARCHITECTURES[name].family == family))
    for family, title in {
        "paper": "the paper’s model, linear attention",
        "attention": "self-attention, transformers, gates",
        "others": "without attention",
    }.items()
}
TWO_STEPS, TWO_STEPS_COLOUR = "two steps (theory)", COLOURS["attention"]
KNOWN_STYLE: dict[str, Any] = {"colour": COLOURS["bayes"], "dash": DOTTED, "width": 1.0}
SIGNAL_KNOWN = "signal known"


def label(name: str) -> str:
    """Return an architecture's name in a legend."""
    return ARCHITECTURES[name].label.replace("'", "’")


def of_attention(table: pd.DataFrame, call: str) -> pd.DataFrame:
    """Return the rows of a call that are of the paper's model, which it need not say."""
    rows = table[table["call"] == call]
    return rows[rows["model"].isna() | (rows["model"] == "attention")]


def theory_lines(table: pd.DataFrame, x: str, *, level: bool = False) -> list[Mark]:
    """Return the lines of theory: Bayes-optimal, the known signal, two steps at their best.

    If it is ``level``, the known signal does not depend on x, and is not drawn here.
    """
    result = bayes_line(select(table, [x, Y], call="bayes_optimal"), x)
    known = select(table, [x, "error"], call="oracle").sort_values(x)
    if len(known) and not level:
        points = numbers(known[x]), numbers(known["error"])
        result.append(Line(*points, name=SIGNAL_KNOWN, layer=-1, **KNOWN_STYLE))
    rows = select(of_attention(table, "predict"), [x, Y])
    return result + line(rows, x, Y, TWO_STEPS_COLOUR, TWO_STEPS, "min")


def architecture_dots(
    table: pd.DataFrame, x: str, names: Sequence[str], y: str = Y, *, apart: float = 1.012
) -> list[Dots]:
    """Return the means over trials of each architecture, joined, a little apart from each other."""
    rows = select(table, [x, y], call="simulate_deep")
    present = [name for name in names if (rows["architecture"] == name).any()]
    result = []
    for rank, name in enumerate(present):
        aside = apart ** (rank - 0.5 * (len(present) - 1))
        look = {"aside": aside, "joined": JOIN_WIDTH, **ARCHITECTURE_STYLES[name]._asdict()}
        result.append(
            dots(means(rows[rows["architecture"] == name], x, y), name=label(name), **look)
        )
    return result


def errors_axis(marks: Sequence[Mark], more: Sequence[float] = ()) -> Axis:
    """Return the axis of test errors that has room for marks, and for some more heights."""
    return error_axis(marks, (0.85, 1.12), TICKS, more)


def unnamed(axis: Axis) -> Axis:
    """Return an axis without its name, which stands beside the first panel."""
    return dataclasses.replace(axis, name="")


def family_drawing(
    table: pd.DataFrame,
    lines: Sequence[Mark],
    marks: Mapping[str, Sequence[Dots]],
    x: Axis,
    around: Sequence[Mark] = (),
    corner: str = "upper right",
    panel: str = "",
) -> Drawing:
    """Return a panel for each family of architectures, or that of one ``panel`` alone.

    All have the lines of theory, what stands ``around`` them, and one axis of errors.
    """
    levels = [mark.y for mark in lines if isinstance(mark, Rule) and mark.y is not None]
    every = [*lines, *(item for some in marks.values() for item in some)]
    errors, keys = errors_axis(every, levels), theory_keys(lines, bool(levels))

    def of(family: str) -> Panel:
        own, first = dot_keys(marks[family]), bool(panel) or family == next(iter(FAMILIES))
        shown = [*lines, *marks[family]]
        return Panel(
            [*around, *shown, *empty_note(shown)],
            x,
            errors if first else unnamed(errors),
            FAMILIES[family][0],
            legend=legend_inside([*keys, *own], corner) if panel else legend_below(own, 0.215),
        )

    if panel:
        return single(of(panel))
    block = Block([of(family) for family in FAMILIES], 3, (0.062, 0.99, 0.335, 0.865), (0.17, 0.2))
    return Drawing([block], (8.6, 4.1), describe_table(table), legend_above(keys, 0.05))


def single_drawing(
    table: pd.DataFrame, marks: Sequence[Mark], x: Axis, errors: Axis, keys: Sequence[Key]
) -> Drawing:
    """Return one panel with its legend at the right."""
    panel = Panel(marks, x, errors, legend=legend_beside(keys))
    return Drawing([Block([panel], 1, (0.1, 0.65, 0.145, 0.9))], (6.4, 3.4), describe_table(table))


def theory_keys(marks: Sequence[Mark], known: bool = False) -> list[Key]:
    """Explain the lines of theory that are there."""
    present = {mark.name for mark in marks if isinstance(mark, Line)}
    keys = [
        (TWO_STEPS, Line(colour=TWO_STEPS_COLOUR)),
        (BAYES_KEY.name, BAYES_KEY.line),
        (SIGNAL_KNOWN, Line(**KNOWN_STYLE)),
    ]
    return [
        Key(name, line)
        for name, line in keys
        if name in present or (known and name == SIGNAL_KNOWN)
    ]


def dot_keys(marks: Sequence[Mark]) -> list[Key]:
    """Explain the dots that are there, each name once."""
    result = {mark.name: mark for mark in marks if isinstance(mark, Dots) and mark.name}
    return [
        Key(name, dots=dataclasses.replace(value, x=(), y=(), se=None, name=""))
        for name, value in result.items()
    ]


def legend_above(keys: Sequence[Key], left: float) -> list[Legend]:
    """Return a legend of one line, above all panels."""
    spaces = {"columnspacing": 1.4, "handlelength": 1.8}
    return [Legend(keys, "upper left", (left, 1.0), len(keys), spaces=spaces)] if keys else []


def legend_below(keys: Sequence[Key], down: float) -> Legend:
    """Return a legend below a panel, by a share of its height."""
    spaces = {"handlelength": 2.0, "labelspacing": 0.3, "borderaxespad": 0.0, "borderpad": 0.0}
    return Legend(keys, "upper left", (0.0, -down), spaces=spaces)


def legend_beside(keys: Sequence[Key]) -> Legend:
    """Return a legend at the right of a panel."""
    spaces = {"handlelength": 2.0, "labelspacing": 0.4, "borderaxespad": 0.0, "borderpad": 0.0}
    return Legend(keys, "upper left", (1.04, 1.0), spaces=spaces)


def legend_inside(
    keys: Sequence[Key], corner: str = "upper right", *, room: bool = False
) -> Legend:
    """Return a legend in a panel that stands alone, small, where there are the fewest data."""
    spaces = {"handlelength": 1.8, "labelspacing": 0.25}
    return Legend(keys, corner, size=6.0, room=room, spaces=spaces)


def describe_table(table: pd.DataFrame) -> str:
    """Say what lines and dots are, and how many trainings ended without a number."""
    return "\n".join((describe_marks(table, "simulate_deep"), *count_lost(table)))


def count_lost(table: pd.DataFrame) -> list[str]:
    """Count the trainings that diverged, and those that ended in another error."""
    messages = select(table, ["error_message"], call="simulate_deep")["error_message"].astype(str)
    diverged = int(messages.str.contains("diverge").sum())
    counted = {"diverged": diverged, "failed": len(messages) - diverged}
    return [f"{n} training{'s' * (n > 1)} {how}" for how, n in counted.items() if n]
