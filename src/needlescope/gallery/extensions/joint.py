"""What joint training reaches: against two steps and the Bayes-optimal learner, and from where.

R = 1, logistic loss. Six panels, each with tasks of its own (`PARTS`): test errors against α with
10 and 100 tokens, single trials from three kinds of starts, what a wrong ridge costs, rare
positives, long sequences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import compare, grid, paired_trials, trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ...figures.from_rows import empty_note, error_axis, frequent_label, line, trial_dots
from ...figures.marks import Dots, Line, Mark, Text, numbers
from ...figures.reading.rows import TOTAL, is_joint, select, with_total
from ...figures.reading.validation import RowSpec, TableSpec, read_table
from ...figures.rendered import figure_of
from ...figures.style import (
    AMP_THEORY,
    BAYES_COLOUR,
    BAYES_OPTIMAL,
    BLACK,
    COLOURS,
    DASHED,
    DOTTED,
    SMALL,
    grey,
)
from ...grid import choice
from ...results.trained import TRUSTED_JUMPING
from ..bayes.limit import MANY, bayes_unit, coarse_alphas, predicted, solved, together, two_steps
from ..bayes.limit import RIDGES as TWO_STEP_RIDGES
from ..bayes.limit import STEPS as TWO_STEPS

ORDER = 20
TITLE = "What joint training reaches, and from where"
CAPTION = (
    "Test error of attention whose query and readout are trained together, on α samples per "
    "dimension. Lines are theory; those of joint training are replica-symmetric equations, not a "
    "theorem, and may have two solutions: one followed from much data (solid), one from little "
    "(dashed, where they differ; ridges 0.1). Dots are trials from one start each, at d = 100 "
    "with ten tokens and d = 60 with more. Each protocol has the best of a few settings at each "
    "point. Ten tokens: joint training does no better than two steps on halves of the data (0.032 "
    "and 0.030 at α = 4), and two steps on all of them twice do better (0.024; Bayes-optimal "
    "0.019). A hundred tokens: at α = 4 its test error is 0.165, that of two steps 0.437 and "
    "0.40, Bayes-optimal 0.138. Which start it has matters: with both ridges at 0.1 a minimum "
    "with a test error of 0.16 exists at α = 16 and is kept by all trials that start at the "
    "signal, but 19 of 20 from random or small starts end near pooling, above 0.4; at α = 2 7 of "
    "20 do not find it. With 0.03 on the readout and 0.1 on the query all 60 find it at α = 4, 8 "
    "and 16. A wrong ridge: a factor of 4 on that of the readout costs at most 8 % of the test "
    "error, on that of the query 15 %; a factor of 16 costs up to 22 and 56 %. Rare positives: "
    "with a tenth of them joint training reaches 0.043, two steps 0.071 with balanced slopes and "
    "0.100 without, which is always predicting the negative label; Bayes-optimal is 0.031. Long "
    "sequences, ridges 0.1, with θ such that the error with a known signal is 10 %: the good "
    "solution hardly suffers (0.128 with 10 tokens, 0.148 with 300), but from small starts 3 of "
    "10 trials miss it with 100, and from 200 on the equations have the other solution. AMP "
    "reaches the Bayes-optimal error at all of these points. Dots with ten tokens are scored "
    "where the equations are stable and at most 0.3 % of the samples jump; the others are shown. "
    "With a hundred tokens the equations were not solved at α = 0.5, and the panels begin at 1."
)
# θ of the long sequences: where the error with a known signal is 10 % (`oracle_threshold`).
LONG = {10: 3.52, 30: 3.89, 100: 4.26, 200: 4.46, 300: 4.57}
PARTS: dict[str, tuple[tuple[int, float], ...]] = {
    "ten": ((10, 5.0),),
    "hundred": ((100, 4.0),),
    "starts": ((100, 4.0),),
    "ridges": ((10, 4.5), (10, 3.5)),
    "rare": ((10, 4.0),),
    "long": tuple(LONG.items()),
}
TOKENS = {"ten": 10, "hundred": 100}
ALPHAS = {"ten": (0.5, 1.0, 2.0, 4.0, 8.0, 16.0), "hundred": (1.0, 2.0, 4.0, 8.0, 16.0)}
PAIRS = {  # of ridge and ridge_q: the best is drawn
    "ten": ((0.03, 0.03), (0.1, 0.1), (0.1, 0.03), (0.01, 0.03)),
    "hundred": ((0.3, 0.1), (0.1, 0.1), (0.03, 0.1), (0.03, 0.03)),
    "rare": ((0.003, 0.03), (0.01, 0.03), (0.03, 0.03), (0.03, 0.1), (0.1, 0.1)),
}
DOT_ALPHAS = {"ten": (0.5, 1.0, 2.0, 4.0, 16.0), "hundred": (1.0, 2.0, 4.0, 8.0, 16.0)}
DOT_PAIRS = {  # at which training is simulated
    "ten": ((0.03, 0.03), (0.1, 0.1)),
    "hundred": ((0.1, 0.1), (0.03, 0.1)),
    "rare": ((0.01, 0.03), (0.03, 0.1)),
}
REUSED_STEPS = {"ten": (10.0, 100.0), "hundred": (1e3, 1e4)}
STARTS_PAIR, STARTS_ALPHAS = (0.1, 0.1), (1.0, 2.0, 4.0, 8.0, 16.0)
RIDGES_ALPHA, BEST = 4.0, {4.5: (0.03, 0.06), 3.5: (0.1, 0.1)}  # by θ, of the factors below
FACTORS = tuple(4.0**power for power in (-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0))
DOT_FACTORS = (0.25, 1.0, 4.0, 16.0)
RARE_ALPHA, RARE_STEPS, RARE_RIDGES = 8.0, (10.0, 100.0, 1000.0), (0.01, 0.1, 1.0)
PI, DOT_PI = (0.05, 0.07, 0.1, 0.14, 0.2, 0.3, 0.5), (0.05, 0.1, 0.2, 0.5)
LONG_ALPHA, LONG_PAIR, LONG_DOTS = 4.0, (0.1, 0.1), (10, 30, 100)
STARTS, BRANCHES = ("random", "small", "informed"), ("informed", "uninformed")
BY = (
    *("task.L", "task.theta", "task.pi", "training.alpha1"),
    *("training.ridge", "training.ridge_q", "start"),
)
QUANTITIES = ("test_error", "train_loss", "cosine_q")


def units(full: bool) -> list[Unit]:
    """Theory of all learners on grids, training together and in two steps at some points."""
    d, count, small, few = (200, 24, 120, 24) if full else (100, 8, 60, 10)
    result = []
    for part in TOKENS:
        result += _against_alpha(part, d if part == "ten" else small, count, few)
    for start in STARTS:
        for alpha in STARTS_ALPHAS:
            result += _started("hundred", alpha, STARTS_PAIR, start, small, few)
    result += [*_wrong_ridges(d, count), *_rare(d, count), *_long(small, few)]
    return list({unit.key: unit for unit in result}.values())  # panels share some of them


def _against_alpha(part: str, d: int, count: int, few: int) -> list[Unit]:
    """Return every learner against α; two steps and the Bayes-optimal error as `limit` has them."""
    task = _task(part)
    low, high = ALPHAS[part][0], ALPHAS[part][-1]
    within = (alpha for alpha in coarse_alphas() if low < alpha < high)
    alphas = sorted({*within, *ALPHAS[part]})
    result = [bayes_unit(task, alpha) for alpha in alphas]
    for point in grid(alpha=alphas, eta_q=TWO_STEPS, ridge=TWO_STEP_RIDGES):
        result.append(predicted(two_steps(task, **point)))
    for alpha, pair in ((alpha, pair) for alpha in ALPHAS[part] for pair in PAIRS[part]):
        both = _branches(together(task, alpha, pair))
        result += both if pair == STARTS_PAIR else both[:1]
    for alpha in DOT_ALPHAS[part]:
        for point in grid(eta_q=REUSED_STEPS[part], ridge=TWO_STEP_RIDGES):
            training = {"alpha0": alpha, "alpha1": alpha, **point}
            reused = {"task": task, "training": training, "model": "attention", "reuse": "D0"}
            result += trials("simulate", {**reused, "d": d}, few)
        for pair in DOT_PAIRS[part]:
            if part == "ten":  # which is scored
                arguments = {**together(task, alpha, pair), "starts": 1, "start": "random"}
                result += paired_trials("simulate", arguments, d, count)
            else:
                for start in STARTS[:2]:
                    result += _started(part, alpha, pair, start, d, few)
    return result


def _wrong_ridges(d: int, count: int) -> list[Unit]:
    """Return training with one of the two ridges multiplied by a factor."""
    result = []
    for theta, (ridge, ridge_q) in BEST.items():
        task = {"L": 10, "R": 1, "theta": theta, "pi": 0.5}
        for factor in FACTORS:
            for pair in {(ridge * factor, ridge_q), (ridge, ridge_q * factor)}:
                arguments = together(task, RIDGES_ALPHA, pair)
                result.append(_branches(arguments)[0])
                if factor in DOT_FACTORS:
                    arguments |= {"starts": 1, "start": "random"}
                    result += paired_trials("simulate", arguments, d, count)
    return result


def _rare(d: int, count: int) -> list[Unit]:
    """Return training with rare positives: two steps, plain and balanced, and together."""
    result = []
    for pi in PI:
        task = {**_task("rare"), "pi": pi}
        result.append(bayes_unit(task, RARE_ALPHA))
        for point in grid(eta_q=RARE_STEPS, balanced=(False, True), ridge=RARE_RIDGES):
            result.append(predicted(two_steps(task, RARE_ALPHA, **point)))
        for pair in PAIRS["rare"]:
            arguments = together(task, RARE_ALPHA, pair)
            result.append(_branches(arguments)[0])
            if pi in DOT_PI and pair in DOT_PAIRS["rare"]:
                arguments |= {"starts": 1, "start": "random"}
                result += paired_trials("simulate", arguments, d, count)
    return result


def _long(d: int, few: int) -> list[Unit]:
    """Return training on ever longer sequences, simulated from small starts and the signal."""
    result = []
    for tokens, theta in LONG.items():
        task = {"L": tokens, "R": 1, "theta": theta, "pi": 0.5}
        result += [bayes_unit(task, LONG_ALPHA), *_branches(together(task, LONG_ALPHA, LONG_PAIR))]
        if tokens in LONG_DOTS:
            for start in STARTS[1:]:
                arguments = {**together(task, LONG_ALPHA, LONG_PAIR), "starts": 1, "start": start}
                result += trials("simulate", {**arguments, "d": d}, few)
    return result


def _task(part: str) -> dict[str, Any]:
    ((tokens, theta),) = PARTS[part]
    return {"L": tokens, "R": 1, "theta": theta, "pi": 0.5}


def _branches(arguments: dict[str, Any]) -> list[Unit]:
    """Return the solution followed from much data, and with many tokens that from little."""
    starts = BRANCHES if arguments["task"]["L"] >= MANY else BRANCHES[:1]
    return [solved(arguments, start) for start in starts]


def _started(
    part: str, alpha: float, pair: tuple[float, float], start: str, d: int, few: int
) -> list[Unit]:
    """Return trials from one start each, of one kind."""
    arguments = {**together(_task(part), alpha, pair), "starts": 1, "start": start, "d": d}
    return trials("simulate", arguments, few)


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare training together from random starts with the equations, where these hold.

    That is where replica symmetry is stable and hardly any sample jumps, with ten tokens.
    """
    columns = ["call", "task.L", "replicon", "jumping", *BY]
    table = table.reindex(columns=list(dict.fromkeys([*table.columns, *columns])))
    own = table[is_joint(table) & (table["task.L"] < MANY)]
    trusted = (own.replicon < 1.0) & (own.jumping <= TRUSTED_JUMPING)
    theory = own[(own.call == "predict") & trusted]
    trained = own[(own.call == "simulate") & (own.start == "random")]
    both = pd.concat([theory.assign(start="random"), trained], ignore_index=True)
    return compare(both, BY, QUANTITIES)


