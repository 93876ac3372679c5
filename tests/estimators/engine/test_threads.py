"""The thread pool of a fit: in joblib's convention, and ended with the fit."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.engine import threads
from needlescope.estimators.engine.threads import ONE_THREAD, check_jobs, thread_count, thread_pool


@pytest.mark.parametrize(("n_jobs", "count"), [(None, 1), (3, 3), (-1, 8), (-3, 6), (-20, 1)])
def test_threads_are_counted_as_by_joblib(n_jobs, count, monkeypatch):
    monkeypatch.setattr(threads.os, "cpu_count", lambda: 8)
    assert thread_count(n_jobs) == thread_count(n_jobs and np.int64(n_jobs)) == count


@pytest.mark.parametrize("n_jobs", [0, 1.0, True, "2"])
def test_what_is_no_number_of_threads_is_refused(n_jobs):
    with pytest.raises(ValueError, match=r"^n_jobs must be None, a whole number of threads"):
        check_jobs(n_jobs)


def test_one_thread_takes_no_pool_and_several_end_with_the_fit():
    with thread_pool(None) as alone:
        assert alone is ONE_THREAD
    with thread_pool(2) as both:
        assert both.threads == 2 and both.pool.submit(int, "7").result() == 7
    with pytest.raises(RuntimeError):
        both.pool.submit(int, "7")
