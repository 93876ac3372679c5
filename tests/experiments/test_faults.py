"""Faults: whatever happens to a run, what was finished stays, and a rerun completes the table.

Programs are killed, interrupted and starved in subprocesses. A full disk is a small tmpfs of a
private mount namespace where the system allows one; a limit on the size of files and SQLite's own
limit on pages stand in for it everywhere.
"""

from __future__ import annotations

import inspect
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest

from needlescope.experiments.engine import Attempt, local, run_units
from needlescope.experiments.stores.store import Store, StoreError
from needlescope.experiments.units.unit import Unit

PATIENCE = 60.0
KNOWN: dict[tuple[str, ...], pd.DataFrame] = {}
FEW, MANY = 3, 30  # moments at which a run is killed
posix = pytest.mark.skipif(os.name != "posix", reason="needs signals and fork")

TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}


def cheap(first: int, last: int) -> list[Unit]:
    tasks = [TASK | {"theta": 1.0 + place / 50} for place in range(first, last)]
    return [Unit("oracle", {"task": task, "model": "pooled"}) for task in tasks]


def slow(count: int, d: int = 400) -> list[Unit]:
    arguments = {"task": TASK, "training": {"alpha0": 2.0, "alpha1": 2.0}, "trials": 1, "d": d}
    return [
        Unit("simulate", {**arguments, "model": "attention", "seed": [0, place]})
        for place in range(count)
    ]


# What every script begins with.
SHARED = f"""
import json, os, random, signal, sys, time
from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores.store import Store, StoreError
from needlescope.experiments.units.unit import Unit

TASK = {TASK}

{inspect.getsource(cheap)}

{inspect.getsource(slow)}
"""


def sound(path: Path) -> int:
    """Check a store's file, as SQLite sees it, and count its rows."""
    base = sqlite3.connect(path)
    try:
        assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return int(base.execute("SELECT COUNT(*) FROM results").fetchone()[0])
    finally:
        base.close()


def table(store: Store, units: list[Unit]) -> pd.DataFrame:
    """The table of some units without what differs from run to run."""
    return store.to_pandas(units).drop(columns=["seconds", "finished"])


def undisturbed(units: list[Unit]) -> pd.DataFrame:
    """The table of units that nothing happened to, computed once."""
    keys = tuple(unit.key for unit in units)
    if keys not in KNOWN:
        KNOWN[keys] = _undisturbed(units)
    return KNOWN[keys]


def _undisturbed(units: list[Unit]) -> pd.DataFrame:
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "a.sqlite") as store:
        run_units(units, store, engine=local(1))
        return table(store, units)


def completes(path: Path, units: list[Unit]) -> None:
    """Check that a rerun keeps every row there is, adds the others, and ends as if undisturbed."""
    count = sound(path)
    with Store(path) as store:
        before = {row.unit.key: row for row in store.rows()}
        assert len(before) == count
        ran: list[Unit] = []

        def engine(todo, each, progress) -> None:
            ran.extend(todo)
            local(1)(todo, each, progress)

        run_units(units, store, engine=engine)
        assert not before.keys() & {unit.key for unit in ran}
        after = {row.unit.key: row for row in store.rows()}
        assert {key: after[key] for key in before} == before
        pd.testing.assert_frame_equal(table(store, units), undisturbed(units))
    assert sound(path) == len(units)


def heed_interrupts() -> None:
    """Undo what a shell does to programs in its background: they are started deaf to Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Script:
    """A program in a process group of its own."""

    def __init__(self, folder: Path, name: str, code: str, *arguments: object) -> None:
        self.out, self.err = folder / f"{name}.out", folder / f"{name}.err"
        (folder / f"{name}.py").write_text(SHARED + code)
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, str(folder / f"{name}.py"), *map(str, arguments)],
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=heed_interrupts,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )

    def wait_for(self, word: str) -> None:
        end = time.monotonic() + PATIENCE
        while word not in self.out.read_text():
            assert self.process.poll() is None, self.err.read_text()
            assert time.monotonic() < end, f"waiting for {word!r} took over {PATIENCE} s"
            time.sleep(0.01)

    def ends(self) -> int:
        return self.process.wait(PATIENCE)


@pytest.fixture
def script(tmp_path: Path) -> Iterator:
    started: list[Script] = []

    def start(code: str, *arguments: object) -> Script:
        started.append(Script(tmp_path, f"script{len(started)}", code, *arguments))
        return started[-1]

    yield start
    for item in started:
        with suppress(ProcessLookupError):
            os.killpg(item.process.pid, signal.SIGKILL)
        item.process.wait()


# ---------------------------------------------------------------- kill -9

# Each round is a fork of one program: it runs the units in a fresh store, tells through a pipe
# after every result that was kept, and is killed at a moment drawn from the time all of it takes.
KILLED = """
folder, moments = sys.argv[1], json.loads(sys.argv[2])
units = [*cheap(0, 60), *slow(3, 100), *cheap(60, 120)]

