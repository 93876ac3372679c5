"""Grids and trials of units, and how simulation is compared with theory there."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtr

from .units.unit import Unit

MIN_MISTAKES = 100
SUM_ROUNDING = 4.0 * np.finfo(float).eps  # of a sum of order one, in theory and simulation
CERTIFIED = 1e-9  # the relative gradient at which a simulated readout counts as trained
COMPARED = ("what", "theory", "theory_se", "simulation", "simulation_se", "trials", "z", "group")


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
    """Return a simulation's trials as units of one trial each, with seeds of their own.

    The point is part of the seed, so that errors of different points are independent.
    """
    whole = Unit(call, arguments)
    point = int(whole.question[:8], 16)
    return [whole.extended(trials=1, seed=[seed, point, number]) for number in range(count)]


def paired_trials(call: str, arguments: Mapping[str, Any], d: int, count: int) -> list[Unit]:
    """Return trials at d and at d/2: the smaller measures what finite dimension adds."""
    return [unit for size in (d, d // 2) for unit in trials(call, {**arguments, "d": size}, count)]


def compare(
    table: pd.DataFrame,
    by: Sequence[str],
    names: Sequence[str],
    *,
    theory: str = "predict",
    simulation: str = "simulate",
) -> pd.DataFrame:
    """Compare the mean over trials with the theory at the same values of the columns ``by``.

    Where trials at d and at d/2 are there, ``2 mean(d) − mean(d/2)`` is compared: what finite
    dimension adds is measured, to first order in 1/d. The score z is the deviation in units of the
    trials' standard error and the theory's own, as a normal number: Student's law of few trials is
    accounted for. Training errors of which fewer than 100 are expected are left out, as too skewed;
    so are points without two finished trials at each d. Where the whole error is below what
    rounding and the solvers' tolerance leave, as of a loss that is zero in every trial, there is no
    score: NaN if theory is as near, and infinite if it is not.
    """
    rows: list[tuple[Any, ...]] = []
    errors = [f"{name}_se" for name in names if f"{name}_se" in table]
    needed = dict.fromkeys(("call", "d", "training.alpha1", *by, *names, *errors))
    table = table.reindex(columns=list(needed))  # units that failed have no numbers
    limits: dict[tuple[Any, ...], dict[Any, Any]] = {}
    for row in table[table.call == theory].to_dict("records"):
        limits.setdefault(tuple(row[item] for item in by), row)
    for where, part in table[table.call == simulation].groupby(list(by), sort=False):
        limit = limits.get(where)
        if limit is None:
            continue
        pairs = zip(by, where, strict=True)
        listed = ", ".join(f"{key.split('.')[-1]}={item}" for key, item in pairs)
        for name in names:
            known = part.dropna(subset=["d", name])
            known = known[known.groupby("d")[name].transform("size") > 1]
            if pd.isna(limit[name]) or known.empty or known["d"].nunique() < part["d"].nunique():
                continue
            if (
                name == "train_error"
                and _expected_mistakes(known, float(limit[name])) < MIN_MISTAKES
            ):
                continue
            group = f"{name}, {where[0]}" if by[0] == "model" else name
            result = _score(name, known, limit)
            same = " (the same but for rounding)" if np.isnan(result[-1]) else ""
            rows.append((f"{name} at {listed}{same}", *result, group))
    return pd.DataFrame(rows, columns=list(COMPARED))


def verdict(scores: pd.DataFrame) -> str:
    """Say whether simulation and theory agree: "agree", "disagree" or "nothing to compare".

    They disagree if a score is beyond 5, if their mean square is beyond what chance allows, or if
    the scores of a group, a quantity of one classifier, lean to one side: Σz/√n beyond 4.5.

    Examples
    --------
    >>> few = pd.DataFrame({"z": [0.3, -1.2, 0.8], "group": "test_error"})
    >>> verdict(few), verdict(few.assign(z=7.0)), verdict(few.assign(z=3.0))
    ('agree', 'disagree', 'disagree')
    """
    z = scores["z"].dropna().to_numpy(float)
    if not len(z):
        return "nothing to compare"
    excess = (float(np.mean(z**2)) - 1.0) * np.sqrt(len(z) / 2.0)
    far = np.abs(z).max() > 5.0 or excess > 6.0 or np.abs(group_scores(scores)).max() > 4.5
    return "disagree" if far else "agree"


def group_scores(scores: pd.DataFrame) -> pd.Series:
    """Return Σz/√n of each group: about normal if theory is right, however many scores it has.

    Examples
    --------
    >>> scores = pd.DataFrame({"z": [1.0, 1.0, 1.0, 1.0, -3.0], "group": [*"aaaa", "b"]})
    >>> group_scores(scores).to_dict()
    {'a': 2.0, 'b': -3.0}
    """
    known = scores.dropna(subset=["z"])
    groups = known.z.astype(float).groupby(known.group)
    return groups.sum() / np.sqrt(groups.count())


def _score(name: str, part: pd.DataFrame, limit: Mapping[Any, Any]) -> tuple[Any, ...]:
    """Return what is compared at one point: `COMPARED` without its ends."""
    groups = [rows[name].to_numpy(float) for _, rows in part.groupby("d")]
    means = [values.mean() for values in groups]
    errors = [values.std(ddof=1) / np.sqrt(len(values)) for values in groups]
    mean, error = means[-1], errors[-1]
    if len(groups) == 2:
        mean, error = 2.0 * means[1] - means[0], float(np.hypot(2.0 * errors[1], errors[0]))
    own = float(limit.get(f"{name}_se", 0.0))
    own = 0.0 if np.isnan(own) else own
    gap, whole = float(mean - limit[name]), float(np.hypot(error, own))
    count, floor = len(groups[-1]), _floor(name, float(limit[name]))
    if whole <= floor:
        z = np.nan if abs(gap) <= floor else float(np.copysign(np.inf, gap))
        return limit[name], own, mean, error, count, z
    t = gap / whole
    z = -np.sign(t) * float(ndtri(stdtr(max(count - 1, 1), -abs(t))))
    return limit[name], own, mean, error, count, z


def _floor(name: str, value: float) -> float:
    """Return the size below which a deviation from this value says nothing.

    Trained to a relative gradient of ε, scores are known to about ε. A small training loss ℓ of
    them is known better, about as the squared distance from its floor that it is: to ε √(2ℓ).
    """
    if name == "train_loss":
        return SUM_ROUNDING + CERTIFIED * float(np.sqrt(2.0 * abs(value)))
    return CERTIFIED


def _expected_mistakes(part: pd.DataFrame, rate: float) -> float:
    """Return how many wrong signs the trials should show on their own data."""
    return float(rate * (part["training.alpha1"] * part["d"]).sum())
