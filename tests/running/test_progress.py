"""Progress: a function, plain lines or a bar, and the terminal given back whatever happens."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys

import pytest

from needlescope.running import progress as progress_module
from needlescope.running.processes import run
from tests.running.scripts import LONG, PATIENCE, heed_interrupts


@pytest.mark.sampled(2)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_calls_a_function_after_each_job(n_jobs: int) -> None:
    calls = []
    run(abs, range(5), n_jobs=n_jobs, progress=lambda *call: calls.append(call))
    assert calls == [(done, 5) for done in range(1, 6)]


@pytest.mark.parametrize("progress", ["yes", 1, 0, [], 2.0])
def test_other_kinds_of_progress_are_refused(progress: object) -> None:
    with pytest.raises(ValueError, match="progress must be True, False, None or a function of"):
        run(abs, [1], progress=progress)


@pytest.mark.parametrize("progress", [None, False])
def test_progress_is_silent_without_a_terminal(
    progress: bool | None, capfd: pytest.CaptureFixture[str]
) -> None:
    run(abs, range(3), n_jobs=1, progress=progress)
    assert capfd.readouterr() == ("", "")


def test_progress_writes_plain_lines_without_a_terminal(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(abs, range(300), n_jobs=1, progress=True, title="points")
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("points: 300/300, ")
    assert err.endswith("/s, 0 s left\n")
    assert err.count("\n") == 1
    monkeypatch.setattr(progress_module, "PAUSE", 0.0)
    run(abs, range(3), n_jobs=1, progress=True)
    lines = capfd.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == ["trials: 1/3", "trials: 2/3", "trials: 3/3"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_counts_failures(
    n_jobs: int, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_module, "PAUSE", 0.0)
    run(abs, [1, -2, 1, -2], n_jobs=n_jobs, progress=True, failed=lambda result: result == 2)
    *others, last = capfd.readouterr().err.splitlines()
    assert last.startswith("trials: 4/4, ") and last.endswith(" s left, 2 failed")
    assert len(others) == 3 and any(line.endswith(" s left, 1 failed") for line in others)


def test_a_function_of_ones_own_is_not_told_of_failures() -> None:
    calls = []
    run(abs, [1], n_jobs=1, failed=bool, progress=lambda *call: calls.append(call))
    assert calls == [(1, 1)]


def test_progress_does_without_a_standard_error_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert run(abs, [-1, 2], n_jobs=1, progress=True) == [1, 2]


def on_a_terminal(code: str, interrupt_at: str = "") -> tuple[int, str]:
    """Run a program with a terminal for its errors; say how it ended and what it drew there."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=heed_interrupts,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"},
    )
    os.close(theirs)
    drawn = b""
    try:
        while chunk := os.read(ours, 4096):
            drawn += chunk
            if interrupt_at and interrupt_at.encode() in drawn:
                os.killpg(process.pid, signal.SIGINT)
                interrupt_at = ""
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(ours)
        code = process.wait(PATIENCE)
    return code, drawn.decode()


QUICK = """
import time
from needlescope.running.processes import run
def trial(job):
    time.sleep(0.05)
    if job == BAD:
        raise ValueError("bad job")
run(trial, range(9), n_jobs=WORKERS, title="points", progress=PROGRESS)
"""


def quick(progress: str, bad: int = -1, n_jobs: int = 1) -> str:
    return (
        QUICK.replace("BAD", str(bad)).replace("PROGRESS", progress).replace("WORKERS", str(n_jobs))
    )


def restored(drawn: str) -> bool:
    return drawn.rfind("\x1b[?25h") > drawn.rfind("\x1b[?25l") >= 0


@pytest.mark.parametrize("progress", ["None", pytest.param("True", marks=pytest.mark.slow)])
def test_progress_draws_a_bar_on_a_terminal(progress: str) -> None:
    code, drawn = on_a_terminal(quick(progress, n_jobs=2))
    assert code == 0
    assert "points" in drawn
    assert "/9" in drawn
    assert "/s" in drawn
    assert "failed" not in drawn
    assert restored(drawn)


@pytest.mark.slow
def test_the_bar_counts_failures() -> None:
    some = quick("None").replace("title=", "failed=lambda result: True, title=")
    code, drawn = on_a_terminal(some)
    assert code == 0
    assert "9 failed" in drawn


@pytest.mark.slow
def test_progress_false_draws_nothing_on_a_terminal() -> None:
    assert on_a_terminal(quick("False")) == (0, "")


@pytest.mark.slow
def test_progress_gives_the_terminal_back_after_an_error() -> None:
    code, drawn = on_a_terminal(quick("None", bad=5, n_jobs=2))
    assert code == 1
    assert "ValueError: bad job" in drawn
    assert restored(drawn)


@pytest.mark.slow
def test_progress_gives_the_terminal_back_after_an_interrupt() -> None:
    code, drawn = on_a_terminal(LONG.replace("PROGRESS", "None"), interrupt_at="2/40")
    assert code == -signal.SIGINT
    assert "KeyboardInterrupt" in drawn
    assert restored(drawn)


class Teller:
    """A progress of a program's own, which takes sentences."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def __call__(self, done: int, total: int) -> None: ...

    def message(self, sentence: str) -> None:
        self.said.append(sentence)


def test_a_sentence_is_written_where_progress_is_shown_and_handed_to_what_takes_it(
    capfd: pytest.CaptureFixture[str],
) -> None:
    progress_module.announce(True, "a first answer")
    assert capfd.readouterr() == ("", "a first answer\n")
    for silent in (None, False, lambda done, total: None):
        progress_module.announce(silent, "a first answer")
    teller = Teller()
    progress_module.announce(teller, "a first answer")
    assert teller.said == ["a first answer"] and capfd.readouterr() == ("", "")