def run(path, pipe):
    def engine(todo, each, progress):
        def tell(place, found):
            each(place, found)
            os.write(pipe, b".")
        os.write(pipe, b"!")
        local(1)(todo, tell, progress)
    with Store(path) as store:
        run_units(units, store, engine=engine, progress=False)

def child(path):
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            run(path, writing)
        finally:
            os._exit(0)
    os.close(writing)
    return pid, reading

units[0].run(), units[60].run()
pid, reading = child(folder + "/whole.sqlite")
os.read(reading, 1)
start = time.monotonic()
os.waitpid(pid, 0)
whole = time.monotonic() - start
for number, moment in enumerate(moments):
    pid, reading = child(f"{folder}/{number}.sqlite")
    os.read(reading, 1)
    time.sleep(moment * whole)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    print(len(os.read(reading, 1000)), flush=True)
    os.close(reading)
"""


@pytest.mark.slow
@posix
@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_kill_9_at_random_moments(script, tmp_path: Path, count: int) -> None:
    draw = random.Random(4)
    moments = [draw.random() for _ in range(count)]
    run = script(KILLED, tmp_path, json.dumps(moments))
    assert run.ends() == 0, run.err.read_text()
    told = [int(line) for line in run.out.read_text().split()]
    assert len(told) == count
    units = [*cheap(0, 60), *slow(3, 100), *cheap(60, 120)]
    assert any(0 < count < len(units) for count in told), told
    expected = undisturbed(units)
    for number, count in enumerate(told):
        path = tmp_path / f"{number}.sqlite"
        kept = sound(path)
        assert count <= kept <= count + 1  # the last may be kept and not yet told
        with Store(path) as store:
            before = list(store.rows())
            assert run_units(units, store, engine=local(1)) == (123 - kept, kept, 0, ())
            after = {row.unit.key: row for row in store.rows()}
            assert [after[row.unit.key] for row in before] == before
            pd.testing.assert_frame_equal(table(store, units), expected)
        assert sound(path) == len(units)


# ---------------------------------------------------------------- a run on worker processes

RUN = """
def show(done, total):
    print("done", done, flush=True)

if __name__ == "__main__":
    with Store(sys.argv[1]) as store:
        print("summary", *run_units([*cheap(0, 10), *slow(8)], store, engine=local(2),
                                    progress=show), flush=True)
"""
SOME, ALL = 12, 18  # units: the signal comes in the midst of those that take a while


def run_units_of_script() -> list[Unit]:
    return [*cheap(0, 10), *slow(8)]


@posix
@pytest.mark.slow
def test_kill_9_of_a_run_on_workers(script, tmp_path: Path) -> None:
    run = script(RUN, tmp_path / "a.sqlite")
    run.wait_for(f"done {SOME}")
    run.process.send_signal(signal.SIGKILL)
    assert run.ends() == -signal.SIGKILL
    assert SOME <= sound(tmp_path / "a.sqlite") < ALL
    completes(tmp_path / "a.sqlite", run_units_of_script())


@pytest.mark.slow
@posix
def test_ctrl_c(script, tmp_path: Path) -> None:
    run = script(RUN, tmp_path / "a.sqlite")
    run.wait_for(f"done {SOME}")
    os.killpg(run.process.pid, signal.SIGINT)
    assert run.ends() in (-signal.SIGINT, 130, 1)
    assert run.err.read_text().rstrip().endswith("KeyboardInterrupt")
    assert "summary" not in run.out.read_text()
    assert SOME <= sound(tmp_path / "a.sqlite") < ALL
    assert not (tmp_path / "a.sqlite-wal").exists()  # closed in good order
    completes(tmp_path / "a.sqlite", run_units_of_script())


@pytest.mark.slow
@posix
def test_a_killed_worker_is_replaced_and_nothing_fails(script, tmp_path: Path) -> None:
    code = """
import psutil

def show(done, total):
    if done == 12:
        crew = [p for p in psutil.Process().children(recursive=True)
                if "loky" in " ".join(p.cmdline()) and "tracker" not in " ".join(p.cmdline())]
        crew[0].send_signal(signal.SIGKILL)

if __name__ == "__main__":
    with Store(sys.argv[1]) as store:
        print(*run_units([*cheap(0, 10), *slow(8)], store, engine=local(2), progress=show))
