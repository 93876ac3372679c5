"""A loss of one's own: its identity changes with whatever its numbers rest on, and with no more."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import textwrap
from dataclasses import dataclass

import numpy as np
import pytest

import needlescope as ns
from needlescope.experiments.engine import local
from needlescope.experiments.units.identity import identity
from needlescope.losses import LOGISTIC, Logistic

TASK = {"L": 4, "R": 1, "theta": 2.0, "pi": 0.5}
SOURCE = """
import numpy as np
import needlescope as ns
from functools import partial
SCALE = 2.0
def half(x, by=0.5):
    return by * x
def make(shift):
    class Mine(ns.Loss):
        name = "mine"
        def __init__(self, slope=1.0):
            self.slope = slope
        def value(self, z, y):
            '''Words.'''
            u = self.slope * y * z + 0.0 * shift  # a comment
            return SCALE * np.logaddexp(0.0, -u) + 0.0 * half(u)
        def derivative(self, z, y):
            return -SCALE * self.slope * y / (1.0 + np.exp(self.slope * y * z))
        def second(self, z, y):
            return 0.25 * SCALE * self.slope**2 / np.cosh(0.5 * self.slope * z) ** 2
    return Mine
"""


def code(change=("", ""), slope=1.0, shift=0.0):
    assert change[0] in SOURCE
    space: dict = {"__name__": "mine"}
    exec(SOURCE.replace(*change), space)
    return identity(space["make"](shift)(slope))["code"]


@pytest.mark.parametrize(
    "change",
    [
        ("SCALE = 2.0", "SCALE = 2.5"),
        ("return by * x", "return by + x"),
        ("by=0.5", "by=0.6"),
        ("u = self.slope * y * z", "u = self.slope * y * z * z"),
        ("np.exp(self", "np.cosh(self"),
        ("0.25 * SCALE", "0.5 * SCALE"),
    ],
)
def test_it_changes_with_the_code_and_what_the_code_uses(change):
    assert code(change) != code()


def test_it_changes_with_parameters_and_variables_around():
    assert len({code(), code(slope=2.0), code(shift=1.0)}) == 3


@pytest.mark.parametrize(
    "change",
    [
        ("'''Words.'''", "'''Other words.'''"),
        ("  # a comment", ""),
        ("import partial", "import partial as p"),
    ],
)
def test_it_does_not_change_with_words(change):
    assert code(change) == code()


def test_it_is_the_same_in_another_process():
    script = textwrap.dedent(
        """
        import json, sys
        from needlescope.experiments.units.identity import identity
        space = {"__name__": "mine"}
        exec(sys.stdin.read(), space)
        print(json.dumps(identity(space["make"](0.0)(1.0))["code"]))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=SOURCE, capture_output=True, text=True, timeout=60
    )
    assert json.loads(done.stdout) == code(), done.stderr


class Steep(ns.Loss):
    """A logistic loss with a slope."""

    name = "steep"
    of_margin = True

    def __init__(self, slope):
        self.slope = slope

    def value(self, z, y):
        return np.logaddexp(0.0, -self.slope * y * z)

    def derivative(self, z, y):
        return -self.slope * y / (1.0 + np.exp(np.clip(self.slope * y * z, -700, 700)))

    def second(self, z, y):
        return 0.25 * self.slope**2 / np.cosh(np.clip(0.5 * self.slope * z, -300, 300)) ** 2


@dataclass
class Written(Steep):
    """The same as a dataclass, which also calls what it inherits."""

    slope: float = 0.5

    def value(self, z, y):
        return super().value(z, y)


class Odd(Steep):
    """A loss with everything that Python allows in a class."""

    __slots__ = ()
    table = {"a": (1.0, np.float32(2.0)), "b": frozenset({"x", "y"})}  # noqa: RUF012
    power = functools.partial(np.power, 2.0)
    sharp = staticmethod(np.exp)

    @property
    def twice(self):
        return 2.0 * self.slope

    @classmethod
    def made(cls):
        return cls(1.0)

    @functools.cached_property
    def thrice(self):
        return 3.0 * self.slope


