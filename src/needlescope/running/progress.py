"""Progress of a long run: a bar on a terminal, plain lines elsewhere, or a callback.

Everything is written to the standard error stream, so that a program's output stays clean.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Progress: TypeAlias = "bool | Callable[[int, int], object] | None"
Report: TypeAlias = Callable[[int, int], object]  # how many are done, and how many of them failed

# Seconds between two plain lines.
PAUSE = 5.0


def check_progress(progress: Progress) -> None:
    """Refuse a ``progress`` that is neither a switch nor a function.

    Examples
    --------
    >>> check_progress("yes")
    Traceback (most recent call last):
    ValueError: progress must be True, False, None or a function of (done, total), got 'yes'
    """
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise ValueError(
            f"progress must be True, False, None or a function of (done, total), got {progress!r}"
        )


@contextmanager
def reporting(progress: Progress, total: int, title: str) -> Iterator[Report]:
    """Yield a function that reports how many of ``total`` are done, and how many failed.

    Parameters
    ----------
    progress : bool, callable or None
        None draws a bar if the standard error stream is a terminal, and nothing otherwise. True
        draws the bar too, or writes a plain line every few seconds. False reports nothing. A
        function is called with the number done and the total. Bar and lines say how many failed,
        if any did.
    total : int
        Number of jobs.
    title : str
        What the jobs are.

    Examples
    --------
    >>> with reporting(lambda done, total: print(done, "of", total), 2, "trials") as report:
    ...     report(1, 0)
    ...     report(2, 0)
    1 of 2
    2 of 2
    """
    check_progress(progress)
    if callable(progress):
        yield lambda done, failed: progress(done, total)
    elif not _is_shown(progress):
        yield lambda done, failed: None
    elif sys.stderr.isatty():
        with _bar(total, title) as report:
            yield report
    else:
        yield _lines(total, title)


def announce(progress: Progress, sentence: str) -> None:
    """Write a sentence where progress is shown, or hand it to ``progress.message`` if that exists.

    Examples
    --------
    >>> class Teller:
    ...     def __call__(self, done, total): ...
    ...     def message(self, sentence): print("heard:", sentence)
    >>> announce(Teller(), "a first answer")
    heard: a first answer
    """
    check_progress(progress)
    if callable(progress):
        message = getattr(progress, "message", None)
        if callable(message):
            message(sentence)
    elif _is_shown(progress):
        sys.stderr.write(sentence + "\n")
        sys.stderr.flush()


def _is_shown(progress: bool | None) -> bool:
    """Whether progress goes to the standard error stream: by default to a terminal alone."""
    if sys.stderr is None:
        return False
    return sys.stderr.isatty() if progress is None else progress


@contextmanager
def _bar(total: int, title: str) -> Iterator[Report]:
    """A bar that vanishes at the end, and restores the terminal after any error."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    start = time.monotonic()
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]}", style="red"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total, rate="", failed="")
        yield lambda done, failed: bar.update(
            task, completed=done, rate=_rate(done, start), failed=_failures(failed)
        )


def _lines(total: int, title: str) -> Report:
    """Plain lines, at most one every few seconds, and one at the end."""
    start = last = time.monotonic()

    def report(done: int, failed: int) -> None:
        nonlocal last
        now = time.monotonic()
        if done == total or now - last >= PAUSE:
            last = now
            left = (now - start) * (total - done) / done
            words = (f"{title}: {done}/{total}", _rate(done, start), f"{left:.0f} s left")
            sys.stderr.write(", ".join(filter(None, (*words, _failures(failed)))) + "\n")
            sys.stderr.flush()

    return report


def _rate(done: int, start: float) -> str:
    return f"{done / max(time.monotonic() - start, 1e-9):.3g}/s"


def _failures(failed: int) -> str:
    return f"{failed} failed" if failed else ""
