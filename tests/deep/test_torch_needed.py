"""Without torch, every entry says in one sentence how to get it."""

from __future__ import annotations

import importlib.util

import pytest
from click.testing import CliRunner

import needlescope as ns
from needlescope.cli.group import group
from needlescope.deep.catalogue import ARCHITECTURES
from needlescope.deep.torch_needed import need_torch
from needlescope.experiments.engine import attempt
from needlescope.gallery.registry import deep_names, runnable

SENTENCE = r"needs PyTorch: pip install torch==2\.13\.0 and then 'needlescope\[deep\]'$"
TASK = ns.Task(L=4, R=1, theta=3.0, pi=0.5)


@pytest.fixture(autouse=True)
def no_torch(monkeypatch):
    find = importlib.util.find_spec
    hidden = lambda name, *rest: None if name == "torch" else find(name, *rest)  # noqa: E731
    monkeypatch.setattr("needlescope.deep.torch_needed.find_spec", hidden)


@pytest.mark.parametrize(
    "entry",
    [
        lambda: need_torch("this"),
        lambda: ns.simulate_deep(TASK, 4.0, "solvable", d=8, trials=1),
        lambda: ARCHITECTURES["gru"].build(4, 8),
        *(lambda name=name: runnable(name) for name in deep_names()),
    ],
)
def test_the_sentence(entry):
    with pytest.raises(ImportError, match=SENTENCE):
        entry()


def test_a_unit_keeps_the_sentence():
    unit = ns.Unit("simulate_deep", {"task": TASK, "alpha": 4.0, "d": 8, "trials": 1})
    error = attempt(unit).error
    assert error.startswith("ImportError: simulate_deep needs PyTorch: pip install torch==2.13.0")


@pytest.mark.parametrize("words", [["reproduce", "--deep"], ["figure", "deep_heads"]])
def test_commands_say_it_before_any_work(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(group, words)
    assert isinstance(result.exception, ImportError) and "needs PyTorch: pip" in str(
        result.exception
    )
    assert list(tmp_path.iterdir()) == []
