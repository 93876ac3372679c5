"""All figures by name, as series: the curves as data, for a renderer of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..grid import choice
from .attended import attended_series
from .drawing import Drawing
from .lines import lines_series
from .overview import overview_series
from .published.alignment import alignment_series
from .published.attention_map import attention_map_series
from .published.beyond.kinds import kinds_series
from .published.beyond.rare import rare_series
from .published.beyond.signals import signals_series
from .published.capacity import capacity_series
from .published.deep.deep_errors import deep_errors_series
from .published.deep.deep_generalise import deep_generalise_series
from .published.deep.deep_heads import deep_heads_series
from .published.deep.deep_lengths import deep_lengths_series
from .published.deep.deep_rare import deep_rare_series
from .published.deep.deep_training import deep_training_series
from .published.errors import errors_series
from .published.length import length_series
from .published.possible.keep_up import keep_up_series
from .published.possible.limit import limit_series
from .published.possible.phases import phases_series
from .published.possible.steps import steps_series
from .published.rates import rates_series
from .published.reuse import reuse_series
from .published.robustness import robustness_series
from .published.separation import separation_series
from .published.win_or_lose import win_or_lose_series

SERIES: Mapping[str, Callable[..., Drawing]] = {
    "alignment": alignment_series,
    "attended": attended_series,
    "attention_map": attention_map_series,
    "capacity": capacity_series,
    "deep_errors": deep_errors_series,
    "deep_generalise": deep_generalise_series,
    "deep_heads": deep_heads_series,
    "deep_lengths": deep_lengths_series,
    "deep_rare": deep_rare_series,
    "deep_training": deep_training_series,
    "errors": errors_series,
    "keep_up": keep_up_series,
    "kinds": kinds_series,
    "length": length_series,
    "limit": limit_series,
    "lines": lines_series,
    "overview": overview_series,
    "phases": phases_series,
    "rare": rare_series,
    "rates": rates_series,
    "reuse": reuse_series,
    "robustness": robustness_series,
    "separation": separation_series,
    "signals": signals_series,
    "steps": steps_series,
    "win_or_lose": win_or_lose_series,
}


def series(figure: str, *given: Any, **options: Any) -> Drawing:
    """Return what a figure draws as plain data: its panels, and their lines, dots and words.

    The same curves can so be drawn by something else than matplotlib, which this does not load.

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
    Drawing
        Its ``panels`` have ``marks``, in the order in which they are drawn; ``to_dict()`` is ready
        for JSON.

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
    >>> [line] = figures.series("errors", table, alone=True).panels[0].marks
    >>> line.name, line.x, line.y
    ('mean pooling', (0.5, 2.0), (0.4, 0.3))
    """
    choice("figure", figure, tuple(SERIES))
    return SERIES[figure](*given, **options)
