"""Which instances a classifier looked at: the attention of some bags, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..grid import unmasked, whole
from .drawing import Axis, Drawing, Panel, single
from .marks import Cells, Rule, Scale, numbers
from .rendered import rendered
from .style import COLOURS, WHITE

SCALE = Scale(0.0, 1.0, (WHITE, "#56B4E9", "#003A5C"), "attention weight")
SAME_WITHIN = (
    1e-6  # weights that differ by less, as a share, differ by the rounding of single precision
)


@rendered
def attended(
    weights: Sequence[Any],
    y: Any = None,
    ax: Any = None,
    *,
    bags: int = 40,
    instances: int = 40,
    order: bool = True,
) -> Drawing:
    """Draw the attention weights of bags: a row for each, an instance in each cell.

    If every weight of a bag is the same, in all bags, the title says so: the mean was chosen.

    Parameters
    ----------
    weights : list of arrays
        What `MILClassifier.attention_weights` returns, for one query: for each bag, the weights of
        its instances.
    y : array, optional
        Labels of the bags; bags of one label stand together.
    ax : matplotlib axes, optional
        Axes to draw into; a figure of its own by default.
    bags : int, default 40
        The largest number of bags to draw, evenly chosen.
    instances : int, default 40
        The largest number of instances to draw of each bag: those with the largest weights.
    order : bool, default True
        Put the instances of each bag in the order of their weights; or draw all, as they come.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If there is no bag, if weights are no finite numbers, or if labels are not one for each bag.

    Examples
    --------
    >>> import numpy as np
    >>> from needlescope import figures
    >>> figure = figures.attended([np.array([0.9, 0.1]), np.array([0.2, 0.3, 0.5])], y=[1, 0])
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['0', '1']
    """
    whole("bags", bags, 1)
    whole("instances", instances, 1)
    if not isinstance(order, bool | np.bool_):
        raise ValueError(f"order must be True or False, got {order!r}")
    weights = _weights(weights)
    labels = _labels(len(weights), y)
    rows = np.argsort(labels, kind="stable")
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, min(bags, len(rows))).round().astype(int))]
    shown = [np.sort(weights[k])[::-1][:instances] if order else weights[k] for k in rows]
    cells = np.full((len(rows), max(len(a) for a in shown)), np.nan)
    for place, a in enumerate(shown):
        cells[place, : len(a)] = a
    axis, rules = _by_label(None if y is None else labels[rows])
    mark = Cells(
        tuple(map(numbers, cells)), SCALE, 1 if order else 0
    )  # ranks from 1, places from 0
    name = "instance, by attention" if order else "instance"
    title = uniform(weights)
    panel = Panel([mark, *rules], Axis(name, whole=True), axis, title=title, bar=SCALE)
    return single(panel, size=(3.4, 2.9))


def uniform(weights: Sequence[Any]) -> str:
    """Say so if all instances of every bag have the same weight: the mean was chosen.

    Examples
    --------
    >>> uniform([np.full(3, 1 / 3), np.ones(1)])
    'attention is uniform: it is the mean'
    >>> uniform([np.array([0.3, 0.7])]), uniform([np.ones(1)])
    ('', '')
    """
    several = [a for a in weights if len(a) > 1]
    same = all(np.ptp(a) <= SAME_WITHIN * np.abs(a).max() for a in several)
    return "attention is uniform: it is the mean" if several and same else ""


def _weights(weights: Any) -> list[Any]:
    """Return the weights of each bag as an array, or refuse them."""
    bags = list(weights) if isinstance(weights, list | tuple | np.ndarray) else []
    unmasked("weights", bags)
    try:
        result = [np.asarray(a) for a in bags]
    except (TypeError, ValueError):  # of several lengths
        result = []
    if not result or any(a.ndim != 1 or not a.size or a.dtype.kind not in "fiu" for a in result):
        raise ValueError(
            "weights must be a list of arrays, one number for each instance; with several queries "
            "pass those of one, [a[0] for a in weights]"
        )
    odd = next((k for k, a in enumerate(result) if not np.isfinite(a).all()), None)
    if odd is not None:
        raise ValueError(f"weights must be finite numbers, got {result[odd]!r} for bag {odd}")
    return result


def _labels(count: int, y: Any) -> Any:
    """Return a label for each bag, all the same if none are given, or refuse them."""
    unmasked("y", y)
    mixed = isinstance(y, list | tuple) and len({isinstance(item, str) for item in y}) > 1
    labels = np.zeros(count, int) if y is None else np.asarray(y, dtype=object if mixed else None)
    if labels.shape != (count,):
        raise ValueError(
            f"y must have a label for each of the {count} bags, got shape {labels.shape}"
        )
    refusal = f"labels in y must be of one kind, and none missing, got {y!r}"
    try:
        np.sort(labels)
    except TypeError:  # they cannot be put in order
        raise ValueError(refusal) from None
    if (labels != labels).any():  # nor can NaN
        raise ValueError(refusal)
    return labels


def _by_label(labels: Any) -> tuple[Axis, list[Rule]]:
    """Name the labels of rows beside them, with a line between one and the next."""
    if labels is None:
        return Axis("bag", ticks=()), []
    kinds, first, count = np.unique(labels, return_index=True, return_counts=True)
    places, names = numbers(first + (count - 1) / 2.0), [str(kind) for kind in kinds]
    rules = [Rule(y=float(k) - 0.5, colour=COLOURS["pooled"], width=1.0) for k in first[1:]]
    return Axis("bags, by label", ticks=places, labels=names), rules
