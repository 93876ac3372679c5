"""Noise with a spectrum: where the signal lies in it, and what whitening buys.

L = 10, R = 1, θ = 3, π = ½, logistic loss, ridge 1e-2, half of α d samples in each stage. The noise
has a variance of 4 in a fifth of all directions, and of ¼ in the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import compare, paired_trials, trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ...figures.from_rows import bayes_line, empty_note, error_axis, line, trial_dots
from ...figures.marks import Dots, Line, Mark
from ...figures.reading.rows import TOTAL, select, with_total
from ...figures.reading.validation import RowSpec, TableSpec, read_table
from ...figures.rendered import figure_of
from ...figures.style import BAYES_COLOUR, BAYES_OPTIMAL, BLACK, COLOURS, DASHED, NAMES
from ...grid import choice
from ...noise import Noise
from ...spectrum import Spectrum
from ...task import Task

ORDER = 18
TITLE = "Noise with structure: where the signal lies, and what whitening buys"
CAPTION = (
    "Test error against all data, α samples per dimension, in noise that has a variance of 4 in a "
    "fifth of all directions and of ¼ in the others. The signal, of strength θ = 3, lies in the "
    "directions of little noise, in all directions, or in those of much. Lines are theory, dots "
    "simulations; attention has half of the data in each stage, pooling all of them, and all "
    "settings are the same throughout. Features are used as they are given (solid, circles) or "
    "whitened with the covariance known (dashed, squares): whitening multiplies the strength by "
    "2, 1.8 and ½. Where the signal lies decides everything: with 8 samples per dimension the "
    "error of attention is 0.143, 0.182 and 0.417. Whitening brings it to 0.007 and 0.018 if the "
    "signal is in quiet or in all directions, near the Bayes-optimal 0.004 and 0.010; pooling "
    "gains little, as what limits it is the noise of the other tokens. If the signal is in loud "
    "directions whitening does harm, to attention (0.460) and to pooling (0.449 for 0.429): it "
    "raises the noise of all other directions to the level of those that matter. Triangles are "
    "simulations of attention on features whitened with a covariance that is estimated from the "
    "data themselves and shrunk. That of the instances of negatives is nearly as good as the known "
    "one: 0.008 and 0.018. That of all instances has the signal in it, and takes much of it away: "
    "0.058 and 0.099, and with 32 samples per dimension still 0.042 and 0.071."
)
PLACES = ("quiet", "flat", "loud")
TASK: dict[str, Any] = {"L": 10, "R": 1, "theta": 3.0, "pi": 0.5}
NOISE = Noise(spectrum=Spectrum([4.0, 0.25], [1, 4]))
GIVEN = {place: Task(**TASK, noise=NOISE, signal=place) for place in PLACES}
WHITENED = {place: task.whitened for place, task in GIVEN.items()}
RIDGE = 1e-2
ALPHA_RANGE, ALPHAS = (1.0, 64.0), (2.0, 8.0, 32.0)
MODELS = ("pooled", "attention")
ESTIMATED = ("negatives", "estimated")  # covariances to whiten with
BY = ("model", "training.alpha1", "place", "features")
QUANTITIES = ("test_error", "train_loss")


def units(full: bool) -> list[Unit]:
    """Theory on a fine grid of α, simulation at a few, on features as given and whitened.

    Attention is simulated on features whitened with an estimated covariance, too.
    """
    d, count, few = (400, 16, 8) if full else (160, 12, 4)
    fine = np.round(np.geomspace(*ALPHA_RANGE, 25), 3).tolist()
    result = []
    for place in PLACES:
        result += [Unit("bayes_optimal", {"task": GIVEN[place], "alpha": alpha}) for alpha in fine]
        for task, model in ((task, model) for task in _both(place) for model in MODELS):
            for alpha in sorted({*fine, *ALPHAS}):
                result.append(Unit("predict", _arguments(task, model, alpha)))
            for alpha in ALPHAS:
                result += paired_trials("simulate", _arguments(task, model, alpha), d, count)
        for kind, alpha in product(ESTIMATED, ALPHAS):
            estimated = {**_arguments(GIVEN[place], "attention", alpha), "whitening": kind, "d": d}
            result += trials("simulate", estimated, few)
    return result


def _both(place: str) -> tuple[Task, Task]:
    return GIVEN[place], WHITENED[place]


def _arguments(task: Task, model: str, alpha: float) -> dict[str, Any]:
    """Return attention with half of the data in each stage, or pooling with all of them."""
    training = {"alpha1": alpha, "ridge": RIDGE}
    if model == "attention":
        training |= {"alpha0": alpha / 2.0, "alpha1": alpha / 2.0}
    return {"task": task, "training": training, "model": model}


def placed(table: pd.DataFrame) -> pd.DataFrame:
    """Add to each row where the signal lies, and by what covariance features are whitened.

    Features whitened with the known one have white noise, in which θ says where the signal was.

    Examples
    --------
    >>> rows = pd.DataFrame({"task.signal": ["loud", None], "task.theta": [3.0, 6.0]})
    >>> placed(rows)[["place", "features"]].values.tolist()
    [['loud', 'given'], ['quiet', 'known']]
    """
    needed = ("task.signal", "task.theta", "whitening")
    table = table.reindex(columns=list(dict.fromkeys([*table, *needed])))
    strengths = {round(float(task.theta), 9): place for place, task in WHITENED.items()}
    white = table["task.signal"].isna()
    known = table["task.theta"].astype(float).round(9).map(strengths)
    features = table["whitening"].where(table["whitening"].notna(), "given").mask(white, "known")
    return table.assign(place=table["task.signal"].where(~white, known), features=features)


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare each dot with its line; with an estimated covariance there is none."""
    return compare(placed(table), BY, QUANTITIES)


