"""Splitting the data against reusing them; two gradient steps against many, and end to end.

L = 10, R = 1, π = ½, θ = 5, logistic loss, ridge 1e-2, and α d samples in all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import compare, trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Key, Legend, Panel
from ...figures.from_rows import BAYES_KEY, bayes_line, dots, heights
from ...figures.marks import Dots, Line, Mark, numbers
from ...figures.reading.rows import TOTAL, is_joint, means, select, with_total
from ...figures.reading.validation import RowSpec, TableSpec, read_table
from ...figures.rendered import figure_of
from ...figures.style import COLOURS

ORDER = 8
TITLE = "Splitting the data or reusing them"
CAPTION = (
    "Test error of attention against all its data, α samples per dimension. The theory (line) "
    "describes the split: half of the data for one step on the query, the other half for the "
    "readout. The other dots use all data in both stages, after 1, 5 or 20 steps on the query, "
    "or train query and readout together (from 2 starts, with the same ridge on both; the black "
    "line is the replica-symmetric theory of that, not a theorem). Using "
    "data twice does no harm: after one or five steps on all of them the test error is below "
    "that of the split at every α. Many steps do harm: after 20 the query has grown and turned "
    "towards the noise of its training data. Training end to end fits the data closely, yet "
    "where data are plenty its test error is about that of the split. At small α the dots of the "
    "split lie above their line because the dimension is finite; they approach the line as it "
    "grows. Grey: the Bayes-optimal error with the same number of samples."
)
TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
RIDGE = 1e-2
PLAIN = {"reuse": "none", "starts": 0}
PROTOCOLS = {
    "split": PLAIN,
    **{key: {**PLAIN, "reuse": "D0"} for key in ("reuse 1", "reuse 5", "reuse 20")},
    "end to end": {**PLAIN, "starts": 2},
}
QUERY_STEPS = {"reuse 5": 5, "reuse 20": 20}  # and one elsewhere
BY = ("model", "training.alpha1")
QUANTITIES = ("test_error", "train_loss")


def units(full: bool) -> list[Unit]:
    """Theory of splitting and of training end to end, simulation of every protocol."""
    d, count, costly, scored = (500, 16, 8, 32) if full else (120, 16, 6, 64)
    fine = np.round(np.geomspace(1.0, 16.0, 25), 3).tolist()
    dots = [1.0, 2.0, 4.0, 8.0, 16.0]
    alphas = sorted({*fine, *dots})
    result = [Unit("predict", _arguments("split", alpha)) for alpha in alphas]
    result += [Unit("bayes_optimal", {"task": TASK, "alpha": alpha}) for alpha in alphas]
    for alpha in sorted({*np.round(np.geomspace(1.0, 16.0, 13), 3).tolist(), *dots}):
        joint = {"alpha1": alpha, "loss": "logistic", "ridge": RIDGE, "ridge_q": RIDGE}
        result.append(Unit("predict", {"task": TASK, "training": joint, "model": "attention"}))
    for protocol, options in PROTOCOLS.items():
        number = {"end to end": costly, "split": scored}.get(protocol, count)
        for alpha in dots:
            arguments = {**_arguments(protocol, alpha), **options}
            # Only splitting is scored; a smaller d measures what finite dimension adds to it.
            for size in (d, d // 2) if protocol == "split" else (d,):
                result += trials("simulate", {**arguments, "d": size}, number)
    return result


def _arguments(protocol: str, alpha: float) -> dict[str, object]:
    """Return the problem: all data in both stages when reused, half in each otherwise."""
    share = alpha if PROTOCOLS[protocol]["reuse"] == "D0" else alpha / 2.0
    training: dict[str, Any] = {
        "alpha0": share,
        "alpha1": share,
        "loss": "logistic",
        "ridge": RIDGE,
    }
    training["query_steps"] = QUERY_STEPS.get(protocol, 1)
    return {"task": TASK, "training": training, "model": "attention"}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare each dot of splitting with its line; that of the end has a theory of its own."""
    if "reuse" not in table:
        return compare(table.iloc[:0], BY, QUANTITIES)
    table = table[~is_joint(table)]
    steps = table["training.query_steps"]
    split = (table.reuse == "none") & (steps == 1) & (table.starts == 0)
    return compare(table[split | (table.call == "predict")], BY, QUANTITIES)


X, Y = TOTAL, "test_error"
TICKS = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5)
THIN = 0.7
SPACES = {"handlelength": 1.6, "labelspacing": 0.25, "borderaxespad": 0.0}
# One model throughout: attention's blue is the protocol with a theory, the others have their own.
SPLIT = ("half and half, 1 query step (line: theory)", COLOURS["attention"], "o")
REUSED = {
    1: ("all data twice, 1 query step", "#56B4E9", "s"),
    5: ("all data twice, 5 query steps", "#E69F00", "^"),
    20: ("all data twice, 20 query steps", "#CC79A7", "v"),
}
END = ("end to end (line: replica-symmetric theory)", "#000000", "D")
ROWS = RowSpec(("training.alpha1",), (Y,))
STEPS = "training.query_steps"
TABLE = TableSpec(
    "reuse",
    {"predict": ROWS, "simulate": ROWS, "bayes_optimal": RowSpec(("alpha",), (Y,))},
    across=(
        "alpha",
        "training.alpha0",
        "training.alpha1",
        "reuse",
        STEPS,
        "starts",
        "training.ridge_q",
    ),
    only={"model": ("attention",)},
    reference_calls=("bayes_optimal",),
)


