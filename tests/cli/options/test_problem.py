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
        (("--ridge-q", "0.1", "--beta", "2"), "--beta must be left out with --ridge-q: query and"),
        (("--ridge-q", "0.1", "--alpha0", "2"), "--alpha0 must be left out with --ridge-q"),
        (("--ridge-q", "0.1", "--balanced"), "--balanced must be left out with --ridge-q"),
        (("--alpha1", ",".join(["1"] * 101), "--theta", ",".join(["1"] * 100)), "make 10100 pro"),
    ],
)
def test_what_is_wrong_is_a_sentence(arguments, sentence, refused):
    assert sentence in refused("predict", "--model", "pooled", *arguments)


def test_a_ridge_of_the_query_trains_all_together(run):
    options = ("--L", "4", "--theta", "4", "--alpha1", "2", "--ridge", "0.05", "--model")
    options += ("attention", "--ridge-q", "0.05,0.1", "--json")
    rows = json.loads(run("predict", *options).output)
    assert [row["ridge_q"] for row in rows] == [0.05, 0.1]
    assert "alpha0" not in rows[0] and "replica-symmetric joint training" in rows[0]["provenance"]
    more = ("--d", "30", "--trials", "2", "--theory", "--n-jobs", "1")
    first, _ = json.loads(run("simulate", *options, *more).output)
    assert first["predicted"] == rows[0]["test_error"] and 0.0 < first["test_error"] < 0.5


def test_a_start_goes_to_attention_alone(run):
    """Of joint training: the solution that is predicted, and where training starts."""
    joint = ("--L", "3", "--theta", "3", "--alpha1", "2", "--ridge", "0.1", "--ridge-q", "0.1")
    models = ("--model", "attention", "--model", "pooled", "--json")
    predicted = run("predict", *joint, *models, "--start", "uninformed")
    trained = run("simulate", *joint, *models, "--d", "12", "--trials", "2", "--start", "small")
    for result in (predicted, trained):
        assert result.exit_code == 0
        assert len(json.loads(result.output)) == 2
    lost = run("predict", *models, "--start", "uninformed")
    assert lost.exit_code != 0 and "start is about joint training" in str(lost.exception)
