"""How fast the test error comes down to its limit with the square loss: as a constant over α1.

The paper's task with the query that 4 samples per dimension give: κ = 0.6843, s = 0.9762.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import COMPARED, compare, trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ...figures.from_rows import empty_note
from ...figures.marks import Band, Dots, Line, Mark, Rule, numbers
from ...figures.reading.validation import RowSpec, TableSpec, read_table, refuse_empty
from ...figures.rendered import figure_of
from ...figures.style import COLOURS, DASHED, NAMES
from ...models import PAPER_MODELS, get_model

ORDER = 6
TITLE = "How fast the error reaches its limit"
CAPTION = (
    "Square loss without a ridge: the test error E approaches its limit for much data, E^∞, as a "
    "constant over α1. Left: the difference for the three classifiers, on logarithmic axes, with "
    "the predicted lines of slope −1. The slopes in the legend are those of the curves between "
    "20 and 400 samples per weight; dots are trained classifiers. Right: the same difference "
    "divided by its predicted constant over α1, against the samples per weight. Attention has "
    "both the lower limit and the smaller constant. The flat classifier has the limit of pooling "
    "and L times its constant, since it has L times the number of weights to learn. Dots at 64 "
    "and 128 samples per weight are scored against the straight line as well. The band is the "
    "numerical uncertainty of a difference between two nearly equal errors; where it exceeds a "
    "third of the difference nothing is drawn."
)
TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
QUERY = {"kappa": 0.6843, "cosine": 0.9762}
WEIGHTS = {name: get_model(name).weights(int(TASK["L"])) for name in PAPER_MODELS}  # per dimension
TOL = 3e-5  # the difference of two errors is wanted, which is small
DRAWN_ERRORS = 3.0  # standard errors by which a difference must exceed zero to be drawn
BY = ("model", "training.alpha1")
LATE = (64.0, 128.0)  # samples per weight where the straight line is as good as the curve


def units(full: bool) -> list[Unit]:
    """Limits and constants, the error on a fine grid of α1, and trials on a coarse one."""
    sizes = {"attention": 600, "pooled": 600, "vectorized": 60}
    if not full:
        sizes = {"attention": 200, "pooled": 200, "vectorized": 30}
    fine = np.round(np.geomspace(1.25, 1250.0, 31), 3).tolist()
    dots = [2.0, 4.0, 8.0, 16.0, 32.0, *LATE]
    result = []
    for model in PAPER_MODELS:
        head = {"query": QUERY} if get_model(model).has_query else {}
        base = {"task": TASK, "model": model, **head}
        result.append(Unit("asymptote", {**base, "tol": TOL}))
        for samples in sorted({*fine, *dots}):
            training = _training(samples * WEIGHTS[model])
            result.append(Unit("predict", {**base, "training": training, "tol": TOL}))
        for samples in dots:
            training = _training(samples * WEIGHTS[model])
            for d in (sizes[model], sizes[model] // 2):  # the half for what finite d adds
                arguments = {**base, "training": training, "d": d}
                room = {"memory": 4 << 30} if full and samples in LATE else {}
                result += trials("simulate", {**arguments, **room}, 20)
    return result


def _training(alpha1: float) -> dict[str, Any]:
    return {"alpha0": 1.0, "alpha1": round(alpha1, 3), "loss": "square", "ridge": 0.0}


def excess(table: pd.DataFrame, call: str = "predict") -> pd.DataFrame:
    """Return what the error has above its limit: the theory's, or (call "simulate") the trials'.

    Of the trials, those at the largest d.

    Returns
    -------
    DataFrame
        Columns model, alpha1, samples (per weight), excess, excess_se, rate.

    Examples
    --------
    >>> limit = {"call": "asymptote", "model": "pooled", "limit": 0.2, "limit_se": 0.0, "rate": 0.3}
    >>> point = {"call": "predict", "model": "pooled", "training.alpha1": 10.0, "test_error": 0.23,
    ...          "test_error_se": 0.0}
    >>> excess(pd.DataFrame([limit, point])).round(3).values.tolist()
    [['pooled', 10.0, 10.0, 0.03, 0.0, 0.3]]
    """
    rows = []
    limits = table[table.call == "asymptote"].dropna(subset=["limit"]).set_index("model")
    points = table[table.call == call]
    if len(points):
        points = points.dropna(subset=["test_error"])
    for (model, alpha1), part in points.groupby(list(BY), sort=True) if len(points) else ():
        if model not in limits.index:
            continue
        limit = limits.loc[model]
        if call == "simulate":
            values = part[part.d == part.d.max()].test_error.to_numpy(float)
            error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
        else:
            values, error = part.test_error.to_numpy(float), float(part.test_error_se.iloc[0])
        samples = alpha1 / _weights(str(model), part)
        rows.append((model, alpha1, samples, values.mean() - limit.limit,
                     np.hypot(error, limit.limit_se), limit.rate))  # fmt: skip
    columns = ["model", "alpha1", "samples", "excess", "excess_se", "rate"]
    return pd.DataFrame(rows, columns=columns)


def _weights(model: str, rows: pd.DataFrame) -> float:
    """Return the weights per dimension, at the L of the rows if they have one."""
    lengths = rows["task.L"].dropna() if "task.L" in rows else []
    return float(get_model(model).weights(int(max(lengths, default=TASK["L"]))))


def slopes(table: pd.DataFrame) -> dict[str, float]:
    """Fit the slope of log (E − E^∞) on log α1 where there are 20 to 400 samples a weight.

    Examples
    --------
    >>> limit = {"call": "asymptote", "model": "pooled", "limit": 0.2, "limit_se": 0.0, "rate": 0.3}
    >>> point = {"call": "predict", "model": "pooled", "test_error_se": 0.0}
    >>> points = [{**point, "training.alpha1": a, "test_error": 0.2 + 0.3 / a} for a in (25., 50.)]
    >>> round(slopes(pd.DataFrame([limit, *points]))["pooled"], 6)
    -1.0
    """
    result = {}
    for model, part in excess(table).groupby("model"):
        late = part[
            part.samples.between(20.0, 400.0) & (part.excess > DRAWN_ERRORS * part.excess_se)
        ]
        if len(late) > 1:
            fit = np.polyfit(np.log(late.alpha1), np.log(late.excess), 1)
            result[str(model)] = float(fit[0])
    return result


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare each dot with its curve, and late ones with the straight line E^∞ + rate/α1 too."""
    if "call" not in table or "test_error" not in table:
        return pd.DataFrame(columns=list(COMPARED))
    curves = compare(table, BY, ("test_error",))
    lines = compare(_straight(table), BY, ("test_error",), theory="line")
    if len(lines):
        lines = lines.assign(
            what=lines.what.str.replace("test_error", "limit + rate/α1", n=1),
            group=lines.group.str.replace("test_error", "asymptote", n=1),
        )
    return pd.concat([part for part in (curves, lines) if len(part)] or [curves])


