"""Length generalisation: trained on ten tokens, tested on 2 to 200.

The trainings of `deep_errors` at α = 16; for two steps, theory.
"""

from __future__ import annotations

import pandas as pd

from ...experiment import Experiment
from ...units.unit import Unit
from .base import NAMES, TASK, Size, below, fine, known, limit, two_steps
from .deep_errors import LENGTHS, TESTED, at


def units(full: bool) -> list[Unit]:
    """The trainings that are tested at other lengths; theory of two steps, tested likewise.

    Examples
    --------
    >>> units(False)[-1].arguments["lengths"]
    [2, 5, 20, 50, 100, 200]
    """
    size = Size.of(full)
    found = [limit(TASK, TESTED)]
    lengths = sorted({round(one) for one in fine(2.0, 200.0, 15, *LENGTHS, TASK["L"])})
    for length in lengths:
        tested = {**TASK, "L": length}
        found += [known(tested), *two_steps(TASK, TESTED, test_task=tested)]
    for name in NAMES:
        found += at(size, name, TESTED)
    return found


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Hold every architecture against the limit of learning, at the length of its training."""
    return below(table, ("alpha",))


EXPERIMENT = Experiment(
    "deep_generalise",
    "Length generalisation of fuller attention: trained on 10 tokens, tested on 2 to 200",
    "Test error on sequences of another length, the signal still in one token; α = 16. Nothing is "
    "trained again: the threshold that was right for ten tokens is used for all. The blue line is "
    "theory, the paper's two steps in the setting that is best at ten tokens; the dotted one is "
    "what is possible at each length if the signal is known.",
    units,
    scores,
)
