"""What the experiments of fuller attention share: the task, the trials, and what bounds them all.

No architecture can have a test error below the Bayes-optimal one with the same number of samples.
That is what is compared: a mean over trials below it is scored as everywhere, one above is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtr

from ..deep.catalogue import ARCHITECTURES
from ..experiments.comparison import COMPARED, trials
from ..experiments.units.unit import Unit

TASK: dict[str, Any] = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
STEPS = (10.0, 100.0, 1e3, 1e4, 1e5)  # of two steps, of which the best is drawn
RIDGES = (0.01, 0.1, 1.0)
BAYES_TOL, PREDICT_TOL = 1e-2, 5e-3
ARCHITECTURE_NAMES = tuple(ARCHITECTURES)


class Size(NamedTuple):
    """How large tokens are, how many trials there are, and on how many samples each is tested."""

    d: int
    trials: int
    n_test: int

    @classmethod
    def of(cls, full: bool) -> Size:
        """Return the full sizes, or the quick ones."""
        return cls(100, 8, 20_000) if full else cls(50, 3, 10_000)


def trial_units(
    size: Size, architecture: str, alpha: float, task: dict[str, Any], **more: Any
) -> list[Unit]:
    """Return the trials of an architecture on a task."""
    arguments = {"task": task, "alpha": alpha, "architecture": architecture, "d": size.d}
    return trials("simulate_deep", {**arguments, "n_test": size.n_test, **more}, size.trials)


def two_step_arguments(
    task: dict[str, Any], alpha: float, eta_q: float, ridge: float
) -> dict[str, Any]:
    """Return the paper's two steps, with half of the data in each stage."""
    training = {"alpha0": alpha / 2.0, "alpha1": alpha / 2.0, "eta_q": eta_q, "ridge": ridge}
    return {"task": task, "training": training, "model": "attention"}


def two_step_units(task: dict[str, Any], alpha: float, **more: Any) -> list[Unit]:
    """Return the theory of two steps in several settings, of which the best is drawn."""
    return [
        Unit(
            "predict", {**two_step_arguments(task, alpha, step, ridge), "tol": PREDICT_TOL, **more}
        )
        for step in STEPS
        for ridge in RIDGES
    ]


def bayes_unit(task: dict[str, Any], alpha: float) -> Unit:
    """Return the unit of the Bayes-optimal error."""
    return Unit("bayes_optimal", {"task": task, "alpha": alpha, "tol": BAYES_TOL})


def oracle_unit(task: dict[str, Any]) -> Unit:
    """Return the unit of the least error if the signal is known."""
    return Unit("oracle", {"task": task, "model": "bayes"})


def compare_with_bayes(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Compare the mean test error of each architecture with the Bayes-optimal error.

    The score is how far it is below that, in standard errors, as a normal number: Student's
    law of few trials is accounted for. It is zero if the mean is above, as the bound holds on one
    side only.

    Examples
    --------
    >>> rows = {"call": ["bayes_optimal", "simulate_deep", "simulate_deep"],
    ...         "architecture": [None, "gru", "gru"], "alpha": 2.0, "test_error": [0.1, 0.2, 0.3]}
    >>> compare_with_bayes(pd.DataFrame(rows), ["alpha"])[["what", "z"]].values.tolist()
    [['gru not below Bayes-optimal at alpha=2.0', 0.0]]
    """
    columns = ("call", "architecture", "heads", "test_error", "n_test", *by)
    table = table.reindex(columns=list(dict.fromkeys((*table.columns, *columns))))
    limits = table[table.call == "bayes_optimal"].dropna(subset=["test_error"])
    limits = limits.drop_duplicates(list(by)).set_index(list(by))
    rows: list[tuple[Any, ...]] = []
    groups = ["architecture", "heads", *by]
    for where, part in table[table.call == "simulate_deep"].groupby(groups, dropna=False):
        name, heads, *place = where
        at = tuple(place) if len(by) > 1 else place[0]
        part = part.dropna(subset=["test_error"])
        if at not in limits.index or len(part) < 2:
            continue
        bound = limits.loc[[at]].iloc[0]
        pairs = zip(by, place, strict=True)
        listed = ", ".join(f"{key.split('.')[-1]}={item}" for key, item in pairs)
        several = "" if pd.isna(heads) else f" ({heads:g} heads)"
        rows.append(
            (f"{name}{several} not below Bayes-optimal at {listed}", *_score(part, bound), name)
        )
    return pd.DataFrame(rows, columns=list(COMPARED))


def _score(part: pd.DataFrame, bound: pd.Series) -> tuple[Any, ...]:
    """Return what is compared at one point: `COMPARED` without its ends.

    Errors are counted on ``n_test`` fresh samples: the standard error is at least that of the
    count, also where few trials happen to agree.
    """
    errors, limit = part.test_error.to_numpy(float), float(bound.test_error)
    count, mean = len(errors), float(errors.mean())
    counted = np.sqrt(limit * (1.0 - limit) / (part.n_test.astype(float) * count)).max()
    error = float(np.nanmax([errors.std(ddof=1) / np.sqrt(count), counted]))
    own = float(np.nan_to_num(bound.get("test_error_se", 0.0)))
    below_by = min(0.0, (mean - limit) / np.hypot(error, own))
    z = float(ndtri(stdtr(count - 1, below_by))) if below_by else 0.0
    return limit, own, mean, error, count, z


def fine_grid(low: float, high: float, count: int, *more: float) -> list[float]:
    """Return a fine grid, with some points in it."""
    grid: Iterable[float] = np.round(np.geomspace(low, high, count), 4).tolist()
    return sorted({*grid, *more})