"""
    pytest.importorskip("psutil")
    run = script(code, tmp_path / "a.sqlite")
    assert run.ends() == 0, run.err.read_text()
    assert run.out.read_text() == f"{ALL} 0 0 ()\n"
    assert sound(tmp_path / "a.sqlite") == ALL
    completes(tmp_path / "a.sqlite", run_units_of_script())


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    "units",
    [
        "[*cheap(0, 6), KILLER, *cheap(6, 12)]",
        pytest.param("[KILLER]", marks=pytest.mark.slow),
    ],
)
def test_a_unit_that_kills_its_worker_fails_and_the_others_do_not(
    script, tmp_path: Path, units: str
) -> None:
    code = """
class Killer(Unit):
    def run(self):
        os.kill(os.getpid(), signal.SIGKILL)

KILLER = Killer("oracle", {"task": TASK, "model": "bayes"})

if __name__ == "__main__":
    units = UNITS
    with Store(sys.argv[1]) as store:
        found = run_units(units, store, engine=local(2))
        assert [row.unit.key for row in store.rows() if row.error] == [KILLER.key]
        print(found.done == len(units), *found.errors)
"""
    run = script(code.replace("UNITS", units), tmp_path / "a.sqlite")
    assert run.ends() == 0, run.err.read_text()
    assert run.out.read_text().startswith("True its worker process died, beside other units and")
    assert run.err.read_text() == ""


# ---------------------------------------------------------------- several at once

WRITER = """
path, gate, first, last = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
units = cheap(first, last)
print("ready", flush=True)
while not os.path.exists(gate):
    time.sleep(0.001)
with Store(path) as store:
    print(run_units(units, store, engine=local(1)), flush=True)
"""


@pytest.mark.slow
@posix
def test_two_writers_end_with_the_union(script, tmp_path: Path) -> None:
    path, gate = tmp_path / "a.sqlite", tmp_path / "gate"
    runs = [script(WRITER, path, gate, first, last) for first, last in ((0, 120), (60, 180))]
    for run in runs:
        run.wait_for("ready")
    gate.touch()
    for run in runs:
        assert run.ends() == 0, run.err.read_text()
        assert "failed=0" in run.out.read_text()
    assert sound(path) == 180
    units = cheap(0, 180)
    with Store(path) as store:
        assert store.missing(units) == []
        pd.testing.assert_frame_equal(table(store, units), undisturbed(units))


@pytest.mark.slow
@posix
def test_many_may_make_one_store_at_once(script, tmp_path: Path) -> None:
    code = """
import multiprocessing

def make(path, start):
    while time.monotonic() < start:
        pass
    try:
        Store(path).close()
    except StoreError as problem:
        return str(problem)

with multiprocessing.get_context("fork").Pool(6) as pool:
    for number in range(8):
        places = [(f"{sys.argv[1]}/{number}.sqlite", time.monotonic() + 0.005)] * 6
        for found in filter(None, pool.starmap(make, places, chunksize=1)):
            print(found)
"""
    run = script(code, tmp_path)
    assert run.ends() == 0, run.err.read_text()
    assert run.out.read_text() == ""


# ---------------------------------------------------------------- no room


def test_no_room_for_another_page(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    units = cheap(0, 100)
    with Store(path) as store:
        pages = store._base.execute("PRAGMA page_count").fetchone()[0]
        store._base.execute(f"PRAGMA max_page_count = {pages + 5}")
        with pytest.raises(StoreError, match=r"no room left for the store .* results are safe"):
            run_units(units, store, engine=local(1))
        kept = len(store)
        assert 0 < kept < 100
        store._base.execute("PRAGMA max_page_count = 1000000")
        assert run_units(units, store, engine=local(1)) == (100 - kept, kept, 0, ())  # room again
    completes(path, units)


FULL = """
with Store(sys.argv[1]) as store:
    try:
        run_units(cheap(0, 2000), store, engine=local(1))
    except StoreError as problem:
        print(json.dumps([str(problem), len(store)]))
