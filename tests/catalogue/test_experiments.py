"""Bad sweeps, units, stores, runs and engines, and the files they are given."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import needlescope as ns
from needlescope.experiments import axes
from needlescope.experiments.engine import local
from needlescope.experiments.on_dask import dask
from needlescope.experiments.stores.store import StoreError
from needlescope.experiments.sweep import read_sweep
from tests.catalogue.refusals import Case, check

TASK = {"L": 4, "R": 1, "theta": 2.0, "pi": 0.5}
TRAINING = {"alpha0": 1.0, "alpha1": 2.0}
TABLES = {"task": TASK, "training": TRAINING}
UNIT = ns.Unit("oracle", {"task": TASK, "model": "pooled"})
MASKED = np.ma.array([1.0, 2.0], mask=[False, True])
ENDLESS: list = []
ENDLESS.append(ENDLESS)


class Drawn(ns.Loss):
    """A loss that rests on what has no identity: a random generator."""

    name = "drawn"

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def value(self, z, y):
        return z * z

    def derivative(self, z, y):
        return 2.0 * z

    def second(self, z, y):
        return 2.0 + 0.0 * z


def unit(call="oracle", **changed):
    return lambda: ns.Unit(call, {"task": TASK, "model": "pooled"} | changed)


def ran(call="oracle", **changed):
    return lambda: unit(call, **changed)().run()


def sweep(call="oracle", tables=TABLES, given=None, **more):
    return lambda: ns.Sweep(call, tables, {"model": "pooled"} if given is None else given, **more)


def task(**changed):
    return lambda: ns.Sweep("oracle", {"task": TASK | changed}, {"model": "pooled"}).units()


def toml(content: str | bytes) -> Callable[[], object]:
    def call() -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "spec.toml"
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            return read_sweep(path)

    return call


def stored(act: Callable[[ns.Store], object]) -> Callable[[], object]:
    """Do something with a store that holds a row."""

    def call() -> object:
        with tempfile.TemporaryDirectory() as folder, ns.Store(folder + "/a.sqlite") as store:
            store.put(UNIT, {"error": 0.1}, seconds=0.0)
            return act(store)

    return call


def tampered(column: str, text: object) -> Callable[[], object]:
    def act(store: ns.Store) -> object:
        table = "settings" if column == "settings" else "results"
        store._base.execute(f"UPDATE {table} SET {column} = ?", (text,))
        return store.to_pandas()

    return stored(act)


def closed(act: Callable[[ns.Store], object]) -> Callable[[], object]:
    def shut(store: ns.Store) -> object:
        store.close()
        return act(store)

    return stored(shut)


def elsewhere(store: ns.Store) -> object:
    """Write to a store from another thread, and raise here what that raised there."""
    told: list[Exception] = []

    def put() -> None:
        try:
            store.put(UNIT, {}, seconds=0.0)
        except Exception as problem:
            told.append(problem)

    thread = threading.Thread(target=put)
    thread.start()
    thread.join()
    if told:
        raise told[0]
    return None


def foreign(make: Callable[[Path], object]) -> Callable[[], object]:
    """Open a file of another program as a store."""

    def call() -> object:
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder) / "a.sqlite")
            return ns.Store(Path(folder) / "a.sqlite")

    return call


def database(*commands: str) -> Callable[[Path], object]:
    def make(path: Path) -> None:
        base = sqlite3.connect(path)
        for command in commands:
            base.execute(command)
        base.commit()
        base.close()

    return make


def many() -> Iterator[ns.Unit]:
    while True:
        yield UNIT


CASES = [
    # -------------------------------------------------------- units
    Case("no such call", unit("predicts"), "call must be one of .*'predicts'; did you mean 'predi"),
    Case("a call that is no word", unit(3), "call must be one of 'align'.* got 3$"),
    Case("arguments in a list", lambda: ns.Unit("oracle", [1]), r"arguments must be a dict of ora"),
    Case("no such argument", unit(models="x"), "oracle has no argument 'models';.*mean 'model'"),
    Case("n_jobs in a unit", unit(n_jobs=2), "n_jobs is for the engine to say, not for a unit"),
    Case("a NaN", unit(tol=float("nan")), "arguments must be numbers.* got NaN, which is no"),
    Case("an object", unit(model=object()), "arguments must be numbers, words, .* got object <ob"),
    Case("a set", unit(model={1}), "arguments must be numbers, words, lists and dicts .* got set"),
    Case("complex numbers", unit(model=np.array([1j])), "got an array of complex128"),
    Case("a masked array", unit(tol=MASKED), "an array must not be masked"),
    Case("keys that are no words", unit(task={1: 2}), "the keys of a dict must be words, got 1"),
    Case("a list in itself", unit(model=ENDLESS), "got a value nested too deeply"),
    Case(
        "a loss without identity",
        unit("predict", training=TRAINING | {"loss": Drawn()}),
        "the drawn loss has no identity to keep results under: it rests on Generator",
    ),
    Case("a table that is a number", ran(task=3), r"\[task\] must be a table of fields, got task"),
    Case("a field misspelt", ran(task=TASK | {"tetha": 1}), "has no field 'tetha'.*mean 'theta'"),
    Case("a field left out", ran(task={"L": 4}), r"\[task\] needs a line `R = ...`"),
    Case(
        "an argument left out", lambda: ns.Unit("oracle", {}).run(), "oracle needs the argument t"
    ),
    Case("a grid in a unit", ran(task=TASK | {"theta": [1.0, 2.0]}), r"a unit is one problem, got"),
    Case(
        "a grid of kappa",
        lambda: ns.Unit("crossover", {"task": TASK, "kappa": [1.0, 2.0]}).run(),
        r"a unit is one problem, got a grid of shape \(2,\) in kappa",
    ),
    Case(
        "a loss by identity alone",
        lambda: ns.Unit(
            "predict",
            {"task": TASK, "training": TRAINING | {"loss": {"name": "mine", "code": "0"}}},
        ).run(),
        "the mine loss is known by its identity only, which cannot be run; make the unit from the",
    ),
    Case(
        "positions misspelt",
        ran(task=TASK | {"positions": {"set": [[0]]}}),
        "positions has no field 'set'; its fields are sets, probabilities; did you mean 'sets'",
    ),
    Case("positions without sets", ran(task=TASK | {"positions": {}}), "positions needs a line `s"),
    Case(
        "a schedule misspelt",
        ran("predict", training=TRAINING | {"schedule": {"step": 3}}),
        "schedule has no field 'step'; its fields are shares, eta_w, eta_b, eta_q",
    ),
    Case(
        "a schedule of both",
        ran("predict", training=TRAINING | {"schedule": {"steps": 2, "shares": [0.5, 0.5]}}),
        "a schedule has steps on equal batches, or shares, got both",
    ),
    Case(
        "a schedule of nothing",
        ran("predict", training=TRAINING | {"schedule": {}}),
        "schedule needs a line `shares = ...`",
    ),
    # -------------------------------------------------------- sweeps
    Case("tables None", sweep(tables=None), "tables must be a dict of arguments by name, got None"),
    Case("axes in a list", sweep(given=[1]), r"axes must be a dict of arguments by name, got \[1"),
    Case("no call", sweep(call=[]), r"call must have at least one value, got \[\]"),
    Case("call None", sweep(call=None), "call must be one of 'align'.*, got None"),
    Case("a table misspelt", sweep(tables={"tasks": TASK}), "table must be .*'tasks'; did you mea"),
    Case(
        "an argument misspelt", sweep(given={"modle": "x"}), "argument must be one of .*n 'model'"
    ),
    Case("a synonym", sweep(given={"dimension": 3}), "got 'dimension'; did you mean 'd'?"),
    Case("a field among axes", sweep(given={"theta": 3.0}), r"theta is a field .*put it in \[task"),
    Case(
        "a table among axes", sweep(given={"task": TASK}), "task is a table: put it among the tab"
    ),
    Case(
        "lambda for ridge",
        lambda: ns.Sweep(
            "predict", {"task": TASK, "training": TRAINING | {"lambda": 0.1}}, {"model": "pooled"}
        ).units(),
        r"\[training\] has no field 'lambda'; its fields are .*; did you mean 'ridge'\?",
    ),
    Case("half a trial", sweep(trials=0.5), "trials must be a single whole number of at least 1"),
    Case(
        "a billion trials",
        sweep("simulate", given={"model": "pooled", "d": 5}, trials=10**9),
        "the sweep has 1000000000 units, above 200000, the most that are listed; take fewer",
    ),
    Case(
        "a cube of a thousand",
        sweep(
            tables={
                "task": {
                    "L": range(1, 1001),
                    "R": 1,
                    "theta": range(1000),
                    "pi": np.linspace(0.1, 0.9, 1000),
                }
            }
        ),
        "the sweep has 1000000000 units, above 200000",
    ),
    Case(
        "an axis without end", sweep(given={"d": range(10**12)}), "d must have at most 200000 val"
    ),
    Case(
        "an axis that is empty", task(theta=np.array([])), r"\[task\] theta must have at least on"
    ),
    Case("an axis that is masked", task(theta=MASKED), r"\[task\] theta must not be masked"),
    Case(
        "an axis that is a matrix", task(theta=np.ones((2, 2))), r"\[task\] theta must be one val"
    ),
    Case(
        "an axis that is a generator", task(theta=iter([1.0])), r"\[task\] theta must be a finite"
    ),
    Case("together a word", sweep(together="task.L"), "together must be a list of lists of two or"),
    Case(
        "together one list", sweep(together=["task.L", "task.theta"]), "together must be a list o"
    ),
    Case("together alone", sweep(together=[["task.L"]]), "together must be a list of lists of two"),
    Case(
        "together unknown", sweep(together=[["task.L", "task.tetha"]]), "got 'task.tetha'; did you"
    ),
    Case("together a number", sweep(together=[[1, 2]]), "together must name axes of .*, got 1"),
    Case(
        "together twice",
        sweep(together=[["task.L", "task.R"], ["task.L", "task.pi"]]),
        "together must name an axis once, got 'task.L' again",
    ),
    Case(
        "together unequal",
        sweep(
            tables={"task": TASK | {"L": [4, 8], "theta": [1.0, 2.0, 3.0]}},
            together=[["task.L", "task.theta"]],
        ),
        "must be equally long, got task.L with 2 values and task.theta with 3 values",
    ),
    # -------------------------------------------------------- files of sweeps
    Case("a path that is none", lambda: read_sweep(3), "a sweep is named by the path of its file"),
    Case("a long path", lambda: read_sweep("x" * 300), "cannot be read: File name too long"),
    Case("a zero in a path", lambda: read_sweep("a\0b"), "cannot be read: embedded null"),
    Case(
        "5,000 brackets", toml("call = " + "[" * 5000 + "]" * 5000), "is nested too deeply|not TO"
    ),
    Case("no TOML", toml("call = "), "spec.toml is not TOML: "),
    Case("UTF-16", toml("call = 'oracle'".encode("utf-16")), "is not UTF-8 text, as TOML must be"),
    Case(
        "calls for call", toml("calls = 'oracle'\n[task]\nL = 4"), "got 'calls'; did you mean 'ca"
    ),
    Case(
        "tasks for task", toml("call = 'oracle'\n[tasks]\nL = 4"), "got 'tasks'; did you mean 'ta"
    ),
    Case("no task", toml("call = 'oracle'"), r"needs a line `call = ...` and a table \[task\]"),
    Case(
        "an array of tables", toml("call='oracle'\n[[task]]\nL=4"), r"\[task\] must be a table of"
    ),
    # -------------------------------------------------------- stores
    Case("a store at a number", lambda: ns.Store(3), "a store is named by the path of its file"),
    Case("a store at None", lambda: ns.Store(None), "a store is named by the path of its file"),
    Case("a store at nothing", lambda: ns.Store(""), "a store is named by the path of its file"),
    Case("a store at bytes", lambda: ns.Store(b"a.sqlite"), "a store is named by the path of its"),
    Case(
        "a long name", lambda: ns.Store("é" * 140), "has a name of 280 bytes, above 247", StoreError
    ),
    Case("a zero in a name", lambda: ns.Store("a\0b"), "has a zero byte in its name", StoreError),
    Case("a folder", lambda: ns.Store("."), "is a folder; name a file", StoreError),
    Case("a device", lambda: ns.Store(os.devnull), "is no ordinary file", StoreError),
    Case(
        "words for a store",
        foreign(lambda path: path.write_text("call = 'oracle'")),
        r"is not a needlescope store or is damaged \(file is not a database\)",
        StoreError,
    ),
    Case(
        "another's database",
        foreign(database("CREATE TABLE bookmarks (url TEXT)")),
        r"is not a needlescope store or is damaged \(not a database of ours\)",
        StoreError,
    ),
    Case(
        "another's results",
        foreign(database("CREATE TABLE results (x REAL)")),
        r"is not a needlescope store or is damaged \(not a database of ours\)",
        StoreError,
    ),
    Case(
        "another's mark",
        foreign(database("PRAGMA application_id = 7", "PRAGMA user_version = 1")),
        r"is not a needlescope store or is damaged \(not a database of ours\)",
        StoreError,
    ),
    Case(
        "put when closed",
        closed(lambda store: store.put(UNIT, {}, seconds=0.0)),
        r"a.sqlite is closed; open it again with Store\('",
        StoreError,
    ),
    Case("get when closed", closed(lambda store: store.get(UNIT)), "is closed; open", StoreError),
    Case("count when closed", closed(len), "is closed; open it again", StoreError),
    Case(
        "run when closed", closed(lambda store: ns.run_units([UNIT], store)), "closed", StoreError
    ),
    Case("put elsewhere", stored(elsewhere), "was opened in another thread; open it", StoreError),
    Case(
        "put no unit", stored(lambda store: store.put(3, {}, seconds=0.0)), "units must be of need"
    ),
    Case(
        "put no numbers", stored(lambda store: store.put(UNIT, [1], seconds=0.0)), "numbers must be"
    ),
    Case(
        "put no number", stored(lambda store: store.put(UNIT, {"a": [1]}, seconds=0.0)), "'a': .1"
    ),
    Case(
        "put no seconds", stored(lambda store: store.put(UNIT, {}, seconds="1")), "seconds must be"
    ),
    Case(
        "put no error", stored(lambda store: store.put(UNIT, None, seconds=0.0, error=3)), "error a"
    ),
    Case(
        "rows of a unit", stored(lambda store: list(store.rows(UNIT))), "units must be a list of n"
    ),
    Case(
        "missing of words", stored(lambda store: store.missing(["x"])), "units must be of needlesc"
    ),
    Case(
        "CSV to a number", stored(lambda store: store.to_csv(3)), "a table is written to the path"
    ),
    Case(
        "CSV to nowhere", stored(lambda store: store.to_csv("/no/where.csv")), "cannot be written t"
    ),
    Case("CSV to a long name", stored(lambda store: store.to_csv("x" * 300)), "File name too long"),
    *(
        Case(
            f"tampered {column}: {json.dumps(text)[:12]}", tampered(column, text), says, StoreError
        )
        for column, text, says in [
            ("arguments", "[1]", r"damaged \(malformed row: '\[1\]' is no table\); move it away"),
            ("arguments", "{" * 3, "malformed row: Expecting property name"),
            ("arguments", "[" * 100_000, "malformed row: maximum recursion depth"),
            ("numbers", "3", "malformed row: '3' is no table"),
            ("numbers", '{"error": [1]}', "malformed row: error is neither a number nor a word"),
            ("versions", '"x"', "malformed row: '\"x\"' is no table"),
            ("seconds", "soon", "malformed row: could not convert string to float: 'soon'"),
            ("settings", "[]", r"malformed row: '\[\]' is no table"),
        ]
    ),
    # -------------------------------------------------------- runs
    Case(
        "a path for a store",
        lambda: ns.run_units([UNIT], "x.sqlite"),
        r"store must be a needlescope.Store, got 'x.sqlite'; open one with Store\(path\)",
    ),
    Case(
        "one unit for a list", stored(lambda store: ns.run_units(UNIT, store)), "must be a list of"
    ),
    Case(
        "words for units", stored(lambda store: ns.run_units("abc", store)), "must be of needlescop"
    ),
    Case(
        "None for units", stored(lambda store: ns.run_units(None, store)), "must be a list of need"
    ),
    Case(
        "a word for an engine",
        stored(lambda store: ns.run_units([UNIT], store, engine="dask")),
        r"engine must be an engine such as local\(\) or dask\(\), or None, got 'dask'",
    ),
    Case(
        "a word for retry", stored(lambda store: ns.run_units([UNIT], store, retry="no")), "retry m"
    ),
    Case(
        "a word for progress", stored(lambda s: ns.run_units([UNIT], s, progress="yes")), "progress"
    ),
    Case(
        "units without end",
        stored(lambda store: ns.run_units(many(), store)),
        "the run has [0-9]+ units, above [0-9]+, the most that are listed",
    ),
    Case("half a worker", lambda: local(0.5), "n_jobs must be an integer in 1"),
    # -------------------------------------------------------- Dask
    *(
        Case(
            f"scheduler {address!r}",
            lambda address=address: dask(address),
            "scheduler must be an address such as tcp://10.0.0.1:8786, got ",
        )
        for address in (
            "garbage",
            "http://127.0.0.1:9",
            "",
            "tcp://",
            "tcp://127.0.0.1",
            "tcp://[::",
            "tcp://127.0.0.1:0",
            "tcp://127.0.0.1:99999",
            "tcp://127.0.0.1:abc",
            "inproc://x",
            3,
            b"tcp://127.0.0.1:9",
            [],
            True,
        )
    ),
    Case("n_jobs beside a scheduler", lambda: dask("tcp://127.0.0.1:9", 2), "n_jobs must be None"),
]


@pytest.fixture(autouse=True)
def few(monkeypatch, request):
    """Units that never end are to end soon."""
    if "without end" in request.node.name and "units" in request.node.name:
        monkeypatch.setattr(axes, "MAX_UNITS", 50)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_refused(case):
    if "schedule" in case.name:
        pytest.importorskip("distributed")
    check(case)
