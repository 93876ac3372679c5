"""Dask: the numbers of the local engine bit for bit, also when a worker is killed in between.

Scheduler and workers are real processes on loopback.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from needlescope.cli.main import main
from needlescope.experiments import on_dask
from needlescope.experiments.engine import Attempt, local, run_units
from needlescope.experiments.on_dask import dask
from needlescope.experiments.stores.store import Store
from needlescope.experiments.units.unit import Unit

distributed = pytest.importorskip("distributed")

PATIENCE = 60.0
TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
WRONG = Unit("oracle", {"task": TASK | {"R": 11}, "model": "pooled"})
SCHEDULER = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
WORKER = ["distributed.cli.dask_worker", "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny"]
QUIET = ["--no-dashboard"]


def simulations(count: int, d: int) -> list[Unit]:
    arguments = {"task": TASK, "training": {"alpha0": 2.0, "alpha1": 2.0}, "d": d, "trials": 1}
    models = ("pooled", "vectorized", "attention")
    return [
        Unit("simulate", {**arguments, "model": models[place % 3], "seed": [0, place]})
        for place in range(count)
    ]


def theory(count: int) -> list[Unit]:
    tasks = [TASK | {"theta": 1.0 + place / 8} for place in range(count)]
    return [Unit("oracle", {"task": task, "model": "pooled"}) for task in tasks]


def answers(attempts: dict[int, Attempt]) -> dict[int, str]:
    """Everything but the durations, every bit of it: JSON writes a float so that it reads back."""
    return {
        place: json.dumps([attempt.numbers, attempt.error]) for place, attempt in attempts.items()
    }


def locally(units: list[Unit]) -> dict[int, str]:
    result: dict[int, Attempt] = {}
    local(1)(units, result.__setitem__, False)
    return answers(result)


class Cluster:
    """A scheduler and its workers, each a program of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started: list[subprocess.Popen] = []
        contact = folder / "scheduler.json"
        self.scheduler = self.start(*SCHEDULER, *QUIET, "--scheduler-file", str(contact))
        end = time.monotonic() + PATIENCE
        while True:
            assert time.monotonic() < end and self.scheduler.poll() is None, self.log()
            try:
                self.address = json.loads(contact.read_text())["address"]
                break
            except (OSError, ValueError):
                time.sleep(0.05)

    def start(self, *arguments: str) -> subprocess.Popen:
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *arguments],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
            )
        self.started.append(process)
        return process

    def n_jobs(self, count: int) -> list[subprocess.Popen]:
        started = [self.start(*WORKER, *QUIET, self.address) for _ in range(count)]
        with distributed.Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=PATIENCE)
        return started

    def log(self) -> str:
        return (self.folder / "log").read_text()


