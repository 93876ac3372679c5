"""Where attention beats mean pooling: by the query it has, and by how the query was trained.

Theory makes the maps; at a few points of each, classifiers are trained as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import compare, grid, paired_trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Panel, single
from ...figures.from_rows import empty_note, ends, grid_map, rings
from ...figures.marks import INSIDE, Line, Mark, Scale, Text, numbers
from ...figures.reading.rows import describe_trials
from ...figures.reading.validation import RowSpec, TableSpec, read_table, refuse_empty
from ...figures.rendered import figure_of
from ...figures.style import BLACK, COLOURS, DASHED, WHITE

ORDER = 5
TITLE = "Where attention beats mean pooling, and where it does not"
CAPTION = (
    "The test error of attention minus that of mean pooling: blue where attention is better. The "
    "maps are theory, the rings trained classifiers: the colour of each ring is the difference "
    "simulated there, so a ring that stands out is a disagreement. Left: a given query, by its "
    "alignment with the signal and its strength κ = β‖q‖; both readouts have 4 samples per "
    "dimension. The line is the alignment above which attention is better; dashed, the same with "
    "the square loss and unlimited data. A weak query hardly differs from pooling; a strong one "
    "must be aligned, or it attends to the wrong tokens. Right: a query trained on α0 samples "
    "per dimension with a given step, against pooling that gets those samples as well; along the "
    "line the two are equal. A large step on too few samples does harm, and samples spent on a "
    "step that is too small are better given to pooling."
)
TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
ALPHA0, ALPHA1 = 1.0, 4.0
TOL = 1e-3
KAPPAS, COSINES = (0.1, 10.0), (0.0, 1.0)
ALPHAS, STEPS = (0.02, 8.0), (0.3, 300.0)
COLUMNS = (
    *("call", "model", "data", "d", "test_error", "query.kappa", "query.cosine"),
    *("training.alpha0", "training.eta_q"),
)
GIVEN = ((0.2, 0.5, 0.8), (0.1, 0.4, 0.7, 1.0))  # where on the axes κ and s is simulated
TRAINED = ((0.375, 0.625, 0.875), (0.125, 0.375, 0.625, 0.875))  # the same for α0 and the step


def units(full: bool) -> list[Unit]:
    """Both maps, the line where the first one changes sign, and trials at some points of each."""
    count, few, places = (31, 31, 21) if full else (11, 9, 7)
    kappas = np.geomspace(*KAPPAS, count).round(5).tolist()
    cosines = np.linspace(*COSINES, count).round(5).tolist()
    alphas = np.geomspace(*ALPHAS, few).round(5).tolist()
    steps = np.geomspace(*STEPS, few).round(5).tolist()
    result = [_predict(_arguments("pooled", ALPHA0))]
    for point in grid(kappa=kappas, cosine=cosines):
        result.append(_predict(_arguments("attention", ALPHA0, query=point)))
    for kappa in np.geomspace(*KAPPAS, places).round(5).tolist():
        base = {"task": TASK, "kappa": kappa, "tol": TOL}
        result.append(Unit("crossover", {**base, "training": _training(ALPHA0)}))
        result.append(Unit("crossover", base))
    for alpha0 in alphas:
        result.append(_predict(_arguments("pooled", alpha0, data="all")))
        result += [_predict(_arguments("attention", alpha0, step)) for step in steps]
    points = [_arguments("pooled", ALPHA0)]
    for point in grid(kappa=_some(kappas, GIVEN[0]), cosine=_some(cosines, GIVEN[1])):
        points.append(_arguments("attention", ALPHA0, query=point))
    for alpha0 in _some(alphas, TRAINED[0]):
        points.append(_arguments("pooled", alpha0, data="all"))
        points += [_arguments("attention", alpha0, step) for step in _some(steps, TRAINED[1])]
    d = 1000 if full else 200
    for arguments in points:
        result += paired_trials("simulate", arguments, d, 16)
    return result


def _some(values: list[float], shares: tuple[float, ...]) -> list[float]:
    """Return the values at some shares of the way through a list."""
    return [values[round(share * (len(values) - 1))] for share in shares]


def _training(alpha0: float, step: float | None = None) -> dict[str, Any]:
    training: dict[str, Any] = {"alpha0": alpha0, "alpha1": ALPHA1, "ridge": 1e-2}
    return training if step is None else {**training, "eta_q": step}


def _arguments(model: str, alpha0: float, step: float | None = None, **more: Any) -> dict[str, Any]:
    return {"task": TASK, "training": _training(alpha0, step), "model": model, **more}


def _predict(arguments: dict[str, Any]) -> Unit:
    return Unit("predict", {**arguments, "tol": TOL})


def difference(table: pd.DataFrame, trained: bool = False, call: str = "predict") -> pd.DataFrame:
    """Return E[attention] − E[pooled] as a grid: rows by κ and columns by alignment.

    With ``trained``, rows are by the query's step size and columns by α0, and pooling has been
    trained on all the data. With the call "simulate", means over trials at the largest dimension.

    Examples
    --------
    >>> pooled = {"call": "predict", "model": "pooled", "training.alpha0": 1.0, "test_error": 0.25}
    >>> given = {"call": "predict", "model": "attention", "query.kappa": 2.0, "query.cosine": 0.9,
    ...          "training.alpha0": 1.0, "test_error": 0.05}
    >>> difference(pd.DataFrame([pooled, given])).round(3).to_dict()
    {0.9: {2.0: -0.2}}
    """
    rows = _complete(table[table.call == call]).dropna(subset=["test_error"])
    if call == "simulate":
        rows = rows[rows.d == rows.d.max()]
    pooled, other = rows[rows.model == "pooled"], rows[rows.model == "attention"]
    pooled = pooled[pooled.data.eq("all") == trained].groupby("training.alpha0").test_error.mean()
    other = other[other["training.alpha0"].isin(pooled.index)]
    gap = other.test_error - other["training.alpha0"].map(pooled)
    if trained:
        chosen, axes = other["query.kappa"].isna(), ("training.eta_q", "training.alpha0")
    else:
        chosen, axes = other["query.kappa"].notna(), ("query.kappa", "query.cosine")
    result = other[chosen].assign(gap=gap[chosen])
    return result.pivot_table(index=axes[0], columns=axes[1], values="gap").astype(float)


def _complete(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with all the columns that are read, also where no unit has them."""
    return table.reindex(columns=list(dict.fromkeys([*table.columns, *COLUMNS])))


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare the errors of each classifier that was trained with the theory's.

    Examples
    --------
    >>> table = pd.DataFrame({"call": ["predict", "simulate", "simulate"], "model": "pooled",
    ...                       "training.alpha0": 1.0, "d": 100, "test_error": [0.4, 0.39, 0.41]})
    >>> scores(table)["what"].tolist()
    ['test_error at model=pooled, data=D1, alpha0=1.0']
    """
    table = _complete(table)
    table = table.assign(data=np.where(table.data.eq("all"), "all", "D1"))
    given = table["query.kappa"].notna()
    attention = table.model == "attention"
    parts = {
        ("model", "data", "training.alpha0"): ~attention,
        ("model", "query.kappa", "query.cosine"): attention & given,
        ("model", "training.alpha0", "training.eta_q"): attention & ~given,
    }
    result = [compare(table[rows], by, ("test_error",)) for by, rows in parts.items()]
    return pd.concat([item for item in result if len(item)] or result[:1], ignore_index=True)


ROWS = RowSpec(("model",), ("test_error",))
TABLE = TableSpec(
    "win_or_lose",
    {"predict": ROWS, "simulate": ROWS, "crossover": RowSpec(("kappa",), ("cosine",))},
    across=(
        *("model", "data", "query.kappa", "query.cosine"),
        *("training.alpha0", "training.eta_q"),
    ),
    only={"model": ("attention", "pooled")},
)
BLEND = (COLOURS["attention"], WHITE, COLOURS["pooled"])


@figure_of(TABLE)
def win_or_lose(table: pd.DataFrame, ax: Any = None) -> Drawing:
    """Draw E[attention] − E[pooled] by the query, and beside it by how the query is trained.

    Maps are "predict", rings "simulate", filled with the colour of their mean; lines are
    "crossover".

    Parameters
    ----------
    ax : matplotlib axes, optional
        Draw only the map by the query, here; a figure of its own by default.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> base = {"call": "predict", "training.alpha0": 1.0, "test_error": 0.2}
    >>> rows = [{**base, "model": "pooled"}]
    >>> rows += [{**base, "model": "attention", "query.kappa": kappa, "query.cosine": cosine}
    ...          for kappa in (0.1, 1.0) for cosine in (0.0, 1.0)]
    >>> len(figures.win_or_lose(pd.DataFrame(rows)).axes)
    3
    """
    table = read_table(table, TABLE)
    given, trained = difference(table), difference(table, trained=True)
    trials = [difference(table, item, "simulate") for item in (False, True)]
    if given.empty and trials[0].empty and (ax is not None or (trained.empty and trials[1].empty)):
        refuse_empty(
            "win_or_lose",
            "the difference of attention and pooling needs rows of both, and a query.kappa and "
            'query.cosine, or data="all" for pooling at the training.alpha0 of attention',
        )
    values = np.concatenate([item.to_numpy().ravel() for item in (given, trained, *trials)])
    limit = max(float(np.abs(values[np.isfinite(values)]).max(initial=0.0)), 1e-3)
    scale = Scale(-limit, limit, BLEND, "error of attention − error of pooling")
    left = _given(table, given, trials[0], scale)
    if ax is not None:
        return single(left)
    words = f"maps: theory    rings: {describe_trials(table, 'simulate').partition(',')[0]}, mean"
    panels = [left, _trained(trained, trials[1], scale)]
    block = Block(panels, 2, (0.085, 0.875, 0.145, 0.86), (0.28, 0.2))
    return Drawing([block], (7.0, 3.1), words, bar=scale)


def _rings(result: pd.DataFrame, scale: Scale) -> list[Mark]:
    return rings(result.stack().dropna(), scale)


def _axes(x: Axis, y: Axis, result: pd.DataFrame) -> tuple[Axis, Axis]:
    """Let axes end where a map does, if it has several points."""
    if result.size < 2:
        return x, y
    return replace(x, limits=ends(result.columns)), replace(y, limits=ends(result.index))


def _given(table: pd.DataFrame, result: pd.DataFrame, trials: pd.DataFrame, scale: Scale) -> Panel:
    marks: list[Mark] = [] if result.empty else [grid_map(result, scale)]
    lines = table[table.call == "crossover"].dropna(subset=["cosine"]).sort_values("kappa")
    after = lines["training.alpha1"].notna()
    for own, name, width, dash in (
        (after, "equal errors", 1.4, ()),
        (~after, "equal errors, unlimited data", 0.9, DASHED),
    ):
        if len(lines):
            points = numbers(lines.cosine[own]), numbers(lines.kappa[own])
            marks.append(Line(*points, BLACK, name, dash, width))
    x = Axis(r"alignment of the query, $s$")
    y = Axis(r"strength of the query, $\kappa$", log=10)
    marks.append(Text("attention wins", (0.97, 0.95), INSIDE, ("right", "top"), colour=WHITE))
    marks.append(Text("pooling wins", (0.03, 0.95), INSIDE, ("left", "top")))
    note = empty_note(not result.empty or not trials.empty)
    title = "a given query (dashed: unlimited data)"
    return Panel([*marks, *note, *_rings(trials, scale)], *_axes(x, y, result), title)


def _trained(result: pd.DataFrame, trials: pd.DataFrame, scale: Scale) -> Panel:
    marks: list[Mark] = []
    x = Axis(r"query samples per dimension, $\alpha_0$", log=10)
    y = Axis(r"step size of the query, $\eta_q$", log=10)
    if min(result.shape, default=0) > 1:
        crosses = result.to_numpy().min() < 0.0 < result.to_numpy().max()
        marks, (x, y) = [grid_map(result, scale, 0.0 if crosses else None)], _axes(x, y, result)
    note = empty_note(marks or not trials.empty)
    title = "a trained query, pooling given all the data"
    return Panel([*marks, *note, *_rings(trials, scale)], x, y, title)
