"""How a command is stopped: Ctrl-C, SIGTERM and SIGHUP end it in one way.

Its workers are ended, a sentence says what is kept and how to continue, and the exit code is the
usual one: 130, 143 or 129. A signal that is ignored when the program starts, as under nohup, stays
ignored. Only small modules of Python's own are imported here, so that a signal that comes while the
others load is handled too.
"""

from __future__ import annotations

import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
SIGNALS = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
RESUMABLE = ("sweep", "figure", "reproduce")  # commands that keep finished units
SERVING = ("live",)  # commands that end in no other way
RESEND_AFTER = 0.05  # seconds, if the exception of a signal was dropped


received: list[int] = []  # signals


class Stopped(BaseException):
    """A signal asks the program to end; not an `Exception`, so that no handler swallows it."""


def check_stopped() -> None:
    """Stop here if a signal came before: a module that was loading may have swallowed it."""
    if received:
        raise Stopped


@contextmanager
def stoppable() -> Iterator[None]:
    """End the program with a sentence if a signal comes meanwhile."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread receives signals
        return
    received.clear()

    def receive(number: int, frame: object) -> None:
        received.append(number)
        raise Stopped

    def resend(lost: Any) -> None:
        """Send a signal again whose exception Python dropped, as in the end of an object."""
        if isinstance(lost.exc_value, Stopped):
            threading.Timer(RESEND_AFTER, _send, (received[0],)).start()
        else:
            sys.__unraisablehook__(lost)

    before = {item: signal.getsignal(item) for item in SIGNALS}
    hook, sys.unraisablehook = sys.unraisablehook, resend
    for name, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(name, receive)
    try:
        yield
    except BaseException:  # a library may have raised another error from it
        if not received:
            raise
        for name in SIGNALS:
            signal.signal(name, signal.SIG_IGN)
        with suppress(OSError, ValueError):  # the terminal may be gone
            sys.stderr.write(f"{sentence(sys.argv)}\n")
            sys.stderr.flush()
        raise SystemExit(128 + received[0]) from None
    finally:
        sys.unraisablehook = hook
        if not received:
            for name, handler in before.items():
                signal.signal(name, handler)


def _send(number: int) -> None:
    """Send a signal to the main thread, which may be asleep."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:
        signal.raise_signal(number)


def sentence(words: Sequence[str]) -> str:
    """Say what is kept of a command that was stopped.

    Examples
    --------
    >>> sentence(["needlescope", "sweep", "my spec.toml"])
    "interrupted: finished units are kept, and this goes on from there: needlescope sweep 'my ...
    >>> sentence(["needlescope", "live"])
    'the explorer has ended'
    >>> sentence(["needlescope", "predict"])
    'interrupted: nothing is kept; needlescope sweep keeps what is finished'
    """
    started, *rest = words or ["needlescope"]
    if rest and rest[0] in SERVING:
        return "the explorer has ended"
    if rest and rest[0] in RESUMABLE:
        again = shlex.join([program(started), *rest])
        return f"interrupted: finished units are kept, and this goes on from there: {again}"
    return "interrupted: nothing is kept; needlescope sweep keeps what is finished"


def program(started: str) -> str:
    """Return what starts this program from here: its name, or its path if that is not found."""
    import shutil

    result = shutil.which("needlescope")
    if Path(started).name != "needlescope" or (result and Path(result).samefile(started)):
        return "needlescope"
    return started
