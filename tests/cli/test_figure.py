"""`needlescope figure`: the files it leaves, its verdict, and its errors."""

from __future__ import annotations

import csv
import io
import json

import pandas as pd
import pytest

from needlescope.gallery.registry import names


@pytest.mark.slow
def test_it_leaves_a_picture_and_the_tables_behind_it(run, tmp_path):
    folder = tmp_path / "drawn"
    result = run("figure", "alignment", "--folder", folder)
    assert result.exit_code == 0
    assert "alignment" in result.stdout and "agree" in result.stdout and "20" in result.stdout
    assert str(folder / "alignment.png") in result.stdout
    assert (folder / "alignment.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "alignment.pdf").read_bytes().startswith(b"%PDF")
    table = pd.read_csv(folder / "alignment.csv")
    assert f"{len(table)} units run, 0 already in the store." in result.stderr
    assert len(pd.read_csv(folder / "alignment_scores.csv")) == 20

    again = run("figure", "alignment", "--folder", folder, "--json")
    assert f"0 units run, {len(table)} already in the store." in again.stderr
    (row,) = json.loads(again.stdout)
    assert row["largest_z"] < 5.0
    assert row == {"figure": "alignment", "verdict": "agree", "comparisons": 20,
                   "largest_z": row["largest_z"], "units": len(table), "failed": 0}  # fmt: skip
    (listed,) = csv.DictReader(
        io.StringIO(run("figure", "alignment", "--folder", folder, "--csv").stdout)
    )
    assert listed == {name: str(value) for name, value in row.items()}


def test_an_unknown_figure_is_told_the_known_ones(refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = refused("figure", "monalisa")
    assert told.startswith("needlescope: figure must be one of 'errors'")
    assert all(f"'{name}'" in told for name in names()) and "got 'monalisa'" in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--folder", "file/below"), "needlescope: the store file/below/results.sqlite cannot"),
        (("--folder", "file"), "'file' is a file"),
        (("--folder", "wrong"), "results.sqlite is not a needlescope store or is damaged"),
        (("--scheduler", "tcp://1.2.3.4:5"), "goes with --engine dask"),
        (("--n-jobs", "-1"), "needlescope: n_jobs must be an integer in 1.."),
    ],
)
def test_what_is_wrong_is_a_sentence(options, sentence, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "wrong").mkdir()
    (tmp_path / "wrong" / "results.sqlite").write_bytes(b"nothing of the kind" * 500)
    assert sentence in refused("figure", "alignment", *options)


def test_a_picture_that_cannot_be_written_is_a_sentence(refused, tmp_path, tiny_experiments):
    (tmp_path / "alignment.png").mkdir()
    told = refused("figure", "alignment", "--folder", tmp_path, "--n-jobs", "1")
    assert told.splitlines()[-1].startswith("needlescope: ") and "alignment.png" in told
