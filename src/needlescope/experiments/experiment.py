"""An experiment: the units behind one figure, and how simulation is held against theory there."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .unit import Unit

COMPARED = ("what", "theory", "theory_se", "simulation", "simulation_se", "trials", "z")


@dataclass(frozen=True)
class Experiment:
    """A figure's declaration; the figure itself is drawn from the table of its units.

    Attributes
    ----------
    name
        As in ``needlescope figure NAME``; `needlescope.figures` has a function of that name.
    title, caption
        What it shows, in a line and in a few sentences.
    units
        The work: quick sizes, or with True the full ones.
    compare
        From the table of the finished units, a row for each comparison of simulation with
        theory: the columns `COMPARED`. Empty where nothing is simulated.
    """

    name: str
    title: str
    caption: str
    units: Callable[[bool], list[Unit]]
    compare: Callable[[pd.DataFrame], pd.DataFrame]


def grid(**axes: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Go through all combinations of named values.

    Examples
    --------
    >>> list(grid(model=["pooled"], alpha1=[1.0, 2.0]))
    [{'model': 'pooled', 'alpha1': 1.0}, {'model': 'pooled', 'alpha1': 2.0}]
    """
    for values in itertools.product(*axes.values()):
        yield dict(zip(axes, values, strict=True))


def trials(call: str, arguments: Mapping[str, Any], count: int, seed: int = 0) -> list[Unit]:
    """Return a simulation's trials as units of one trial each, with seeds of their own."""
    return [
        Unit(call, {**arguments, "trials": 1, "seed": [seed, number]}) for number in range(count)
    ]


def compare(
    table: pd.DataFrame,
    by: Sequence[str],
    names: Sequence[str],
    *,
    theory: str = "predict",
    simulation: str = "simulate",
) -> pd.DataFrame:
    """Hold the mean over trials against the theory at the same values of the columns ``by``.

    The z-score is in units of the trials' standard error and the theory's own.
    """
    empty = pd.DataFrame(columns=list(COMPARED))
    if "call" not in table:
        return empty
    limits = table[table.call == theory].set_index(list(by))
    rows = []
    for place, part in table[table.call == simulation].groupby(list(by), sort=False):
        where = place if isinstance(place, tuple) else (place,)
        if len(part) < 2 or place not in limits.index:
            continue
        limit = limits.loc[[place]].iloc[0]
        for name in names:
            values = part[name].dropna().to_numpy(float)
            spread = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
            own = float(limit.get(f"{name}_se", 0.0) or 0.0)
            error = float(np.hypot(spread, own))
            gap = float(values.mean() - limit[name]) if len(values) else np.nan
            listed = ", ".join(
                f"{key.split('.')[-1]}={one}" for key, one in zip(by, where, strict=True)
            )
            z = gap / error if error > 0.0 else (0.0 if abs(gap) < 1e-9 else np.nan)
            rows.append((f"{name} at {listed}", limit[name], own, values.mean(), spread,
                         len(values), z))  # fmt: skip
    return pd.DataFrame(rows, columns=list(COMPARED)) if rows else empty
