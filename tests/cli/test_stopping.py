"""Ctrl-C, SIGTERM and SIGHUP: one way to end, at any moment, to one process or to all."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from needlescope.cli.stopping import SIGNALS, sentence, stoppable
from tests.cli.conftest import heed_signals

COVERS = ("main",)
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")

SLOW = (("d = 20", "d = 300"), ("trials = 2", "trials = 500"), ('["pooled"]', '["attention"]'),
        ('["predict", "simulate"]', '"simulate"'))  # fmt: skip
GOES_ON = "interrupted: finished units are kept, and this goes on from there: "
NOTHING = "interrupted: nothing is kept; needlescope sweep keeps what is finished\n"


def kept(path: Path) -> int:
    """Count the rows of a store that another process writes."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
            return base.execute("SELECT COUNT(*) FROM results").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def left(session: int) -> list[str]:
    """List the processes of a session that live on; workers may take a second to notice."""
    end = time.monotonic() + 10.0
    while True:
        result = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                fields = (path / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == session and fields[0] != "Z":
                    result.append((path / "cmdline").read_text())
            except OSError:
                continue
        if not result or time.monotonic() > end:
            return result
        time.sleep(0.1)


def ends(process, number: int, *, all_of_them: bool) -> str:
    """Send a signal, and return what the program said: its own sentence and nothing else."""
    (os.killpg if all_of_them else os.kill)(process.pid, number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (128 + number, ""), err
    assert left(process.pid) == []
    return "".join(
        splitline for splitline in err.splitlines(True) if not splitline.startswith("units: ")
    )


def in_the_midst(process, folder: Path) -> None:
    while kept(folder / "spec.sqlite") < 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


@pytest.mark.slow
def test_a_lost_terminal_ends_all_processes_in_good_order(start, shell, spec, tmp_path):
    spec(*SLOW)
    process = start("sweep", "spec.toml", "--n-jobs", "2")
    in_the_midst(process, tmp_path)
    told = ends(process, signal.SIGHUP, all_of_them=True)
    assert told.startswith(GOES_ON) and told.count("\n") == 1
    assert told.rstrip().endswith("sweep spec.toml --n-jobs 2")
    assert not (tmp_path / "spec.sqlite-wal").exists()  # closed in good order


@pytest.mark.slow
@pytest.mark.parametrize("all_of_them", [False, True], ids=["one", "all"])
@pytest.mark.parametrize("number", SIGNALS, ids=lambda item: item.name)
@pytest.mark.parametrize("engine", ["local", "dask"])
def test_every_signal_ends_a_sweep_in_one_way(engine, number, all_of_them, start, spec, tmp_path):
    if engine == "dask":
        pytest.importorskip("distributed")
    spec(*SLOW)
    process = start("sweep", "spec.toml", "--n-jobs", "2", "--engine", engine)
    in_the_midst(process, tmp_path)
    told = ends(process, number, all_of_them=all_of_them)
    assert told.startswith(GOES_ON) and told.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("all_of_them", [False, True], ids=["one", "all"])
@pytest.mark.parametrize("number", SIGNALS, ids=lambda item: item.name)
def test_every_signal_ends_a_simulation_in_one_way(number, all_of_them, start):
    words = ("--d", "2000", "--trials", "500", "--n-jobs", "2", "--model", "attention")
    process = start("simulate", *words)
    time.sleep(4.0)
    assert ends(process, number, all_of_them=all_of_them) == NOTHING


@pytest.mark.slow
@pytest.mark.parametrize("moment", [round(0.2 + 0.15 * k, 2) for k in range(15)])
def test_a_signal_at_any_moment_of_the_start_is_met(moment, start, spec):
    spec(*SLOW)
    process = start("sweep", "spec.toml", "--n-jobs", "2")
    time.sleep(moment)
    number = SIGNALS[round(moment * 100) % 3]
    told = ends(process, number, all_of_them=moment > 1.0)
    assert told.startswith(GOES_ON) and told.count("\n") == 1


# A program that is sent a signal in the midst of an import: of a module that makes another error of
# it, of ones that drop it or make light of it, and of one that lets it through.
LOADING = """
import os, signal, sys
sys.argv[1:] = ["sweep", "spec.toml"]
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            WAY
sys.meta_path.insert(0, Finder())
def stop():
    os.kill(os.getpid(), signal.NUMBER)
class Dropped:
    def __del__(self):
        stop()
        for _ in range(1000): pass
from needlescope.cli.main import main
main()
"""
WAYS = {
    "through": "stop()",
    "another": """
            try: stop()
            except BaseException: raise ImportError("half")""",
    "dropped": "Dropped(); import time; time.sleep(20)",
    "made light of": """
            try: stop()
            except BaseException: pass""",
}


@pytest.mark.parametrize(
    ("way", "number"),
    [
        pytest.param(way, number, marks=() if place % 3 == turn % 3 else pytest.mark.slow)
        for turn, way in enumerate(WAYS)
        for place, number in enumerate(SIGNALS)
    ],
)
def test_a_signal_while_modules_load_is_met(way, number, tmp_path):
    code = LOADING.replace("WAY", WAYS[way]).replace("NUMBER", number.name)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60,
        preexec_fn=heed_signals,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (128 + number, ""), done.stderr
    assert done.stderr == f"{GOES_ON}needlescope sweep spec.toml\n"


def test_nothing_large_is_loaded_before_signals_are_met():
    code = "import sys; before = {*sys.modules}; import needlescope.cli.main\n"
    code += "print(*sorted({one.partition('.')[0] for one in {*sys.modules} - before}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    loaded = set(done.stdout.split()) - set(sys.stdlib_module_names)
    assert loaded == {"needlescope"}, loaded


def test_what_was_ignored_stays_ignored_and_all_is_as_before(monkeypatch):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        handlers = [signal.getsignal(item) for item in SIGNALS]
        hook = sys.unraisablehook
        with stoppable():
            os.kill(os.getpid(), signal.SIGHUP)  # as under nohup
            assert signal.getsignal(signal.SIGTERM) is not handlers[1]
        assert [signal.getsignal(item) for item in SIGNALS] == handlers
        assert sys.unraisablehook is hook
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_sentence_says_how_to_go_on():
    assert (
        sentence(["/x/needlescope.py", "figure", "errors"]) == f"{GOES_ON}needlescope figure errors"
    )
    assert sentence(["needlescope"]) + "\n" == sentence([]) + "\n" == NOTHING
