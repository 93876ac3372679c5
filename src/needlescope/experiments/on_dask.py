"""An engine on Dask: worker processes of a cluster of one's own, or of an existing one.

A worker that dies is no loss: Dask gives what it had under way to another. Every unit runs with
one BLAS thread, as on the local engine, and gives the same numbers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager
from multiprocessing.resource_tracker import ensure_running
from typing import Any

from ..simulation.pool import interrupts_held
from ..simulation.progress import Progress, check_progress, reporting
from ..simulation.workers import check_workers, cores
from .engine import Attempt, Engine, attempt
from .unit import Unit

# Units handed out for each thread of the cluster; the others stay here until there is room.
AHEAD = 4
# Seconds to wait for a scheduler to answer, and for its first worker.
PATIENCE = 30


def dask(scheduler: str | None = None, workers: int | None = None) -> Engine:
    """Return an engine on Dask distributed; needs the extra ``needlescope[dask]``.

    Parameters
    ----------
    scheduler
        Address of a running scheduler, such as ``tcp://10.0.0.1:8786``, whose workers have this
        package installed. None starts a cluster on this machine, for as long as a run takes; a
        script that does so needs the usual guard, ``if __name__ == "__main__"``.
    workers
        How many processes the cluster on this machine has; one for each core by default.

    Raises
    ------
    ImportError
        If the package ``distributed`` is not installed.
    ValueError
        If both a scheduler and a number of workers are given.

    Examples
    --------
    >>> dask("tcp://127.0.0.1:8786", workers=2)
    Traceback (most recent call last):
    ValueError: workers must be None with a scheduler, which has its own, got 2
    """
    if scheduler is not None and workers is not None:
        raise ValueError(
            f"workers must be None with a scheduler, which has its own, got {workers!r}"
        )
    check_workers(workers)
    _distributed()

    def engine(
        units: list[Unit], each: Callable[[int, Attempt], object], progress: Progress
    ) -> None:
        check_progress(progress)
        with (
            _client(scheduler, min(len(units), workers or cores())) as client,
            reporting(progress, len(units), "units") as report,
            closing(_as_completed(client, units)) as source,
        ):
            failures = 0
            for done, (place, found) in enumerate(source, 1):
                each(place, found)
                failures += found.failed
                report(done, failures)

    return engine


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise ImportError(
            "Dask needs the package distributed: pip install 'needlescope[dask]'"
        ) from None
    return distributed


@contextmanager
def _client(scheduler: str | None, workers: int) -> Iterator[Any]:
    """Connect to a scheduler, or to one started here that is gone at the end."""
    distributed = _distributed()
    if scheduler is None:
        ensure_running()  # starting later, it would lift the hold on interrupts
        with interrupts_held():  # the workers inherit that: Ctrl-C is for this process to act on
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                memory_limit=0,
                silence_logs=logging.CRITICAL,  # a worker that dies is replaced without a word
            )
        with cluster, distributed.Client(cluster, set_as_default=False) as client:
            yield client
        return
    try:
        client = distributed.Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as problem:  # a timeout is an OSError
        raise ConnectionError(
            f"no Dask scheduler answers at {scheduler!r} ({problem}); start one with "
            "dask scheduler, or leave the address out for a cluster on this machine"
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise ConnectionError(
                f"the Dask scheduler at {scheduler!r} has no workers; start some with "
                f"dask worker {scheduler}"
            ) from None
        yield client


def _as_completed(client: Any, units: list[Unit]) -> Generator[tuple[int, Attempt], None, None]:
    """Give (place, attempt) as the units end, with a few handed out ahead for each thread."""
    distributed = _distributed()
    rest = iter(enumerate(units))
    places: dict[Any, int] = {}
    queue = distributed.as_completed(loop=client.loop)

    def hand_out() -> None:
        room = AHEAD * max(1, sum(client.nthreads().values())) - len(places)
        for _, (place, unit) in zip(range(room), rest, strict=False):
            future = client.submit(_work, unit, unit.key, key=unit.key)
            places[future] = place
            queue.add(future)

    try:
        hand_out()
        for future in queue:
            found = _result(future)
            yield places.pop(future), found
            hand_out()
    except (CancelledError, OSError) as problem:  # from the client: a unit's error is no error
        raise RuntimeError(
            "the Dask scheduler went away in the midst of the run; what was finished is kept, "
            "and a rerun goes on from there"
        ) from problem
    finally:
        if places and client.status == "running":
            client.cancel(list(places))


def _result(future: Any) -> Attempt:
    """Return what a worker answered; that those who tried all died is an answer too."""
    distributed = _distributed()
    try:
        found: Attempt = future.result()
    except distributed.KilledWorker:
        return Attempt(None, "KilledWorker: every worker that ran this unit died", 0.0)
    return found


def _work(unit: Unit, key: str) -> Attempt:
    """Run a unit in a worker, with one BLAS thread."""
    import scipy.linalg  # noqa: F401  brings a BLAS of its own, and only what is loaded is limited
    from threadpoolctl import threadpool_limits

    if unit.key != key:
        raise RuntimeError(
            "a Dask worker has another version of needlescope; install the same one everywhere"
        )
    with threadpool_limits(limits=1):
        return attempt(unit)
