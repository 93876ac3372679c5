"""A pool of worker processes that leaves nothing behind.

Not after the last job, not after an error or Ctrl-C, and not when the caller itself is killed,
which each worker notices within a second, and ends. A worker has one BLAS thread.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

# Seconds between two looks of a worker at whether its parent lives.
WATCH = 0.5
THREADS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
)


@contextmanager
def pool(size: int, function: bytes) -> Iterator[Any]:
    """An executor whose workers are gone at the end, at once if that is an error or Ctrl-C."""
    from multiprocessing.resource_tracker import ensure_running

    from joblib.externals.loky import ProcessPoolExecutor

    ensure_running()  # starting later, it would lift the hold on interrupts
    with warnings.catch_warnings():
        # A worker that loky replaces, for memory it holds, is no concern of the caller.
        warnings.filterwarnings("ignore", module=r"joblib\.externals\.loky")
        executor = ProcessPoolExecutor(
            size,
            initializer=_enter,
            initargs=(os.getpid(), function),
            env=dict.fromkeys(THREADS, "1"),
        )
        crew: list[Any] = []
        try:
            with interrupts_held():  # the workers start with the first job, and inherit that
                executor.submit(int)
                crew += executor._processes.values()
            yield executor
        except BaseException:
            with interrupts_held():
                _abandon(executor, crew)
            raise
        with interrupts_held():
            executor.shutdown()


def _abandon(executor: Any, crew: list[Any]) -> None:
    """Kill the workers, whatever they are at, and wait until they are gone."""
    # By hand, since loky needs the program pgrep for it, which small containers lack; and
    # taken off its books, so that it does not try.
    books = executor._processes
    while books:
        with suppress(KeyError):
            crew.append(books.popitem()[1])
    for process in crew:
        if process.is_alive():
            with suppress(ProcessLookupError):
                os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    for process in crew:
        process.join()
    crew.clear()
    executor.shutdown(kill_workers=True)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back until the end, here and in the processes and threads started meanwhile.

    A worker goes on holding it back for good: the terminal sends it to all processes, but it is
    for the parent to act on.
    """
    held: list[int] = []
    handler = signal.getsignal(signal.SIGINT)
    ours = handler is not None and threading.current_thread() is threading.main_thread()
    if ours:  # the mask alone does not do: another thread of a notebook may take the signal
        signal.signal(signal.SIGINT, lambda number, frame: held.append(number))
    try:
        with _interrupts_masked():
            yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, handler)
        if held:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def _interrupts_masked() -> Iterator[None]:
    """Mask Ctrl-C, which a process started meanwhile inherits."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def packed(name: str, value: Any) -> bytes:
    """Pickle by value what has no importable name, or say why that cannot be."""
    from joblib.externals.loky.backend.reduction import dumps

    try:
        return bytes(dumps(value))
    except Exception as error:
        raise ValueError(
            f"the {name} must be picklable to go to a worker process, got {value!r} ({error}); "
            "workers=1 does without"
        ) from error


def single_thread() -> Callable[[], Any]:
    """A context in which every BLAS has one thread."""
    import scipy.linalg  # noqa: F401  brings a BLAS of its own, and only what is loaded is limited
    from threadpoolctl import ThreadpoolController

    controller = ThreadpoolController()
    return lambda: controller.limit(limits=1)


# ---------------------------------------------------------------- inside a worker

_function: bytes = b""


def _enter(parent: int, function: bytes) -> None:
    """Begin a worker's life."""
    global _function
    _function = function
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.name == "posix":
        threading.Thread(target=_die_with, args=(parent,), daemon=True).start()


def _die_with(parent: int) -> None:
    """End this process once its parent has ended, even if in the midst of a job."""
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(1)


@cache
def _equipment() -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    """What a worker needs for every job, made ready at its first."""
    return pickle.loads(_function), single_thread()


def work(job: bytes) -> Any:
    """Do one job in a worker."""
    try:
        function, limited = _equipment()
        with limited():
            return function(pickle.loads(job))
    except Exception as error:
        if _travels(error):
            raise
        raise RuntimeError(f"{type(error).__name__}: {error}") from error


def _travels(error: Exception) -> bool:
    """Whether the error reaches the parent as itself."""
    from joblib.externals.loky.backend.reduction import dumps

    try:
        return type(pickle.loads(dumps(error))) is type(error)
    except Exception:
        return False
