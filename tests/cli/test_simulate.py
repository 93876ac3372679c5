"""`needlescope simulate`: the same numbers for the same seed, in three forms."""

from __future__ import annotations

import csv
import io
import json

import pytest

SMALL = ("--d", "30", "--trials", "3", "--model", "pooled", "--n-jobs", "1")


def test_the_same_seed_gives_the_same_numbers(run):
    once, again, other = (
        json.loads(run("simulate", *SMALL, "--seed", seed, "--json").output) for seed in (1, 1, 2)
    )
    assert once == again != other
    assert once[0]["trials"] == 3 and once[0]["test_error_se"] > 0.0


def test_rows_have_the_whole_problem(run):
    (row,) = json.loads(run("simulate", *SMALL, "--loss", "square", "--balanced", "--json").output)
    assert row["loss"] == "square" and row["balanced"] is True and row["d"] == 30


def test_a_table_shows_means_with_errors(run):
    result = run("simulate", *SMALL)
    assert result.exit_code == 0 and "d = 30, 3 trials" in result.output and " ± " in result.output


def test_csv_reads_back_as_json(run):
    (row,) = csv.DictReader(io.StringIO(run("simulate", *SMALL, "--csv").output))
    (other,) = json.loads(run("simulate", *SMALL, "--json").output)
    assert list(row) == list(other) and float(row["train_loss"]) == other["train_loss"]


def test_theory_stands_beside_the_means(run):
    (row,) = json.loads(run("simulate", *SMALL, "--theory", "--json").output)
    (limit,) = json.loads(run("predict", "--model", "pooled", "--json").output)
    assert row["predicted"] == limit["test_error"]
    assert "predicted" in run("simulate", *SMALL, "--theory").output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--d", "0"), "needlescope: d must be an integer in 1..1000000, got 0\n"),
        (("--trials", "0"), "needlescope: trials must be an integer in 1..1000000000, got 0\n"),
        (("--n-jobs", "-1"), "needlescope: n_jobs must be an integer in 1.."),
        (("--sampler", "dice"), "'dice' is not one of 'auto', 'tokens', 'reduced'"),
        (("--model", "oracle"), "'oracle' is not one of 'attention'"),
    ],
)
def test_what_is_wrong_is_a_sentence(arguments, sentence, refused):
    assert sentence in refused("simulate", *arguments)
