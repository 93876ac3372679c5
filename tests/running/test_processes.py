"""Workers: the same numbers for any number of them, and nothing left behind whatever happens.

What a run leaves behind is judged from outside: a script runs in a session of its own with a mark
in its environment, and every process that carries the mark is found in /proc.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import needlescope
from needlescope.running import pool as pool_module
from needlescope.running import processes as workers_module
from needlescope.running.processes import check_n_jobs, cores, run
from tests.running.scripts import LONG, PATIENCE, heed_interrupts

COVERS = ("pool",)
linux = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")


def until(condition, what: str, seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} took over {seconds} s"
        time.sleep(0.05)


class Script:
    """A program in a session of its own, and all processes that descend from it."""

    def __init__(self, folder: Path, code: str, **environment: str) -> None:
        self.folder = folder
        self.mark = f"NEEDLESCOPE_TEST_MARK={uuid.uuid4()}"
        (folder / "tmp").mkdir()
        (folder / "script.py").write_text(code)
        name, value = self.mark.split("=")
        self.out, self.err = folder / "out", folder / "err"
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, str(folder / "script.py")],
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=heed_interrupts,
                env={**os.environ, "TMPDIR": str(folder / "tmp"), **environment, name: value},
            )

    def relatives(self) -> list[int]:
        """The living processes that carry the mark."""
        result = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (folder / "environ").read_bytes():
                    result.append(int(folder.name))
            except OSError:
                continue
        return result

    def wait_for(self, word: str) -> None:
        until(
            lambda: word in self.out.read_text() or self.process.poll() is not None,
            f"waiting for {word!r}",
        )
        assert word in self.out.read_text(), self.err.read_text()

    def ends(self) -> int:
        """Wait until the program and all its relatives have ended, and nothing is left."""
        code = self.process.wait(PATIENCE)
        until(lambda: not self.relatives(), "ending all processes", 20)
        assert list((self.folder / "tmp").iterdir()) == []
        assert shared_files(self.process.pid) == []
        return code


def shared_files(pid: int) -> list[Path]:
    return list(Path("/dev/shm").glob(f"*loky-{pid}-*"))


def nothing_shared() -> None:
    """Wait for this process's semaphores to go; a thread of loky's may keep some a while."""
    until(lambda: not shared_files(os.getpid()) or gc.collect() < 0, "ending semaphores", 20)


@pytest.fixture
def script(tmp_path: Path) -> Iterator:
    """Start scripts, and kill what is left of them."""
    started: list[Script] = []

    def start(code: str, **environment: str) -> Script:
        started.append(Script(tmp_path, code, **environment))
        return started[-1]

    yield start
    for item in started:
        for pid in item.relatives():
            os.kill(pid, signal.SIGKILL)
        item.process.wait()


# ---------------------------------------------------------------- results


@pytest.mark.sampled(2)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_results_come_in_the_order_of_the_jobs(n_jobs: int) -> None:
    def late_first(job: int) -> int:
        time.sleep(0.05 if job == 0 else 0.0)
        return job * job

    assert run(late_first, range(20), n_jobs=n_jobs) == [job * job for job in range(20)]


def test_no_jobs_no_results() -> None:
    assert run(abs, []) == []


@pytest.mark.slow
def test_results_are_the_same_bits_for_any_number_of_workers() -> None:
    def blas(seed: int) -> tuple[bytes, bytes, bytes]:
        import scipy.linalg

        a = np.random.default_rng(seed).standard_normal((400, 400))
        gram = a.T @ a
        solved = scipy.linalg.solve(a, gram[:, :50])
        return gram.tobytes(), solved.tobytes(), np.linalg.eigvalsh(gram).tobytes()

    with threadpool_limits(4):  # the caller's threads are not the jobs'
        alone = run(blas, range(4), n_jobs=1)
    assert alone == run(blas, range(4), n_jobs=3)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_blas_has_one_thread(n_jobs: int) -> None:
    def threads(job: int) -> list[int]:
        from threadpoolctl import threadpool_info

        return [library["num_threads"] for library in threadpool_info()]

    with threadpool_limits(4):
        results = run(threads, range(2), n_jobs=n_jobs)
    for result in results:
        assert result
        assert set(result) == {1}


def test_threads_are_given_back_to_the_caller() -> None:
    with threadpool_limits(2):
        before = [library["num_threads"] for library in threadpool_info()]
        seen = []
        run(abs, [1], n_jobs=1, progress=lambda *_: seen.append(threadpool_info()))
        assert [library["num_threads"] for library in threadpool_info()] == before
        assert [library["num_threads"] for library in seen[0]] == before


@pytest.mark.slow
def test_one_worker_is_this_process_and_more_are_not() -> None:
    def pid(job: int) -> int:
        time.sleep(0.1)
        return os.getpid()

    assert set(run(pid, range(3), n_jobs=1)) == {os.getpid()}
    assert set(run(pid, [0], n_jobs=2)) == {os.getpid()}
    assert os.getpid() not in run(pid, range(3), n_jobs=2)


@pytest.mark.slow
def test_jobs_are_handed_out_a_few_at_a_time() -> None:
    taken = []

    def jobs() -> Iterator[object]:
        for job in range(30):
            yield Tell(job, taken)

    run(lambda job: job, jobs(), n_jobs=2, progress=lambda done, _: taken.append(f"done {done}"))
    first = taken.index("done 1")
    assert len(taken) == 60
    assert first <= 2 * workers_module.AHEAD


class Tell:
    """A job that tells when it is pickled, and turns into a plain number then."""

    def __init__(self, job: int, taken: list) -> None:
        self.job, self.taken = job, taken

    def __reduce__(self):
        self.taken.append(self.job)
        return int, (self.job,)


@pytest.mark.slow
def test_called_within_a_worker_it_stays_there() -> None:
    def outer(job: int) -> list[bool]:
        from needlescope.running.processes import run

        here = os.getpid()
        return [pid == here for pid in run(lambda _: os.getpid(), range(3), n_jobs=2)]

    assert run(outer, range(2), n_jobs=2) == [[True] * 3] * 2


def pids_in_a_daemon(pipe) -> None:
    pipe.send((os.getpid(), run(lambda _: os.getpid(), range(3), n_jobs=2)))


def test_called_within_a_daemon_it_stays_there() -> None:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=pids_in_a_daemon, args=(theirs,), daemon=True)
    process.start()
    assert ours.poll(PATIENCE)
    pid, result = ours.recv()
    process.join()
    assert set(result) == {pid}


@pytest.mark.slow
@linux
@pytest.mark.parametrize("n_jobs", [2, pytest.param("None", marks=pytest.mark.slow)])
def test_script_needs_no_guard_and_leaves_nothing(script, n_jobs: object) -> None:
    running = script(f"""
