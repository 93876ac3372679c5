"""`needlescope reproduce`: the page, what turns it red, and the command that retries."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex

import pytest

from needlescope.experiments.stores.store import Store
from needlescope.gallery.registry import published

COVERS = ("work",)
LINE = "needlescope reproduce alignment --folder 'my figures' --n-jobs 1"
pytestmark = pytest.mark.usefixtures("tiny_experiments")


@pytest.fixture
def folder(tmp_path):
    """A folder with a name that a shell would split."""
    return tmp_path / "my figures"


@pytest.fixture
def line(run, tmp_path, monkeypatch):
    """Run a line as a shell would split it, in the test's own folder."""
    monkeypatch.chdir(tmp_path)

    def line(words):
        program, *rest = shlex.split(words)
        assert program == "needlescope"
        return run(*rest)

    return line


@pytest.mark.slow
def test_a_page_of_the_figures_that_are_named(line, folder):
    done = line(LINE)
    assert done.exit_code == 0
    assert done.stdout.startswith("my figures/index.html, quick sizes\n")
    assert "alignment" in done.stdout and "agree" in done.stdout
    assert done.stderr.startswith("[1/1] alignment\n")
    text = (folder / "index.html").read_text()
    assert "<body class='good'>" in text and re.findall(r"<section id='(\w+)'", text) == [
        "alignment"
    ]
    (row,) = json.loads(line(f"{LINE} --json").stdout)
    assert (row["figure"], row["verdict"], row["failed"]) == ("alignment", "agree", 0)
    (listed,) = csv.DictReader(io.StringIO(line(f"{LINE} --csv").stdout))
    assert listed["figure"] == "alignment" and float(listed["largest_z"]) == row["largest_z"]


@pytest.mark.slow
def test_the_command_that_retries_works_as_printed(line, folder):
    units = published("alignment").units(False)
    with Store(folder / "results.sqlite") as store:
        store.put(units[3], None, seconds=0.0, error="OSError: planted")
    done = line(LINE)
    assert done.exit_code == 1
    assert "<body class='bad'>" in (folder / "index.html").read_text()
    sentence, _, again = done.stderr.splitlines()[-1].partition(": ")
    assert sentence == "1 units failed; retry just those with"
    assert again == "needlescope reproduce --retry alignment --folder 'my figures' --n-jobs 1"
    repeated = line(again)
    assert repeated.exit_code == 0
    assert f"1 units run, {len(units) - 1} already in the store." in repeated.stderr
    assert "<body class='good'>" in (folder / "index.html").read_text()


@pytest.mark.slow
def test_an_experiment_of_which_nothing_succeeds_does_not_stop_the_others(line, folder):
    sentence = "NotConverged: 1 < 2"
    with Store(folder / "results.sqlite") as store:
        for unit in published("attention_map").units(False):
            store.put(unit, None, seconds=0.0, error=sentence)
    folder.joinpath("attention_map_scores.csv").touch()
    done = line(LINE.replace("alignment", "attention_map alignment"))
    assert done.exit_code == 1 and "Traceback" not in done.stderr
    text = (folder / "index.html").read_text()
    assert "<section id='alignment' class='good'>" in text
    assert "<section id='attention_map' class='bad'>" in text
    units = len(published("attention_map").units(False))
    assert f"<li>NotConverged: 1 &lt; 2 ({units} units)</li>" in text
    assert "attention_map_scores.csv" not in text and "alignment_scores.csv" in text


@pytest.mark.slow
def test_the_page_keeps_the_figures_drawn_before(line, folder):
    units = published("separation").units(False)
    with Store(folder / "results.sqlite") as store:
        for unit in units:
            store.put(unit, {"error": 0.1, "theta": 2.0}, seconds=0.0)
    for words in (LINE, LINE.replace("alignment", "separation"), LINE):
        line(words)
    text = (folder / "index.html").read_text()
    assert re.findall(r"<section id='(\w+)'", text) == ["alignment", "separation"]
    (folder / "separation.png").unlink()
    line(LINE)
    assert "separation" not in (folder / "index.html").read_text()


def test_a_wrong_theory_turns_the_page_red(line, folder):
    units = published("alignment").units(False)
    assert line(LINE).exit_code == 0
    with Store(folder / "results.sqlite") as store:
        for row in [row for row in store.rows(units) if row.unit.call == "align"]:
            wrong = {**row.numbers, "cosine_q": 0.5 * row.numbers["cosine_q"]}
            store.put(row.unit, wrong, seconds=row.seconds)
    done = line(LINE)
    assert done.exit_code == 1
    assert "theory and simulation disagree somewhere: see the page" in done.stderr
    assert "disagree" in done.stdout
    text = (folder / "index.html").read_text()
    assert "<body class='bad'>" in text and "<section id='alignment' class='bad'>" in text
    assert "1 of 1 figures to look at: alignment (disagree)." in text
    assert line(LINE.replace("reproduce", "figure")).exit_code == 1


def test_all_names_are_checked_before_any_work(refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = refused("reproduce", "alignment", "monalisa")
    assert told.startswith("needlescope: figure must be one of 'errors'")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--folder", "file/below"), "needlescope: the store file/below/results.sqlite cannot"),
        (("--scheduler", "tcp://1.2.3.4:5"), "goes with --engine dask"),
        (("--n-jobs", "0"), "needlescope: n_jobs must be an integer in 1.."),
    ],
)
def test_what_is_wrong_is_a_sentence(options, sentence, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert sentence in refused("reproduce", "alignment", *options)
