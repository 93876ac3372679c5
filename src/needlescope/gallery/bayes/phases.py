"""When learning is impossible, hard and easy: by data, by strength and by tokens.

R = 1, π = ½, and L = 30, 100, 1000 and 10,000.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import grid
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Panel, single
from ...figures.from_rows import empty_note, ends, grid_map, rings
from ...figures.marks import INSIDE, Dots, Line, Mark, Scale, Text, numbers
from ...figures.reading.rows import describe_trials, select
from ...figures.reading.validation import RowSpec, TableSpec, choose_length, read_table
from ...figures.rendered import figure_of
from ...figures.style import BLACK, COLOURS, DASHED, SOLID, WHITE
from .limit import amp_units, bayes_unit, boundaries
from .limit import scores as scores  # AMP is compared as there

ORDER = 12
TITLE = "When learning is impossible, hard and easy"
CAPTION = (
    "The Bayes-optimal test error, by the amount of data and the strength of the signal, for "
    "increasing numbers of tokens. It jumps across the dashed line, the information-theoretic "
    'threshold: with fewer data learning is "impossible". AMP from an uninformed start reaches '
    'it beyond the solid line, the algorithmic threshold: learning is "easy". Between the two it '
    'is possible but "hard". The lines end in a dot: with a weaker signal the error falls '
    "without a jump. With thirty tokens both lines nearly coincide; with ten thousand AMP needs "
    "many times the data that are sufficient. The rings are AMP simulated at finite dimension, "
    "filled with its own error; one that stands out has not reached the Bayes-optimal error. "
    "Rings between half of the dashed α and twice the solid one are shown and not scored. Lines "
    "and maps are replica-symmetric formulas."
)
TOKENS = (30, 100, 1000, 10_000)
ALPHAS, THETAS = (0.01, 1000.0), (2.0, 8.0)
# Where the iteration is run: at these strengths and at places among the α of the quick map.
STRENGTHS = (3.0, 4.0, 5.0, 6.5)
AMP_PLACES = {30: (2, 4, 6, 8), 100: (3, 5, 7)}
LARGE = {1000: (3, 5, 7)}  # and in full


def units(full: bool) -> list[Unit]:
    """Maps of the Bayes-optimal error and its boundaries for each L, and AMP at some points."""
    coarse = np.geomspace(*ALPHAS, 16).round(5).tolist()
    alphas = np.geomspace(*ALPHAS, 46).round(5).tolist() if full else coarse
    thetas = np.linspace(*THETAS, 25 if full else 13).tolist()
    lines = np.linspace(*THETAS, 121 if full else 61).round(3).tolist()
    d, count = (400, 8) if full else (200, 4)
    result = []
    for L in TOKENS:
        for point in grid(theta=thetas, alpha=alphas):
            result.append(bayes_unit(_task(L, point["theta"]), point["alpha"]))
        result += [boundaries(_task(L, theta)) for theta in sorted({*lines, *thetas})]
    for L, places in {**AMP_PLACES, **(LARGE if full else {})}.items():
        for point in grid(theta=STRENGTHS, alpha=[coarse[place] for place in places]):
            result += amp_units(_task(L, point["theta"]), point["alpha"], d, count)
    return result


def _task(L: int, theta: float) -> dict[str, Any]:
    return {"L": L, "R": 1, "theta": theta, "pi": 0.5}


X, Y = "alpha", "task.theta"
GRID = RowSpec(("task.L", X, Y), ("test_error",))
TABLE = TableSpec(
    "phases",
    {
        "bayes_optimal": GRID,
        "simulate_amp": GRID,
        "phase_boundaries": RowSpec(("task.L", Y), ("alpha_it", "alpha_amp")),
    },
    across=("task.L", X, Y),
)
SCALE = Scale(
    0.0, 0.5, ("#003A5C", COLOURS["attention"], "#8FC7E8", WHITE), "Bayes-optimal test error"
)
EDGES = {"alpha_it": DASHED, "alpha_amp": SOLID}
WIDE, ROOM = 2.5, 10.0  # ratios of α that leave room for a word: between both lines, and before
ABOVE_RINGS = (0.0, 12.5)  # points above the critical strength: AMP is simulated close to it


@figure_of(TABLE)
def phases(table: pd.DataFrame, ax: Any = None, *, L: int | None = None) -> Drawing:
    """Draw the least test error by data and strength, and where learning jumps; a map for each L.

    Maps are "bayes_optimal", rings "simulate_amp", filled with the colour of their mean. Lines are
    "phase_boundaries": dashed the information-theoretic threshold, solid the algorithmic one.

    Parameters
    ----------
    L : int, optional
        With ``ax``, which one: the fewest tokens by default.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "phase_boundaries", "task.L": 1000, "task.theta": [4.0, 5.0],
    ...                       "alpha_it": [0.70, 0.18], "alpha_amp": [3.1, 1.2]})
    >>> [line.get_xdata().tolist() for line in figures.phases(table).axes[0].lines]
    [[0.7, 0.18], [3.1, 1.2]]
    """
    table = read_table(table, TABLE)
    tokens = sorted({int(item) for item in table["task.L"].dropna()})
    if ax is None:
        return _all(table, tokens)
    return single(_panel(table, choose_length(L, tokens)))


def _all(table: pd.DataFrame, tokens: list[int]) -> Drawing:
    """Return two maps a row, and their colours."""
    rows = -(-len(tokens) // 2)
    height = 0.75 + 2.05 * rows
    block = Block(
        [_panel(table, token) for token in tokens],
        min(len(tokens), 2),
        (0.07, 0.885, 0.42 / height, 1.0 - 0.5 / height),
        (0.16, 0.42),
    )
    rings = describe_trials(table, "simulate_amp").partition(",")[0]
    words = f"maps, lines: theory    rings: AMP, {rings}, mean"
    return Drawing([block], (7.0, height), words, bar=SCALE)


def _panel(table: pd.DataFrame, tokens: int) -> Panel:
    own = table[table["task.L"] == tokens]
    limits = select(own, [X, Y, "test_error"], call="bayes_optimal")
    result = limits.pivot_table(index=Y, columns=X, values="test_error").astype(float)
    trials = select(own, [X, Y, "test_error"], call="simulate_amp")
    marks: list[Mark] = []
    x = Axis(r"all samples per dimension, $\alpha$", log=10, plain=True, minor="none")
    y = Axis(r"strength of the signal, $\theta$")
    if min(result.shape, default=0) > 1:
        marks.append(grid_map(result, SCALE))
        span = ends(result.columns)
        x, y = (
            replace(x, limits=span, ticks=_decades(*span)),
            replace(y, limits=ends(result.index)),
        )
    marks += _boundaries(own)
    marks += _rings(trials)
    return Panel([*marks, *empty_note(marks)], x, y, f"$L = {tokens:,}$".replace(",", "{,}"))


def _decades(low: float, high: float) -> list[float]:
    """Return the powers of ten from one end on, but for the other: its label would stick out."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.ceil(math.log10(high) - 1e-9)
    return [10.0**power for power in range(first, last)]


