"""Many independent jobs over processes, with results that do not depend on their number.

Every job runs with one BLAS thread, in a worker or not: a sum split over threads rounds
differently, and a trial must not depend on the machine's idle cores.

Workers live for one call. Their start costs half a second, but no process stays behind.

A worker that dies ends the call, unless ``died`` is given: then the jobs in progress are run again.
A job that was in progress at two deaths runs alone, and gets the result ``died`` if its worker dies
once more.
"""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing
from numbers import Integral
from typing import Any, TypeVar

from .pool import load, packed, pool, single_thread, work
from .progress import Progress as Progress
from .progress import check_progress, reporting

Job = TypeVar("Job")
Result = TypeVar("Result")

SHORT = 2.0  # seconds of work below which one process is quicker than several
MOST_PER_CORE = 4  # more workers only wait for each other, and take memory
AHEAD = 2  # jobs submitted for each worker: the one that runs, and the next


def run(
    function: Callable[[Job], Result],
    jobs: Iterable[Job],
    *,
    n_jobs: int | None = None,
    progress: Progress = None,
    title: str = "trials",
    each: Callable[[int, Result], object] | None = None,
    failed: Callable[[Result], bool] | None = None,
    died: Result | None = None,
) -> list[Result]:
    """Call ``function`` on every job, over processes, and list the results in the jobs' order.

    Parameters
    ----------
    function : callable
        Takes one job. It may be defined anywhere, also in a notebook or a script without a
        guard, but must not rely on changing the caller's variables.
    jobs : iterable
        Each with all its function needs, its random stream included.
    n_jobs : int, optional
        Number of processes; by default the number of cores, or of jobs if those are fewer. With 1
        everything runs in this process, as does a call from within a worker, and a single job
        without ``died``.
    progress : bool, callable or None
        Whether and how to report progress; see `reporting`.
    title : str
        What the jobs are, for the progress bar.
    each : callable, optional
        Called in this process with a job's index and its result, as soon as it arrives.
    failed : callable, optional
        Whether a result counts as a failure in the progress.
    died : optional
        The result of a job whose worker died each time it ran.

    Raises
    ------
    Exception
        Whatever a job raised, as itself; the other jobs are then abandoned.
    RuntimeError
        If a worker died and there is no ``died``.

    Examples
    --------
    >>> run(abs, [-1, 2, -3], n_jobs=1)
    [1, 2, 3]
    """
    check_progress(progress)
    check_n_jobs(n_jobs)
    left = dict(enumerate(jobs))
    size = _size(n_jobs, len(left))
    here = size <= 1 and (died is None or n_jobs == 1 or _in_a_worker())
    total = len(left)
    with reporting(progress, total, title) as report:
        results: dict[int, Result] = {}
        failures = 0
        source = _run_here(function, left) if here else _run_in_workers(function, left, size, died)
        with closing(source):  # an error in between ends the workers now, not when it is let go
            for index, result in source:
                results[index] = result
                if each is not None:
                    each(index, result)
                failures += failed is not None and failed(result)
                report(len(results), failures)
    return [results[index] for index in range(total)]


def worth(n_jobs: int | None, seconds: float) -> int | None:
    """Return the number of processes, one if none is given and the work is too short for several.

    Examples
    --------
    >>> worth(None, 0.1), worth(None, 60.0), worth(2, 0.1)
    (1, None, 2)
    """
    return 1 if n_jobs is None and seconds < SHORT else n_jobs


def check_n_jobs(n_jobs: Any) -> None:
    """Refuse a number of processes that is not possible on this machine.

    Examples
    --------
    >>> check_n_jobs(0)
    Traceback (most recent call last):
    ValueError: n_jobs must be an integer in 1..., got 0: this machine has ...
    """
    if n_jobs is None:
        return
    most = MOST_PER_CORE * cores()
    is_integer = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if not is_integer or not 1 <= n_jobs <= most:
        has = f"{cores()} core{'s' if cores() > 1 else ''}"
        raise ValueError(
            f"n_jobs must be an integer in 1..{most}, got {n_jobs!r}: this machine has {has}; "
            "None takes one worker for each"
        )


def cores() -> int:
    """Count the cores that this process may use, under its affinity and its container's quota."""
    load()
    from loky import cpu_count

    return max(1, int(cpu_count()))


def _size(n_jobs: int | None, jobs: int) -> int:
    """The number of processes; one is this process."""
    if _in_a_worker():
        return 1  # its siblings keep the other cores busy
    return min(jobs, cores() if n_jobs is None else int(n_jobs))


def _in_a_worker() -> bool:
    process = multiprocessing.current_process()
    return bool(process.daemon or "loky" in type(process).__module__)


def _run_here(
    function: Callable[[Job], Result], jobs: Mapping[int, Job]
) -> Generator[tuple[int, Result], None, None]:
    limited = single_thread()
    for index, job in jobs.items():
        with limited():
            result = function(job)
        yield index, result


def _run_in_workers(
    function: Callable[[Job], Result], left: dict[int, Job], size: int, died: Result | None
) -> Generator[tuple[int, Result], None, None]:
    """Yield (index, result) as the jobs end, and remove these from ``left``."""
    from loky.process_executor import BrokenProcessPool, TerminatedWorkerError

    total, deaths = len(left), Counter[int]()
    carried = packed("function", function)
    while left:
        suspects = {index: left[index] for index in left if deaths[index] > 1}
        crew, ahead = (1, 1) if suspects else (size, AHEAD * size)
        waiting: dict[Future[Any], int] = {}
        try:
            with pool(crew, carried) as executor:
                for index, result in _as_completed(executor, suspects or {**left}, waiting, ahead):
                    del left[index]
                    yield index, result
        except TerminatedWorkerError as error:
            if died is None:
                raise RuntimeError(
                    f"a worker process died (killed, or out of memory) after {total - len(left)} "
                    f"of {total} results; try fewer processes, or n_jobs=1, or a problem that "
                    "takes less memory"
                ) from error
            if not suspects:
                deaths.update(waiting.values() or left)
                continue
            index = next(index for index in suspects if index in left)
            del left[index]
            yield index, died
        except BrokenProcessPool as error:
            raise RuntimeError(
                "a job or its result could not be sent between processes; try n_jobs=1"
            ) from error


def _as_completed(
    executor: Any, jobs: Mapping[int, Job], waiting: dict[Future[Any], int], ahead: int
) -> Iterator[tuple[int, Any]]:
    """Yield (index, result) as the jobs end; at most ``ahead`` are ``waiting`` at a time."""
    rest = iter(jobs.items())

    def submit() -> None:
        for _, (index, job) in zip(range(ahead - len(waiting)), rest, strict=False):
            waiting[executor.submit(work, packed("job", job))] = index

    submit()
    while waiting:
        done = wait(waiting, return_when=FIRST_COMPLETED).done
        for future in sorted(done, key=lambda item: item.exception() is not None):  # results first
            result = future.result()
            yield waiting.pop(future), result
        submit()