def _straight(table: pd.DataFrame) -> pd.DataFrame:
    """Return the late trials, and the straight line at their places as the theory's rows."""
    if not {"limit", "rate", "d"} <= set(table):
        return table.iloc[:0]
    weights = table["model"].map(WEIGHTS).astype(float)
    late = (table.call == "simulate") & (table["training.alpha1"] / weights).isin(LATE)
    limits = table[table.call == "asymptote"].dropna(subset=["limit", "rate"]).set_index("model")
    rows = []
    places = table.loc[late, list(BY)].drop_duplicates()
    for model, alpha1 in places.itertuples(index=False):
        if model in limits.index:
            limit = limits.loc[model]
            rows.append({
                "call": "line", "model": model, "training.alpha1": alpha1,
                "test_error": limit.limit + limit.rate / alpha1, "test_error_se": limit.limit_se,
            })  # fmt: skip
    return pd.concat([table[late], pd.DataFrame(rows)], ignore_index=True)


MARKS = {"attention": "o", "pooled": "s", "vectorized": "^"}
DASHES = {"vectorized": (3, 3)}  # its line lies on that of pooling
DOT_STYLE: Mapping[str, Any] = {"size": 3.5, "edge": 0.4, "bar": 0.9}
ROWS = RowSpec(("model", "training.alpha1"), ("test_error",))
TABLE = TableSpec(
    "rates",
    {"predict": ROWS, "simulate": ROWS, "asymptote": RowSpec(("model",), ("limit",))},
    across=("model", "training.alpha1"),
    only={"model": tuple(MARKS), "training.loss": ("square",)},
)


