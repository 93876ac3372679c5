"""What training reaches, the Bayes-optimal error and AMP, and the error if the signal is known.

Test errors against all data, α samples per dimension, for L = 10, θ = 5 and for L = 100, θ = 4;
R = 1, π = ½, logistic loss.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import compare, grid, paired_trials, trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ...figures.from_rows import empty_note, error_axis, length_title, line, trial_dots
from ...figures.marks import Band, Dots, Line, Mark, Rule, numbers
from ...figures.reading.rows import TOTAL, is_joint, select, with_total
from ...figures.reading.validation import (
    RowSpec,
    TableSpec,
    check_strengths,
    choose_length,
    read_table,
)
from ...figures.rendered import figure_of
from ...figures.style import (
    AMP_SIMULATED,
    AMP_THEORY,
    BAYES_COLOUR,
    BAYES_OPTIMAL,
    BLACK,
    COLOURS,
    DASHED,
    DOTTED,
    NAMES,
)

ORDER = 11
TITLE = "What training reaches, and the Bayes-optimal error"
CAPTION = (
    "Test error against all data, α samples per dimension. Trained: mean pooling, and attention "
    "after two steps (theory, half of the data for the query, half for the readout), each with "
    "the settings of least error at that α, of the ridges 0.1 and 1 and of steps η_q from 10 to "
    "10⁴; attention trained end to end with the better of the ridges 0.03 and 0.1 on both query "
    "and readout (line: the replica-symmetric equations, where they were solved, followed from "
    "much data; dots: simulated, from 2 starts, one of them after two steps). Bayes-optimal "
    "(dashed) and AMP (solid) are replica-symmetric formulas; the grey dots "
    "are AMP simulated from an uninformed start (60 iterations). Where the dashed line is below "
    "the solid one a lower error is possible, but hard to find. Dotted: the least error with a "
    "known signal. With ten tokens two steps need 6 times the Bayes-optimal data for a test "
    "error of 0.05, and 13 times for 0.025; training end to end does about as well: 7 and 16 "
    "times. With a hundred tokens two steps need 20 to 40 times the data for errors from 0.15 to "
    "0.25, and very large steps; training end to end needs 3 to 7 times as many, if it finds the "
    "signal: some trials at α = 1 and 2 did not. Dots of AMP between half of the "
    "information-theoretic threshold and twice the algorithmic one (at L = 100 those at 0.25 and "
    "0.5) are shown and not scored: at finite dimension it is chance whether a trial jumps "
    "there."
)
TASKS = tuple({"L": L, "R": 1, "theta": theta, "pi": 0.5} for L, theta in ((10, 5.0), (100, 4.0)))
STEPS, RIDGES = (10.0, 100.0, 1e3, 1e4), (0.1, 1.0)  # of two-step attention; pooling has ridges
END_RIDGES = (0.03, 0.1)
END_ALPHAS = {  # where the theory of joint training is solved
    10: (0.5, 0.7, 1.0, 1.4, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0),
    100: (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0),
}
ALPHA_RANGE = (0.1, 64.0)  # of α
AMP_ALPHAS = {10: (0.25, 0.5, 1.0, 2.0, 4.0, 8.0), 100: (0.1, 0.25, 0.5, 1.0, 4.0)}
TRAINED_ALPHAS = {10: (0.5, 1.0, 2.0, 4.0, 8.0), 100: (1.0, 2.0, 4.0)}
JUMP = {10: (), 100: (0.2345, 0.237, 0.323, 0.3265)}  # both sides of the boundaries
JUMP_FACTOR = 2.0  # a factor from the boundaries within which an iteration is not scored
ITERATIONS = 60  # at 20 a tenth of the iterations at α = 1 have not yet left zero, at L = 100
TOL = 1e-2  # of the limit, which is less sure where it jumps
PREDICT_TOL = 5e-3  # of trained errors: thinner than their lines
MANY, ROUGH = 100, 1e-2  # tokens from which joint training has a tolerance that takes seconds
BY = ("task.L", "task.theta", "alpha")
QUANTITIES = ("test_error", "overlap")


def units(full: bool) -> list[Unit]:
    """Theory on fine grids of α; training end to end and the iteration at a few."""
    d, count, small, few = (600, 16, 200, 8) if full else (200, 8, 60, 4)
    fine, coarse = _alphas(49), coarse_alphas()
    result = []
    for task in TASKS:
        tokens = int(task["L"])
        result += [Unit("oracle", {"task": task, "model": "bayes"}), boundaries(task)]
        alphas = sorted({*fine, *AMP_ALPHAS[tokens], *JUMP[tokens]})
        result += [bayes_unit(task, alpha) for alpha in alphas]
        for point in grid(alpha=coarse, ridge=RIDGES):
            result.append(predicted(_pooled(task, **point)))
        for point in grid(alpha=coarse, eta_q=STEPS, ridge=RIDGES):
            result.append(predicted(two_steps(task, **point)))
        for alpha, ridge in product(END_ALPHAS[tokens], END_RIDGES):
            result.append(solved(together(task, alpha, (ridge, ridge))))
        for point in grid(alpha=TRAINED_ALPHAS[tokens], ridge=END_RIDGES):
            result += trials("simulate", {**two_steps(task, **point), "starts": 2, "d": small}, few)
        for alpha in AMP_ALPHAS[tokens]:
            result += amp_units(task, alpha, d, count)
    return result


def boundaries(task: dict[str, Any]) -> Unit:
    """Return the unit that asks where learning becomes possible, and easy."""
    return Unit("phase_boundaries", {"task": task})


def bayes_unit(task: dict[str, Any], alpha: float) -> Unit:
    """Return the unit of the Bayes-optimal error."""
    return Unit("bayes_optimal", {"task": task, "alpha": alpha, "tol": TOL})


def amp_units(task: dict[str, Any], alpha: float, d: int, count: int) -> list[Unit]:
    """Return trials of AMP at d and d/2."""
    arguments = {"task": task, "alpha": alpha, "iterations": ITERATIONS}
    return paired_trials("simulate_amp", arguments, d, count)


def coarse_alphas() -> list[float]:
    """Return the α at which the settings of trained classifiers are chosen."""
    return _alphas(19)


def _alphas(number: int) -> list[float]:
    result: list[float] = np.round(np.geomspace(*ALPHA_RANGE, number), 4).tolist()
    return result


def predicted(arguments: dict[str, Any]) -> Unit:
    """Return the unit of a trained classifier's errors in theory."""
    return Unit("predict", {**arguments, "tol": PREDICT_TOL})


