"""The options of a problem: numbers, one or several, and the problems that they make."""

from __future__ import annotations

import json

import pytest

COVERS = ("values",)


def test_every_combination_is_a_problem(run):
    options = ("--alpha1", "1,3", "--theta", "2,5", "--model", "pooled", "--json")
    rows = json.loads(run("predict", *options).output)
    assert [(row["theta"], row["alpha1"]) for row in rows] == [(2, 1), (2, 3), (5, 1), (5, 3)]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--alpha1", "1,x"), "'1,x' must be numbers separated by commas"),
        (("--L", "2.5"), "'2.5' must be whole numbers separated by commas"),
        (("--alpha1", ",".join(["1"] * 101), "--theta", ",".join(["1"] * 100)), "make 10100 pro"),
    ],
)
def test_what_is_wrong_is_a_sentence(arguments, sentence, refused):
    assert sentence in refused("predict", "--model", "pooled", *arguments)
