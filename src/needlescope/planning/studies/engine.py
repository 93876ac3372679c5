"""Studies on an engine, such as a Dask cluster: what `run_units` takes, given studies as units.

An engine runs units, which have a key, and hands each (place, attempt) over as soon as it is there
(`needlescope.experiments.engine`). A study goes to it packed with the code of its classifier, where
that has no importable name. What a worker could not do is a study that failed.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...running.pool import packed
from .record import key_of
from .study import Job, Study, run_study


class StudyUnit(NamedTuple):
    """A study as an engine takes it."""

    key: str
    study: bytes
    loss: None = None  # of its own: engines send the code of a loss along

    def run(self) -> dict[str, Any]:
        """Make the study, and return its numbers."""
        return run_study(pickle.loads(self.study))._asdict()


def run_on(engine: Any, jobs: list[Job], each: Callable[[int, Study], object]) -> list[Study]:
    """Make studies on an engine, and list them in the order of their jobs.

    ``each`` is called with a job's index and its study, as soon as it is there.
    """
    units = [StudyUnit(f"study-{key_of(job)}", packed("classifier", job)) for job in jobs]
    done: dict[int, Study] = {}

    def keep(place: int, attempt: Any) -> None:
        if attempt.numbers is None:
            study = Study(jobs[place].n, np.nan, attempt.seconds, str(attempt.error))
        else:
            study = Study(**attempt.numbers)
        done[place] = study
        each(place, study)

    engine(units, keep, False)
    return [done[place] for place in range(len(jobs))]
