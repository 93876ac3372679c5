"""The thread pool of a fit, of ``n_jobs`` threads in joblib's convention."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np


class Threads(NamedTuple):
    """A pool, if there are several threads, and their number."""

    pool: Executor | None = None
    threads: int = 1


ONE_THREAD = Threads()


def check_jobs(n_jobs: Any) -> None:
    """Refuse an invalid number of threads."""
    whole = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not (whole and n_jobs != 0):
        raise ValueError(
            "n_jobs must be None, a whole number of threads from 1 on, or below 0 to count from "
            f"all processors (-1 is all), got {n_jobs!r}"
        )


def thread_count(n_jobs: Any) -> int:
    """Return the number of threads of ``n_jobs``."""
    check_jobs(n_jobs)
    count = 1 if n_jobs is None else int(n_jobs)
    return count if count > 0 else max(1, (os.cpu_count() or 1) + 1 + count)


@contextmanager
def thread_pool(n_jobs: Any) -> Iterator[Threads]:
    """Yield the threads of a fit, and end them with it."""
    count = thread_count(n_jobs)
    if count == 1:
        yield ONE_THREAD
        return
    with ThreadPoolExecutor(count) as pool:
        yield Threads(pool, count)
