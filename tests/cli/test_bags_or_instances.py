"""``needlescope bags-or-instances``: sentences, a table, JSON and CSV."""

from __future__ import annotations

import json

import pytest

TASK = ["--L", "10", "--theta", "4", "--d", "50", "--prices", "20", "1"]
WORDS = ["bags-or-instances", *TASK, "--learner", "pooled"]
TARGET = [*WORDS, "--error", "0.2", "--longest", "60"]


def test_it_answers_in_sentences_and_a_table(run):
    text = run(*TARGET).output
    assert text.startswith("Mean pooling has a test error of at most 0.2 at the least cost with")
    assert "60 instances" in text and "bags and instances" in text


def test_json_and_csv_have_all_designs(run):
    result = json.loads(run(*TARGET, "--json").output)
    assert result["L"] == 60 and result["spend"] == result["n"] * 80
    head, *rows = run(*TARGET, "--csv").output.splitlines()
    assert head.startswith("L,R,n,spend") and len(rows) == len(result["designs"])


def test_a_classifier_is_planned_for(run):
    words = ["--L", "4", "--theta", "4", "--d", "10", "--prices", "20", "1", "--spend", "900"]
    text = run("bags-or-instances", *words, "--classifier", "pooled", "--seconds", "20").output
    assert text.startswith("PooledClassifier has the least test error")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ([], "give error, the target, or spend, what there is; got neither"),
        (["--error", "0.1", "--spend", "900"], "got both"),
        (["--error", "0.0001", "--longest", "10"], "error must be above"),
        (["--spend", "100"], "spend must be at least 600"),
    ],
)
def test_bad_questions_are_sentences(refused, more, says):
    assert says in refused(*WORDS, *more)
