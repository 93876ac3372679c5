"""Results are built from rows of named numbers; a name that no field has is a mistake."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from needlescope import results
from needlescope.answer import Answer
from needlescope.results import Capacity, Crossover, gather

COVERS = ("learned", "limits", "trained")
RESULTS = [kind for kind in vars(results).values() if isinstance(kind, type)]


def row(**more: float) -> dict[str, object]:
    return {"model": "pooled", "alpha": 2.0, "alpha_se": 0.1, "provenance": "made up", **more}


def test_rows_become_an_array_in_the_shape_of_the_grid() -> None:
    result = gather(Capacity, [row(), row(alpha=3.0)], (2, 1))
    assert result.alpha.tolist() == [[2.0], [3.0]] and result.model == "pooled"


def test_a_misspelt_field_is_refused_and_not_a_silent_zero() -> None:
    with pytest.raises(TypeError, match="Capacity has no field alpha_es"):
        gather(Capacity, [row(), row(alpha_es=0.2)], (2,))


@pytest.mark.parametrize("kind", RESULTS)
def test_every_uncertainty_stands_beside_its_number(kind: type[Answer]) -> None:
    names = [field.name for field in dataclasses.fields(kind)]
    uncertain = [name for name in names if name.endswith("_se")]
    assert uncertain and {name.removesuffix("_se") for name in uncertain} <= set(names)


@pytest.mark.parametrize("kind", RESULTS)
def test_a_single_problem_has_plain_numbers_and_a_lost_point_of_a_grid_none(
    kind: type[Answer],
) -> None:
    words = {"model": "pooled", "provenance": "a formula"}
    needed = [
        field.name for field in dataclasses.fields(kind) if field.default is dataclasses.MISSING
    ]
    given = {name: words.get(name, 0.5) for name in needed}
    alone, grid = gather(kind, [given], ()), gather(kind, [given, {}], (2,))
    for name in needed:
        if name in words:
            assert getattr(grid, name) == words[name]
        else:
            assert type(getattr(alone, name)) is float
            assert getattr(grid, name)[0] == 0.5 and np.isnan(getattr(grid, name)[1])


def test_a_word_that_is_lost_is_not_converged() -> None:
    numbers = dict.fromkeys(("kappa", "cosine", "cosine_se", "gain", "gain_se"), 0.5)
    result = gather(Crossover, [{**numbers, "verdict": "crosses", "provenance": "x"}, {}], (2,))
    assert result.verdict.tolist() == ["crosses", "not converged"]
