"""All published figures, found by their files.

A figure is a module of a sub-package of `gallery`; its name is the module's. The files are listed
without being imported, and a figure is imported on first use. Every file has

| name | what it is |
| --- | --- |
| `ORDER` | its place on the page; later figures have larger numbers |
| `TITLE`, `CAPTION` | what it shows, in a line and in a few sentences |
| `units` | the work: quick sizes, or with True the full ones |
| `scores` | from the table of the finished units, a row for each comparison of simulation with \
theory: the columns `experiments.comparison.COMPARED`; empty where nothing is simulated |
| a function of the file's name | what is drawn of the table, as data, a single panel if there are \
axes for it: `figure_of` makes it the public one that `needlescope.figures` finds |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

import pandas as pd

from .. import gallery
from ..deep.torch_needed import need_torch
from ..experiments.units.spelling import check_choice
from ..experiments.units.unit import Unit
from ..figures.attended import attended
from ..figures.drawing import Drawing
from ..figures.lines import lines
from ..figures.overview import overview
from ..figures.rendered import drawing_of

SHARED: dict[str, Callable[..., Any]] = {"attended": attended, "lines": lines, "overview": overview}
DEEP = f"{gallery.__name__}.deep"  # the package whose units need torch


@dataclass(frozen=True)
class PublishedFigure:
    """What the file of a figure declares."""

    name: str
    order: int
    title: str
    caption: str
    units: Callable[[bool], list[Unit]]
    scores: Callable[[pd.DataFrame], pd.DataFrame]
    draw: Callable[..., Any]


@cache
def modules() -> MappingProxyType[str, str]:
    """Return the module of each figure, by name.

    Examples
    --------
    >>> modules()["limit"]
    'needlescope.gallery.bayes.limit'
    """
    packages = [
        f"{gallery.__name__}.{module.name}"
        for module in iter_modules(gallery.__path__)
        if module.ispkg
    ]
    return MappingProxyType(
        {
            module.name: f"{package}.{module.name}"
            for package in packages
            for module in iter_modules(import_module(package).__path__)
        }
    )


def published(name: str) -> PublishedFigure:
    """Return the figure of that name.

    Examples
    --------
    >>> published("errors").title
    'Errors against the amount of training data'
    """
    if name not in tuple(modules()):
        check_choice("figure", name, names())
    file = import_module(modules()[name])
    words = name, file.ORDER, file.TITLE, file.CAPTION
    return PublishedFigure(*words, file.units, file.scores, getattr(file, name))


def runnable(name: str) -> PublishedFigure:
    """Return the figure of that name, or say what it needs that is not installed."""
    record = published(name)
    if is_deep(name):
        need_torch(f"the figure {name}")
    return record


def is_deep(name: str) -> bool:
    """Say whether torch trains what the figure shows."""
    return modules()[name].startswith(f"{DEEP}.")


@cache
def names() -> tuple[str, ...]:
    """Return the names of all figures in the order of the page, those that need torch last.

    Examples
    --------
    >>> names()[:3]
    ('errors', 'alignment', 'capacity')
    """
    return tuple(sorted(modules(), key=lambda name: (is_deep(name), published(name).order)))


def core_names() -> tuple[str, ...]:
    """Return the figures that do without torch: what `reproduce` draws if nothing is named."""
    return tuple(name for name in names() if not is_deep(name))


def deep_names() -> tuple[str, ...]:
    """Return the figures that need torch."""
    return tuple(name for name in names() if is_deep(name))


def drawing(figure: str, *given: Any, alone: bool = False, **options: Any) -> Drawing:
    """Return what a figure draws, as data: all of it, or the panel it draws into given axes."""
    draw = SHARED[figure] if figure in tuple(SHARED) else published(figure).draw
    return drawing_of(draw)(*given, **options, **({"ax": True} if alone else {}))


def curves(figure: str, *given: Any, **options: Any) -> pd.DataFrame:
    """Return the curves of a figure as a table: theory's lines, and means over trials.

    They can so be drawn by something else than matplotlib, which this does not load.

    Parameters
    ----------
    figure : str
        A figure's name: `figures.errors` is "errors".
    given : tables or lists
        What that figure is given: the table, or for "overview" both, or weights for "attended".
    options : keyword arguments, optional
        What else it takes, but for ``ax``. Where a figure draws a single panel into given axes,
        ``alone=True`` returns that panel.

    Returns
    -------
    DataFrame
        A row for each point: ``panel`` (a number, from 0), ``role`` ("theory" or "simulation"),
        ``label``, ``x``, ``y``, ``se`` (the standard error of a mean over trials) and ``value``
        (the number behind a colour of a map).

    Raises
    ------
    ValueError
        If there is no such figure, or what that figure refuses.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "predict", "model": "pooled", "training.alpha1": [0.5, 2.0],
    ...                       "test_error": [0.4, 0.3]})
    >>> figures.curves("errors", table, alone=True)[["role", "label", "x", "y"]].values.tolist()
    [['theory', 'mean pooling', 0.5, 0.4], ['theory', 'mean pooling', 2.0, 0.3]]
    """
    return drawing(figure, *given, **options).curves()
