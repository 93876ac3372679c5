"""What training reaches, what anyone could learn, and what is possible if the signal is known.

Test errors against all data, α samples per dimension, for L = 10, θ = 5 and for L = 100, θ = 4;
R = 1, π = ½, logistic loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...experiment import Experiment, compare, grid, trials
from ...units.unit import Unit

TASKS = tuple({"L": L, "R": 1, "theta": theta, "pi": 0.5} for L, theta in ((10, 5.0), (100, 4.0)))
STEPS, RIDGES = (10.0, 100.0, 1e3, 1e4), (0.1, 1.0)  # of two-step attention; pooling has ridges
END_RIDGES = (0.03, 0.1)
REACH = (0.1, 64.0)  # of α
ITERATED = {10: (0.25, 0.5, 1.0, 2.0, 4.0, 8.0), 100: (0.1, 0.25, 0.5, 1.0, 4.0)}
TRAINED = {10: (0.5, 1.0, 2.0, 4.0, 8.0), 100: (1.0, 2.0, 4.0)}
JUMP = {10: (), 100: (0.2345, 0.237, 0.323, 0.3265)}  # both sides of the boundaries
CLOSE = 2.0  # a factor from the boundaries within which an iteration is not scored
ROUNDS = 60  # at 20 a tenth of the iterations at α = 1 have not yet left zero, at L = 100
TOL = 1e-2  # of the limit, which is less sure where it jumps
THINNER = 5e-3  # of trained errors: thinner than their lines
BY = ("task.L", "task.theta", "alpha")
NAMES = ("test_error", "overlap")


def units(full: bool) -> list[Unit]:
    """Theory on fine grids of α; training end to end and the iteration at a few.

    Examples
    --------
    >>> found = [unit for unit in units(False) if unit.call == "simulate_amp"]
    >>> sorted({unit.arguments["d"] for unit in found})
    [100, 200]
    """
    d, count, small, few = (600, 16, 200, 8) if full else (200, 8, 60, 4)
    fine, coarse = (np.round(np.geomspace(*REACH, number), 4).tolist() for number in (49, 19))
    found = []
    for task in TASKS:
        tokens = int(task["L"])
        found += [Unit("oracle", {"task": task, "model": "bayes"}), boundaries(task)]
        found += [limit(task, alpha) for alpha in sorted({*fine, *ITERATED[tokens], *JUMP[tokens]})]
        for point in grid(alpha=coarse, ridge=RIDGES):
            found.append(_predict(_pooled(task, **point)))
        for point in grid(alpha=coarse, eta_q=STEPS, ridge=RIDGES):
            found.append(_predict(_halves(task, **point)))
        for point in grid(alpha=TRAINED[tokens], ridge=END_RIDGES):
            found += trials("simulate", {**_halves(task, **point), "starts": 2, "d": small}, few)
        for alpha in ITERATED[tokens]:
            found += iterations(task, alpha, d, count)
    return found


def boundaries(task: dict[str, Any]) -> Unit:
    """Return the unit that asks where learning becomes possible, and easy."""
    return Unit("phase_boundaries", {"task": task})


def limit(task: dict[str, Any], alpha: float) -> Unit:
    """Return the unit that asks what anyone could learn."""
    return Unit("bayes_optimal", {"task": task, "alpha": alpha, "tol": TOL})


def iterations(task: dict[str, Any], alpha: float, d: int, count: int) -> list[Unit]:
    """Return trials of the iteration; the smaller d measures what finite dimension adds."""
    found = []
    for size in (d, d // 2):
        arguments = {"task": task, "alpha": alpha, "d": size, "rounds": ROUNDS}
        found += trials("simulate_amp", arguments, count)
    return found


def _predict(arguments: dict[str, Any]) -> Unit:
    return Unit("predict", {**arguments, "tol": THINNER})


def _pooled(task: dict[str, Any], alpha: float, ridge: float) -> dict[str, Any]:
    training = {"alpha1": alpha, "ridge": ridge}
    return {"task": task, "training": training, "model": "pooled"}


def _halves(task: dict[str, Any], alpha: float, **more: float) -> dict[str, Any]:
    """Return attention with half of the data in each stage."""
    training = {"alpha0": alpha / 2.0, "alpha1": alpha / 2.0, **more}
    return {"task": task, "training": training, "model": "attention"}


def clear(table: pd.DataFrame) -> Any:
    """Say which rows have an α that is clear of the jump, if the table knows where it is.

    Clear is less than half of what makes learning possible, or more than twice what makes it easy.
    In between whether a trial jumps is a matter of chance, and its mean says nothing of the limit.

    Examples
    --------
    >>> table = pd.DataFrame({"call": ["phase_boundaries", *["simulate_amp"] * 3],
    ...     "task.L": 100, "task.theta": 4.0, "alpha": [None, 0.1, 0.5, 1.0],
    ...     "verdict": ["jumps", None, None, None], "alpha_it": 0.236, "alpha_amp": 0.325})
    >>> clear(table).tolist()
    [False, True, False, True]
    """
    columns = ["call", *BY, "verdict", "alpha_it", "alpha_amp"]
    table = table.reindex(columns=list(dict.fromkeys([*table.columns, *columns])))
    place = list(BY[:2])
    edges = table[table.call == "phase_boundaries"].set_index(place)
    edges = edges.loc[~edges.index.duplicated(), ["verdict", "alpha_it", "alpha_amp"]]
    here = edges.reindex(pd.MultiIndex.from_frame(table[place])).set_index(table.index)
    alpha = table.alpha.astype(float)
    below = alpha < here.alpha_it.astype(float) / CLOSE
    above = alpha > here.alpha_amp.astype(float) * CLOSE
    return ((here.verdict == "smooth") & alpha.notna() | below | above).to_numpy()


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare the iteration with the easy limit, where α is clear of a jump."""
    easy = {name: f"amp_{name}" for name in (*NAMES, *(f"{one}_se" for one in NAMES))}
    table = table.reindex(columns=list(dict.fromkeys([*table.columns, "call", *easy.values()])))
    theory = table[table.call == "bayes_optimal"].drop(columns=list(easy), errors="ignore")
    theory = theory.rename(columns={found: name for name, found in easy.items()})
    iterated = table[(table.call == "simulate_amp") & clear(table)]
    both = pd.concat([theory, iterated], ignore_index=True) if len(iterated) else iterated
    return compare(both, BY, NAMES, theory="bayes_optimal", simulation="simulate_amp")


EXPERIMENT = Experiment(
    "limit",
    "What training reaches, and what anyone could learn",
    "Test error against all data, α samples per dimension. Trained so: mean pooling, and attention "
    "after two steps (theory, half of the data for the query, half for the readout), each with the "
    "settings that err least at that α, of the ridges 0.1 and 1 and of steps η_q from 10 to 10⁴; "
    "attention trained end to end (dots, from 2 starts, the better of the ridges 0.03 and 0.1). "
    "Learnable by anyone: the limit of learning, a replica-symmetric formula. The solid line is "
    "what attention finds when it is iterated from nothing (dots, 60 rounds); where the dashed "
    "line parts from it, less error is possible, but hard to find. Known: the least error of "
    "who is told the signal. With ten tokens two steps need 6 times the limit's data to err 0.05, "
    "and 13 times to err 0.025; end to end does about as well. With a hundred tokens two steps "
    "need 20 to 40 times the data for errors from 0.15 to 0.3, and very large steps; end to end "
    "lies between. The iteration's dots between half of the α that makes learning possible and "
    "twice the one that makes it easy (at L = 100 those at 0.25 and 0.5) are shown and not scored: "
    "whether a trial jumps there is chance at finite dimension.",
    units,
    scores,
)
