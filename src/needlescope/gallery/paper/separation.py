"""What is possible when the signal is known: attention needs √(2 log L), linear rules need √L.

Nothing is trained: these are the oracle errors, exact at finite L, and the same by simulation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import MIN_MISTAKES, compare, grid, trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ...figures.from_rows import describe_marks, dots, empty_note
from ...figures.marks import Dots, Line, Mark, Rule, numbers
from ...figures.reading.rows import means, select, signal_tokens
from ...figures.reading.validation import RowSpec, TableSpec, read_table, refuse_empty
from ...figures.rendered import figure_of
from ...figures.style import COLOURS, DASHED, DOTTED, NAMES, SOLID

ORDER = 4
TITLE = "The signal that is needed as sequences grow"
CAPTION = (
    "The least error of a classifier that knows the signal, which is in one of L tokens. Above: "
    "the signal grows with L by three laws, each with a small factor c (dashed) and a large one "
    "(solid). Dots are errors counted on random samples, by rules that were chosen on other "
    "samples, up to L = 1000. With θ = c log L the error of attention tends to zero; with c √(2 "
    "log L) it does so only if c exceeds one. The error of pooling tends to ½ in both cases; "
    "with c √L it stays constant. Attention is almost indistinguishable from the Bayes rule. "
    "Below: the weakest signal that is detected with 10 % error, from theory alone, which "
    "inverts the errors above. For the linear rules it grows as √L (with one signal token at a "
    "uniform position both need the same). For attention and the Bayes rule its ratio to √(2 log "
    "L) falls slowly towards one, so a fitted power law has a small exponent that depends on the "
    "range."
)
TASK = {"R": 1, "pi": 0.5}
MODELS = ("pooled", "attention", "bayes")
ALL_MODELS = ("pooled", "vectorized", "attention", "bayes")
LENGTHS = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
FINE = tuple(round(value) for value in np.geomspace(10, 100_000, 25))
LAWS = {
    "log": (0.5, 1.0),
    "sqrt_log": (0.75, 1.5),
    "sqrt": (0.5, 2.0),
}  # the factors c of each law of growth of the signal
SAMPLES = {10: 10_000, 100: 8000, 1000: 4000}  # in a trial at each L that is simulated
# θ over √(2 log L) above which a rule makes too few mistakes to count
FEW_MISTAKES = {"attention": 2.0, "bayes": 2.0}
BY = ("model", "task.L", "task.theta")
ERROR = 0.1  # of the detection thresholds
FROM = 1000  # the growth is fitted from this L on


def strength(law: str, c: float, L: int) -> float:
    """Return the signal θ of a law of growth: c log L, c √(2 log L) or c √L.

    Examples
    --------
    >>> [round(strength(law, 1.0, 100), 2) for law in LAWS]
    [4.61, 3.03, 10.0]
    """
    grown = {"log": np.log(L), "sqrt_log": np.sqrt(2.0 * np.log(L)), "sqrt": np.sqrt(L)}
    return round(c * float(grown[law]), 6)


def units(full: bool) -> list[Unit]:
    """Oracle errors along each law of growth, and detection thresholds; in full, a finer grid."""
    lengths = FINE if full else LENGTHS
    count = 32 if full else 8
    result = []
    for law, factors in LAWS.items():
        for point in grid(c=factors, L=lengths, model=MODELS):
            theta = strength(law, point["c"], point["L"])
            task = {**TASK, "L": point["L"], "theta": theta}
            arguments = {"task": task, "model": point["model"]}
            result.append(Unit("oracle", arguments))
            few = FEW_MISTAKES.get(point["model"], np.inf) * strength("sqrt_log", 1.0, point["L"])
            if point["L"] in SAMPLES and theta <= few:
                drawn = {**arguments, "samples": SAMPLES[point["L"]]}
                result += trials("simulate_oracle", drawn, count)
    for point in grid(L=lengths, model=ALL_MODELS):
        task = {**TASK, "L": point["L"], "theta": 1.0}
        needed = {"task": task, "model": point["model"], "error": ERROR}
        result.append(Unit("oracle_threshold", needed))
    return list({unit.key: unit for unit in result}.values())


def along(table: pd.DataFrame, law: str, c: float, call: str = "oracle") -> pd.DataFrame:
    """Return the oracle rows, or those of another call, whose signal follows a law of growth.

    Examples
    --------
    >>> row = {"call": "oracle", "model": "pooled", "error": 0.4, "task.L": 100}
    >>> table = pd.DataFrame([{**row, "task.theta": 10.0}, {**row, "task.theta": 9.0}])
    >>> along(table, "sqrt", 1.0)["task.theta"].tolist()
    [10.0]
    """
    rows = table[table.call == call]
    wanted = np.array([strength(law, c, int(length)) for length in rows["task.L"]])
    return rows[np.abs(rows["task.theta"].to_numpy(float) - wanted) < 1e-5]


def growth(table: pd.DataFrame) -> pd.DataFrame:
    """Fit how the detection thresholds grow.

    Returns
    -------
    DataFrame
        For each model: ``slope``, that of log θ on log L from L = 1000 on, and ``ratio``, of θ to
        √(2 log L) at the largest L.

    Examples
    --------
    >>> row = {"call": "oracle_threshold", "model": "pooled"}
    >>> table = pd.DataFrame([{**row, "task.L": L, "theta": L**0.5} for L in (1000, 9000, 90000)])
    >>> growth(table).round(2).to_dict("records")
    [{'model': 'pooled', 'slope': 0.5, 'ratio': 62.81}]
    """
    result: list[dict[str, Any]] = []
    rows = table[table.call == "oracle_threshold"]
    for model, part in rows.dropna(subset=["theta"]).groupby("model", sort=False):
        late = part[part["task.L"] >= FROM].sort_values("task.L")
        if len(late) > 1:
            x, y = np.log(late["task.L"].to_numpy(float)), late.theta.to_numpy(float)
            slope = float(np.polyfit(x, np.log(y), 1)[0])
            ratio = float(y[-1] / np.sqrt(2.0 * x[-1]))
            result.append({"model": model, "slope": slope, "ratio": ratio})
    return pd.DataFrame(result, columns=["model", "slope", "ratio"])


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare each dot with its line, but for rates below 100 mistakes in 4000 draws a trial.

    Fewer are too skewed for a standard error. The larger of both rates decides, so that a theory
    that is wrongly near zero is not excused.

    Examples
    --------
    >>> table = pd.DataFrame({"call": ["oracle", "simulate_oracle", "simulate_oracle"],
    ...                       "model": "pooled", "task.L": 100, "task.theta": 5.0,
    ...                       "samples": 8000, "error": [0.4, 0.39, 0.41]})
    >>> scores(table)["what"].tolist()
    ['error at model=pooled, L=100, theta=5.0']
    """
    result = compare(
        table.assign(d=1), BY, ("error",), theory="oracle", simulation="simulate_oracle"
    )  # there is no dimension here: the known signal leaves one number of each token
    largest = result[["theory", "simulation"]].max(axis=1)
    return result[largest * result.trials * min(SAMPLES.values()) >= MIN_MISTAKES]