@contextmanager
def running(folder: Path) -> Iterator[Cluster]:
    made = Cluster.__new__(Cluster)
    made.started = []
    try:
        made.__init__(folder)
        yield made
    finally:
        for process in reversed(made.started):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster of one's own, without workers."""
    with running(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with a worker, for tests that leave both as they were."""
    with running(tmp_path_factory.mktemp("cluster")) as made:
        made.n_jobs(1)
        yield made


@pytest.mark.slow
def test_a_killed_worker_changes_no_bit(cluster: Cluster) -> None:
    units = [*simulations(18, 200), *theory(6), WRONG]
    victim, survivor = cluster.n_jobs(2)
    engine = dask(cluster.address)
    result: dict[int, Attempt] = {}
    shown: list[int] = []

    def each(place: int, one: Attempt) -> None:
        assert place not in result
        result[place] = one
        if len(result) == 5:  # the units handed out ahead keep both workers busy
            victim.send_signal(signal.SIGKILL)
            victim.wait()

    engine(units, each, lambda done, total: shown.append(done))
    assert victim.returncode == -signal.SIGKILL
    assert survivor.poll() is None and cluster.scheduler.poll() is None, cluster.log()
    assert answers(result) == locally(units)
    assert (result[24].numbers, result[24].error.split(":")[0]) == (None, "ValueError")
    assert shown == list(range(1, 26)) or shown == list(range(26))


@pytest.mark.slow
def test_own_cluster_survives_a_killed_worker(tmp_path: Path) -> None:
    code = """
import json, signal, sys
import psutil
from needlescope.experiments.on_dask import dask
from needlescope.experiments.units.unit import Unit

def main():
    units = [Unit(*one) for one in json.load(sys.stdin)]
    found = {}
    def each(place, one):
        found[place] = [one.numbers, one.error]
        if len(found) == 4:
            inside = [p for p in psutil.Process().children(recursive=True)
                      if "spawn_main" in " ".join(p.cmdline())]
            inside[-1].send_signal(signal.SIGKILL)
            print("killed", file=sys.stderr)
    dask(n_jobs=2)(units, each, False)
    print(json.dumps(found))
    left = [p for p in psutil.Process().children(recursive=True)
            if "resource_tracker" not in " ".join(p.cmdline())]
    assert not psutil.wait_procs(left, 20)[1], left

if __name__ == "__main__":
    main()
"""
    units = [*simulations(16, 400), *theory(10)]
    (tmp_path / "script.py").write_text(code)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "script.py")],
        input=json.dumps([[unit.call, unit.arguments] for unit in units]),
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "killed\n")
    result = {int(place): json.dumps(load) for place, load in json.loads(done.stdout).items()}
    assert result == locally(units)


def test_runs_for_a_store(shared: Cluster, tmp_path: Path) -> None:
    units = [*theory(6), WRONG]
    with Store(tmp_path / "dask.sqlite") as store, Store(tmp_path / "local.sqlite") as other:
        assert run_units(units, store, engine=dask(shared.address))[:3] == (7, 0, 1)
        assert run_units(units, store, engine=dask(shared.address))[:3] == (0, 7, 1)
        assert run_units(units, store, engine=dask(shared.address), retry=True)[:3] == (1, 6, 1)
        run_units(units, other, engine=local(1))
        kept = [(row.unit, row.numbers, row.error) for row in store.rows(units)]
        assert kept == [(row.unit, row.numbers, row.error) for row in other.rows(units)]


def test_plain_lines_count_the_units_that_failed(
    shared: Cluster, capfd: pytest.CaptureFixture[str]
) -> None:
    dask(shared.address)([*theory(2), WRONG], lambda place, result: None, True)
    assert capfd.readouterr().err.endswith(" s left, 1 failed\n")


@pytest.mark.slow
def test_a_scheduler_that_goes_away_is_said(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.n_jobs(1)
    # also how long a lost scheduler is waited for
    monkeypatch.setattr(on_dask, "CONNECT_SECONDS", 5)

    def each(place: int, one: Attempt) -> None:
        cluster.scheduler.kill()
        cluster.scheduler.wait()

    with pytest.raises(RuntimeError, match=r"scheduler went away .* a rerun goes on"):
        dask(cluster.address)(simulations(12, 400), each, False)


@pytest.mark.slow
def test_no_workers_and_no_scheduler_are_said(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_dask, "CONNECT_SECONDS", 1)
    with pytest.raises(ConnectionError, match="has no workers; start some with dask worker tcp:"):
        dask(cluster.address)(theory(1), print, False)
    cluster.scheduler.kill()
    cluster.scheduler.wait()
    with pytest.raises(ConnectionError, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:"):
        dask(cluster.address)(theory(1), print, False)


def test_another_version_in_a_worker_is_refused() -> None:
    unit = theory(1)[0]
    assert on_dask._work(unit, unit.key).numbers == unit.run()
    with pytest.raises(RuntimeError, match="a Dask worker has another version of needlescope"):
        on_dask._work(unit, "0" * 64)


def test_one_blas_thread_in_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    from threadpoolctl import threadpool_info, threadpool_limits

    def count(unit: Unit) -> Attempt:
        threads = {info["num_threads"] for info in threadpool_info()}
        return Attempt({"most": max(threads)}, None, 0.0)

    monkeypatch.setattr(on_dask, "attempt", count)
    unit = theory(1)[0]
    with threadpool_limits(2):
        assert on_dask._work(unit, unit.key).numbers == {"most": 1}


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"Dask needs .*: pip install 'needlescope\[dask\]'"):
        dask()


@pytest.mark.parametrize("n_jobs", [0, 1.5, 10**6])
def test_workers_are_checked(n_jobs: int) -> None:
    with pytest.raises(ValueError, match="n_jobs must be an integer in 1"):
        dask(n_jobs=n_jobs)


@pytest.mark.slow
def test_nothing_here_starts_on_import() -> None:
    code = "import needlescope.experiments.on_dask, sys; print('distributed' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_a_loss_of_ones_own_goes_along(shared: Cluster, tmp_path: Path, pseudo_huber) -> None:
    training = {"alpha0": 1.0, "alpha1": 2.0, "loss": pseudo_huber}
    unit = Unit("predict", {"task": TASK, "training": training, "model": "pooled"})
    with Store(tmp_path / "a.sqlite") as store:
        assert run_units([unit], store, engine=dask(shared.address)).failed == 0
        assert store.get(unit).numbers == unit.run()


def test_a_loss_that_a_worker_cannot_load_is_a_failure_with_a_sentence() -> None:
    result = on_dask._work(b"cnowhere\nloss\n.", "0" * 64)  # a pickle of nowhere.loss
    assert result.failed and "install what the loss uses on every Dask worker" in str(result.error)


SPEC = "call = 'oracle'\nmodel = 'pooled'\n[task]\nL = 4\nR = 1\ntheta = 1.0\npi = 0.5\n"


@pytest.mark.parametrize("address", ["garbage", "http://127.0.0.1:9", ""])
def test_an_address_that_is_none_is_refused_with_a_sentence(
    address: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "spec.toml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    words = ["needlescope", "sweep", "spec.toml", "--engine", "dask", "--scheduler", address]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    assert (stop.value.code, out) == (2, "")
    assert err.startswith("needlescope: ") and err.count("\n") == 1
    assert "scheduler must be an address" in err or "scheduler answers at" in err


@pytest.mark.slow
@pytest.mark.parametrize("address", ["tls://127.0.0.1:9"])
def test_an_address_that_is_none_ends_the_command(address: str, tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text(SPEC)
    program = Path(sys.executable).with_name("needlescope")
    done = subprocess.run(
        [str(program), "sweep", "spec.toml", "--engine", "dask", "--scheduler", address],
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,  # a client of Dask would hang on it
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("needlescope: ") and done.stderr.count("\n") == 1
    assert "scheduler must be an address" in done.stderr or "scheduler answers at" in done.stderr
