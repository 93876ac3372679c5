"""Results are built from rows of named numbers; a name that no field has is a mistake."""

from __future__ import annotations

import pytest

from needlescope.outcome import Capacity, gather


def row(**more: float) -> dict[str, object]:
    return {"model": "pooled", "alpha": 2.0, "alpha_se": 0.1, "provenance": "conjecture 1", **more}


def test_rows_become_an_array_in_the_shape_of_the_grid() -> None:
    found = gather(Capacity, [row(), row(alpha=3.0)], (2, 1))
    assert found.alpha.tolist() == [[2.0], [3.0]] and found.model == "pooled"


def test_a_misspelt_field_is_refused_and_not_a_silent_zero() -> None:
    with pytest.raises(TypeError, match="Capacity has no field alpha_es"):
        gather(Capacity, [row(), row(alpha_es=0.2)], (2,))