X, Y, PI_AXIS, LENGTH = TOTAL, "test_error", "task.pi", "task.L"
RIDGE, RIDGE_Q, STEP, BALANCED = (
    f"training.{name}" for name in ("ridge", "ridge_q", "eta_q", "balanced")
)
ALPHA_NAME = r"all samples per dimension, $\alpha$"
TICKS = (0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
TRAINED = RowSpec(("training.alpha1", LENGTH, "task.theta"), (Y,))
TABLE = TableSpec(
    "joint",
    {
        "predict": TRAINED,
        "simulate": TRAINED,
        "bayes_optimal": RowSpec(("alpha", LENGTH, "task.theta"), (Y,)),
    },
    across=(
        *(LENGTH, "task.theta", PI_AXIS, "alpha", "training.alpha0", "training.alpha1"),
        *(RIDGE, RIDGE_Q, STEP, BALANCED, "reuse", "starts", "start"),
    ),
    only={"model": ("attention",)},
    reference_calls=("bayes_optimal",),
)
SPLIT: dict[str, Any] = {"colour": COLOURS["attention"], "name": "two steps, half of the data each"}
EVEN: dict[str, Any] = {"colour": "#882255", "name": "two steps, slopes balanced"}
REUSED: dict[str, Any] = {"colour": "#56B4E9", "name": "two steps, all data twice", "marker": "s"}
SOLVED: dict[str, dict[str, Any]] = {
    "informed": {"colour": BLACK, "name": "joint: followed from much data"},
    "uninformed": {"colour": BLACK, "name": "joint: from little data", "dash": DASHED},
}
DOTS: dict[str, dict[str, Any]] = {
    "random": {"colour": BLACK, "name": "joint, random starts", "marker": "D"},
    "small": {"colour": "#E69F00", "name": "joint, small starts", "marker": "o"},
    "informed": {"colour": "#009E73", "name": "joint, started at the signal", "marker": "^"},
}
ASIDE = {"random": 1.0 / 1.13, "small": 1.0, "informed": 1.13}  # single trials, side by side
SIDE = {"small": 1.0 / 1.06, "informed": 1.06}  # means, side by side
WRONG: dict[str, dict[str, Any]] = {
    "ridge": {"colour": "#D55E00", "name": "readout’s ridge"},
    "ridge_q": {"colour": "#785EF0", "name": "query’s ridge"},
}
GUESS = grey(0.45)
BAYES: dict[str, Any] = {"colour": BAYES_COLOUR, "dash": DASHED, "width": 1.2, "layer": -1}
AMP: dict[str, Any] = {"colour": grey(0.82), "width": 3.0, "layer": -2}
SPACES = {"columnspacing": 1.4, "handlelength": 2.0, "labelspacing": 0.3}


@figure_of(TABLE)
def joint(table: pd.DataFrame, ax: Any = None, *, panel: str = "ten") -> Drawing:
    """Draw what joint training reaches, in six panels, each of the tasks of the published figure.

    Where a protocol has several settings (steps, ridges) its best is drawn at each point, but for
    single trials ("starts") and factors on ridges ("ridges").

    Parameters
    ----------
    panel : "ten", "hundred", "starts", "ridges", "rare" or "long", default "ten"
        With ``ax``, which one.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "predict", "task.L": 10, "task.theta": 5.0,
    ...                       "training.alpha1": [1.0, 2.0], "training.ridge_q": 0.1,
    ...                       "test_error": [0.06, 0.04]})
    >>> figures.joint(table).axes[0].lines[0].get_ydata().tolist()
    [0.06, 0.04]
    """
    choice("panel", panel, tuple(PARTS))
    table = read_table(table, TABLE)
    _check_tasks(table)
    table = with_total(table)
    draws: dict[str, Callable[[pd.DataFrame], Panel]] = {
        "ten": lambda rows: _against(rows, "ten"),
        "hundred": lambda rows: _against(rows, "hundred"),
        "starts": _single_trials,
        "ridges": _factors,
        "rare": _shares,
        "long": _lengths,
    }
    if ax is not None:
        return single(draws[panel](_of(table, panel)))
    panels = [draw(_of(table, part)) for part, draw in draws.items()]
    block = Block(panels, 3, (0.065, 0.99, 0.085, 0.875), (0.24, 0.4))
    return Drawing([block], (8.6, 5.6), "", [_legend()])


def _check_tasks(table: pd.DataFrame) -> None:
    """Refuse tasks that no panel has."""
    known = {task for tasks in PARTS.values() for task in tasks}
    tasks = table[[LENGTH, "task.theta"]].dropna().drop_duplicates().itertuples(index=False)
    for tokens, theta in tasks:
        if (tokens, theta) not in known:
            listed = ", ".join(f"{theta:g} (L = {tokens})" for tokens, theta in sorted(known))
            raise ValueError(
                f"figures.joint draws task.theta {listed}, got {theta:g} (L = {tokens:g}); leave "
                f'the rest out, as table[table["task.theta"] != {theta!r}]'
            )


def _of(table: pd.DataFrame, part: str) -> pd.DataFrame:
    """Return the rows of a panel's tasks, a start named in each of joint training."""
    tasks = pd.MultiIndex.from_frame(table[[LENGTH, "task.theta"]].astype(float))
    wanted = [(float(tokens), theta) for tokens, theta in PARTS[part]]
    usual = table["call"].map({"predict": BRANCHES[0], "simulate": STARTS[0]})
    own = table.assign(start=table["start"].where(table["start"].notna(), usual))
    return own[tasks.isin(wanted)]


def _against(table: pd.DataFrame, part: str) -> Panel:
    """Return test errors against all data."""
    plain = table[~is_joint(table)]
    marks = _limits(table, X)
    marks += line(select(plain, [X, Y], call="predict"), X, Y, how="min", **SPLIT)
    trials = select(plain, [X, Y], call="simulate", reuse="D0")
    marks += trial_dots(trials, X, Y, (RIDGE, STEP), **REUSED)
    marks += _together(table, X, STARTS[:2])
    ((tokens, theta),) = PARTS[part]
    title = f"$L = {tokens}$, $\\theta = {theta:g}$"
    return _panel(marks, Axis(ALPHA_NAME, log=2, plain=True, minor="none"), title)


def _single_trials(table: pd.DataFrame) -> Panel:
    """Return the test error of each trial, by its start, with one pair of ridges."""
    ridge, ridge_q = STARTS_PAIR
    own = table[is_joint(table) & (table[RIDGE] == ridge) & (table[RIDGE_Q] == ridge_q)]
    marks: list[Mark] = []
    for branch, look in SOLVED.items():
        marks += line(select(own, [X, Y], call="predict", start=branch), X, Y, **look)
    for start, look in DOTS.items():
        rows = select(own, [X, Y], call="simulate", start=start)
        if len(rows):
            place = numbers(rows[X] * ASIDE[start])
            bars = (0.0,) * len(rows)
            marks.append(Dots(place, numbers(rows[Y]), bars, **look, size=3.0, edge=0.3))
    title = f"$L = 100$, $\\theta = 4$: single trials, ridges {ridge:g}"
    return _panel(marks, Axis(ALPHA_NAME, log=2, plain=True, minor="none"), title)


def _factors(table: pd.DataFrame) -> Panel:
    """Return test errors with one ridge multiplied by a factor, the other as it is best."""
    marks: list[Mark] = []
    for theta, best in BEST.items():
        own = table[is_joint(table) & (table["task.theta"] == theta)]
        lines: list[Line] = []
        for which, look in enumerate(WRONG.values()):
            moved, kept = (RIDGE, RIDGE_Q)[:: 1 if which == 0 else -1]
            rows = own[np.isclose(own[kept].astype(float), best[1 - which])]
            rows = rows.assign(factor=(rows[moved].astype(float) / best[which]).round(6))
            lines += line(select(rows, ["factor", Y], call="predict"), "factor", Y, **look)
            trials = select(rows, ["factor", Y], call="simulate")
            marks += trial_dots(trials, "factor", Y, **look, marker="D")
        marks += lines
        ends = [0.95 * float(mark.y[0]) for mark in lines]
        if ends:
            words = f"$\\theta = {theta:g}$, best: {best[0]:g} and {best[1]:g}"
            place = (1.0, max(ends)), ("data", "data"), ("center", "bottom")
            marks.append(Text(words, *place, size=SMALL))
    axis = Axis("factor on one of the best ridges", log=4, ticks=(1 / 16, 0.25, 1, 4, 16),
                labels=("1/16", "1/4", "1", "4", "16"), minor="none")  # fmt: skip
    keys = [Key(look["name"], Line(colour=look["colour"])) for look in WRONG.values()]
    title = f"a wrong ridge, $L = 10$, $\\alpha = {RIDGES_ALPHA:g}$"
    return _panel(
        marks, axis, title, Legend(keys, "upper center", columns=2, room=True, spaces=SPACES)
    )


def _shares(table: pd.DataFrame) -> Panel:
    """Return test errors against the share of positives."""
    marks = _limits(table, PI_AXIS)
    plain = select(table[~is_joint(table)], [PI_AXIS, Y], call="predict")
    for balanced, look in ((False, SPLIT), (True, EVEN)):
        rows = plain[plain[BALANCED] == balanced] if len(plain) else plain
        marks += line(rows, PI_AXIS, Y, how="min", **look)
    marks += _together(table, PI_AXIS, STARTS[:2])
    if marks:
        shares = select(table, [PI_AXIS, Y])[PI_AXIS].astype(float)
        marks.append(frequent_label(shares, colour=GUESS, dash=DOTTED, width=1.0, layer=-2))
    ticks = (0.05, 0.1, 0.2, 0.5)
    axis = Axis(r"share of positives, $\pi$", log=10, ticks=ticks, plain=True, minor="none")
    title = f"rare positives, $L = 10$, $\\theta = 4$, $\\alpha = {RARE_ALPHA:g}$"
    keys = [Key(EVEN["name"], Line(colour=EVEN["colour"]))]
    keys.append(Key("always negative", Line(colour=GUESS, dash=DOTTED, width=1.0)))
    return _panel(marks, axis, title, Legend(keys, "upper left", spaces=SPACES))


def _lengths(table: pd.DataFrame) -> Panel:
    """Return test errors against the number of tokens."""
    own = table[is_joint(table) | (table["call"] == "bayes_optimal")]
    marks = [*_limits(own, LENGTH), *_together(own, LENGTH, STARTS, SIDE)]
    axis = Axis("tokens, $L$", log=10, ticks=tuple(LONG), plain=True, minor="none")
    return _panel(marks, axis, f"long sequences, $\\alpha = {LONG_ALPHA:g}$")


def _limits(table: pd.DataFrame, x: str) -> list[Mark]:
    """Return the Bayes-optimal error, dashed, and that of AMP."""
    rows = select(table, [x, Y], call="bayes_optimal")
    marks: list[Mark] = [*line(rows, x, Y, name=BAYES_OPTIMAL, **BAYES)]
    easy = select(rows, [x, "amp_test_error"])
    return [*line(easy, x, "amp_test_error", name=AMP_THEORY, **AMP), *marks]


def _together(
    table: pd.DataFrame, x: str, starts: Sequence[str], aside: Mapping[str, float] = {}
) -> list[Mark]:
    """Return joint training with the best of its ridges: both solutions, and trials by start."""
    own = table[is_joint(table)]
    marks: list[Mark] = []
    for branch, look in SOLVED.items():
        rows = select(own, [x, Y], call="predict", start=branch)
        marks += line(rows, x, Y, how="min", **look)
    for start in starts:
        rows = select(own, [x, Y], call="simulate", start=start)
        look = {**DOTS[start], "aside": aside.get(start, 1.0)}
        marks += trial_dots(rows, x, Y, (RIDGE, RIDGE_Q), **look)
    return marks


def _panel(marks: Sequence[Mark], x: Axis, title: str, legend: Legend | None = None) -> Panel:
    y = error_axis(marks, (0.88, 1.1), TICKS)
    return Panel([*marks, *empty_note(marks)], x, y, title, legend=legend if marks else None)


def _legend() -> Legend:
    keys = [
        Key(SPLIT["name"], Line(colour=SPLIT["colour"])),
        Key(REUSED["name"], dots=Dots(colour=REUSED["colour"], marker="s")),
    ]
    keys += [Key(look["name"], Line(**{**look, "name": ""})) for look in SOLVED.values()]
    for look in DOTS.values():
        keys.append(Key(look["name"], dots=Dots(colour=look["colour"], marker=look["marker"])))
    keys.append(Key(BAYES_OPTIMAL, Line(**BAYES)))
    keys.append(Key(AMP_THEORY, Line(**AMP)))
    return Legend(keys, "upper center", (0.5, 1.0), 5, spaces=SPACES)