X, Y = TOTAL, "test_error"
TICKS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5)
ROWS = RowSpec(("model", "training.alpha1", "task.theta"), (Y,))
TABLE = TableSpec(
    "structure",
    {
        "predict": ROWS,
        "simulate": ROWS,
        "bayes_optimal": RowSpec(("alpha", "task.signal"), (Y,)),
    },
    across=(
        *("task.theta", "task.signal", "task.noise.spectrum.eigenvalues"),
        *("task.noise.spectrum.multiplicities", "alpha", "model"),
        *("training.alpha0", "training.alpha1", "whitening"),
    ),
    only={"model": MODELS},
    reference_calls=("bayes_optimal",),
)
LOOKS: dict[str, dict[str, Any]] = {"given": {}, "known": {"dash": DASHED}}
MARKERS = {"given": "o", "known": "s", "negatives": "^", "estimated": "v"}
WORDS = {
    "given": "features as given",
    "known": "whitened",
    "negatives": "… by negatives",
    "estimated": "… by all instances",
}
TITLES = {
    "quiet": "signal in quiet directions",
    "flat": "in all directions",
    "loud": "in loud directions",
}


@figure_of(TABLE)
def structure(table: pd.DataFrame, ax: Any = None, *, place: str = "flat") -> Drawing:
    """Draw test errors against all data, a panel for each place of the signal in the spectrum.

    Rows without ``task.signal`` are those of whitened features: white noise, with the strength of
    the published task after whitening (`placed`).

    Parameters
    ----------
    place : "quiet", "flat" or "loud", default "flat"
        With ``ax``, which panel.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> row = {"call": "predict", "model": "pooled", "task.theta": 3.0, "task.signal": "quiet"}
    >>> table = pd.DataFrame({**row, "training.alpha0": [1.0, 2.0],
    ...                       "training.alpha1": [1.0, 2.0], "test_error": [0.3, 0.2]})
    >>> figures.structure(table).axes[0].lines[0].get_ydata().tolist()
    [0.3, 0.2]
    """
    choice("place", place, PLACES)
    table = placed(with_total(read_table(table, TABLE)))
    if ax is not None:
        return single(_panel(table, place))
    panels = [_panel(table, name) for name in PLACES]
    block = Block(panels, 3, (0.065, 0.99, 0.15, 0.84), (0.24, 0.0))
    return Drawing([block], (8.6, 3.2), "", [_legend()])


def _panel(table: pd.DataFrame, place: str) -> Panel:
    own = table[table.place == place]
    marks = [*bayes_line(select(own, [X, Y], call="bayes_optimal"), X), *_curves(own)]
    return Panel(
        [*marks, *empty_note(marks)],
        Axis(r"all samples per dimension, $\alpha$", log=4, plain=True, minor="none"),
        error_axis(marks, (0.88, 1.1), TICKS),
        TITLES[place],
    )


def _curves(table: pd.DataFrame) -> Iterator[Mark]:
    for model in MODELS:
        for features, marker in MARKERS.items():
            rows = table[(table.model == model) & (table.features == features)]
            name, colour = f"{NAMES[model]}, {WORDS[features]}", COLOURS[model]
            lines = select(rows, [X, Y], call="predict")
            yield from line(lines, X, Y, colour, name, **LOOKS.get(features, {}))
            look = {"colour": colour, "name": name, "marker": marker}
            yield from trial_dots(select(rows, [X, Y], call="simulate"), X, Y, **look)


def _legend() -> Legend:
    keys = [Key(NAMES[model], Line(colour=COLOURS[model])) for model in reversed(MODELS)]
    for features, words in WORDS.items():
        dots = Dots(colour=BLACK, marker=MARKERS[features])
        curve = Line(colour=BLACK, **LOOKS[features]) if features in LOOKS else None
        keys.append(Key(words, curve, dots))
    keys.append(Key(BAYES_OPTIMAL, Line(colour=BAYES_COLOUR, width=0.9)))
    spaces = {"columnspacing": 1.2, "handlelength": 2.2}
    return Legend(keys, "upper center", (0.5, 1.0), 7, spaces=spaces)