"""


@pytest.mark.slow
@posix
def test_no_room_for_a_longer_file(script, tmp_path: Path) -> None:
    code = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
    run = script(code + FULL, tmp_path / "a.sqlite")
    assert run.ends() == 0, run.err.read_text()
    sentence, kept = json.loads(run.out.read_text())
    assert sentence.startswith(f"no room left for the store {tmp_path / 'a.sqlite'} (")
    assert sound(tmp_path / "a.sqlite") == kept > 0
    with Store(tmp_path / "a.sqlite") as store:
        assert run_units(cheap(0, kept + 10), store, engine=local(1)).failed == 0
    assert sound(tmp_path / "a.sqlite") >= kept + 10


@pytest.mark.slow
def test_no_room_on_a_real_disk(tmp_path: Path) -> None:
    disk, saved = tmp_path / "disk", tmp_path / "saved"
    disk.mkdir()
    saved.mkdir()
    mount = f"mount -t tmpfs -o size=400k none {disk}"
    private = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*private, mount], capture_output=True).returncode
    ):
        pytest.skip("no private mounts here")
    (tmp_path / "full.py").write_text(SHARED + FULL)
    steps = f"{mount}; {sys.executable} {tmp_path}/full.py {disk}/a.sqlite; cp {disk}/* {saved}/"
    done = subprocess.run(
        [*private, steps],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    sentence, kept = json.loads(done.stdout)
    assert sentence == (
        f"no room left for the store {disk}/a.sqlite (database or disk is full); "
        "finished results are safe, rerun later"
    )
    assert sound(saved / "a.sqlite") == kept > 0
    with Store(saved / "a.sqlite") as store:
        assert run_units(cheap(0, kept + 10), store, engine=local(1)) == (10, kept, 0, ())


# ---------------------------------------------------------------- no right to write

# Root may write anywhere, so the script gives that up first.
READ_ONLY = """
import sqlite3, threadpoolctl
cheap(0, 1)[0].run()
local(1)(cheap(0, 1), lambda *_: None, False)
with Store(sys.argv[2]) as spare:
    run_units(cheap(0, 1), spare, engine=local(1))
if os.geteuid() == 0:
    os.seteuid(65534)
try:
    with Store(sys.argv[1]) as store:
        print(len(store))
        run_units(cheap(0, 20), store, engine=local(1))
except StoreError as problem:
    print(problem)
"""


@pytest.mark.slow
@posix
@pytest.mark.parametrize("folder_too", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_read_only_store(script, tmp_path: Path, folder_too: bool) -> None:
    folder = Path(tempfile.mkdtemp())  # all folders above it are open to everyone
    try:
        path = folder / "a.sqlite"
        with Store(path) as store:
            run_units(cheap(0, 10), store, engine=local(1))
        before = path.read_bytes()
        path.chmod(0o444)
        folder.chmod(0o555 if folder_too else 0o777)
        run = script(READ_ONLY, path, tmp_path / "spare.sqlite")
        assert run.ends() == 0, run.err.read_text()
        lines = run.out.read_text().splitlines()
        sentence = lines.pop()
        assert sentence.startswith(f"the store {path} cannot be written "), sentence
        assert lines == ["10"]
        assert sentence.endswith("a readonly database); choose a place that can")
        assert path.read_bytes() == before
        path.chmod(0o644)
        folder.chmod(0o755)
        completes(path, cheap(0, 20))
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"is a folder; name a file, such as .*store\.sqlite$"):
        Store(tmp_path)


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"the store .* cannot be opened"):
        Store(tmp_path / "file" / "a.sqlite")


# ---------------------------------------------------------------- damage


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("healthy") / "a.sqlite"
    with Store(path) as store:
        run_units(cheap(0, 60), store, engine=local(1))
    return path.read_bytes()


def refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with (
        pytest.raises(StoreError, match=r"is not a needlescope store or is damaged .*; move it"),
        Store(path) as store,
    ):
        run_units(cheap(0, 60), store, engine=local(1))
    assert path.read_bytes() == content
    assert [item.name for item in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("size", [10, 5_000, 100_000])
def test_random_bytes_are_refused_and_left_alone(tmp_path: Path, size: int) -> None:
    refused(tmp_path / "a.sqlite", random.Random(size).randbytes(size))


@pytest.mark.parametrize("share", [0.0001, 0.01, 0.3, 0.99])
def test_a_truncated_store_is_refused_and_left_alone(
    tmp_path: Path, healthy: bytes, share: float
) -> None:
    refused(tmp_path / "a.sqlite", healthy[: int(share * len(healthy))])


@pytest.mark.parametrize("page", [1, 3, 6])
def test_a_store_with_a_damaged_page_is_refused_and_left_alone(
    tmp_path: Path, healthy: bytes, page: int
) -> None:
    start, noise = 4096 * page, random.Random(page).randbytes(4096)
    assert start + 4096 <= len(healthy)
    refused(tmp_path / "a.sqlite", healthy[:start] + noise + healthy[start + 4096 :])


# ---------------------------------------------------------------- engines that fail


def test_an_engine_that_fails_loses_nothing_that_was_handed_over(tmp_path: Path) -> None:
    units = cheap(0, 10)

    def engine(todo, each, progress) -> None:
        for place in (7, 3):
            each(place, Attempt(todo[place].run(), None, 0.0))
        raise RuntimeError("the cluster is gone")

    with Store(tmp_path / "a.sqlite") as store:
        with pytest.raises(RuntimeError, match="the cluster is gone"):
            run_units(units, store, engine=engine)
        assert [row.unit for row in store.rows(units)] == [units[3], units[7]]
    completes(tmp_path / "a.sqlite", units)
