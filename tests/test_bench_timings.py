"""The benchmark of the theory's calls beside an older version of themselves."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import against
from benchmarks.timings import TIMINGS, Timing, milliseconds


def test_a_call_is_timed_and_one_that_a_version_lacks_is_not() -> None:
    quick = milliseconds(Timing(lambda ns, x: ns.Task(L=10, R=1, theta=1.0 + x, pi=0.5)))
    assert quick is not None
    assert 0.0 <= quick < 1e3
    assert milliseconds(Timing(lambda ns, x: ns.no_such_call(x))) is None
    assert milliseconds(Timing(lambda ns, x: ns.Task(L=0, R=1, theta=x, pi=0.5))) is None


def test_ratios_are_of_the_older_to_todays() -> None:
    item, two, three = list(TIMINGS)[:3]
    result = {
        "today": {item: 50.0, two: 2.0, three: None},
        "abc": {item: 200.0, two: None, three: 7.0},
    }
    made = against.table(result, [item, two, three])
    out = io.StringIO()
    Console(file=out, width=120).print(made)
    rows = [line.split("│")[1:-1] for line in out.getvalue().splitlines() if "│" in line]
    cells = [[cell.strip() for cell in row] for row in rows]
    assert [row[1:4] for row in cells] == [
        ["50", "200", "4.0×"],
        ["2.0", "–", "–"],
        ["–", "7.0", "–"],
    ]


def test_a_commit_that_is_not_there_is_said_so(tmp_path: Path, monkeypatch) -> None:
    assert "there is no commit 'nowhere'" in against.take_out("nowhere", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert against.take_out("nowhere", tmp_path) == "git is not installed"


def test_without_an_older_version_todays_timings_are_printed(monkeypatch) -> None:
    monkeypatch.setattr(
        against,
        "rounds",
        lambda sources, names: {source: dict.fromkeys(names, 1.0) for source in sources},
    )
    out = io.StringIO()
    against.timings(Console(file=out, width=120), "nowhere")
    assert "Only today's timings: there is no commit 'nowhere'" in out.getvalue().replace("\n", " ")
    assert "ratio" not in out.getvalue()


@pytest.mark.slow
def test_both_versions_are_run(tmp_path: Path) -> None:
    if against.take_out("HEAD", tmp_path):
        pytest.skip("no repository")
    name = "predict, the same law, another α1"
    result = against.rounds({"today": against.HOME / "src", "HEAD": tmp_path / "src"}, [name])
    assert all(item[name] for item in result.values())