def _rings(trials: pd.DataFrame) -> list[Mark]:
    """Return the mean error of the iteration at each point, at its largest dimension."""
    if not len(trials):
        return []
    if trials["d"].notna().any():
        trials = trials[trials["d"] == trials["d"].max()]
    points = trials.astype({"test_error": float}).groupby([X, Y])["test_error"].mean()
    return rings(points.swaplevel(), SCALE)


def _boundaries(table: pd.DataFrame) -> list[Mark]:
    """Return both boundaries, the point where they meet, and the names of what they part."""
    rows = select(table, [Y], call="phase_boundaries").sort_values(Y)
    result: list[Mark] = []
    for name, dash in EDGES.items():
        edge = rows.dropna(subset=[name])
        if len(edge):
            result.append(Line(numbers(edge[name]), numbers(edge[Y]), BLACK, name, dash, 1.2))
    both = rows.dropna(subset=list(EDGES))
    if not len(both):
        return result
    return [*result, *_critical(rows, both), *_names(both, float(table[X].min()))]


def _critical(rows: pd.DataFrame, both: pd.DataFrame) -> list[Mark]:
    """Mark the end of both lines, if there are weaker signals without a jump."""
    last = both.iloc[0]
    if not (rows[Y] < last[Y]).any():
        return []
    place = float(np.sqrt(last["alpha_it"] * last["alpha_amp"]))
    return [Dots([place], [float(last[Y])], None, BLACK, "critical point", size=3.4)]


def _names(both: pd.DataFrame, start: float) -> list[Mark]:
    """Name the phases where there is room: "impossible" at the axis, "hard" between boundaries."""
    middle, weakest = both.iloc[int(0.6 * (len(both) - 1))], both.iloc[0]
    result: list[Mark] = [Text("easy", (0.97, 0.95), INSIDE, ("right", "top"), colour=WHITE)]
    if weakest["alpha_it"] > ROOM * start:
        beside = (0.03, float(weakest[Y])), ("panel", "data")
        result.append(Text("impossible", *beside, ("left", "bottom"), ABOVE_RINGS))
    if middle["alpha_amp"] > WIDE * middle["alpha_it"]:
        place = float(np.sqrt(middle["alpha_it"] * middle["alpha_amp"])), float(middle[Y])
        result.append(Text("hard", place, anchor=("center", "center"), colour=WHITE))
    return result