import os
from needlescope.losses import Loss
from needlescope.running.processes import run

class Own(Loss):
    name = "own"
    def value(self, z, y):
        return z * y + OFFSET
    def derivative(self, z, y):
        return y
    def second(self, z, y):
        return 0.0

OFFSET = 3
def trial(job):
    loss, z = job
    return loss.value(z, 2), os.getpid()

results = run(trial, [(Own(), z) for z in range(4)], n_jobs={n_jobs})
assert [value for value, _ in results] == [3, 5, 7, 9], results
left = [name for name in os.listdir("/dev/shm") if f"loky-{{os.getpid()}}-" in name]
alive = [pid for _, pid in results if pid != os.getpid() and os.path.exists(f"/proc/{{pid}}")]
print("left", left, alive)
""")
    assert running.ends() == 0, running.err.read_text()
    assert running.out.read_text() == "left [] []\n"
    assert running.err.read_text() == ""


# ---------------------------------------------------------------- errors


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("n_jobs", "error"),
    [(1, needlescope.NoMinimiser), (2, needlescope.NotConverged), (2, KeyError)],
)
def test_an_error_reaches_the_caller_as_itself(n_jobs: int, error: type[Exception]) -> None:
    def fail(job: int) -> int:
        if job == 1:
            raise error("no luck with 1")
        return job

    with pytest.raises(error, match="no luck with 1") as caught:
        run(fail, range(5), n_jobs=n_jobs)
    assert type(caught.value) is error
    assert multiprocessing.active_children() == []
    nothing_shared()


def test_an_error_of_ones_own_reaches_the_caller_as_itself() -> None:
    class Own(Exception):
        pass

    def fail(job: int) -> int:
        raise Own(job, "unlucky")

    with pytest.raises(Own) as caught:
        run(fail, [3, 3], n_jobs=2)
    assert caught.value.args == (3, "unlucky")


def test_an_error_that_cannot_travel_is_told() -> None:
    def fail(job: int) -> int:
        class Awkward(Exception):
            def __init__(self, a: int, b: int) -> None:
                super().__init__(f"{a} and {b}")

        raise Awkward(job, 2)

    with pytest.raises(RuntimeError, match=r"^Awkward: 1 and 2$"):
        run(fail, [1, 1], n_jobs=2)


def test_an_error_ends_the_other_jobs() -> None:
    def fail_or_sleep(job: int) -> None:
        if job == 0:
            raise ValueError("stop")
        time.sleep(1000)

    with pytest.raises(ValueError, match="stop"):
        run(fail_or_sleep, range(10), n_jobs=2)
    assert multiprocessing.active_children() == []


def test_what_cannot_be_pickled_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the job must be picklable .* n_jobs=1 does without"):
        run(lambda job: None, [(x for x in "a")] * 2, n_jobs=2)
    generator = iter(lambda: 0, 1)
    frame = (x for x in "a")
    with pytest.raises(ValueError, match="the function must be picklable"):
        run(lambda job: (generator, frame), [1, 2], n_jobs=2)
    assert multiprocessing.active_children() == []


def test_a_result_that_cannot_be_pickled_is_an_error() -> None:
    with pytest.raises(TypeError, match="pickle"):
        run(lambda job: (x for x in "a"), [1, 2], n_jobs=2)


@pytest.mark.slow
def test_a_killed_worker_is_told() -> None:
    def die(job: int) -> None:
        if job == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.1)

    with pytest.raises(RuntimeError, match=r"a worker process died \(killed, or out of memory\)"):
        run(die, range(6), n_jobs=2)
    assert multiprocessing.active_children() == []
    nothing_shared()
    assert run(abs, [-1, -2], n_jobs=2) == [1, 2]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [range(8), pytest.param([1], marks=pytest.mark.slow)])
def test_jobs_that_kill_their_workers_are_given_up_and_no_others(jobs) -> None:
    def die(job: int) -> int:
        if job in (1, 4):
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.02)
        return job

    seen = []
    result = run(die, jobs, n_jobs=2, died=-1, each=lambda *pair: seen.append(pair))
    assert result == [-1 if job in (1, 4) else job for job in jobs]
    assert sorted(seen) == list(enumerate(result))
    assert multiprocessing.active_children() == []
    nothing_shared()


@pytest.mark.slow
def test_a_death_that_does_not_repeat_costs_no_result(tmp_path: Path) -> None:
    def die_once(job: int) -> int:
        if job == 3 and not (tmp_path / "died").exists():
            (tmp_path / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return job

    assert run(die_once, range(10), n_jobs=2, died=-1) == list(range(10))
    assert (tmp_path / "died").exists()


@pytest.mark.slow
@linux
def test_a_killed_worker_is_told_without_the_program_pgrep(script) -> None:
    running = script(
        """
