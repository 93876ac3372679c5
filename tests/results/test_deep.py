"""An outcome of fuller attention is an `Outcome`, and its paths are numbers in a table."""

from __future__ import annotations

from dataclasses import MISSING, fields

import numpy as np

from needlescope.experiments.units.calls import flatten
from needlescope.results import DeepOutcome, Outcome

NUMBERS = {
    field.name: 0.5
    for field in fields(Outcome)
    if field.default is MISSING and field.name not in ("model", "provenance")
}
FOUND = DeepOutcome(
    model="gru",
    provenance="simulation",
    **NUMBERS,
    test_errors=(0.1, 0.2),
    path_map=((0.3, 0.4), (0.5, np.nan)),
)


def test_it_has_what_an_outcome_has():
    assert isinstance(FOUND, Outcome) and FOUND.shape == ()
    assert repr(FOUND).startswith("DeepOutcome gru\n  provenance      simulation\n  test_error")


def test_paths_are_numbered():
    result = flatten(FOUND)
    assert (result["test_errors_1"], result["test_errors_2"]) == (0.1, 0.2)
    assert (result["path_map_1_2"], result["path_map_2_1"]) == (0.4, 0.5)
    assert "path_map_2_2" not in result and "attended" not in result  # NaN: there is no such number
    assert FOUND.to_pandas()["path_map_1_1"].tolist() == [0.3]