DASHES = {"pooled": (), "attention": (), "vectorized": (3, 3), "bayes": (1.5, 1.5)}
# On top of attention's line, which it all but equals.
CROSS: Mapping[str, Any] = {"marker": "x", "size": 3.5, "edge": 0.9, "layer": 0} | dict.fromkeys(
    ("colour", "edge_colour"), COLOURS["bayes"]
)
PLAIN = dict(zip(("c log L", "c √(2 log L)", "c √L"), LAWS.values(), strict=True))
BESIDE = {"pooled": 1.0, "attention": 0.92, "bayes": 1.09}  # dots that would hide each other
NEEDS = ("model", "task.L")
TABLE = TableSpec(
    "separation",
    {
        "oracle": RowSpec((*NEEDS, "task.theta"), ("error",)),
        "simulate_oracle": RowSpec((*NEEDS, "task.theta"), ("error",)),
        "oracle_threshold": RowSpec(NEEDS, ("theta",)),
    },
    across=("model", "task.L", "task.theta"),
    only={"model": tuple(DASHES)},
)
WORDS = {
    "log": r"$\theta = c\,\log L$",
    "sqrt_log": r"$\theta = c\,\sqrt{2\log L}$",
    "sqrt": r"$\theta = c\,\sqrt{L}$",
}


@figure_of(TABLE)
def separation(table: pd.DataFrame, ax: Any = None) -> Drawing:
    """Draw oracle errors along three laws of growth, and below them detection thresholds.

    The θ of the errors follows one of the laws of the published figure.

    Parameters
    ----------
    ax : matplotlib axes, optional
        Draw only the thresholds, here; a figure of its own by default.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> row = {"model": "pooled", "task.L": 100}
    >>> table = pd.DataFrame([{**row, "call": "oracle", "task.theta": 5.0, "error": 0.4},
    ...                       {**row, "call": "oracle_threshold", "theta": 25.6}])
    >>> len(figures.separation(table).axes)
    5
    """
    table = read_table(table, TABLE).dropna(subset=["task.L"])
    _check_laws(table)
    if ax is not None:
        if not len(_thresholds(table)):
            refuse_empty("separation", "the thresholds need rows of oracle_threshold")
        return single(_needed(table))
    above = Block([_errors(table, law) for law in LAWS], 3, (0.07, 0.985, 0.6, 0.89))
    below = Block([_needed(table), _ratio(table)], 2, (0.07, 0.985, 0.1, 0.45), (0.24, 0.2))
    return Drawing([above, below], (7.0, 4.6), describe_marks(table, "simulate_oracle"))


