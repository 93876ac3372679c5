"""Every command: its help, its forms of output, its errors, and what it leaves behind."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from needlescope.cli.main import SUMMARIES, group, main

SPEC = """
call = ["predict", "simulate"]
model = ["pooled"]
d = 20
trials = 2
[task]
L = 4
R = 1
theta = [2.0, 3.0]
pi = 0.5
[training]
alpha0 = 1.0
alpha1 = 2.0
"""


def run(*arguments):
    return CliRunner().invoke(group, list(arguments))


def ended(monkeypatch, capsys, *arguments):
    """Run as the installed command does: the exit code and what went to the error stream."""
    monkeypatch.setattr(sys, "argv", ["needlescope", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code, capsys.readouterr().err


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_command_explains_itself(name):
    found = run(name, "--help")
    assert found.exit_code == 0 and "Usage:" in found.output


def test_help_loads_nothing_heavy():
    heavy = ("numpy", "scipy", "pandas", "matplotlib")
    code = (
        "import sys; from needlescope.cli.main import group; group(['-h'], standalone_mode=False)"
    )
    code += f"; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]", (done.stdout, done.stderr)


def test_predict_in_three_forms():
    table = run("predict", "--alpha1", "1,3", "--model", "pooled", "--model", "vectorized")
    assert table.exit_code == 0 and "0.3288" in table.output and "alpha1" in table.output
    rows = json.loads(run("predict", "--alpha1", "1,3", "--model", "pooled", "--json").output)
    assert [row["alpha1"] for row in rows] == [1.0, 3.0]
    assert rows[0]["test_error"] == pytest.approx(0.329, abs=5e-4)
    assert rows[0]["kappa"] is None
    text = run("predict", "--model", "pooled", "--csv").output
    (row,) = csv.DictReader(io.StringIO(text))
    assert float(row["test_error"]) == pytest.approx(0.329, abs=5e-4)


def test_simulate_agrees_with_itself():
    options = ("--d", "30", "--trials", "3", "--model", "pooled", "--workers", "1", "--json")
    once, again = (json.loads(run("simulate", *options).output) for _ in range(2))
    assert once == again and once[0]["trials"] == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("predict", "--R", "12"), "needlescope: R must be an integer in 1..L, got 12 with L=10"),
        (("simulate", "--d", "0"), "needlescope: d must be an integer in 1..1000000, got 0"),
        (("sweep", "nowhere.toml"), "needlescope: the sweep nowhere.toml cannot be read: No such"),
        (("figure", "monalisa"), "needlescope: experiment must be one of 'errors'"),
        (("reproduce", "monalisa"), "needlescope: experiment must be one of 'errors'"),
    ],
)
def test_errors_are_sentences(arguments, sentence, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    code, told = ended(monkeypatch, capsys, *arguments)
    assert code == 2 and told.startswith(sentence) and "Traceback" not in told


def test_numbers_that_are_none():
    found = run("predict", "--alpha1", "1,x")
    assert found.exit_code == 2 and "'1,x' is not one of the numbers" in found.output


def test_a_sweep_goes_on_where_it_stopped(tmp_path):
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC)
    first = run("sweep", str(spec), "--workers", "1", "--out", str(tmp_path / "table.csv"))
    assert first.exit_code == 0 and "6 units run, 0 found done before." in first.output
    assert "0 units run, 6 found done before." in run("sweep", str(spec)).output
    assert (tmp_path / "spec.sqlite").exists()
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 7


def test_failed_units_are_told_and_can_be_retried(tmp_path):
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC.replace("R = 1", "R = [1, 9]"))
    found = run("sweep", str(spec), "--workers", "1")
    assert found.exit_code == 1
    assert (
        f"6 units failed; retry just those with: needlescope sweep {spec} --retry" in found.output
    )
    again = run("sweep", str(spec), "--workers", "1", "--retry")
    assert "6 units run, 6 found done before." in again.output


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("call = ", "is not TOML"),
        ("model = 'pooled'", "needs a line `call = ...` and a table [task]"),
        (SPEC.replace('"simulate"', '"divine"'), "call must be one of"),
        (SPEC.replace("trials = 2", "trials = 0"), "at least 1 trial, got 0"),
    ],
)
def test_a_bad_sweep_is_refused(text, sentence, tmp_path, monkeypatch, capsys):
    spec = tmp_path / "spec.toml"
    spec.write_text(text)
    code, told = ended(monkeypatch, capsys, "sweep", str(spec))
    assert code == 2 and sentence in told
    assert not (tmp_path / "spec.sqlite").exists()
