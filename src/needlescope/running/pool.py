"""A pool of worker processes that leaves no process behind.

The workers end after the last job, after an error and after Ctrl-C. If the caller itself is killed,
each worker notices within a second and exits. A worker has one BLAS thread.

The pool is loky's, since its workers do not import the caller's main module: a script needs no
``if __name__ == "__main__"``. What loky kills workers with is psutil.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

WATCH = 0.5  # seconds between two checks of a worker that its parent lives
HANGUP: signal.Signals | None = getattr(signal, "SIGHUP", None)  # the terminal is gone
THREADS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
)


@contextmanager
def pool(size: int, function: bytes) -> Iterator[Any]:
    """Yield an executor; its workers are gone at the end, at once after an error or Ctrl-C."""
    start_trackers()
    from loky import ProcessPoolExecutor

    with warnings.catch_warnings():
        # loky replaces a worker that holds much memory: no concern of the caller.
        warnings.filterwarnings("ignore", module=r"loky\.")
        executor: Any = None
        kill = True
        try:
            with interrupts_held(signal.SIGTERM):  # the workers inherit the mask
                executor = ProcessPoolExecutor(
                    size,
                    initializer=_enter,
                    initargs=(os.getpid(), function),
                    env=dict.fromkeys(THREADS, "1"),
                )
                executor.submit(int)  # the first job starts the workers
            yield executor
            kill = False
        finally:
            if executor is not None:
                with interrupts_held(signal.SIGTERM):
                    executor.shutdown(kill_workers=kill)


@cache
def load() -> None:
    """Import what runs workers, with interrupts held.

    Ctrl-C during an import may be lost, in a callback of Python's own, or raise several errors,
    where a package tries another import on any error.
    """
    with interrupts_held():
        for name in ("loky", "psutil", "scipy.linalg", "threadpoolctl"):
            import_module(name)


def start_trackers() -> None:
    """Start the resource trackers of Python and of loky, by creating a lock, with interrupts held.

    A tracker that starts later would lift the mask of `interrupts_held`; and one that a signal to
    all processes ends would report leaks.
    """
    load()  # loky registers its method
    for method in ("spawn", "loky"):
        with interrupts_held():
            multiprocessing.get_context(method).Lock()


@contextmanager
def interrupts_held(*more: signal.Signals) -> Iterator[None]:
    """Delay Ctrl-C, and the signals ``more``, until the end of the context.

    Processes and threads started in it inherit the mask, and a worker keeps it: the terminal sends
    Ctrl-C to all processes, but only the parent may act on it.
    """
    numbers = {signal.SIGINT, *(item for item in (HANGUP,) if item is not None), *more}
    held: list[int] = []
    # The mask alone is not enough: another thread of a notebook may take the signal.
    main = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in numbers if main}
    ours = {name: handler for name, handler in handlers.items() if callable(handler)}
    for item in ours:
        signal.signal(item, lambda number, frame: held.append(number))
    try:
        with _masked(numbers):
            yield
    finally:
        for item, handler in ours.items():
            signal.signal(item, handler)
        for number in dict.fromkeys(held):
            signal.raise_signal(number)


@contextmanager
def _masked(numbers: set[signal.Signals]) -> Iterator[None]:
    """Mask signals; a process started in the context inherits the mask."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def packed(name: str, value: Any) -> bytes:
    """Pickle a value, by value what has no importable name, or refuse it."""
    from cloudpickle import dumps

    try:
        return bytes(dumps(value))
    except Exception as error:
        raise ValueError(
            f"the {name} must be picklable to go to a worker process, got {value!r} ({error}); "
            "n_jobs=1 does without"
        ) from error


def single_thread() -> Callable[[], Any]:
    """A context in which every BLAS has one thread."""
    load()  # SciPy brings a BLAS of its own, and only what is loaded is limited
    from threadpoolctl import ThreadpoolController

    controller = ThreadpoolController()
    return lambda: controller.limit(limits=1)


# ---------------------------------------------------------------- inside a worker

_function: bytes = b""


def _enter(parent: int, function: bytes) -> None:
    """Initialise a worker."""
    global _function
    _function = function
    for item in (signal.SIGINT, signal.SIGTERM, HANGUP):
        if item is not None:
            signal.signal(item, signal.SIG_IGN)
    if os.name == "posix":
        threading.Thread(target=_die_with, args=(parent,), daemon=True).start()


def _die_with(parent: int) -> None:
    """Exit once the parent has ended, even during a job."""
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(1)


@cache
def _unpacked() -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    """The function and the thread limit of a worker, made at its first job."""
    return pickle.loads(_function), single_thread()


def work(job: bytes) -> Any:
    """Run one job in a worker."""
    try:
        function, limited = _unpacked()
        with limited():
            return function(pickle.loads(job))
    except Exception as error:
        if _travels(error):
            raise
        raise RuntimeError(f"{type(error).__name__}: {error}") from error


def _travels(error: Exception) -> bool:
    """Whether the error can be pickled, and unpickled as the same type."""
    from cloudpickle import dumps

    try:
        return type(pickle.loads(dumps(error))) is type(error)
    except Exception:
        return False
