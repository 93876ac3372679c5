"""`needlescope reproduce`, all of it: in tiny sizes, and in quick ones by the installed program."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from needlescope.cli.group import group
from needlescope.gallery.registry import core_names

CORE = core_names()
PROGRAM = Path(sys.executable).with_name("needlescope")
PATIENCE = 1800.0  # seconds; a busy machine may take many times what an idle one does


@pytest.mark.usefixtures("tiny_experiments")
@pytest.mark.parametrize(
    "names", [CORE[::6], pytest.param(CORE, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_figures_in_tiny_sizes(tmp_path, names):
    given = [] if names == CORE else names
    options = ["--folder", str(tmp_path), "--n-jobs", "1", "--json"]
    done = CliRunner().invoke(group, ["reproduce", *given, *options])
    assert done.exit_code == 0, done.stderr
    rows = json.loads(done.stdout)
    verdicts = {row["figure"]: row["verdict"] for row in rows}
    # Two points are no fall to fit.
    told = {name: "nothing to compare" if name == "capacity" else "agree" for name in names}
    assert verdicts == told
    assert all(row["failed"] == 0 < row["units"] for row in rows)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "<body class='good'>" in text
    assert re.findall(r"<section id='(\w+)'", text) == list(names)
    for row in rows:
        assert (tmp_path / f"{row['figure']}.png").read_bytes().startswith(b"\x89PNG")
        assert (tmp_path / f"{row['figure']}.pdf").read_bytes().startswith(b"%PDF")
        assert len(pd.read_csv(tmp_path / f"{row['figure']}.csv")) == row["units"]
        scores = tmp_path / f"{row['figure']}_scores.csv"
        assert scores.exists() == (row["comparisons"] > 0) == (f"href='{scores.name}'" in text)


def reproduce(folder):
    return subprocess.run(
        [PROGRAM, "reproduce", "--folder", folder, "--json"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reproduce")


@pytest.fixture(scope="module")
def first(folder):
    """The first run, which computes everything."""
    done = reproduce(folder)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.slow
def test_every_figure_agrees(first):
    rows = json.loads(first.stdout)
    assert [row["figure"] for row in rows] == list(CORE)
    assert {row["verdict"] for row in rows} == {"agree"}
    assert all(row["failed"] == 0 and row["units"] > 0 for row in rows)
    assert "warning" not in first.stderr.lower()


@pytest.mark.slow
def test_every_figure_has_its_files_and_its_section(first, folder):
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert "<body class='good'>" in text
    assert re.findall(r"<section id='(\w+)'", text) == list(CORE)
    for name in CORE:
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (folder / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        assert (folder / f"{name}.csv").stat().st_size > 10_000
        assert (folder / f"{name}_scores.csv").exists()
        assert f"href='{name}.csv'" in text and f"href='{name}.pdf'" in text


@pytest.mark.slow
def test_a_second_run_computes_nothing_and_says_the_same(first, folder):
    tables = {path.name: path.read_bytes() for path in folder.glob("*.csv")}
    again = reproduce(folder)
    assert again.returncode == 0
    assert again.stdout == first.stdout
    assert re.search(r"^0 units run, \d{4,} already in the store\.$", again.stderr, re.MULTILINE)
    assert {path.name: path.read_bytes() for path in folder.glob("*.csv")} == tables
