"""An engine on Dask: worker processes of a new cluster on this machine, or of an existing one.

A worker that dies is no loss: Dask gives what it had under way to another. A cluster whose workers
are all gone, or whose scheduler no longer answers, is reported, and ends the run after two minutes
(`dask_watch`). Every unit runs with one BLAS thread, as on the local engine, and gives the same
numbers.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import queue
import socket
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager
from functools import partial
from importlib import import_module
from typing import Any

from ..running.pool import interrupts_held, start_trackers
from ..running.processes import check_n_jobs, cores
from ..running.progress import Progress, check_progress, reporting
from .dask_watch import RESUME_NOTE, Watch
from .engine import Attempt, Engine, attempt
from .units.unit import Unit

# Units handed out for each thread of the cluster; the others stay here until there is room.
UNITS_PER_THREAD = 4
# Seconds to wait for a scheduler to answer, and for its first worker.
CONNECT_SECONDS = 30
SCHEMES = ("tcp", "tls", "ws", "wss", "ucx")


def dask(scheduler: str | None = None, n_jobs: int | None = None) -> Engine:
    """Return an engine on Dask distributed; needs the extra ``needlescope[dask]``.

    Parameters
    ----------
    scheduler : str, optional
        Address of a running scheduler, such as ``tcp://10.0.0.1:8786``, whose workers have this
        package installed. None, the default, starts a cluster on this machine, for as long as a run
        takes; a script that does so needs the usual guard, ``if __name__ == "__main__"``.
    n_jobs : int, optional
        How many processes the cluster on this machine has, up to four for each core; one for each
        by default.

    Returns
    -------
    Engine
        What `run_units` takes as ``engine``.

    Raises
    ------
    ImportError
        If the package ``distributed`` is not installed.
    ValueError
        If the address is none, or both a scheduler and a number of workers are given.

    Examples
    --------
    >>> from needlescope.experiments.on_dask import dask
    >>> engine = dask("tcp://10.0.0.1:8786")  # for run_units(units, store, engine=engine)
    >>> dask("10.0.0.1")
    Traceback (most recent call last):
    ValueError: scheduler must be an address such as tcp://10.0.0.1:8786, got '10.0.0.1': missing...
    """
    if scheduler is not None and n_jobs is not None:
        raise ValueError(f"n_jobs must be None with a scheduler, which has its own, got {n_jobs!r}")
    check_n_jobs(n_jobs)
    _distributed()
    if scheduler is not None:
        _check_address(scheduler)

    def engine(
        units: list[Unit], each: Callable[[int, Attempt], object], progress: Progress
    ) -> None:
        check_progress(progress)
        with (
            _client(scheduler, min(len(units), n_jobs or cores())) as client,
            reporting(progress, len(units), "units") as report,
            closing(_as_completed(client, units, Watch(client, scheduler))) as source,
        ):
            failures = 0
            for done, (place, result) in enumerate(source, 1):
                each(place, result)
                failures += result.failed
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


def _check_address(scheduler: Any) -> None:
    """Refuse what is no address, before a client of Dask hangs on it."""
    try:
        if not isinstance(scheduler, str):
            raise ValueError("it is no text")
        _distributed()
        from distributed.comm.addressing import parse_address, parse_host_port

        scheme, place = parse_address(scheduler)
        if scheme not in SCHEMES:
            raise ValueError(f"it must begin with one of {', '.join(SCHEMES)}")
        host, port = parse_host_port(place)
        if not host or not 0 < port < 1 << 16:
            raise ValueError("it must have a host, and a port in 1..65535")
    except ValueError as problem:
        raise ValueError(
            f"scheduler must be an address such as tcp://10.0.0.1:8786, got {scheduler!r:.80}: "
            f"{problem}"
        ) from None


def _check_answer(scheduler: str) -> None:
    """Refuse a scheduler that does not answer: a client that cannot connect does not end."""
    from distributed.comm.addressing import get_address_host, normalize_address
    from distributed.comm.core import connect

    problems: list[Exception] = []

    async def ask() -> None:
        socket.getaddrinfo(get_address_host(normalize_address(scheduler)), None)
        options = _distributed().Security().get_connection_args("client")
        comm = await connect(scheduler, timeout=CONNECT_SECONDS, **options)  # type: ignore[no-untyped-call]
        await comm.close()

    def run() -> None:  # on a thread of its own, since a notebook has a loop on this one
        try:
            asyncio.run(ask())
        except Exception as problem:
            problems.append(problem)

    asking = threading.Thread(target=run, daemon=True)
    asking.start()
    asking.join()
    if problems:
        raise ConnectionError(
            f"no Dask scheduler answers at {scheduler!r} ({problems[0]}); start one with "
            "dask scheduler, or leave the address out for a cluster on this machine"
        )


@contextmanager
def _client(scheduler: str | None, n_jobs: int) -> Iterator[Any]:
    """Connect to a scheduler, or to one started here that is gone at the end."""
    distributed = _distributed()
    if scheduler is None:
        start_trackers()
        with interrupts_held():  # the workers inherit that: Ctrl-C is for this process to act on
            cluster = distributed.LocalCluster(
                n_workers=n_jobs,
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
    _check_answer(scheduler)
    with distributed.Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False) as client:
        try:
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError:
            raise ConnectionError(
                f"the Dask scheduler at {scheduler!r} has no workers; start some with "
                f"dask worker {scheduler}"
            ) from None
        yield client


def _as_completed(
    client: Any, units: list[Unit], watch: Watch
) -> Generator[tuple[int, Attempt], None, None]:
    """Give (place, attempt) as the units end, with a few handed out ahead for each thread."""
    rest = iter(enumerate(units))
    places: dict[Any, int] = {}
    ended: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def hand_out() -> None:
        room = UNITS_PER_THREAD * watch.threads() - len(places)
        for _, (place, unit) in zip(range(room), rest, strict=False):
            future = client.submit(_work, _packed(unit), unit.key, key=unit.key)
            places[future] = place
            future.add_done_callback(ended.put)

    try:
        hand_out()
        while places:
            future = watch.wait(lambda seconds: ended.get(timeout=seconds))
            result = watch.wait(partial(_result, future))  # its worker may have died since
            yield places.pop(future), result
            hand_out()
    except (CancelledError, OSError) as problem:  # from the client: a unit's error is no error
        raise RuntimeError(
            f"the Dask scheduler went away in the midst of the run; {RESUME_NOTE}"
        ) from problem
    finally:
        if places and client.status == "running":
            client.cancel(list(places))


def _result(future: Any, seconds: float) -> Attempt:
    """Return what a worker answered; that all workers which tried it died is an answer too."""
    distributed = _distributed()
    try:
        result: Attempt = future.result(timeout=seconds)
    except distributed.KilledWorker:
        return Attempt(None, "KilledWorker: every worker that ran this unit died", 0.0)
    return result


def _packed(unit: Unit) -> Unit | bytes:
    """Pack a custom loss with its code: a worker need not have the file it is from."""
    if unit.loss is None:
        return unit
    cloudpickle = import_module("cloudpickle")  # which Dask brings
    name = type(unit.loss).__module__
    module = sys.modules.get(name)
    if module is None or name == "__main__" or name.partition(".")[0] == __name__.partition(".")[0]:
        return bytes(cloudpickle.dumps(unit))  # by value anyway, or ours, which every worker has
    cloudpickle.register_pickle_by_value(module)
    try:
        return bytes(cloudpickle.dumps(unit))
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def _work(given: Unit | bytes, key: str) -> Attempt:
    """Run a unit in a worker, with one BLAS thread."""
    import scipy.linalg  # noqa: F401  brings a BLAS of its own, and only what is loaded is limited
    from threadpoolctl import threadpool_limits

    try:
        unit = pickle.loads(given) if isinstance(given, bytes) else given
    except ImportError as problem:
        return Attempt(None, f"{problem}: install what the loss uses on every Dask worker", 0.0)
    if unit.key != key:
        raise RuntimeError(
            "a Dask worker has another version of needlescope; install the same one everywhere"
        )
    with threadpool_limits(limits=1):
        return attempt(unit)
