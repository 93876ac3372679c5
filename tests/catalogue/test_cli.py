"""Bad command lines: each ends with one sentence and exit code 2, before any work."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from needlescope.cli.main import main
from tests.catalogue.refusals import Case, check

SPEC = "call = 'oracle'\nmodel = 'pooled'\n[task]\nL = 4\nR = 1\ntheta = [1.0, 2.0]\npi = 0.5\n"
MANY = ",".join(map(str, range(1, 1001)))


class Refused(Exception):
    """What a command that was refused wrote to the standard error stream."""


def said(*words: str, spec: str = SPEC) -> Callable[[], object]:
    """Run a command in the folder of a sweep; raise what it says if it ends with code 2."""

    def call() -> object:
        Path("spec.toml").write_text(spec)
        before = sorted(path.name for path in Path().iterdir())
        out, err = io.StringIO(), io.StringIO()
        sys.argv[:] = ["needlescope", *words]
        try:
            with redirect_stdout(out), redirect_stderr(err):
                main()
        except SystemExit as stop:
            if stop.code == 2 and not out.getvalue():
                assert sorted(path.name for path in Path().iterdir()) == before
                raise Refused(err.getvalue()) from None
        return out.getvalue() + err.getvalue()

    return call


def sweep(*words: str, **more: str) -> Callable[[], object]:
    return said("sweep", "spec.toml", *words, **more)


def line(name: str, call: Callable[[], object], says: str) -> Case:
    return Case(name, call, says, Refused)


CASES = [
    line("no such command", said("divine"), "No such command 'divine'"),
    line("no such option", said("predict", "--colour", "red"), "No such option"),
    line("a word for a number", said("predict", "--theta", "big"), "'big' must be numbers"),
    line("half a token", said("predict", "--L", "2.5"), "'2.5' must be whole numbers"),
    line("nothing", said("predict", "--theta", ""), "'' must be numbers"),
    line("a comma too many", said("predict", "--theta", "1,,2"), "'1,,2' must be numbers"),
    line(
        "theta below 0", said("predict", "--theta", "-1"), "theta must be a finite number of at le"
    ),
    line("theta NaN", said("predict", "--theta", "nan"), "theta must be a finite number"),
    line(
        "R above L", said("predict", "--R", "11"), "R must be an integer in 1..L, got 11 with L=1"
    ),
    line("a model", said("predict", "--model", "forest"), "'forest' is not one of"),
    line("a loss", said("predict", "--loss", "zero-one"), "'zero-one' is not one of"),
    line(
        "a million problems",
        said("predict", "--theta", MANY, "--alpha1", MANY),
        "the numbers make 1000000 problems, above 10000; give fewer, or put them into a file for",
    ),
    line("d of 0", said("simulate", "--d", "0"), "d must be an integer in 1..1000000, got 0"),
    line("half a d", said("simulate", "--d", "0.5"), "'0.5' is not a valid integer"),
    line("trials of 0", said("simulate", "--trials", "0"), "trials must be an integer in 1"),
    line(
        "a billion trials",
        said("simulate", "--trials", "1000000000"),
        "trials must be at most 100000 over all points, got 1 points of 1000000000 trials; ask",
    ),
    line(
        "a seed below 0", said("simulate", "--seed", "-1"), "seed must be an integer of at least 0"
    ),
    line("workers of 0", said("simulate", "--n-jobs", "0"), "n_jobs must be an integer in 1"),
    line("a sampler", said("simulate", "--sampler", "best"), "'best' is not one of"),
    line(
        "too much memory", said("simulate", "--d", "1000000"), "need about .* lower d=1000000 or a"
    ),
    line("no sweep", said("sweep"), "Missing argument 'SPEC'"),
    line(
        "a sweep that is not there", said("sweep", "gone.toml"), "gone.toml cannot be read: No suc"
    ),
    line("a folder for a sweep", said("sweep", "."), "'.' is a directory"),
    line("a long name for a sweep", said("sweep", "x" * 300), "cannot be read: File name too long"),
    line(
        "calls for call", sweep(spec="calls = 'oracle'\n[task]\nL = 4"), "'calls'; did you mean 'c"
    ),
    line("models for model", sweep(spec="models = 1\n" + SPEC), "'models'; did you mean 'model'"),
    line(
        "theta outside", sweep(spec="theta = 1\n" + SPEC), r"theta is a field .* put it in \[task"
    ),
    line(
        "tetha", sweep(spec=SPEC.replace("theta", "tetha")), "'tetha'; its .*did you mean 'theta'"
    ),
    line(
        "lists of other lengths",
        sweep(spec='together = [["task.L", "task.theta"]]\n' + SPEC),
        "must be equally long, got task.L with 1 values and task.theta with 2 values",
    ),
    line(
        "a billion units",
        sweep(
            spec=SPEC.replace("oracle", "simulate_oracle").replace(
                "[ta", "trials = 1000000000\n[ta"
            )
        ),
        "the sweep has 2000000000 units, above 200000, the most that are listed",
    ),
    line("brackets", sweep(spec="call = " + "[" * 5000), "is nested too deeply|is not TOML"),
    line("a folder for a store", sweep("--store", "."), "the store . is a folder; name a file"),
    line(
        "a sweep for a store", sweep("--store", "spec.toml"), "is not a needlescope store or is da"
    ),
    line(
        "a long name for a store", sweep("--store", "x" * 300), "has a name of 300 bytes, above 247"
    ),
    line("a long folder for a store", sweep("--store", "x" * 300 + "/a"), "File name too long"),
    line("an engine", sweep("--engine", "abacus"), "'abacus' is not one of 'local', 'dask'"),
    line("a lone scheduler", sweep("--scheduler", "tcp://1.2.3.4:5"), "goes with --engine dask"),
    line(
        "an address",
        sweep("--engine", "dask", "--scheduler", "garbage"),
        "scheduler must be an add",
    ),
    line(
        "a table", sweep("--out", "table.xls"), "--out must end in .csv or .parquet, got table.xls"
    ),
    line("a table nowhere", sweep("--out", "gone/t.csv"), "is in a folder that does not exist"),
    line("a long table", sweep("--out", "x" * 300 + ".csv"), "--out .* has a name of 304 bytes"),
    line(
        "a folder for a table", sweep("--out", "old.csv"), "--out old.csv is a folder; name a file"
    ),
    line("no such figure", said("figure", "error"), "figure must be one of .*mean 'errors'"),
    line("a figure's long name", said("figure", "x" * 300), "figure must be one of 'errors'"),
    line("a long folder", said("figure", "errors", "--folder", "x" * 300), "File name too long"),
    line("no such figures", said("reproduce", "errors", "eros"), "figure must be one of .*, got"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_refused(case, tmp_path, monkeypatch):
    if "dask" in case.says or case.name == "an address":
        pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    (tmp_path / "old.csv").mkdir()
    check(case)
