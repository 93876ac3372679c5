"""A cluster that cannot answer is noticed, reported once, and given up after a stated time."""

from __future__ import annotations

import itertools
import logging
import queue
import signal
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from needlescope.experiments import dask_watch
from needlescope.experiments.dask_watch import GIVE_UP_SECONDS, POLL_SECONDS, Watch

WHERE = "tcp://127.0.0.1:8786"


class Client:
    """Answers with what it is given, one after the other: threads of workers, or nothing."""

    def __init__(self, *answers: Any) -> None:
        self.answers = iter(answers)

    def nthreads(self, callback_timeout: float) -> dict[str, int]:
        result = next(self.answers)
        if isinstance(result, Exception):
            raise result
        return {f"worker {place}": threads for place, threads in enumerate(result)}


def after(looks: int, answer: str = "a result") -> Any:
    """Return what is waited for, which comes after so many looks at the cluster."""
    left: Iterator[int] = iter(range(looks))

    def ask(seconds: float) -> str:
        assert seconds == POLL_SECONDS
        if next(left, None) is not None:
            raise queue.Empty
        return answer

    return ask


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock on which each look takes as long as one does."""
    ticks = itertools.count(0.0, POLL_SECONDS)
    monkeypatch.setattr(dask_watch, "time", SimpleNamespace(monotonic=lambda: next(ticks)))


@pytest.mark.usefixtures("clock")
def test_a_working_cluster_is_waited_for_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    looks = 10 * int(GIVE_UP_SECONDS / POLL_SECONDS)
    watch = Watch(Client(*[[2, 2]] * looks), WHERE)
    assert watch.wait(after(looks)) == "a result"
    assert caplog.records == []


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    "answer, words",
    [([], f"has no workers (start some with dask worker {WHERE})"),
     (TimeoutError(), "does not answer")],
)  # fmt: skip
def test_a_cluster_that_cannot_answer_is_reported_once_and_given_up(
    answer: Any, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    watch = Watch(Client(*[answer] * 1000), WHERE)
    with pytest.raises(RuntimeError) as stop:
        watch.wait(after(1000))
    assert words in str(stop.value) and "for 120 s now" in str(stop.value)
    assert "what was finished is kept, and a rerun goes on" in str(stop.value)
    (said,) = caplog.records
    assert words in said.getMessage() and "the run ends in 120 s" in said.getMessage()
    looks = 1000 - len(list(watch.client.answers))
    assert looks == GIVE_UP_SECONDS / POLL_SECONDS + 1


@pytest.mark.usefixtures("clock")
def test_workers_that_come_back_begin_the_wait_anew(caplog: pytest.LogCaptureFixture) -> None:
    most = [[]] * int(GIVE_UP_SECONDS / POLL_SECONDS)
    watch = Watch(Client(*most, [1], *most, [1]), None)
    assert watch.wait(after(2 * len(most) + 2)) == "a result"
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2
    assert "the Dask cluster has no workers:" in caplog.records[0].getMessage()


def test_threads_are_as_many_as_before_where_nobody_answers() -> None:
    watch = Watch(Client([2, 3], TimeoutError(), []), WHERE)
    assert [watch.threads() for _ in range(3)] == [5, 5, 1]


@pytest.mark.slow
@pytest.mark.parametrize("trouble", ["no workers", "does not answer"])
def test_a_run_on_a_real_cluster_ends(
    trouble: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from needlescope.experiments.engine import run_units
    from needlescope.experiments.on_dask import dask
    from needlescope.experiments.stores.store import Store
    from tests.experiments.test_on_dask import Cluster, simulations

    pytest.importorskip("distributed")
    monkeypatch.setattr(dask_watch, "POLL_SECONDS", 1.0)
    monkeypatch.setattr(dask_watch, "GIVE_UP_SECONDS", 3.0)
    cluster, units = Cluster(tmp_path), simulations(12, 200)

    def stop(workers: list[Any]) -> None:
        for process in workers if trouble == "no workers" else [cluster.scheduler]:
            process.send_signal(signal.SIGKILL if trouble == "no workers" else signal.SIGSTOP)

    class Stopping(Store):
        def put(self, *given: Any, **named: Any) -> None:
            super().put(*given, **named)
            stop(workers)

    try:
        workers = cluster.n_jobs(2)
        with Stopping(tmp_path / "store.sqlite") as store:
            with pytest.raises(RuntimeError, match=f"{trouble}.* for 3 s now; what was finished"):
                run_units(units, store, engine=dask(cluster.address), progress=False)
            assert 0 < len(store) < len(units)
            done = list(store.rows())
        with Store(tmp_path / "store.sqlite") as store:  # goes on from there, to the same bits
            assert run_units(units, store)[:2] == (len(units) - len(done), len(done))
            assert all(row.numbers == row.unit.run() for row in done)
    finally:
        for process in reversed(cluster.started):
            process.kill()
            process.wait()