import os, signal, time
from needlescope.running.processes import run

def die(job):
    if job == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(1000)

try:
    run(die, range(6), n_jobs=3)
except RuntimeError as error:
    print("told", "a worker process died" in str(error))
""",
        PATH="/nowhere",
    )
    assert running.ends() == 0
    assert running.out.read_text() == "told True\n"


# ---------------------------------------------------------------- Ctrl-C and kill -9

TELLING = LONG.replace("PROGRESS", "tell")
PATH = os.environ.get("PATH", "")


@linux
@pytest.mark.parametrize(
    ("to_all", "path"),
    [
        pytest.param(False, PATH, id="to the parent", marks=pytest.mark.slow),
        pytest.param(True, PATH, id="to the whole group"),
        pytest.param(False, "/nowhere", id="to the parent, no pgrep"),
        pytest.param(True, "/nowhere", id="to the whole group, no pgrep", marks=pytest.mark.slow),
    ],
)
def test_an_interrupt_ends_everything(script, to_all: bool, path: str) -> None:
    running = script(TELLING, PATH=path)
    running.wait_for("done 2")
    time.sleep(0.5)  # well into the long call
    assert len(running.relatives()) > 2
    (os.killpg if to_all else os.kill)(running.process.pid, signal.SIGINT)
    start = time.monotonic()
    code = running.process.wait(PATIENCE)
    assert time.monotonic() - start < 20
    assert running.ends() == code == -signal.SIGINT
    told = running.err.read_text()
    assert told.count("Traceback") == 1, told
    assert told.rstrip().endswith("KeyboardInterrupt"), told
    assert "arning" not in told


@linux
@pytest.mark.slow
@pytest.mark.parametrize("moment", np.arange(0.0, 1.2, 0.08).round(2).tolist())
def test_an_interrupt_while_workers_start_ends_everything(script, moment: float) -> None:
    running = script(TELLING)
    running.wait_for("begin")
    time.sleep(moment)
    os.killpg(running.process.pid, signal.SIGINT)
    assert running.ends() == -signal.SIGINT
    told = running.err.read_text()
    assert told.count("Traceback") == 1, told


@linux
def test_an_interrupt_in_an_import_that_would_lose_it_is_heeded(script) -> None:
    running = script(
        """
