"""`needlescope sweep`: its table, what it keeps, and how it ends when units fail."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import sqlite3
import sys
import time

import pandas as pd
import pytest

FAILING = ("alpha1 = 2.0", "alpha1 = 0.5\nridge = [0.01, 0.0]")  # no minimiser without a ridge


def test_it_goes_on_where_it_stopped(run, spec, tmp_path):
    path, out = spec(), tmp_path / "table.csv"
    first = run("sweep", path, "--n-jobs", "1", "--out", out)
    assert first.exit_code == 0 and "6 units run, 0 already in the store." in first.stderr
    assert "0 units run, 6 already in the store." in run("sweep", path).stderr
    assert (tmp_path / "spec.sqlite").exists()
    assert len(pd.read_csv(out)) == 6


def test_its_table_has_a_row_for_each_point(run, spec):
    path = spec()
    lines = run("sweep", path, "--n-jobs", "1").stdout.splitlines()
    rows = [line for line in lines if "predict" in line or "simulate" in line]
    assert [line.split("│")[1].strip() for line in rows] == ["predict"] * 2 + ["simulate"] * 2
    (head,) = (line for line in lines if "call" in line)
    assert "theta" in head and "test error" in head and "alpha0" not in head
    assert all(" ± " in line for line in rows[2:])
    table = pd.DataFrame(json.loads(run("sweep", path, "--json").stdout))
    part = table[(table.call == "simulate") & (table["task.theta"] == 2.0)]
    assert f"{part.test_error.mean():.4f}" in rows[2]


def test_json_and_csv_have_every_unit(run, spec):
    path = spec()
    rows = json.loads(run("sweep", path, "--n-jobs", "1", "--json").stdout)
    assert len(rows) == 6 and rows[0]["task.L"] == 4 and rows[0]["d"] is None
    listed = list(csv.DictReader(io.StringIO(run("sweep", path, "--csv").stdout)))
    assert [float(row["test_error"]) for row in listed] == [row["test_error"] for row in rows]


def test_a_long_table_is_cut_and_says_so(run, spec):
    path = spec(("theta = [2.0, 3.0]", f"theta = {[1.0 + k / 50 for k in range(60)]}"),
                ('["predict", "simulate"]', '"oracle"'))  # fmt: skip
    result = run("sweep", path, "--n-jobs", "1")
    assert "the first 50 of 60 points; --csv gives all" in result.stdout
    assert result.stdout.count("oracle") == 50


@pytest.mark.slow
def test_the_command_that_retries_works_as_printed(shell, spec, tmp_path):
    spec(FAILING).rename(tmp_path / "my spec.toml")
    line = "needlescope sweep 'my spec.toml' --store 'my store.sqlite' --n-jobs 1 --out t.csv"
    result = shell(line)
    assert result.returncode == 1
    sentence, _, again = result.stderr.splitlines()[-1].partition(": ")
    assert sentence == "6 units failed; retry just those with"
    assert again.startswith("needlescope sweep --retry 'my spec.toml' --store 'my store.sqlite'")
    repeated = shell(again)
    assert repeated.returncode == 1 and "6 units run, 6 already in the store." in repeated.stderr
    assert repeated.stderr.splitlines()[-1].endswith(again)
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".sqlite") == [
        "my store.sqlite"
    ]


def test_failures_are_counted_and_can_be_read(run, spec):
    result = run("sweep", spec(FAILING), "--n-jobs", "1", "--json")
    assert result.exit_code == 1 and " s left, 6 failed" in result.stderr
    errors = [row["error_message"] for row in json.loads(result.stdout)]
    assert [str(error).partition(":")[0] for error in errors].count("NoMinimiser") == 6


def test_different_errors_are_told_with_their_number(run, spec):
    theta = ("theta = [2.0, 3.0]", f"theta = {[2.0 + k / 10 for k in range(7)]}")
    call = ('["predict", "simulate"]', '"simulate"')
    told = run("sweep", spec(FAILING, theta, call), "--n-jobs", "1").stderr.splitlines()
    assert told[-1].startswith("14 units failed; retry just those with: ")
    assert told[-2] == "    and 2 other errors"
    assert all(item.startswith("    2 with NoMinimiser: a hyperplane") for item in told[-7:-2])
    assert told[-8] == "28 units run, 0 already in the store."


def test_what_no_call_takes_is_told_once(run, spec):
    path = spec(('["predict", "simulate"]', '"oracle"'), ("d = 20", "d = [20, 30]"))
    result = run("sweep", path, "--n-jobs", "1")
    assert result.exit_code == 0
    assert result.stderr.count("left out: d, training: oracle does not take them\n") == 1
    assert "2 units run" in result.stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_sigterm_ends_it_in_good_order(start, spec, tmp_path):
    spec(("trials = 2", "trials = 2000"))
    process = start("sweep", "spec.toml", "--n-jobs", "2")
    while kept(tmp_path / "spec.sqlite") < 5:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.terminate()
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (143, "")
    (told,) = (line for line in err.splitlines() if not line.startswith("units: "))
    assert told.startswith("interrupted: finished units are kept, and this goes on from there: ")


@pytest.mark.slow
def test_a_table_can_be_shown_where_there_is_only_ascii(shell, spec, monkeypatch):
    spec()
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    result = shell("needlescope sweep spec.toml --n-jobs 1")
    assert result.returncode == 0 and " +- " in result.stdout and result.stdout.isascii()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("engine", ["local", pytest.param("dask", marks=pytest.mark.slow)])
def test_ctrl_c_says_that_nothing_is_lost(engine, start, shell, spec, tmp_path):
    if engine == "dask":
        pytest.importorskip("distributed")
    # Some tenths of a second a unit, so that the signal comes in the midst.
    spec(("d = 20", "d = 600"), ("trials = 2", "trials = 5"), ('["pooled"]', '["attention"]'),
         ("L = 4", "L = 10"), ("alpha1 = 2.0", "alpha1 = 4.0"),
         ('["predict", "simulate"]', '"simulate"'))  # fmt: skip
    process = start("sweep", "spec.toml", "--n-jobs", "1", "--engine", engine)
    while kept(tmp_path / "spec.sqlite") < 1:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    sentence, _, again = err.splitlines()[-1].rpartition(": ")
    assert sentence == "interrupted: finished units are kept, and this goes on from there"
    assert "Traceback" not in err
    before = kept(tmp_path / "spec.sqlite")
    assert 1 <= before < 10
    done = shell(again)
    assert done.returncode == 0
    assert f"{10 - before} units run, {before} already in the store." in done.stderr


def kept(path):
    """Count the rows of a store that another process writes."""
    try:
        base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        return base.execute("SELECT COUNT(*) FROM results").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (('call = ["predict", "simulate"]', "call = "), "spec.toml is not TOML: "),
        (('call = ["predict", "simulate"]', ""), "needs a line `call = ...` and a table [task]"),
        (('"simulate"', '"divine"'), "call must be one of 'align', "),
        (("trials = 2", "trials = 0"), "trials must be a single whole number of at least 1, got 0"),
        (("theta = [2.0, 3.0]", "tetha = 5.0"), "needlescope: [task] has no field 'tetha'; its"),
        (
            ("d = 20", "d = -50"),
            "needlescope: simulate: d must be an integer in 1..1000000, got",
        ),
    ],
)
def test_a_bad_file_is_refused_before_any_work(change, sentence, refused, spec, tmp_path):
    assert sentence in refused("sweep", spec(change))
    assert not (tmp_path / "spec.sqlite").exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--scheduler", "tcp://1.2.3.4:5"), "--scheduler tcp://1.2.3.4:5 goes with --engine dask"),
        (("--n-jobs", "-2"), "n_jobs must be an integer in 1.."),
        (("--engine", "abacus"), "'abacus' is not one of 'local', 'dask'"),
        (("--out", "table.xls"), "--out must end in .csv or .parquet, got table.xls"),
        (
            ("--out", "nowhere/t.csv"),
            "--out nowhere/t.csv is in a folder that does not exist",
        ),
        (("--store", "."), "the store . is a folder; name a file, such as store.sqlite"),
        (("--store", "spec.toml"), "is not a needlescope store or is damaged"),
        (("--store", "spec.toml/deep.sqlite"), "cannot be opened"),
    ],
)
def test_bad_options_are_refused_before_any_work(options, sentence, refused, spec, tmp_path,
                                                 monkeypatch):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert sentence in refused("sweep", spec(), *options)
    assert not (tmp_path / "spec.sqlite").exists()


def test_parquet_without_pyarrow_is_refused_before_any_work(refused, spec, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "Parquet needs pyarrow" in refused("sweep", spec(), "--out", tmp_path / "t.parquet")
    assert not (tmp_path / "spec.sqlite").exists()


def test_a_missing_file_is_named(refused, tmp_path):
    told = refused("sweep", tmp_path / "nowhere.toml")
    assert told.startswith("needlescope: the sweep ") and "cannot be read: No such file" in told


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_a_sentence(refused, spec, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("needlescope.experiments.on_dask.CONNECT_SECONDS", 1)
    options = ("--engine", "dask", "--scheduler", "tcp://127.0.0.1:9")
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:9'" in refused("sweep", spec(), *options)


def test_it_draws_its_curves_and_writes_its_summary(run, spec, tmp_path):
    path, picture, out = spec(), tmp_path / "curves.png", tmp_path / "means.csv"
    result = run("sweep", path, "--n-jobs", "1", "--figure", picture, "--x", "task.theta",
                "--by", "model", "--summary", "--out", out, "--json")  # fmt: skip
    assert result.exit_code == 0 and f"drawn: {picture}" in result.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")
    rows = json.loads(result.stdout)
    assert [row["trials"] for row in rows] == [0, 0, 2, 2]
    with out.open(newline="") as lines:  # pandas 2 rounds what it reads
        means = [float(row["test_error_se"]) for row in csv.DictReader(lines)]
    assert means == [row["test_error_se"] for row in rows]


@pytest.mark.parametrize(
    "options, words",
    [
        (["--figure", "a.gif"], "--figure must end in .png, .pdf or .svg, got a.gif"),
        (["--figure", "nowhere/a.png"], "is in a folder that does not exist"),
        (["--figure", "a.png", "--x", "task.tetha"], "did you mean 'task.theta'?"),
        (["--figure", "a.png", "--by", "task.L", "--by", "depth"], "--by must be one of"),
        (["--x", "task.theta"], "--x goes with --figure"),
    ],
)
def test_a_figure_that_cannot_be_is_refused_before_any_work(run, spec, tmp_path, options, words):
    result = run("sweep", spec(), *options)
    assert isinstance(result.exception, ValueError) and words in str(result.exception)
    assert not (tmp_path / "spec.sqlite").exists()


def test_a_figure_that_fails_does_not_lose_the_table(run, spec, tmp_path):
    result = run("sweep", spec(), "--n-jobs", "1", "--figure", tmp_path / "a.png", "--y", "no")
    assert result.exit_code == 0 and "no figure: y must be a column of the table" in result.stderr
    assert "predict" in result.stdout and not (tmp_path / "a.png").exists()
