"""Many independent jobs, over processes, with the same numbers however many there are.

Every job runs with one BLAS thread, in a worker or not: a sum split over threads rounds
differently, and a trial must not depend on the machine's idle cores.

Workers live for one call. That costs half a second each time, but nothing stays behind: not
after the last job, not after an error or Ctrl-C, and not when the caller itself is killed, which
each worker notices within a second, and ends.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing, contextmanager, suppress
from functools import cache
from numbers import Integral
from typing import Any, TypeVar

from .progress import Progress as Progress
from .progress import check_progress, reporting

Job = TypeVar("Job")
Result = TypeVar("Result")

# More workers than this for each core only wait for each other, and take memory meanwhile.
MOST_PER_CORE = 4
# Jobs handed out for each worker: the next one waits beside the worker, the others stay here.
AHEAD = 2
# Seconds between two looks of a worker at whether its parent lives.
WATCH = 0.5
THREADS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
)


def run(
    function: Callable[[Job], Result],
    jobs: Iterable[Job],
    *,
    workers: int | None = None,
    progress: Progress = None,
    title: str = "trials",
    each: Callable[[int, Result], object] | None = None,
    failed: Callable[[Result], bool] | None = None,
) -> list[Result]:
    """Call ``function`` on every job, over processes, and list the results in the jobs' order.

    Parameters
    ----------
    function : callable
        Takes one job. It may be defined anywhere, also in a notebook or a script without a
        guard, but must not rely on changing the caller's variables.
    jobs : iterable
        Each with all its function needs, its random stream included.
    workers : int, optional
        How many processes; as many as there are cores, or jobs if those are fewer, if None. One
        runs everything in this process, as does a call from within a worker.
    progress : bool, callable or None
        Whether and how to report progress; see `reporting`.
    title : str
        What the jobs are, for the progress bar.
    each : callable, optional
        Called here with a job's place and its result as soon as it is there.
    failed : callable, optional
        Whether a result stands for a failure, for the progress to count.

    Raises
    ------
    Exception
        Whatever a job raised, as itself; the other jobs are then abandoned.
    RuntimeError
        If a worker died.

    Examples
    --------
    >>> run(abs, [-1, 2, -3], workers=1)
    [1, 2, 3]
    """
    check_progress(progress)
    check_workers(workers)
    jobs = list(jobs)
    size = _size(workers, len(jobs))
    with reporting(progress, len(jobs), title) as report:
        results: dict[int, Result] = {}
        failures = 0
        here = size <= 1
        source = _run_here(function, jobs) if here else _run_in_workers(function, jobs, size)
        with closing(source):  # an error in between ends the workers now, not when it is let go
            for index, result in source:
                results[index] = result
                if each is not None:
                    each(index, result)
                failures += failed is not None and failed(result)
                report(len(results), failures)
    return [results[index] for index in range(len(jobs))]


def check_workers(workers: int | None) -> None:
    """Refuse a number of workers that makes no sense on this machine.

    Examples
    --------
    >>> check_workers(0)
    Traceback (most recent call last):
    ValueError: workers must be an integer in 1..., got 0: this machine has ...
    """
    if workers is None:
        return
    most = MOST_PER_CORE * cores()
    whole = isinstance(workers, Integral) and not isinstance(workers, bool)
    if not whole or not 1 <= workers <= most:
        has = f"{cores()} core{'s' if cores() > 1 else ''}"
        raise ValueError(
            f"workers must be an integer in 1..{most}, got {workers!r}: this machine has {has}; "
            "None takes one worker for each"
        )


def cores() -> int:
    """Count the cores that this process may use, under its affinity and its container's quota.

    Examples
    --------
    >>> cores() >= 1
    True
    """
    from joblib import cpu_count

    return max(1, int(cpu_count()))


def _size(workers: int | None, jobs: int) -> int:
    """The number of processes to run on; one stands for this process."""
    process = multiprocessing.current_process()
    if process.daemon or "loky" in type(process).__module__:
        return 1  # a worker already: its siblings keep the other cores busy
    return min(jobs, cores() if workers is None else int(workers))


# ---------------------------------------------------------------- in this process


def _run_here(
    function: Callable[[Job], Result], jobs: Sequence[Job]
) -> Generator[tuple[int, Result], None, None]:
    single_thread = _single_thread()
    for index, job in enumerate(jobs):
        with single_thread():
            result = function(job)
        yield index, result


def _single_thread() -> Callable[[], Any]:
    """A context in which every BLAS has one thread."""
    import scipy.linalg  # noqa: F401  brings a BLAS of its own, and only what is loaded is limited
    from threadpoolctl import ThreadpoolController

    controller = ThreadpoolController()
    return lambda: controller.limit(limits=1)


# ---------------------------------------------------------------- over workers


def _run_in_workers(
    function: Callable[[Job], Result], jobs: Sequence[Job], size: int
) -> Generator[tuple[int, Result], None, None]:
    from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

    done = 0
    try:
        with _pool(size, _packed("function", function)) as executor:
            for found in _as_completed(executor, jobs, AHEAD * size):
                done += 1
                yield found
    except TerminatedWorkerError as error:
        raise RuntimeError(
            f"a worker process died (killed, or out of memory) after {done} of "
            f"{len(jobs)} results; try fewer workers, or workers=1, or a problem that takes "
            "less memory"
        ) from error
    except BrokenProcessPool as error:
        raise RuntimeError(
            "a job or its result could not be sent between processes; try workers=1"
        ) from error


def _as_completed(executor: Any, jobs: Sequence[Job], ahead: int) -> Iterator[tuple[int, Any]]:
    """Give (index, result) as the jobs end, with no more than ``ahead`` handed out at a time."""
    waiting: dict[Future[Any], int] = {}
    rest = iter(enumerate(jobs))

    def hand_out(count: int) -> None:
        for _, (index, job) in zip(range(count), rest, strict=False):
            waiting[executor.submit(_work, _packed("job", job))] = index

    hand_out(ahead)
    while waiting:
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            yield waiting.pop(future), future.result()
        hand_out(ahead - len(waiting))


@contextmanager
def _pool(size: int, function: bytes) -> Iterator[Any]:
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


def _packed(name: str, value: Any) -> bytes:
    """Pickle by value what has no importable name, or say why that cannot be."""
    from joblib.externals.loky.backend.reduction import dumps

    try:
        return bytes(dumps(value))
    except Exception as error:
        raise ValueError(
            f"the {name} must be picklable to go to a worker process, got {value!r} ({error}); "
            "workers=1 does without"
        ) from error


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
    return pickle.loads(_function), _single_thread()


def _work(job: bytes) -> Any:
    """Do one job in a worker."""
    try:
        function, single_thread = _equipment()
        with single_thread():
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