@figure_of(TABLE)
def reuse(table: pd.DataFrame, ax: Any = None) -> Drawing:
    """Draw the test error of attention against the total of its data, for each protocol.

    The units have α0 = α1, and the protocols of the published figure: split, ``reuse="D0"`` after
    1, 5 or 20 steps on the query, and end to end (``starts``). Dots without a theory are joined by
    thin lines; the Bayes-optimal error is a thin grey line.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "predict", "training.alpha0": [1.0, 2.0],
    ...                       "training.alpha1": [1.0, 2.0], "test_error": [0.1, 0.05]})
    >>> figures.reuse(table).axes[0].lines[0].get_xdata().tolist()
    [2.0, 4.0]
    """
    table = read_table(table, TABLE)
    _check_protocols(table)
    table = with_total(table)
    marks = _marks(table)
    span = heights(marks)
    lowest = 0.85 * span[span > 0.0].min(initial=1.0)
    panel = Panel(
        marks,
        Axis(r"all samples per dimension, $\alpha$", log=2, plain=True, minor="none"),
        Axis("test error", log=10, limits=(lowest, span.max()), ticks=TICKS, minor="ticks"),
        "what to do with the data",
        legend=_legend(table),
    )
    return Drawing([Block([panel], 1, (0.125, 0.97, 0.145, 0.93))], (4.2, 3.1))


def _check_protocols(table: pd.DataFrame) -> None:
    """Refuse rows of protocols that have no dots of their own."""
    split = (table.reuse == "none") & (table[STEPS] == 1) & (table.starts == 0)
    twice = (table.reuse == "D0") & table[STEPS].isin(list(REUSED)) & (table.starts == 0)
    ends = table[(table.reuse == "none") & (table[STEPS] == 1) & (table.starts > 0)]
    odd = table[~(split | twice | table.index.isin(ends.index))]
    if len(odd):
        row = odd.iloc[0]
        steps = ", ".join(map(str, REUSED))
        raise ValueError(
            f"figures.reuse draws the split, reuse 'D0' after {steps} query_steps, and starts on "
            f"their own, got reuse {row.reuse!r}, query_steps {row[STEPS]:g} and starts "
            f"{row.starts:g}; leave those rows out"
        )
    if ends.starts.nunique() > 1:
        few, *_, many = sorted(ends.starts.unique().tolist())
        raise ValueError(
            f"figures.reuse draws a single number of starts, got {few:g} to {many:g}; leave the "
            f'others out, as table[table["starts"] != {few!r}]'
        )
    steps = table[~is_joint(table)]
    uneven = steps[(steps["training.alpha0"] - steps["training.alpha1"]).abs() > 0.0]
    if len(uneven):
        row = uneven.iloc[0]
        raise ValueError(
            "figures.reuse draws as many samples for the query as for the readout, got "
            f"training.alpha0 {row['training.alpha0']:g} with training.alpha1 "
            f"{row['training.alpha1']:g}; leave the rest out, as "
            'table[table["training.alpha0"] == table["training.alpha1"]]'
        )


def _marks(table: pd.DataFrame) -> list[Mark]:
    """Return theory's line and each protocol's dots, joined where no theory leads the eye."""
    result: list[Mark] = []
    theory = select(table, [X, Y], call="predict").sort_values(X)
    joint = is_joint(theory)
    for lines, (name, colour, _) in ((theory[~joint], SPLIT), (theory[joint], END)):
        if len(lines):
            result.append(Line(numbers(lines[X]), numbers(lines[Y]), colour, name))
    result += bayes_line(select(table, [X, Y], call="bayes_optimal"), X)
    trials = select(table, [X, Y, "reuse", STEPS, "starts"], call="simulate")
    parts = [(SPLIT, (trials.reuse == "none") & (trials.starts == 0))]
    for steps, look in REUSED.items():
        parts.append((look, (trials.reuse == "D0") & (trials[STEPS] == steps)))
    for (name, colour, marker), own in (*parts, (END, trials.starts > 0)):
        if own.any():
            joined = 0.0 if name == SPLIT[0] or (name == END[0] and joint.any()) else THIN
            points = means(trials[own], X, Y)
            result.append(dots(points, colour, name, marker=marker, joined=joined))
    return result


def _legend(table: pd.DataFrame) -> Legend:
    rows = select(table, ["d"], call="simulate")
    size = f"dots: $d = {rows['d'].max():g}$, mean ± standard error" if len(rows) else ""
    keys = [
        Key(
            name,
            Line(colour=colour, width=Line.width if name in (SPLIT[0], END[0]) else THIN),
            Dots(colour=colour, marker=marker),
        )
        for name, colour, marker in (SPLIT, *REUSED.values(), END)
    ]
    if (table.call == "bayes_optimal").any():
        keys.append(BAYES_KEY)
    return Legend(keys, title=size, side="left", room=True, spaces=SPACES)
