"""Tables of commands: numbers with their errors in a cell, the same rows as JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
import warnings

import pytest

from needlescope.cli.options.tables import print_notes, show, varied, without_warnings

ROWS = [
    {"model": "pooled", "theta": 2.0, "L": 10, "test_error": 0.25, "test_error_se": 1e-4},
    {"model": "pooled", "theta": 3.0, "L": 10, "test_error": 0.125, "test_error_se": float("nan")},
]


def test_what_is_the_same_everywhere_is_left_out():
    kept = varied(ROWS, ["test_error", "test_error_se"])
    assert [list(row) for row in kept] == [["model", "theta", "test_error", "test_error_se"]] * 2


@pytest.mark.parametrize("form", ["json", "csv", None])
def test_rows_come_out_in_every_form(form, capsys):
    show(ROWS[:1], form, "a title")
    out = capsys.readouterr().out
    if form == "json":
        assert json.loads(out) == ROWS[:1]
    elif form == "csv":
        assert next(csv.DictReader(io.StringIO(out)))["test_error"] == "0.25"
    else:
        assert out.startswith("a title") and ("0.2500 ± 0.0001" in out or "+- 0.0001" in out)


def test_each_note_is_written_once_and_apart(capsys):
    print_notes(["rough", "rough", "far"])
    out, err = capsys.readouterr()
    assert (out, err) == ("", "note: rough\nnote: far\n")


def test_a_call_whose_notes_are_shown_warns_of_nothing():
    def call(value):
        warnings.warn("rough", RuntimeWarning, stacklevel=1)
        return value

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert without_warnings(call, 3) == 3
