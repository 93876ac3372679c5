"""Studies on an engine: the numbers of this machine's own processes, also by Dask."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.experiments.engine import Attempt, local
from needlescope.planning.studies.engine import run_on
from needlescope.planning.studies.study import run_study
from tests.planning.studies.bags import E_AT, Failing, Known, job

ASK = {"L": 2, "theta": 40.0, "d": 1, "error": E_AT, "others": False, "studies": 24}


def test_studies_are_those_of_this_process_in_the_order_of_their_jobs():
    jobs, ended = [job(Known(0.1), seed=seed) for seed in range(3)], []
    studies = run_on(local(1), jobs, lambda place, study: ended.append((place, study)))
    assert [study.value for study in studies] == [run_study(item).value for item in jobs]
    assert sorted(ended) == list(enumerate(studies))


def test_a_study_that_fails_and_a_worker_that_dies_are_failures():
    def dying(units, each, progress):
        each(1, Attempt(units[1].run(), None, 1.0))
        each(0, Attempt(None, "KilledWorker: every worker that ran this unit died", 2.0))

    first, second = run_on(dying, [job(Known()), job(Failing())], lambda place, study: None)
    assert np.isnan(first.value) and first.failure.startswith("KilledWorker")
    assert (first.n, first.seconds) == (200, 2.0)
    assert np.isnan(second.value) and second.failure == "RuntimeError: out of ideas"


def test_a_plan_on_an_engine_is_that_without_and_its_rounds_are_as_large_as_wanted():
    rounds = []

    def engine(units, each, progress):
        rounds.append(len(units))
        local(1)(units, each, progress)

    alone = ns.plan(**ASK, learner=Known(0.05), n_jobs=1)
    together = ns.plan(**ASK, learner=Known(0.05), engine=engine)
    assert together.n == alone.n and set(rounds) == {4}
    rounds.clear()
    wide = ns.plan(**ASK, learner=Known(0.05), engine=engine, n_jobs=12)
    assert set(rounds) == {12} and wide.low < 200.0 < wide.high


def test_dask_makes_the_same_studies():
    distributed = pytest.importorskip("distributed")
    from needlescope.experiments.on_dask import dask

    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, protocol="tcp", host="127.0.0.1",
        dashboard_address=None,
    )  # fmt: skip
    with cluster:
        engine = dask(cluster.scheduler_address)
        result = ns.plan(**ASK, learner=Known(0.05), engine=engine)
    alone = ns.plan(**ASK, learner=Known(0.05), n_jobs=1)
    assert result.n == alone.n
    assert [row.measured for row in result.studies] == [row.measured for row in alone.studies]
