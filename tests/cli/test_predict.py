"""`needlescope predict`: three forms of one table, and sentences for what is wrong."""

from __future__ import annotations

import csv
import io
import json

import pytest

POOLED = ("--model", "pooled")


def test_a_table_shows_what_varies(run):
    found = run("predict", "--alpha1", "1,3", *POOLED, "--model", "vectorized")
    assert found.exit_code == 0 and "0.3288" in found.output
    assert "alpha1" in found.output and "theta" not in found.output


def test_json_has_the_whole_problem(run):
    rows = json.loads(run("predict", "--alpha1", "1,3", *POOLED, "--json").output)
    assert [row["alpha1"] for row in rows] == [1.0, 3.0]
    assert rows[0]["test_error"] == pytest.approx(0.329, abs=5e-4)
    assert rows[0]["theta"] == 5.0 and rows[0]["kappa"] is None


def test_csv_reads_back_as_json(run):
    (row,) = csv.DictReader(io.StringIO(run("predict", *POOLED, "--csv").output))
    (other,) = json.loads(run("predict", *POOLED, "--json").output)
    assert list(row) == list(other) and float(row["test_error"]) == other["test_error"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--R", "12"), "needlescope: R must be an integer in 1..L, got 12 with L=10\n"),
        (("--pi", "2"), "needlescope: pi must be"),
        (("--model", "oracle"), "'oracle' is not one of 'attention', 'pooled', 'vectorized'"),
        (("--loss", "none"), "'none' is not one of 'logistic', 'square'"),
        (("--alpha1", "1,x"), "'1,x' is not one of the numbers that commas may separate"),
        (("--L", "2.5"), "'2.5' is not one of the whole numbers that commas may separate"),
        (("--ridge", "0", "--model", "vectorized"), "needlescope: "),
    ],
)
def test_what_is_wrong_is_a_sentence(arguments, sentence, refused):
    assert sentence in refused("predict", *arguments)
