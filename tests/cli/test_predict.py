"""`needlescope predict`: three forms of one table, and sentences for what is wrong."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest

POOLED = ("--model", "pooled")


def test_a_table_shows_what_varies(run):
    result = run("predict", "--alpha1", "1,3", *POOLED, "--model", "vectorized")
    assert result.exit_code == 0 and "0.3288" in result.output
    assert "alpha1" in result.output and "theta" not in result.output


def test_json_has_the_whole_problem(run):
    rows = json.loads(run("predict", "--alpha1", "1,3", *POOLED, "--json").output)
    assert [row["alpha1"] for row in rows] == [1.0, 3.0]
    assert rows[0]["test_error"] == pytest.approx(0.329, abs=5e-4)
    assert rows[0]["theta"] == 5.0 and rows[0]["kappa"] is None
    assert rows[0]["train_loss_se"] == rows[0]["train_error_se"] == 0.0
    assert rows[0]["loss"] == "logistic" and rows[0]["balanced"] is False
    assert rows[0]["provenance"] == "our derivation of the quantity of theorem 5 (arXiv v1)"


def test_balanced_slopes_turn_the_query_to_the_signal(run):
    few = ("predict", "--pi", "0.1", "--alpha0", "10", "--model", "attention", "--json")
    plain, balanced = (json.loads(run(*few, *more).output)[0] for more in ((), ("--balanced",)))
    assert plain["cosine_q"] < 0.0 and balanced["cosine_q"] > 0.9
    assert not plain["balanced"] and balanced["balanced"]
    assert "logistic loss, balanced" in run("predict", *POOLED, "--balanced").output


def test_small_numbers_keep_their_digits(run):
    result = run("predict", "--L", "4", "--theta", "8", "--alpha1", "3", "--model", "attention")
    assert re.search(r"│ 0\.00014 ± \de-06 │ 0\.0063 ± \de-07 │ \d\.\de-3[45] ± ", result.output)


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal")
def test_a_narrow_terminal_cuts_no_number():
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 30, 0, 0))
    code = "from needlescope.cli.main import main; main()"
    command = [sys.executable, "-c", code, "predict", *POOLED]
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    subprocess.run(command, stdout=theirs, env=environment, check=True, timeout=60)
    os.close(theirs)
    drawn = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "0.3288" in drawn and "…" not in drawn


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
        (("--loss", "none"), "'none' is not one of 'square', 'logistic'"),
        (("--ridge", "0", "--model", "vectorized"), "needlescope: "),
    ],
)
def test_what_is_wrong_is_a_sentence(arguments, sentence, refused):
    assert sentence in refused("predict", *arguments)


def test_a_limit_that_is_far_away_at_this_d_is_noted(run):
    rare = ("predict", "--model", "pooled", "--pi", "0.05", "--theta", "30", "--alpha1", "4")
    noted = run(*rare, "--d", "3")
    assert "note: pooled: the limit rests on training samples rarer than one in n1" in noted.stderr
    assert "note" not in run(*rare, "--d", "100000").stderr
