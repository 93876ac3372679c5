"""What is possible when the signal is known: attention needs √(2 log L), linear rules need √L.

Nothing is trained: these are the oracle errors, exact at finite L, and the same found by drawing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..experiment import MISTAKES, Experiment, compare, grid, trials
from ..units.unit import Unit

TASK = {"R": 1, "pi": 0.5}
MODELS = ("pooled", "attention", "bayes")
ALL_MODELS = ("pooled", "vectorized", "attention", "bayes")
LENGTHS = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
FINE = tuple(round(value) for value in np.geomspace(10, 100_000, 25))
LAWS = {
    "log": (0.5, 1.0),
    "sqrt_log": (0.75, 1.5),
    "sqrt": (0.5, 2.0),
}  # the factors c of each law of growth of the signal
DRAWS = {10: 10_000, 100: 8000, 1000: 4000}  # in a trial at each L that is simulated
FEW_MISTAKES = 2.0  # θ over √(2 log L) above which attention makes too few mistakes to count
BY = ("model", "task.L", "task.theta")
ERROR = 0.1  # of the detection thresholds
FROM = 1000  # the growth is fitted from this L on


def strength(law: str, c: float, L: int) -> float:
    """Return the signal θ of a law of growth: c log L, c √(2 log L) or c √L.

    Examples
    --------
    >>> [round(strength(law, 1.0, 100), 2) for law in LAWS]
    [4.61, 3.03, 10.0]
    """
    grown = {"log": np.log(L), "sqrt_log": np.sqrt(2.0 * np.log(L)), "sqrt": np.sqrt(L)}
    return round(c * float(grown[law]), 6)


def units(full: bool) -> list[Unit]:
    """Oracle errors along each law of growth, and detection thresholds; in full, a finer grid.

    Examples
    --------
    >>> drawn = [unit.arguments for unit in units(False) if unit.call == "simulate_oracle"]
    >>> sorted({one["task"]["L"] for one in drawn}), {one["model"] for one in drawn} == {*MODELS}
    ([10, 100, 1000], True)
    """
    lengths = FINE if full else LENGTHS
    count = 32 if full else 8
    found = []
    for law, factors in LAWS.items():
        for point in grid(c=factors, L=lengths, model=MODELS):
            theta = strength(law, point["c"], point["L"])
            task = {**TASK, "L": point["L"], "theta": theta}
            arguments = {"task": task, "model": point["model"]}
            found.append(Unit("oracle", arguments))
            clear = theta > FEW_MISTAKES * strength("sqrt_log", 1.0, point["L"])
            if point["L"] in DRAWS and not (clear and point["model"] != "pooled"):
                drawn = {**arguments, "samples": DRAWS[point["L"]]}
                found += trials("simulate_oracle", drawn, count)
    for point in grid(L=lengths, model=ALL_MODELS):
        task = {**TASK, "L": point["L"], "theta": 1.0}
        needed = {"task": task, "model": point["model"], "error": ERROR}
        found.append(Unit("oracle_threshold", needed))
    return list({unit.key: unit for unit in found}.values())


def along(table: pd.DataFrame, law: str, c: float, call: str = "oracle") -> pd.DataFrame:
    """Return the oracle rows, or those of another call, whose signal follows a law of growth.

    Examples
    --------
    >>> row = {"call": "oracle", "model": "pooled", "error": 0.4, "task.L": 100}
    >>> table = pd.DataFrame([{**row, "task.theta": 10.0}, {**row, "task.theta": 9.0}])
    >>> along(table, "sqrt", 1.0)["task.theta"].tolist()
    [10.0]
    """
    rows = table[table.call == call]
    wanted = np.array([strength(law, c, int(length)) for length in rows["task.L"]])
    return rows[np.abs(rows["task.theta"].to_numpy(float) - wanted) < 1e-5]


def growth(table: pd.DataFrame) -> pd.DataFrame:
    """Fit how the detection thresholds grow.

    Returns
    -------
    DataFrame
        For each model: ``slope``, that of log θ on log L from L = 1000 on, and ``ratio``, of θ to
        √(2 log L) at the largest L.

    Examples
    --------
    >>> row = {"call": "oracle_threshold", "model": "pooled"}
    >>> table = pd.DataFrame([{**row, "task.L": L, "theta": L**0.5} for L in (1000, 9000, 90000)])
    >>> growth(table).round(2).to_dict("records")
    [{'model': 'pooled', 'slope': 0.5, 'ratio': 62.81}]
    """
    found: list[dict[str, Any]] = []
    rows = table[table.call == "oracle_threshold"]
    for model, part in rows.dropna(subset=["theta"]).groupby("model", sort=False):
        late = part[part["task.L"] >= FROM].sort_values("task.L")
        if len(late) > 1:
            x, y = np.log(late["task.L"].to_numpy(float)), late.theta.to_numpy(float)
            slope = float(np.polyfit(x, np.log(y), 1)[0])
            ratio = float(y[-1] / np.sqrt(2.0 * x[-1]))
            found.append({"model": model, "slope": slope, "ratio": ratio})
    return pd.DataFrame(found, columns=["model", "slope", "ratio"])


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare each dot with its line, but for rates below 100 mistakes in 4000 draws a trial.

    Fewer are too skewed for a standard error. The larger of both rates decides, so that a theory
    that is wrongly near zero is not excused.

    Examples
    --------
    >>> table = pd.DataFrame({"call": ["oracle", "simulate_oracle", "simulate_oracle"],
    ...                       "model": "pooled", "task.L": 100, "task.theta": 5.0,
    ...                       "samples": 8000, "error": [0.4, 0.39, 0.41]})
    >>> scores(table)["what"].tolist()
    ['error at model=pooled, L=100, theta=5.0']
    """
    found = compare(
        table.assign(d=1), BY, ("error",), theory="oracle", simulation="simulate_oracle"
    )  # there is no dimension here: the known signal leaves one number of each token
    largest = found[["theory", "simulation"]].max(axis=1)
    return found[largest * found.trials * min(DRAWS.values()) >= MISTAKES]


EXPERIMENT = Experiment(
    "separation",
    "The signal that is needed as sequences grow",
    "The least error that a classifier can reach when it knows the signal, one token in L carrying "
    "it. Above: the signal grows with L by three laws, each with a small factor c (dashed) and a "
    "large one (solid); dots are mistakes counted on random draws, by rules that were chosen on "
    "draws, up to L = 1000. With θ = c log L attention gets all of them right in the end; with "
    "c √(2 log L) it depends on whether c exceeds one; pooling goes blind in both cases and "
    "needs c √L, where its error stays where it is. Attention is next to indistinguishable from "
    "the best of all classifiers (Bayes). Below: the weakest signal that is detected with 10 % "
    "error, theory alone: it inverts the errors above. For the linear rules it grows as √L (with "
    "one signal token at a uniform place both need the same); for attention and Bayes its ratio to "
    "√(2 log L) falls slowly towards one, so a fitted power law has a small exponent that depends "
    "on the range.",
    units,
    scores,
)
