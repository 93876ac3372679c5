"""``needlescope plan``: an answer in sentences, a table, JSON, and a figure."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from needlescope.cli.plan import LEARNERS, command
from needlescope.planning.learners import NAMES

WORDS = ["--L", "4", "--theta", "4", "--d", "20", "--n", "100", "--learner", "pooled"]


def run(*words: str) -> str:
    done = CliRunner().invoke(command, [*WORDS, *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_it_answers_in_sentences_and_tables():
    told = run()
    assert told.startswith("Mean pooling trained on 100 bags errs 0.")
    assert "nine of ten data sets" in told
    assert "the best of all learners errs" in told


def test_json_has_all_of_it():
    found = json.loads(run("--json"))
    assert found["n"] == 100 and found["unknown"] == "error"
    assert {one["learner"] for one in found["others"]} >= {"attention", "bayes"}


def test_csv_is_a_row():
    head, row = run("--csv").splitlines()
    assert len(head.split(",")) == len(row.split(","))


def test_a_figure_is_drawn(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("needlescope.planning.curves.POINTS", 2)
    run("--figure", str(tmp_path / "plan.png"), "--csv")
    assert (tmp_path / "plan.png").stat().st_size > 1000


def test_learners_are_those_of_the_planner():
    assert LEARNERS == NAMES
