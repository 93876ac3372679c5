"""Bad questions to fuller attention, refused before torch is needed or any work starts."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from tests.catalogue.refusals import Case, by_sentence, check_all

TASK = ns.Task(L=10, R=1, theta=5.0, pi=0.5)


def deep(task=TASK, alpha=4.0, architecture="cls", **more):
    return lambda: ns.simulate_deep(task, alpha, architecture, **more)


ONE_OF = "architecture must be one of 'solvable', 'cls', 'multihead', .* got "
CASES = [
    Case("no task", deep(task="L=10"), r"task must be a needlescope\.Task, got "),
    *(Case(f"alpha={bad!r}", deep(alpha=bad), "alpha must be ") for bad in (0.0, np.nan, "much")),
    *(
        Case(f"architecture={bad!r}", deep(architecture=bad), ONE_OF)
        for bad in ("transformer", "", None, 4, ["cls"])
    ),
    *(
        Case(f"d={bad!r}", deep(d=bad), "d must be (an|a single) integer")
        for bad in (0, 2.5, 10**6, None)
    ),
    *(Case(f"trials={bad!r}", deep(trials=bad), "trials must be ") for bad in (0, 1.5)),
    Case("seed", deep(seed="one"), "seed must be an integer of at least 0"),
    *(
        Case(f"width={bad!r}", deep(width=bad), "width must be (an|a single) integer")
        for bad in (0, 4096)
    ),
    Case("heads of one", deep(heads=2), "heads=2 needs an architecture that has several"),
    Case("heads of none", deep(architecture="gru", heads=1), "heads=1 needs an architecture"),
    *(
        Case(
            f"heads={bad!r}",
            deep(architecture="block", heads=bad),
            "heads must be (an|a single) integer",
        )
        for bad in (0, 65)
    ),
    Case(
        "heads that do not fit",
        deep(architecture="multihead", heads=3),
        "width must be a multiple of heads=3, got 32",
    ),
    *(
        Case(f"lengths={bad!r}", deep(lengths=bad), "lengths must be a list of numbers, got ")
        for bad in (20, "20", None, [[20]])
    ),
    *(
        Case(f"lengths={bad!r}", deep(lengths=bad), "lengths must be an integer|lengths must be ")
        for bad in ([0], [-5], [2.5], ["20"], [np.nan])
    ),
    Case(
        "a length below R",
        deep(task=TASK.replace(R=4), lengths=[3]),
        r"lengths must be .*4.* got 3",
    ),
    Case(
        "lengths of given positions",
        deep(task=TASK.replace(positions=ns.Positions([(0,)])), lengths=[20]),
        r"lengths=\(20,\) needs positions='uniform'",
    ),
    *(
        Case(f"rates={bad!r}", deep(rates=bad), "rates must be a list of numbers, got ")
        for bad in (0.01, "auto", None)
    ),
    *(
        Case(f"rates={bad!r}", deep(rates=bad), "rates must be ")
        for bad in ([], [0.0], [np.nan], [0.01] * 21)
    ),
    *(
        Case(f"decays={bad!r}", deep(decays=bad), "decays must be ")
        for bad in (3.0, [], [-1.0], [[3.0]], [1.0] * 21)
    ),
    *(
        Case(f"epochs={bad!r}", deep(epochs=bad), "epochs must be (an|a single) integer")
        for bad in (0, 10**6)
    ),
    *(
        Case(f"n_test={bad!r}", deep(n_test=bad), "n_test must be (an|a single) integer")
        for bad in (0, 1.5, None)
    ),
    *(
        Case(f"watch={bad!r}", deep(watch=bad), "watch must be True or False, got ")
        for bad in ("yes", 2, None)
    ),
    Case("noise", deep(noise="loud"), r"noise must be a needlescope\.Noise, got 'loud'"),
    Case(
        "noise of another dimension",
        deep(noise=ns.Noise(covariance=np.eye(3)), d=4),
        "covariance",
    ),
    Case("checkpoints", deep(checkpoints=7), "checkpoints must be the path of a folder or None"),
    Case("n_jobs", deep(n_jobs=0), "n_jobs must be "),
    Case(
        "more than fits",
        deep(alpha=1e3, d=10_000),
        r"the samples, .* need about .* GiB, above memory=1073741824; lower L, d=10000 or alpha,",
    ),
    Case(
        "a length that does not fit",
        deep(lengths=[10**8], d=8),
        r"a sample of 100000000 tokens needs 3200000000 bytes, above memory=1073741824; lower d,",
    ),
    Case(
        "attention between too many tokens",
        deep(task=TASK.replace(L=3000), architecture="two_blocks", alpha=1.0, d=4),
        "attention between their tokens, need about",
    ),
    Case("memory", deep(memory=0), "memory must be an integer in 1"),
    Case(
        "more signals than dimensions",
        deep(task=TASK.replace(signals=(0.25,) * 4), d=3),
        "d must be at least 4, the number of signals, got 3",
    ),
    Case(
        "grids that do not fit",
        deep(task=TASK.replace(theta=[1.0, 2.0, 3.0]), alpha=[1.0, 2.0]),
        "broadcast",
    ),
    Case(
        "progress",
        deep(d=4, trials=1, progress="bar"),
        "progress must be True, False, None or a function",
    ),
]


@pytest.mark.parametrize("cases", by_sentence(CASES))
def test_it_is_refused(cases):
    check_all(cases)


def test_a_sweep_refuses_what_the_call_does():
    tables = {"task": {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}}
    with pytest.raises(ValueError, match="simulate_deep: heads=2 needs an architecture that has"):
        ns.Sweep(["simulate_deep"], tables, {"alpha": 4.0, "heads": 2}, trials=1).units()
    result = ns.Sweep(["simulate_deep"], tables, {"alpha": [4.0, 8.0], "lengths": [20, 40]})
    assert {tuple(unit.arguments["lengths"]) for unit in result.units()} == {(20, 40)}
