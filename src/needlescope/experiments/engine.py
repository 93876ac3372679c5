"""Engines: what runs the units that a store is still missing.

A unit that fails is kept with its error and does not stop the others, nor does one whose worker
process dies. Results are written to the store by this process as they come in, one transaction
each: whatever happens to the run, what was finished stays finished, and the next run goes on from
there. Units that take long keep checkpoints beside the store, and go on from those.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..running.processes import check_n_jobs
from ..running.processes import run as run_in_processes
from ..running.progress import Progress, check_progress
from .axes import check_count
from .stores.row import check_units
from .stores.store import Store
from .units.unit import Unit


class Attempt(NamedTuple):
    """How a unit ended: with numbers, or with an error."""

    numbers: dict[str, Any] | None
    error: str | None
    seconds: float

    @property
    def failed(self) -> bool:
        """Whether it ended with an error."""
        return self.error is not None


class Summary(NamedTuple):
    """What a run did: units done now, found done before, and failed, with the errors of those."""

    done: int
    before: int
    failed: int
    errors: tuple[str, ...] = ()


WORKER_DIED = Attempt(
    None,
    "its worker process died, beside other units and alone: out of memory? "
    "lower d, or use a machine with more memory",
    0.0,
)

Engine = Callable[[list[Unit], Callable[[int, Attempt], object], Progress], object]
"""Runs units, in any order, and hands each (place, attempt) over as soon as it is there."""


def attempt(unit: Unit) -> Attempt:
    """Run a unit; an error is part of the answer.

    Examples
    --------
    >>> task = {"L": 4, "R": 9, "theta": 1.0, "pi": 0.5}
    >>> attempt(Unit("oracle", {"task": task, "model": "pooled"})).error
    'ValueError: R must be an integer in 1..L, got 9 with L=4'
    """
    start = time.perf_counter()
    try:
        numbers, error = unit.run(), None
    except Exception as problem:
        numbers, error = None, f"{type(problem).__name__}: {problem}"
    return Attempt(numbers, error, time.perf_counter() - start)


def local(n_jobs: int | None = None) -> Engine:
    """Return an engine on processes of this machine; one for each core by default."""
    check_n_jobs(n_jobs)

    def engine(
        units: list[Unit], each: Callable[[int, Attempt], object], progress: Progress
    ) -> None:
        run_in_processes(
            attempt,
            units,
            n_jobs=n_jobs,
            progress=progress,
            title="units",
            each=each,
            failed=lambda result: result.failed,
            died=WORKER_DIED,
        )

    return engine


def run_units(
    units: Iterable[Unit],
    store: Store,
    *,
    engine: Engine | None = None,
    retry: bool = False,
    progress: Progress = None,
) -> Summary:
    """Run the units that the store does not have yet, and keep their results.

    Parameters
    ----------
    units : iterable of Unit
        What is wanted, at most 200,000: those of a `Sweep`, or others. Units that are
        there already are not run again.
    store : Store
        Where results are kept, each as soon as it is there.
    engine : callable, optional
        What runs them: processes of this machine by default, one for each core; ``local(2)`` of
        `needlescope.experiments.engine` for two, ``dask()`` of `needlescope.experiments.on_dask`
        for a cluster.
    retry : bool, default False
        Whether units that failed before are run again.
    progress : bool or callable, optional
        A progress bar (by default if there is a terminal), or a function of (done, total).

    Returns
    -------
    Summary
        How many units were ``done`` now, found done ``before``, and have ``failed`` then or now,
        and the ``errors`` of those.

    Raises
    ------
    ValueError
        If ``units`` are no units or too many, or ``store`` is no open store. A unit that fails
        raises nothing: its error is kept.
    StoreError
        If the store cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import needlescope as ns
    >>> tasks = [{"L": 10, "R": 1, "theta": theta, "pi": 0.5} for theta in (1.0, 2.0)]
    >>> units = [ns.Unit("oracle", {"task": task, "model": "pooled"}) for task in tasks]
    >>> folder = tempfile.TemporaryDirectory()
    >>> with ns.Store(folder.name + "/results.sqlite") as store:
    ...     print(ns.run_units(units, store))
    ...     print(ns.run_units(units, store))
    Summary(done=2, before=0, failed=0, errors=())
    Summary(done=0, before=2, failed=0, errors=())
    >>> folder.cleanup()
    """
    if not isinstance(store, Store):
        raise ValueError(
            f"store must be a needlescope.Store, got {store!r:.80}; open one with Store(path)"
        )
    if engine is not None and not callable(engine):
        raise ValueError(
            f"engine must be an engine such as local() or dask(), or None, got {engine!r:.80}"
        )
    if not isinstance(retry, bool):
        raise ValueError(f"retry must be True or False, got {retry!r:.80}")
    check_progress(progress)
    wanted = _listed(units)
    folder = store.path.with_suffix(".checkpoints")
    todo = [unit.with_checkpoints(folder) for unit in store.missing(wanted, retry=retry)]

    def keep(place: int, result: Attempt) -> None:
        store.put(todo[place], result.numbers, seconds=result.seconds, error=result.error)
        if todo[place].checkpoints is not None and not result.failed:  # of no more use
            shutil.rmtree(str(todo[place].checkpoints), ignore_errors=True)

    if todo:
        (engine or local())(todo, keep, progress)
        with contextlib.suppress(OSError):  # there is none, or others are at work in it
            folder.rmdir()
    errors = tuple(row.error for row in store.rows(wanted) if row.error is not None)
    return Summary(len(todo), len(wanted) - len(todo), len(errors), errors)


def _listed(units: Iterable[Unit]) -> list[Unit]:
    """List the units, each once; refuse more than can be listed before the memory is full."""
    result: dict[str, Unit] = {}
    for count, unit in enumerate(check_units(units), 1):
        check_count(count, "the run")
        result[unit.key] = unit
    return list(result.values())
