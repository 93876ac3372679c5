"""One bag, explained: what each of its instances adds to the log odds, and the attention on it.

Instances stand in the order of what they add, each above its number in the bag, from 0; at their
times, if there are any; or where they lie, if they have two coordinates: a map of colours. Of
several queries, each has a panel of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit

from ..grid import choice, unmasked, whole
from .attended import uniform
from .drawing import Axis, Block, Drawing, Panel, single
from .marks import Dots, Map, Mark, Rings, Rule, Scale, Text, numbers
from .rendered import rendered
from .style import COLOURS, SMALL, WHITE, grey

POSITIVE, NEGATIVE, ATTENDED, REST = COLOURS["attention"], COLOURS["pooled"], grey(0.25), grey(0.55)
PANELS = ("contribution", "attention")
CONTRIBUTION_NAME, WEIGHT_NAME = "adds to the log odds", "attention weight"
LETTER = 0.07  # inches that a digit of an instance's number takes
MARGIN = 0.12  # above and below stems
EMPTY = grey(0.9)  # where no instance lies
OFF_GRID = 1e-3  # of a grid's step, by which places on it may be off
SPARSEST = 0.1  # the least share of a grid's cells that instances fill, or they are drawn as dots


@rendered
def bag(
    scores: Any,
    attention: Any = None,
    coords: Any = None,
    ax: Any = None,
    *,
    instances: int = 40,
    panel: str = "contribution",
) -> Drawing:
    """Draw one bag: what each instance adds to its log odds, and the attention on it.

    Parameters
    ----------
    scores : array (instances,)
        What `MILClassifier.instance_scores` returns for the bag.
    attention : array (instances,) or (queries, instances), optional
        What `MILClassifier.attention_weights` returns for the bag.
    coords : array (instances,) or (instances, 2), optional
        Where instances lie: times, or places x and y, y downwards as in images. Places on a grid
        are drawn as its cells.
    ax : matplotlib axes, optional
        Axes to draw a single panel into; a figure of its own by default.
    instances : int, default 40
        Without coordinates, the largest number to draw: those that add or take most. The others are
        drawn as one, with what they add together.
    panel : "contribution" or "attention", default "contribution"
        With ``ax``, which one; attention of one query only.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If scores, attention or coordinates are no finite numbers, one for each instance.

    Examples
    --------
    >>> import numpy as np
    >>> from needlescope import figures
    >>> figure = figures.bag(np.array([-0.5, 2.0, 0.1]), attention=np.array([0.2, 0.7, 0.1]))
    >>> figure.axes[0].get_title(loc="left")
    'log odds 1.60: probability 0.832'
    """
    whole("instances", instances, 1)
    choice("panel", panel, PANELS)
    contributions = _check_instances("scores", scores)
    a = [] if attention is None else _queries(attention, len(contributions))
    if not a and panel == "attention":
        raise ValueError('panel="attention" needs the attention of the bag, got attention=None')
    if ax is not None and panel == "attention" and len(a) > 1:
        raise ValueError(
            f'panel="attention" with ax draws one query, got attention of {len(a)}; pass '
            "attention[0], or leave ax out"
        )
    where = None if coords is None else _coords(coords, len(contributions))
    mapped = where is not None and where.ndim == 2
    result = _maps(contributions, a, where) if mapped else _rows(contributions, a, where, instances)
    size = _map_size(where) if mapped else _stem_size(result[0])
    if ax is not None or len(result) == 1:
        return single(result[PANELS.index(panel)], size=size)
    if mapped:
        return Drawing([Block(result, columns=len(result))], size=(len(result) * size[0], size[1]))
    high = (0.3 + 0.7 * len(result)) * size[1]
    return Drawing([Block(result)], size=(size[0], high), share_x=True)


def _stem_size(panel: Panel) -> tuple[float, float]:
    """Return the inches of stems: wide enough for the numbers of all instances."""
    letters = max(map(len, panel.x.labels), default=0)
    return max(4.6, 1.0 + LETTER * (letters + 1) * len(panel.x.labels)), 2.2


def _rows(contributions: Any, a: list[Any], when: Any, most: int) -> list[Panel]:
    """Draw stems in the order of what instances add, or along time."""
    rest = np.zeros(0, int)
    if when is None:
        loud = np.argsort(-np.abs(contributions), kind="stable")
        shown, rest = loud[:most], loud[most:]
        shown = shown[np.argsort(-contributions[shown], kind="stable")]
        x, names = np.arange(1, len(shown) + 1), [str(k) for k in shown]
        axis = Axis("number of the instance, by what it adds", ticks=numbers(x), labels=names)
    else:
        shown = np.argsort(when, kind="stable")
        x, axis = when[shown], Axis("time")
    level: list[Mark] = [Rule(y=0.0, colour=grey(0.6), width=0.6)]
    up = contributions[shown] > 0.0
    marks = [
        *level,
        _stems(x[up], contributions[shown][up], POSITIVE),
        _stems(x[~up], contributions[shown][~up], NEGATIVE),
    ]
    if len(rest):
        at = len(shown) + 2  # a place is left free before
        marks += _others(at, float(contributions[rest].sum()), len(rest))
        axis = replace(axis, limits=(0.0, at + 2.0))
    result = [
        Panel(
            marks,
            axis,
            Axis(CONTRIBUTION_NAME, margin=MARGIN),
            title=_log_odds_title(contributions),
        )
    ]
    for name, item in _named(a):
        stems = [*level, _stems(x, item[shown], ATTENDED)]
        title = uniform([item]) or _hidden_attention(item[rest])
        result.append(
            Panel(stems, axis, Axis(WEIGHT_NAME, margin=MARGIN), title=_joined(name, title))
        )
    above = [replace(panel, x=replace(axis, name="")) for panel in result[:-1]]
    return [*above, result[-1]]


def _named(a: list[Any]) -> list[tuple[str, Any]]:
    """Return the attention of every query with its name, which a single one does not need."""
    return [(f"query {k}" if len(a) > 1 else "", item) for k, item in enumerate(a)]


def _joined(*titles: str) -> str:
    return ": ".join(title for title in titles if title)


def _stems(x: Any, y: Any, colour: str) -> Dots:
    """Return dots with a bar from 0 to each."""
    span = (numbers(np.maximum(y, 0.0)), numbers(np.maximum(-np.asarray(y), 0.0)))
    return Dots(numbers(x), numbers(y), span, colour, size=3.2, bar=1.4)


def _others(at: float, together: float, count: int) -> list[Mark]:
    """Return a stem for all that are not shown, and how many they are."""
    words = Text(
        f"{count} others", (at, max(together, 0.0)), anchor=("center", "bottom"),
        offset=(0.0, 4.0), colour=REST, size=SMALL,
    )  # fmt: skip
    return [_stems([at], np.array([together]), REST), words]


def _hidden_attention(weights: Any) -> str:
    """Say how much attention is on instances that are not shown."""
    return f"{len(weights)} others: {weights.sum():.2f} together" if len(weights) else ""


def _maps(contributions: Any, a: list[Any], where: Any) -> list[Panel]:
    """Draw colours where instances lie."""
    most = float(np.abs(contributions).max()) or 1.0
    scale = Scale(-most, most, (NEGATIVE, WHITE, POSITIVE), CONTRIBUTION_NAME)
    result = [_map(contributions, where, scale, _log_odds_title(contributions))]
    for name, item in _named(a):
        scale = Scale(0.0, float(item.max()) or 1.0, (WHITE, "#56B4E9", "#003A5C"), WEIGHT_NAME)
        result.append(_map(item, where, scale, _joined(name, uniform([item]))))
    return result


def _map(values: Any, where: Any, scale: Scale, title: str) -> Panel:
    """Draw cells if places are those of a grid, else dots; y grows downwards."""
    grid = _grid(where)
    if grid is None:
        size = min(34.0, max(4.0, 6000.0 / len(values)))
        mark: Mark = Rings(
            numbers(where[:, 0]), numbers(where[:, 1]), numbers(values), scale, size, edge=0.0
        )
        half = np.full(2, 0.04 * np.ptp(where, axis=0).max() or 1.0)
    else:
        (x, y), (column, row) = grid
        cells = np.full((len(y), len(x)), np.nan)
        cells[row, column] = values
        mark = Map(numbers(x), numbers(y), tuple(map(numbers, cells)), scale)
        half = np.array([x[1] - x[0], y[1] - y[0]]) / 2.0
    (left, top), (right, bottom) = where.min(axis=0) - half, where.max(axis=0) + half
    across, down = Axis("x", limits=(left, right)), Axis("y", limits=(bottom, top))
    return Panel([mark], across, down, title=title, bar=scale, equal=True, back=EMPTY)


def _map_size(where: Any) -> tuple[float, float]:
    """Return the inches of a map with its bar, so that the bar is about as high as the map."""
    wide, high = np.ptp(where, axis=0)
    return 3.4, 0.65 + 2.2 * float(np.clip(high / wide, 0.5, 1.5) if wide > 0.0 else 1.5)


def _grid(where: Any) -> Any:
    """Return the lines of the grid on which places lie, and the cell of each; None without one.

    Examples
    --------
    >>> lines, cells = _grid(np.array([[0.0, 5.0], [2.0, 5.0], [4.0, 8.0]]))
    >>> [item.tolist() for item in (*lines, *cells)]
    [[0.0, 2.0, 4.0], [5.0, 8.0], [0, 1, 2], [0, 0, 1]]
    >>> _grid(np.array([[0.0, 0.0], [1.0, 0.3], [2.5, 1.0]]))
    """
    lines, cells = [], []
    for places in where.T:
        steps = np.diff(np.unique(places))
        if not len(steps):
            return None
        at = (places - places.min()) / steps.min()
        count = at.max() + 1.0
        if np.abs(at - np.rint(at)).max() > OFF_GRID or count > len(where) / SPARSEST:
            return None
        lines.append(places.min() + steps.min() * np.arange(round(count)))
        cells.append(np.rint(at).astype(int))
    taken = len(set(zip(*cells, strict=True)))
    full = taken == len(where) >= SPARSEST * len(lines[0]) * len(lines[1])
    return (lines, cells) if full else None


def _log_odds_title(contributions: Any) -> str:
    total = float(contributions.sum())
    return f"log odds {total:.2f}: probability {expit(total):.3f}".replace("-", "−")


def _queries(attention: Any, count: int) -> list[Any]:
    """Return the attention of each query, or refuse it."""
    result = _finite("attention", attention)
    if result is not None and result.ndim == 2 and len(result):
        return [_check_instances(f"attention[{k}]", item, count) for k, item in enumerate(result)]
    return [_check_instances("attention", attention, count)]


def _check_instances(name: str, values: Any, count: int | None = None) -> Any:
    """Return a number for each instance, or refuse them."""
    result = _finite(name, values)
    if result is None or result.ndim != 1 or not result.size:
        raise ValueError(
            f"{name} must be a finite number for each instance of one bag, got {values!r}"
        )
    if count is not None and len(result) != count:
        raise ValueError(f"{name} must have a number for each of {count} instances, got {values!r}")
    return result


def _coords(coords: Any, count: int) -> Any:
    """Return times (instances,) or places (instances, 2), or refuse them."""
    result = _finite("coords", coords)
    shape = None if result is None else result.shape
    if shape == (count, 1):
        return result[:, 0]
    if shape not in ((count,), (count, 2)):
        raise ValueError(
            f"coords must be one or two finite numbers for each of {count} instances, got "
            f"{coords!r}"
        )
    return result


def _finite(name: str, values: Any) -> Any:
    """Return finite numbers as an array, or None."""
    unmasked(name, values)
    try:
        result = np.asarray(values)
    except (TypeError, ValueError):  # of several lengths
        return None
    good = result.dtype.kind in "fiu" and np.isfinite(result).all()
    return result.astype(float) if good else None