def _pooled(task: dict[str, Any], alpha: float, ridge: float) -> dict[str, Any]:
    training = {"alpha1": alpha, "ridge": ridge}
    return {"task": task, "training": training, "model": "pooled"}


def together(task: dict[str, Any], alpha: float, ridges: tuple[float, float]) -> dict[str, Any]:
    """Return joint training with ridges of the readout and of the query."""
    training = {"alpha1": alpha, "ridge": ridges[0], "ridge_q": ridges[1]}
    return {"task": task, "training": training, "model": "attention"}


def solved(arguments: dict[str, Any], start: str = "informed") -> Unit:
    """Return the unit of the replica-symmetric equations of joint training."""
    tol = ROUGH if arguments["task"]["L"] >= MANY else PREDICT_TOL
    return Unit("predict", {**arguments, "start": start, "tol": tol})


def two_steps(task: dict[str, Any], alpha: float, **more: Any) -> dict[str, Any]:
    """Return attention with half of the data in each stage."""
    training = {"alpha0": alpha / 2.0, "alpha1": alpha / 2.0, **more}
    return {"task": task, "training": training, "model": "attention"}


def clear(table: pd.DataFrame) -> Any:
    """Say which rows have an α that is clear of the jump, if the table knows where it is.

    Clear is less than half of what makes learning possible, or more than twice what makes it easy.
    In between whether a trial jumps is a matter of chance, and its mean says nothing of the limit.

    Examples
    --------
    >>> table = pd.DataFrame({"call": ["phase_boundaries", *["simulate_amp"] * 3],
    ...     "task.L": 100, "task.theta": 4.0, "alpha": [None, 0.1, 0.5, 1.0],
    ...     "verdict": ["jumps", None, None, None], "alpha_it": 0.236, "alpha_amp": 0.325})
    >>> clear(table).tolist()
    [False, True, False, True]
    """
    columns = ["call", *BY, "verdict", "alpha_it", "alpha_amp"]
    table = table.reindex(columns=list(dict.fromkeys([*table.columns, *columns])))
    place = list(BY[:2])
    edges = table[table.call == "phase_boundaries"].set_index(place)
    edges = edges.loc[~edges.index.duplicated(), ["verdict", "alpha_it", "alpha_amp"]]
    here = edges.reindex(pd.MultiIndex.from_frame(table[place])).set_index(table.index)
    alpha = table.alpha.astype(float)
    below = alpha < here.alpha_it.astype(float) / JUMP_FACTOR
    above = alpha > here.alpha_amp.astype(float) * JUMP_FACTOR
    return ((here.verdict == "smooth") & alpha.notna() | below | above).to_numpy()


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare AMP simulated with AMP in theory, where α is clear of a jump."""
    easy = {name: f"amp_{name}" for name in (*QUANTITIES, *(f"{item}_se" for item in QUANTITIES))}
    table = table.reindex(columns=list(dict.fromkeys([*table.columns, "call", *easy.values()])))
    theory = table[table.call == "bayes_optimal"].drop(columns=list(easy), errors="ignore")
    theory = theory.rename(columns={result: name for name, result in easy.items()})
    iterated = table[(table.call == "simulate_amp") & clear(table)]
    both = pd.concat([theory, iterated], ignore_index=True) if len(iterated) else iterated
    return compare(both, BY, QUANTITIES, theory="bayes_optimal", simulation="simulate_amp")


X, Y = TOTAL, "test_error"
TICKS = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5)
TRAINED = RowSpec(("model", "training.alpha1", "task.L"), (Y,))
LEARNED = RowSpec(("alpha", "task.L"), (Y,))
SETTINGS = ("training.ridge", "training.eta_q", "training.alpha0", "training.ridge_q")
TABLE = TableSpec(
    "limit",
    {
        "predict": TRAINED,
        "simulate": TRAINED,
        "bayes_optimal": LEARNED,
        "simulate_amp": LEARNED,
        "oracle": RowSpec(("task.L",), ("error",)),
    },
    across=(
        *("task.L", "task.theta", "model", "data", "starts", "alpha", "training.alpha1"),
        *SETTINGS,
    ),
    only={"model": ("attention", "pooled", "bayes")},
)
# Colours are those of the models; end to end is drawn as in `reuse`.
PROTOCOLS = {
    "pooled": (NAMES["pooled"], COLOURS["pooled"], "o", 0.0),
    "two steps": ("attention, two steps", COLOURS["attention"], "o", 0.0),
    "end to end": ("attention, end to end", BLACK, "D", 0.7),
}
AMP_WIDTH = 2.2  # of the line of AMP, which this figure is about
AMP_DOTS: dict[str, Any] = {"colour": BAYES_COLOUR, "edge_colour": BLACK, "edge": 0.6}
AMP_DOTS |= {"size": 4.2, "layer": 2}
FLOOR: dict[str, Any] = {"colour": COLOURS["bayes"], "dash": DOTTED, "width": 1.0}


@figure_of(TABLE)
def limit(table: pd.DataFrame, ax: Any = None, *, L: int | None = None) -> Drawing:
    """Draw test errors against all data, with the Bayes-optimal error and AMP; a panel for each L.

    Trials of "simulate" are end to end where they have ``starts``; "oracle" of the model "bayes" is
    a level. Where a protocol has several settings (steps, ridges, splits of the data) its best is
    drawn at each amount of data.

    Parameters
    ----------
    L : int, optional
        With ``ax``, which one: the fewest tokens by default.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "bayes_optimal", "task.L": 10, "task.theta": 5.0,
    ...                       "alpha": [1.0, 2.0], "test_error": [0.023, 0.020]})
    >>> figures.limit(table).axes[0].lines[0].get_ydata().tolist()
    [0.023, 0.02]
    """
    table = with_total(read_table(table, TABLE))
    check_strengths("limit", table)
    panels = {int(value): part for value, part in table.groupby("task.L")}
    if ax is None:
        return _all([_panel(part, tokens) for tokens, part in panels.items()], table)
    tokens = choose_length(L, list(panels))
    return single(_panel(panels[tokens], tokens))


def _all(panels: list[Panel], table: pd.DataFrame) -> Drawing:
    """Return panels in pairs, below the names that they share."""
    rows, columns = -(-len(panels) // 2), min(len(panels), 2)
    height = 0.5 + 2.75 * rows
    edges = (
        0.08 if columns == 2 else 0.125,
        0.985,
        0.42 / height,
        1.0 - (0.62 if columns == 2 else 0.95) / height,
    )
    block = Block(panels, columns, edges, (0.2, 0.35))
    return Drawing([block], (7.0 if columns == 2 else 4.2, height), "", _legends(table, columns))


def _panel(table: pd.DataFrame, tokens: int) -> Panel:
    marks = [*_bayes(table), *_trained(table)]
    floors = numbers(select(table, ["error"], call="oracle", model="bayes")["error"])
    return Panel(
        [
            *(Rule(y=floor, layer=-2, **FLOOR) for floor in floors),
            *marks,
            *empty_note(marks or floors),
        ],
        Axis(r"all samples per dimension, $\alpha$", log=10, plain=True, minor="ticks"),
        error_axis(marks, (0.88, 1.1), TICKS, floors),
        length_title(table, tokens),
    )


def _bayes(table: pd.DataFrame) -> list[Mark]:
    """Return the Bayes-optimal error, dashed, under that of AMP; they differ where it is hard."""
    rows = select(table, [X, Y], call="bayes_optimal").sort_values(X)
    easy = rows.dropna(subset=["amp_test_error"])
    result: list[Mark] = []
    if len(easy):
        area = numbers(easy[X]), numbers(easy[Y]), numbers(easy["amp_test_error"])
        result.append(Band(*area, BAYES_COLOUR))
    if len(rows):
        points = numbers(rows[X]), numbers(rows[Y])
        result.append(Line(*points, BAYES_COLOUR, BAYES_OPTIMAL, DASHED, 1.4))
    if len(easy):
        points = numbers(easy[X]), numbers(easy["amp_test_error"])
        result.append(Line(*points, BAYES_COLOUR, AMP_THEORY, width=AMP_WIDTH))
    return result


def _trained(table: pd.DataFrame) -> list[Mark]:
    """Return each protocol at its best: a line from theory, dots from trials."""
    result: list[Mark] = []
    for protocol, (name, colour, marker, joined) in PROTOCOLS.items():
        model = "pooled" if protocol == "pooled" else "attention"
        ends = (table.starts > 0) | is_joint(table)
        rows = table[(table.model == model) & (ends == (protocol == "end to end"))]
        theory = line(select(rows, [X, Y], call="predict"), X, Y, colour, name, "min")
        result += theory
        joined = 0.0 if theory else joined
        look = {"colour": colour, "name": name, "marker": marker, "joined": joined}
        result += trial_dots(select(rows, [X, Y], call="simulate"), X, Y, SETTINGS[:2], **look)
    trials = select(table, [X, Y], call="simulate_amp")
    return result + trial_dots(trials, X, Y, name=AMP_SIMULATED, **AMP_DOTS)


def _legends(table: pd.DataFrame, columns: int) -> list[Legend]:
    """Name the curves above the panels: what is trained, then theory and AMP."""
    keys = []
    solved_too = bool((is_joint(table) & (table.call == "predict")).any())
    for protocol, (name, colour, marker, joined) in PROTOCOLS.items():
        own = select(table, ["d"], call="simulate", model="attention")
        own = own[own.starts > 0] if protocol == "end to end" else own[:0]
        size = f" ($d = {own['d'].max():g}$)" if len(own) else ""
        line = Line(colour=colour, width=Line.width if solved_too else joined or Line.width)
        dot = Dots(colour=colour, marker=marker) if joined else None
        keys.append(Key(name + size, line, dot))
    sizes = select(table, ["d"], call="simulate_amp")["d"]
    size = f", $d = {sizes.max():g}$)" if len(sizes) else ")"
    keys.append(Key(AMP_THEORY, Line(colour=BAYES_COLOUR, width=AMP_WIDTH)))
    keys.append(Key(BAYES_OPTIMAL, Line(colour=BAYES_COLOUR, dash=DASHED, width=1.4)))
    keys.append(Key(AMP_SIMULATED.replace(")", size), dots=Dots(**AMP_DOTS)))
    keys.append(Key(NAMES["bayes"], Line(**FLOOR)))
    spaces = {"columnspacing": 1.4, "handlelength": 1.8, "labelspacing": 0.3}
    return [Legend(keys, "upper left", (0.005, 1.0), 4 if columns == 2 else 2, spaces=spaces)]