def _check_laws(table: pd.DataFrame) -> None:
    """Refuse errors at signals that follow none of the laws."""
    rows = table[table.call.isin(["oracle", "simulate_oracle"])].dropna(subset=["task.theta"])
    result = [
        along(rows, law, c, call).index
        for call in ("oracle", "simulate_oracle")
        for law, factors in LAWS.items()
        for c in factors
    ]
    odd = rows.drop(index=np.concatenate(result))
    if len(odd):
        laws = ", ".join(f"{name} (c = {c[0]:g}, {c[1]:g})" for name, c in PLAIN.items())
        row = odd.iloc[0]
        raise ValueError(
            f"figures.separation draws errors at task.theta {laws}, got {row['task.theta']:g} with "
            f"task.L = {row['task.L']:g}; leave those rows out, or choose such signals"
        )


def _errors(table: pd.DataFrame, law: str) -> Panel:
    marks: list[Mark] = []
    for c, width, dash in zip(LAWS[law], (0.9, 1.9), (DASHED, SOLID), strict=True):
        for model, part in along(table, law, c).groupby("model", sort=False):
            part = part.sort_values("task.L")
            points, name = (numbers(part["task.L"]), numbers(part.error)), NAMES[str(model)]
            line = Line(*points, COLOURS[str(model)], name, dash, width)
            marks.append(Dots(*points, name=name, **CROSS) if model == "bayes" else line)
        result = select(along(table, law, c, "simulate_oracle"), ["task.L", "error"])
        for model, part in result.groupby("model", sort=False):
            key, aside = str(model), BESIDE.get(str(model), 1.0)
            marks.append(
                dots(means(part, "task.L", "error"), COLOURS[key], NAMES[key], aside=aside)
            )
    few, many = (f"{c:g}" for c in LAWS[law])
    return Panel(
        [*marks, *empty_note(marks)],
        Axis(r"tokens, $L$", log=10),
        Axis("least possible error" if law == next(iter(LAWS)) else "", limits=(-0.01, 0.51)),
        f"{WORDS[law]},  $c$ = {few} (dashed), {many}",
        legend=_models() if law == "sqrt" else None,
    )


def _models() -> Legend:
    """Say which colour is which model."""
    lines = [
        Key(NAMES[item], Line(colour=COLOURS[item], width=1.9)) for item in ("pooled", "attention")
    ]
    cross = Key(NAMES["bayes"], dots=Dots(**CROSS))
    return Legend([*lines, cross], "center right", anchor=(1.0, 0.54))


def _thresholds(table: pd.DataFrame) -> pd.DataFrame:
    return table[table.call == "oracle_threshold"].dropna(subset=["theta"])


def _lines(
    rows: pd.DataFrame, y: pd.Series, suffixes: Mapping[str, str], corner: str
) -> tuple[list[Mark], Legend]:
    """Return a line for each model, and a legend, with more text for some."""
    marks, keys = list[Mark](), []
    for model, part in rows.assign(y=y).groupby("model", sort=False):
        part, key = part.sort_values("task.L"), str(model)
        look: dict[str, Any] = {"colour": COLOURS[key], "dash": DASHES[key]}
        marks.append(Line(numbers(part["task.L"]), numbers(part.y), name=NAMES[key], **look))
        keys.append(Key(NAMES[key] + suffixes.get(key, ""), Line(**look)))
    return marks, Legend(keys, corner)


def _needed(table: pd.DataFrame) -> Panel:
    rows, slopes = _thresholds(table), growth(table).set_index("model").slope
    suffixes = {str(model): rf" $\propto L^{{{slope:.3f}}}$" for model, slope in slopes.items()}
    marks, legend = _lines(rows, rows.theta, suffixes, "upper left")
    target = 100.0 * float(rows["error"].dropna().min() if rows["error"].notna().any() else ERROR)
    return Panel(
        [*marks, *empty_note(marks)],
        Axis(rf"tokens, $L$ {signal_tokens(rows)}", log=10),
        Axis(r"signal needed, $\theta$", log=10),
        rf"weakest signal found with {target:g} % error (fit: $L \geq 10^3$)",
        legend=legend,
    )


def _ratio(table: pd.DataFrame) -> Panel:
    rows = _thresholds(table)
    rows = rows[rows.model.isin(["attention", "bayes"]) & (rows["task.L"] > 1)]  # log 1 = 0
    last = growth(table).set_index("model").ratio
    suffixes = {str(model): f", {ratio:.3f} at the end" for model, ratio in last.items()}
    ratio = rows.theta / np.sqrt(2.0 * np.log(rows["task.L"]))
    marks, legend = _lines(rows, ratio, suffixes, "upper right")
    return Panel(
        [Rule(y=1.0, dash=DOTTED, width=0.7), *marks, *empty_note(marks)],
        Axis(rf"tokens, $L$ {signal_tokens(rows)}", log=10),
        Axis(r"$\theta\,/\,\sqrt{2\log L}$", limits=(0.95, None)),
        r"the same, over $\sqrt{2\log L}$",
        legend=legend,
    )
