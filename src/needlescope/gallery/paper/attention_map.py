"""What the trained query looks at: attention on signal and on noise tokens against α0.

L = 10, R = 1, π = ½, logistic loss; three sizes of the query's step at θ = 5, and three strengths
of the signal at a step of 10.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import compare, grid, paired_trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Drawing, Panel, single
from ...figures.from_rows import curve, describe_marks, empty_note, two_panels
from ...figures.marks import Mark, Rule
from ...figures.reading.rows import select
from ...figures.reading.validation import RowSpec, TableSpec, read_table, refuse_empty
from ...figures.rendered import figure_of
from ...figures.style import COLOURS, DOTTED, blend, grey
from ...grid import choice

ORDER = 10
TITLE = "What the trained query attends to"
CAPTION = (
    "Left: the mean attention weight of the signal token and of each of the nine others, in a "
    "positive sample, as the query's two steps use more data (α0 samples per dimension); dotted: "
    "uniform attention. The weights are separated by the step η_q, which sets the norm of the "
    "query; more data than one sample per dimension hardly change them. Right: how often the "
    "largest weight is that of the signal token. This depends on the direction of the query "
    "alone, not on the step. A weaker signal costs twice: the query is aligned less well, and "
    "the token stands out less from the noise."
)
TASK = {"L": 10, "R": 1, "pi": 0.5}
THETA, ETA_Q = 5.0, 10.0
STEPS, SIGNALS = (2.5, ETA_Q, 40.0), (3.0, 4.0, THETA)
BY = ("task.theta", "training.eta_q", "training.alpha0")


def units(full: bool) -> list[Unit]:
    """Theory on a fine grid of α0, simulation on a coarse one, at d and d/2."""
    d, count, n_test = (1000, 10, 10_000) if full else (300, 10, 4000)
    fine = np.round(np.geomspace(0.1, 100.0, 41), 4).tolist()
    dots = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0]
    settings = [*grid(theta=[THETA], eta_q=STEPS), *grid(theta=SIGNALS[:-1], eta_q=[ETA_Q])]
    result = []
    for setting in settings:
        for alpha0 in sorted({*fine, *dots}):
            result.append(Unit("focus", _arguments(**setting, alpha0=alpha0)))
        for alpha0 in dots:
            arguments = {**_arguments(**setting, alpha0=alpha0), "n_test": n_test}
            result += paired_trials("simulate_focus", arguments, d, count)
    return result


def _arguments(theta: float, eta_q: float, alpha0: float) -> dict[str, Any]:
    # The readout's data play no part; a training has to have some.
    training = {"alpha0": alpha0, "alpha1": 1.0, "eta_q": eta_q}
    return {"task": {**TASK, "theta": theta}, "training": training}


# Noise tokens get what signal tokens leave, and are not compared.
scores = partial(
    compare, by=BY, names=("signal", "largest"), theory="focus", simulation="simulate_focus"
)
X = "training.alpha0"
STEP, SIGNAL = "training.eta_q", "task.theta"
XLABEL = r"query samples per dimension, $\alpha_0$"
# Attention's blue, and grey, from light to dark as the step or the signal grows.
SHADES = ("#56B4E9", COLOURS["attention"], "#003A5C")
NOISE = (grey(0.72), grey(0.5), grey(0.2))
PANELS = {"weights": ("signal", "noise"), "largest": ("largest",)}
ROWS = RowSpec((X, SIGNAL), ("signal", "noise", "largest"))
TABLE = TableSpec(
    "attention_map", {"focus": ROWS, "simulate_focus": ROWS}, across=(X, STEP, SIGNAL)
)


@figure_of(TABLE)
def attention_map(table: pd.DataFrame, ax: Any = None, *, panel: str = "weights") -> Drawing:
    """Draw the mean attention on a signal and on a noise token, and where the largest weight is.

    Steps η_q may change at one θ, and θ at one η_q.

    Parameters
    ----------
    panel : "weights" or "largest", default "weights"
        With ``ax``, which one; "largest" is the chance that the largest weight lies on a signal
        token.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "focus", "training.alpha0": [1.0, 9.0], "task.L": 10,
    ...                       "training.eta_q": 10.0, "task.theta": 5.0,
    ...                       "signal": [0.4, 0.7], "noise": [0.07, 0.03], "largest": [0.8, 0.99]})
    >>> [len(item.lines) for item in figures.attention_map(table).axes]
    [3, 1]
    """
    panels = {"weights": _weights, "largest": _largest}
    choice("panel", panel, tuple(panels))
    table = read_table(table, TABLE)
    _check_cross(table)
    if ax is None:
        words = describe_marks(table, "simulate_focus")
        return two_panels([panel(table) for panel in panels.values()], words, right=0.935, gap=0.72)
    if not any(len(select(table, [X, item])) for item in PANELS[panel]):
        refuse_empty("attention_map", f'the panel "{panel}" needs the column {PANELS[panel][0]}')
    return single(panels[panel](table))


def _usual(table: pd.DataFrame) -> dict[str, Any]:
    """Return the step and the signal that are fixed while the other changes.

    Of all pairs the one that leaves the fewest rows out, and then the one with most rows of both.
    """
    pairs = product(*(np.sort(table[item].dropna().unique()) for item in (STEP, SIGNAL)))
    step, signal = min(pairs, key=lambda pair: (len(_odd(table, *pair)), -_shared(table, *pair)))
    return {STEP: step, SIGNAL: signal}


def _odd(table: pd.DataFrame, step: float, signal: float) -> pd.DataFrame:
    """Return the rows that neither panel draws: where both are not the fixed ones."""
    return table[(table[STEP] != step) & (table[SIGNAL] != signal) & table[SIGNAL].notna()]


def _shared(table: pd.DataFrame, step: float, signal: float) -> int:
    """Count the rows of a step and those of a signal."""
    return int((table[STEP] == step).sum() + (table[SIGNAL] == signal).sum())


def _at(table: pd.DataFrame, fixed: str, by: str, symbol: str) -> str:
    """Say at which value a panel is drawn, where nothing but that parameter changes."""
    alone = table[fixed].nunique() > 1 and table[by].nunique() < 2
    return f", {symbol} $= {_usual(table)[fixed]:g}$" if alone else ""


def _check_cross(table: pd.DataFrame) -> None:
    """Refuse rows that neither panel draws."""
    step, signal = _usual(table)[STEP], _usual(table)[SIGNAL]
    odd = _odd(table, step, signal)
    if len(odd):
        raise ValueError(
            f"figures.attention_map draws {STEP} at {SIGNAL} = {signal:g} and {SIGNAL} at {STEP} "
            f"= {step:g}, got {SIGNAL} = {odd[SIGNAL].iloc[0]:g} with {STEP} = "
            f'{odd[STEP].iloc[0]:g}; select one, as table[table["{SIGNAL}"] == {float(signal)!r}]'
        )


def _shades(shades: tuple[str, ...], count: int) -> list[str]:
    """Return ``count`` shades: the first ones, or blends if there are fewer."""
    if count <= len(shades):
        return list(shades[:count])
    return [blend(shades, k / (count - 1)) for k in range(count)]


def _curves(
    table: pd.DataFrame, column: str, by: str, shades: tuple[str, ...], name: str
) -> list[Mark]:
    """Return a curve of a column for every value of another."""
    fixed = SIGNAL if by == STEP else STEP
    rows = select(table, [X, by, fixed, column], **{fixed: _usual(table)[fixed]})
    marks, values = [], sorted(rows[by].unique())
    for value, colour in zip(values, _shades(shades, len(values)), strict=True):
        lines = select(rows, [X, column], call="focus", **{by: value})
        trials = select(rows, [X, column], call="simulate_focus", **{by: value})
        marks += curve(lines, trials, X, column, colour, name.format(f"{value:g}"))
    return marks


def _panel(marks: list[Mark], title: str, words: str, rules: tuple[Rule, ...] = ()) -> Panel:
    return Panel(
        [*rules, *marks, *empty_note(marks)],
        Axis(XLABEL, log=10, plain=True),
        Axis(words, limits=(-0.02, 1.02)),
        title,
        labels_at_ends=True,
    )


def _weights(table: pd.DataFrame) -> Panel:
    tokens = select(table, ["task.L"])["task.L"]
    marks = _curves(table, "signal", STEP, SHADES, r"signal, $\eta_q = {}$")
    marks += _curves(table, "noise", STEP, NOISE, r"noise, $\eta_q = {}$")
    even = tuple(
        Rule(y=1.0 / float(token), colour=grey(0.6), dash=DOTTED, width=0.8, layer=-1)
        for token in tokens[:1]
    )
    at = _at(table, SIGNAL, STEP, r"$\theta$")
    return _panel(
        marks, f"attention in positive samples{at}", "mean attention weight of a token", even
    )


def _largest(table: pd.DataFrame) -> Panel:
    marks = _curves(table, "largest", SIGNAL, SHADES, r"$\theta = {}$")
    at = _at(table, STEP, SIGNAL, r"$\eta_q$")
    title = f"the signal token's weight is the largest{at}"
    return _panel(marks, title, "chance that it is the largest")
