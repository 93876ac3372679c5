"""The maps of attention's error minus mean pooling's."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap

from ...experiments.published.win_or_lose import difference
from ..marks import note, simulated
from ..reading import Draws, Rows, nothing, read
from ..style import COLOURS, RC

ROWS = Rows(("model",), ("test_error",))
DRAWS = Draws(
    "win_or_lose",
    {"predict": ROWS, "simulate": ROWS, "crossover": Rows(("kappa",), ("cosine",))},
    across=(
        *("model", "data", "query.kappa", "query.cosine"),
        *("training.alpha0", "training.eta_q"),
    ),
    only={"model": ("attention", "pooled")},
)
BLEND = LinearSegmentedColormap.from_list(
    "win_or_lose", [COLOURS["attention"], "#ffffff", COLOURS["pooled"]]
)


def win_or_lose(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw E[attention] − E[pooled] by the query, and beside it by how the query is trained.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "predict", "simulate" and "crossover", as `Store.to_pandas` gives them,
        of attention and of pooling: maps for the rows of "predict", rings for the trials of
        "simulate", filled with the colour of their mean, lines for "crossover".
    ax : matplotlib axes, optional
        Draw only the map by the query, here; a figure of its own by default.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the table has no such rows or columns, or if a parameter changes in it that the figure
        does not draw, such as θ.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> base = {"call": "predict", "training.alpha0": 1.0, "test_error": 0.2}
    >>> rows = [{**base, "model": "pooled"}]
    >>> rows += [{**base, "model": "attention", "query.kappa": kappa, "query.cosine": cosine}
    ...          for kappa in (0.1, 1.0) for cosine in (0.0, 1.0)]
    >>> len(figures.win_or_lose(pd.DataFrame(rows)).axes)
    3
    """
    table = read(table, DRAWS, ax)
    given, trained = difference(table), difference(table, trained=True)
    drawn = [difference(table, one, "simulate") for one in (False, True)]
    if given.empty and drawn[0].empty and (ax is not None or (trained.empty and drawn[1].empty)):
        nothing(
            "win_or_lose",
            "the difference of attention and pooling needs rows of both, and a query.kappa and "
            'query.cosine, or data="all" for pooling at the training.alpha0 of attention',
        )
    values = np.concatenate([one.to_numpy().ravel() for one in (given, trained, *drawn)])
    limit = max(float(np.abs(values[np.isfinite(values)]).max(initial=0.0)), 1e-3)
    with plt.rc_context(RC):
        if ax is not None:
            _draw_given(ax, table, given, limit)
            _rings(ax, drawn[0], limit)
            return ax.figure
        figure, (left, right) = plt.subplots(1, 2, figsize=(7.0, 3.1))
        figure.subplots_adjust(left=0.085, right=0.875, bottom=0.145, top=0.86, wspace=0.28)
        mesh = _draw_given(left, table, given, limit)
        note(left, not given.empty or not drawn[0].empty)
        note(right, _draw_trained(right, trained, limit) or not drawn[1].empty)
        for panel, found in zip((left, right), drawn, strict=True):
            _rings(panel, found, limit)
        figure.text(0.985, 0.975, _words(table), ha="right", va="top", color="0.3")
        bar = figure.colorbar(mesh, cax=figure.add_axes((0.892, 0.145, 0.015, 0.715)))
        bar.set_label("error of attention − error of pooling")
        bar.outline.set_visible(False)
    return figure


def _mesh(ax: Any, found: pd.DataFrame, limit: float) -> Any:
    """Colour a cell around each point of the grid; one that is no colour if there is none."""
    if found.empty:
        found = pd.DataFrame(np.nan, index=[1.0], columns=[0.5])
    return ax.pcolormesh(
        found.columns.to_numpy(float), found.index.to_numpy(float), found.to_numpy(),
        cmap=BLEND, vmin=-limit, vmax=limit, shading="nearest", rasterized=True,
    )  # fmt: skip


def _rings(ax: Any, found: pd.DataFrame, limit: float) -> None:
    """Draw simulated differences as rings, filled on the colour scale of the map."""
    points = found.stack().dropna()
    if len(points):
        y, x = (points.index.get_level_values(level).to_numpy(float) for level in (0, 1))
        ax.scatter(
            x, y, c=points.to_numpy(), cmap=BLEND, vmin=-limit, vmax=limit, s=34,
            edgecolors="black", linewidths=0.8, zorder=3, clip_on=False,
        )  # fmt: skip


def _words(table: pd.DataFrame) -> str:
    return f"maps: theory    rings: {simulated(table, 'simulate').partition(',')[0]}, mean"


def _draw_given(ax: Any, table: pd.DataFrame, found: pd.DataFrame, limit: float) -> Any:
    ax.set_yscale("log")
    mesh = _mesh(ax, found, limit)
    lines = table[table.call == "crossover"]
    if len(lines):
        lines = lines.dropna(subset=["cosine"]).sort_values("kappa")
        after = lines["training.alpha1"].notna()
        ax.plot(lines.cosine[after], lines.kappa[after], color="black", lw=1.4)
        ax.plot(lines.cosine[~after], lines.kappa[~after], color="black", lw=0.9, ls="--")
    if found.size > 1:
        ax.set_xlim(found.columns.min(), found.columns.max())
        ax.set_ylim(found.index.min(), found.index.max())
    ax.text(0.97, 0.95, "attention wins", transform=ax.transAxes, ha="right", va="top",
            color="white")  # fmt: skip
    ax.text(0.03, 0.95, "pooling wins", transform=ax.transAxes, va="top")
    ax.set_xlabel(r"alignment of the query, $s$")
    ax.set_ylabel(r"strength of the query, $\kappa$")
    ax.set_title("a given query (dashed: unlimited data)", loc="left")
    return mesh


def _draw_trained(ax: Any, found: pd.DataFrame, limit: float) -> bool:
    ax.set_xscale("log")
    ax.set_yscale("log")
    some = min(found.shape, default=0) > 1
    if some:
        _mesh(ax, found, limit)
        if found.to_numpy().min() < 0.0 < found.to_numpy().max():
            ax.contour(found.columns, found.index, found.to_numpy(), [0.0], colors="black",
                       linewidths=1.4)  # fmt: skip
        ax.set_xlim(found.columns.min(), found.columns.max())
        ax.set_ylim(found.index.min(), found.index.max())
    ax.set_xlabel(r"query samples per dimension, $\alpha_0$")
    ax.set_ylabel(r"step size of the query, $\eta_q$")
    ax.set_title("a trained query, pooling given all the data", loc="left")
    return some