import signal, sys
from needlescope.running.processes import run

class Loses:
    def find_spec(self, name, path=None, target=None):
        if name == "loky":
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                pass  # as a callback of Python's own does

sys.meta_path.insert(0, Loses())
try:
    run(abs, range(4), n_jobs=2)
except KeyboardInterrupt:
    print("told", "loky" in sys.modules)
"""
    )
    assert running.ends() == 0
    assert running.out.read_text() == "told True\n", running.err.read_text()


@pytest.mark.slow
@linux
@pytest.mark.parametrize(
    "how",
    [
        pytest.param(signal.SIGKILL, id="kill -9"),
        pytest.param(signal.SIGTERM, id="kill", marks=pytest.mark.slow),
    ],
)
def test_workers_do_not_outlive_their_parent(script, how: signal.Signals) -> None:
    running = script(TELLING)
    running.wait_for("done 2")
    time.sleep(0.5)
    os.kill(running.process.pid, how)
    assert running.ends() == -how


@pytest.mark.slow
def test_an_interrupted_run_can_be_run_again() -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(abs, range(10), n_jobs=2, progress=interrupt)
    assert multiprocessing.active_children() == []
    assert run(abs, range(10), n_jobs=2) == list(range(10))


@pytest.fixture
def heeding_interrupts() -> Iterator[None]:
    """Tests that were started in the background of a shell are deaf to Ctrl-C, too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeding_interrupts")
@pytest.mark.parametrize("threads", [0, 3])
def test_interrupts_are_held_only_meanwhile(threads: int) -> None:
    """Also when another thread, as a notebook has, is there to take the signal."""
    over, reached = threading.Event(), []
    for _ in range(threads):
        threading.Thread(target=over.wait, daemon=True).start()
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):  # noqa: SIM117
        with pool_module.interrupts_held():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)
            reached.append("the end")
    over.set()
    assert reached == ["the end"]
    assert signal.getsignal(signal.SIGINT) is handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())


# ---------------------------------------------------------------- how many workers


@pytest.mark.parametrize("n_jobs", [0, -1, 500, True, 1.0, 2.5, "2", [1], np.float64(2)])
def test_senseless_numbers_of_workers_are_refused(
    n_jobs: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers_module, "cores", lambda: 2)
    for refuse in (check_n_jobs, lambda n_jobs: run(abs, [1], n_jobs=n_jobs)):
        with pytest.raises(ValueError) as refusal:
            refuse(n_jobs)
        assert str(refusal.value) == (
            f"n_jobs must be an integer in 1..8, got {n_jobs!r}: this machine has 2 cores; "
            "None takes one worker for each"
        )


def test_sensible_numbers_of_workers_are_taken() -> None:
    for n_jobs in (None, 1, cores(), 4 * cores(), np.int64(1)):
        check_n_jobs(n_jobs)


# ---------------------------------------------------------------- imports


def test_importing_loads_neither_loky_nor_rich() -> None:
    code = "import sys, needlescope.running.processes, needlescope.running.seeds\n"
    code += "print({'loky', 'psutil', 'rich', 'threadpoolctl'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "set()\n", done.stderr