def test_usual_classes_have_one():
    result = [
        identity(item) for item in (Steep(0.5), Steep(0.7), Written(0.5), Written(0.7), Odd(0.5))
    ]
    assert len({item["code"] for item in result}) == 5
    assert [item["class"] for item in result] == ["Steep", "Steep", "Written", "Written", "Odd"]
    assert result[0]["parameters"] == {"slope": 0.5}
    assert identity(Steep(np.float64(0.5)))["parameters"] == {"slope": 0.5}
    long = identity(Steep(np.arange(1000.0)))["parameters"]["slope"]
    assert isinstance(long, str) and len(long) == 16


@pytest.mark.parametrize(
    "slope", [object(), np.random.default_rng(0), np.array([object()]), sys.stdout]
)
def test_what_changes_without_a_trace_is_refused(slope):
    with pytest.raises(
        ValueError, match=r"the steep loss has no identity to keep results under: it"
    ):
        identity(Steep(slope))


def test_slots_are_not_overlooked():
    class Slotted(Steep):
        __slots__ = ("hidden",)

    with pytest.raises(ValueError, match="has no identity"):
        identity(Slotted(1.0))


# ---------------------------------------------------------------- in units and stores


def unit(loss, **more):
    training = {"alpha0": 1.0, "alpha1": 2.0, "loss": loss}
    return ns.Unit("predict", {"task": TASK, "training": training, "model": "pooled", **more})


def test_a_unit_of_a_loss_of_ones_own_answers_what_predict_does():
    task, training = ns.Task(**TASK), ns.Training(1.0, 2.0, loss=Steep(0.7))
    expected = ns.predict(task, training, "pooled").test_error
    assert unit(Steep(0.7)).run()["test_error"] == expected
    assert ns.Unit("predict", {"task": task, "training": training, "model": "pooled"}) == unit(
        Steep(0.7)
    )


def test_the_key_is_that_of_the_identity():
    assert unit(Steep(0.7)).key == unit(Steep(0.7)).key
    assert (
        len(
            {
                unit(item).key
                for item in ("logistic", Steep(1.0), Steep(0.7), Written(0.7), Logistic())
            }
        )
        == 5
    )
    assert unit(LOGISTIC).key == unit("logistic").key


@pytest.mark.slow
def test_it_runs_on_processes_and_a_store_holds_no_code(tmp_path):
    sweep = ns.Sweep(
        ["predict", "simulate"],
        {
            "task": TASK,
            "training": {"alpha0": 1.0, "alpha1": 2.0, "loss": [Steep(0.7), "logistic"]},
        },
        {"model": "pooled", "d": 20},
        trials=2,
    )
    units = sweep.units()
    assert len(units) == 6
    with ns.Store(tmp_path / "a.sqlite") as store:
        assert ns.run_units(units, store, engine=local(2)).failed == 0
        assert ns.run_units(sweep.units(), store) == (0, 6, 0, ())
        result = store.to_pandas(units)
        row = store.get(units[0])
    assert result["training.loss"].tolist() == [
        "steep",
        "logistic",
        "steep",
        "steep",
        "logistic",
        "logistic",
    ]
    assert result["training.loss.parameters.slope"].dropna().tolist() == [0.7] * 3
    assert result.test_error[0] == unit(Steep(0.7)).run()["test_error"]
    assert row.unit == units[0] and row.unit.key == units[0].key
    with pytest.raises(ValueError, match="the steep loss is known by its identity only"):
        row.unit.run()
    assert b"pickle" not in (tmp_path / "a.sqlite").read_bytes()


def test_a_piecewise_loss_is_kept_whole(tmp_path, two_kinks):
    item = unit(two_kinks)
    with ns.Store(tmp_path / "a.sqlite") as store:
        ns.run_units([item], store, engine=local(1))
        kept = store.get(item)
    assert kept.unit.run() == kept.numbers == item.run()
    assert (
        kept.numbers["test_error"]
        == ns.predict(ns.Task(**TASK), ns.Training(1.0, 2.0, loss=two_kinks), "pooled").test_error
    )