@figure_of(TABLE)
def rates(table: pd.DataFrame, ax: Any = None) -> Drawing:
    """Draw E − E^∞ against α1, and beside it the same over its asymptote.

    All units have the square loss; those of "asymptote" are the limits.

    Parameters
    ----------
    ax : matplotlib axes, optional
        Draw only E − E^∞, here; a figure of its own by default.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> limit = {"call": "asymptote", "model": "pooled", "limit": 0.2, "limit_se": 0.0, "rate": 0.3}
    >>> point = {"call": "predict", "model": "pooled", "test_error_se": 0.0}
    >>> points = [{**point, "training.alpha1": a, "test_error": 0.2 + 0.3 / a} for a in (25., 50.)]
    >>> len(figures.rates(pd.DataFrame([limit, *points])).axes)
    2
    """
    table = read_table(table, TABLE)
    table = table[(table.call != "simulate") | table.d.notna()]
    lines, trials = _sure(excess(table)), excess(table, "simulate")
    if not len(lines) and not len(trials):
        refuse_empty("rates", _reason(table))
    if ax is not None:
        return single(_excess(table, lines, trials))
    panels = [_excess(table, lines, trials), _ratio(lines, trials)]
    return Drawing([Block(panels, 2, (0.09, 0.985, 0.15, 0.91), (0.25, 0.2))], (7.0, 3.0))


def _reason(table: pd.DataFrame) -> str:
    """Say why there is nothing to draw."""
    if len(excess(table)):
        return (
            f"no error differs from its limit by more than {DRAWN_ERRORS:g} of its standard errors"
        )
    return (
        "it draws errors above their limits, and needs rows of asymptote, and of predict or "
        "simulate, of the same model"
    )


def _sure(result: pd.DataFrame) -> pd.DataFrame:
    """Keep what differs from zero by more than its numerical uncertainty."""
    return result[result.excess > DRAWN_ERRORS * result.excess_se].sort_values("alpha1")


def _excess(table: pd.DataFrame, lines: pd.DataFrame, trials: pd.DataFrame) -> Panel:
    fitted, marks, keys = slopes(table), list[Mark](), []
    for model, part in lines.groupby("model"):
        key, rate = str(model), float(part.rate.iloc[0])
        slope = f", slope {fitted[key]:.2f}" if key in fitted else ""
        name, colour = f"{NAMES[key]}: {rate:#.3g}$/\\alpha_1$", COLOURS[key]
        marks.append(Line(numbers(part.alpha1), numbers(part.excess), colour, NAMES[key]))
        span = np.array([part.alpha1.min(), part.alpha1.max()])
        marks.append(Line(numbers(span), numbers(rate / span), colour, name, DASHED, 0.8))
        keys.append(Key(name + slope.replace("-", "−"), Line(colour=colour)))
    for model, part in trials.groupby("model"):
        marks.append(_dots(part.alpha1, part.excess, part.excess_se, str(model)))
    return Panel(
        [*marks, *empty_note(marks)],
        Axis(r"readout samples per dimension, $\alpha_1$", log=10),
        Axis(r"test error above its limit, $E - E^\infty$", log=10, limits=(5e-5, 2.0)),
        r"approach to the limit (dashed: predicted $1/\alpha_1$)",
        legend=Legend(keys, spaces={"borderpad": 0.1}),
    )


def _ratio(lines: pd.DataFrame, trials: pd.DataFrame) -> Panel:
    marks: list[Mark] = []
    for model, part in lines.groupby("model"):
        scale, x = part.alpha1 / part.rate, numbers(part.samples)
        colour, name = COLOURS[str(model)], NAMES[str(model)]
        dash = DASHES.get(str(model), ())
        marks.append(Line(x, numbers(part.excess * scale), colour, name, dash))
        low, high = ((part.excess + sign * part.excess_se) * scale for sign in (-1.0, 1.0))
        marks.append(Band(x, numbers(low), numbers(high), colour))
    for model, part in trials.groupby("model"):
        scale = part.alpha1 / part.rate
        marks.append(_dots(part.samples, part.excess * scale, part.excess_se * scale, str(model)))
    return Panel(
        [Rule(y=1.0, dash=DASHED, width=0.8), *marks, *empty_note(marks)],
        Axis("samples per weight", log=10),
        Axis(r"$(E - E^\infty)$ / predicted $1/\alpha_1$ law", limits=(0.6, 2.4)),
        "over the predicted law",
    )


def _dots(x: Any, y: Any, error: Any, model: str) -> Dots:
    name, marker = NAMES[model], MARKS[model]
    points = (numbers(x), numbers(y), numbers(error))
    return Dots(*points, COLOURS[model], name, marker, **DOT_STYLE)
