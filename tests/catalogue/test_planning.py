"""Bad questions to the planner, refused at once."""

from __future__ import annotations

import datetime
import re

import numpy as np
import pytest
from sklearn.svm import SVC

import needlescope as ns
from needlescope.estimators import PooledClassifier
from tests.catalogue.refusals import Case, by_sentence, check_all, wired

TASK = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
SEVERAL = TASK.replace(signals=(0.5, 0.5))
WHAT = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5, "d": 100, "learner": "attention"}
SPIKED = ns.Noise(spectrum=ns.Spectrum.spiked(9.0, 0.02))
ONE = "leave out exactly one of n, theta, L and error, the one to plan for; "


def plans(**named):
    return lambda: ns.plan(**{**WHAT, **named})


def designs(**named):
    return lambda: ns.bags_or_instances(
        **{**WHAT, "prices": (10.0, 1.0), "learner": "pooled", **named}
    )


CASES = [
    Case("no unknown", plans(n=400, error=0.1), ONE + "got all four"),
    Case("two unknowns", plans(L=None, n=400), ONE + "left out L, error"),
    Case("nothing but a task", plans(), ONE + "left out n, error"),
    Case("no dimension", plans(d=None, error=0.1), "d must be given: how many features"),
    Case("d of none", plans(d=0, error=0.1), r"d must be an integer in 1\.\.1000000, got 0"),
    Case(
        "a target below the Bayes error",
        plans(error=0.01),
        r"error must be above 0\.01782, the Bayes error: no classifier has a smaller one, "
        r"even with a known signal; got 0\.01; ask for a larger one, or for a stronger signal",
    ),
    Case(
        "a target above the prior's error",
        plans(pi=0.2, error=0.25),
        r"error must be below 0\.2, which needs no data: it is the error of always answering no "
        r"with pi=0\.2; got 0\.25",
    ),
    Case("an error of zero", plans(error=0.0), r"error must be a number in \(0, 1\), got 0\.0"),
    Case("no bags", plans(n=0), "n must be an integer in 4"),
    Case("fewer than none", plans(n=-5), "n must be an integer in 4"),
    Case("half a bag", plans(n=10.5), "n must be a single integer in 4"),
    Case("a learner that is none", plans(error=0.1, learner="oak"), "learner must be one of 'att"),
    Case("a loss that is none", plans(error=0.1, loss="hope"), "loss"),
    *(
        Case(
            f"several of {name}",
            plans(**{"error": None if name in ("n", "error") else 0.1, name: np.array([3, 4])}),
            rf"{name} must be a single (number|integer).*got array\(\[3, 4\]\)",
        )
        for name in ("L", "R", "theta", "pi", "d", "n", "error")
    ),
    *(
        Case(
            f"{name} of {value!r}",
            plans(**{"error": None if name in ("n", "error") else 0.1, name: value}),
            rf"^{name} must be .*got {re.escape(repr(value))}",
        )
        for name, value in wired(
            ("L", "R", "theta", "pi", "d", "n", "error", "tol"),
            ("5", b"5", True, 5j, datetime.timedelta(5)),
        )
    ),
    Case(
        "several to spend",
        plans(costs=(1.0, 1.0), spend=[50.0, 60.0]),
        "spend must be a single number",
    ),
    Case("a spending of words", plans(costs=(1.0, 1.0), spend="50"), "spend must be a finite"),
    Case("costs in words", plans(error=0.1, costs=("a", "b")), "costs must be a finite number"),
    Case("three costs", plans(error=0.1, costs=(1.0, 2.0, 3.0)), "costs must be two numbers"),
    Case("not a number", plans(theta=np.nan, error=0.1), "theta must be a finite .*got nan"),
    Case("a seed that is none", plans(error=0.1, seed="x"), "seed must be an integer of at"),
    Case("beyond what theory serves", plans(d=1, n=10**9), "n must be at most 1,000,000 bags for"),
    Case("R above L", plans(R=11, error=0.1), r"R must be an integer in 1\.\.L, got 11"),
    Case("all positive", plans(n=100, positives=100), "positives must be fewer than the n=100"),
    Case("no positives", plans(n=100, positives=0), "positives must be an integer in 1"),
    Case("a cost below zero", plans(error=0.1, costs=(1.0, -1.0)), "costs must be a finite number"),
    Case("a cost of nothing", plans(error=0.1, costs=(0.0, 1.0)), "costs must be a finite number"),
    Case("one cost", plans(error=0.1, costs=3.0), "costs must be two numbers"),
    Case("costs and bags", plans(n=100, costs=(1.0, 1.0)), "n must be left out with costs"),
    Case(
        "too much money",
        plans(spend=1e15, costs=(20.0, 1.0)),
        "spend must be at most .*, what 1,000,000 bags for each dimension cost",
    ),
    Case("too many positives", plans(error=0.1, positives=10**8), "positives must be an integer"),
    Case("money without costs", plans(spend=100.0), "spend needs costs="),
    Case("money and bags", plans(spend=100.0, n=10, costs=(1.0, 1.0)), "give n or spend, not both"),
    Case(
        "too little money",
        plans(spend=3.0, costs=(1.0, 1.0)),
        r"spend must be a finite number of at least 4, got 3\.0",
    ),
    Case(
        "positives and costs",
        plans(spend=100.0, costs=(1.0, 1.0), positives=10),
        "give positives or costs, not both",
    ),
    Case("an interval that is neither", plans(error=0.1, interval=1), "interval must be True or F"),
    Case("others that are neither", plans(error=0.1, others=None), "others must be True, False or"),
    Case("others in a word", plans(error=0.1, others="joint"), r"or a list of .* got 'joint'"),
    Case("others that are none", plans(error=0.1, others=["oak"]), "others must be one of 'attent"),
    *(
        Case(f"{name} of joint training", call, says)
        for name, call, says in (
            (
                "planning for a kinked loss",
                plans(error=0.1, learner="joint", loss="hinge"),
                "plans for joint training need a loss without kinks, got 'hinge'",
            ),
            (
                "planning in a spectrum",
                plans(error=0.1, learner="joint", noise=SPIKED),
                "joint training supports only tasks with white noise, got no",
            ),
            (
                "planning for single tokens",
                plans(L=1, error=0.1, learner="joint"),
                "joint training needs L of at least 2, got 1: a single token has all attention",
            ),
            (
                "others in a spectrum",
                plans(error=0.2, others=["joint"], noise=SPIKED),
                "joint training supports only tasks with white noise, got no",
            ),
            (
                "tuning in a spectrum",
                lambda: ns.tune(TASK.replace(noise=SPIKED), 4.0, model="joint"),
                "joint training supports only tasks with white noise, got no",
            ),
            (
                "tuning a kinked loss",
                lambda: ns.tune(TASK, 4.0, model="joint", losses=["logistic", "hinge"]),
                "plans for joint training need a loss without kinks, got 'hinge'",
            ),
            (
                "comparing in a spectrum",
                lambda: ns.compare(TASK.replace(noise=SPIKED), 4.0, joint=True),
                "joint training supports only tasks with white noise, got no",
            ),
            (
                "a pilot",
                lambda: ns.plan_from_pilot(
                    np.zeros((4, 2, 2)), [0, 1, 0, 1], error=0.1, learner="joint"
                ),
                "learner and others must leave out 'joint' with pilot data",
            ),
        )
    ),
    Case("joint that is neither", lambda: ns.compare(TASK, 4.0, joint=1), "joint must be True or"),
    Case("a tolerance of zero", plans(error=0.1, tol=0.0), "tol must be a number in"),
    *(
        Case(f"{name} of a learner with a theory", plans(error=0.1, **more), f"{name} goes with a")
        for name, more in (
            ("measure", {"measure": "auc"}),
            ("target", {"target": 0.8}),
            ("specificity", {"specificity": 0.9}),
            ("assurance", {"assurance": 0.8}),
            ("store", {"store": "studies.jsonl"}),
            ("signals", {"signals": 2}),
            ("lengths", {"lengths": [5, 15]}),
            ("engine", {"engine": print}),
        )
    ),
    *(
        Case(f"studies with {name}", plans(learner=PooledClassifier(), **more), says)
        for name, more, says in (
            ("an error below the Bayes error", {"error": 0.01}, r"error must be above 0\.01782"),
            ("an error above the prior's", {"error": 0.6}, r"error must be below 0\.5"),
            ("nothing left out", {"error": 0.1, "n": 50}, ONE + "got all four"),
            ("two targets", {"error": 0.1, "target": 0.2}, "target goes with a measure other"),
            (
                "a target below no knowledge",
                {"measure": "auc", "target": 0.4},
                "target must be between 0.5, which needs no data, and 1",
            ),
            (
                "a target beyond the likelihood ratio's",
                {"measure": "auc", "target": 0.9999},
                r"target must be below 0\.9\d*, the auc with a known signal",
            ),
            ("a measure that is none", {"error": 0.1, "measure": "f1"}, "measure must be one of"),
            (
                "a specificity of another measure",
                {"measure": "auc", "target": 0.8, "specificity": 0.9},
                "specificity goes with measure='sensitivity'",
            ),
            (
                "no specificity",
                {"measure": "sensitivity", "target": 0.8},
                "specificity goes with measure='sensitivity'",
            ),
            ("certainty", {"error": 0.1, "assurance": 1.0}, "assurance must be a .*0.5"),
            ("no time", {"error": 0.1, "seconds": 0.0}, r"seconds must be a number in \[1"),
            ("too few studies", {"error": 0.1, "studies": 3}, "studies must be an integer in 12"),
            ("no path", {"error": 0.1, "store": 3}, "store must be the path of a file of studies"),
            ("L and lengths", {"error": 0.1, "lengths": [5, 9]}, "L must be left out with lengths"),
            ("no lengths", {"error": 0.1, "L": None, "lengths": []}, "lengths must have at least"),
            ("a length", {"error": 0.1, "L": None, "lengths": 5}, "lengths must be a sequence of"),
            (
                "half a length",
                {"error": 0.1, "L": None, "lengths": [5.5]},
                "lengths must be a single integer in 1",
            ),
            (
                "lengths below R",
                {"error": 0.1, "L": None, "R": 3, "lengths": [2, 9]},
                "lengths must be at least R=3, the instances with the signal, got 2",
            ),
            (
                "an error below the Bayes error of all lengths",
                {"error": 0.001, "L": None, "lengths": [9, 11]},
                r"target must be above 0\.0\d*, the error with a known signal",
            ),
            ("no signals", {"error": 0.1, "signals": 0}, "signals must be an integer in 1"),
            ("shares beyond 1", {"error": 0.1, "signals": (0.5, 0.6)}, "signals must be probabi"),
            (
                "more signals than features",
                {"error": 0.1, "d": 3, "signals": 4},
                "signals must be at most d=3, as they are orthogonal to each other; got 4",
            ),
            (
                "several signals in a spectrum",
                {"error": 0.1, "signals": 2, "noise": SPIKED},
                "a task of several signals supports only white noise",
            ),
            ("an engine of words", {"error": 0.1, "engine": "dask"}, "engine must be an engine"),
            (
                "an engine and no studies at a time",
                {"error": 0.1, "engine": print, "n_jobs": 0},
                "n_jobs must be an integer in 1",
            ),
            ("costs and bags", {"costs": (1.0, 2.0), "n": 40}, "n must be left out with costs"),
            ("two unknowns", {"L": None, "n": None}, ONE + "left out n, L, error"),
            ("too many positives", {"error": 0.1, "positives": 10**6}, "positives must be at most"),
            ("all positive", {"n": 50, "positives": 50}, "positives must be fewer than the n=50"),
            ("too little money", {"costs": (20, 1), "spend": 50}, r"spend must be .* 80"),
            ("no processes", {"error": 0.1, "n_jobs": 0}, "n_jobs must be an integer in 1"),
            ("a progress of words", {"error": 0.1, "progress": "yes"}, "progress must be True, F"),
            (
                "joint training in a spectrum beside",
                {"error": 0.2, "noise": SPIKED, "others": ["joint"]},
                "joint training supports only tasks with white noise",
            ),
            (
                "too many numbers",
                {"n": 10**6, "L": 1000, "pi": 0.5},
                "n=1,000,000 bags of",
            ),
            ("too many features", {"error": 0.1, "d": 10**6}, "d=1,000,000 is too large for stu"),
        )
    ),
    Case(
        "studies of a class",
        plans(error=0.1, learner=PooledClassifier),
        "write Pooled",
    ),
    Case(
        "positives without probabilities",
        plans(error=0.1, learner=SVC(), positives=20),
        "learner must have predict_proba where training has another balance of classes",
    ),
    Case("studies of a number", plans(error=0.1, learner=3), "learner must be the name of"),
    Case(
        "log loss without probabilities",
        plans(learner=SVC(), measure="log_loss", target=0.3),
        "learner must have predict_proba for measure='log_loss'",
    ),
    Case(
        "a pilot and no question",
        lambda: ns.plan_from_pilot(np.zeros((4, 2, 2)), [0, 1, 0, 1]),
        "with pilot data give n or error, not both",
    ),
    *(
        Case(f"bags or instances with {name}", designs(**more), says)
        for name, more, says in (
            ("nothing to reach", {}, "give error, the target, or spend, .* got neither"),
            ("two questions", {"error": 0.1, "spend": 900.0}, "got both"),
            ("free instances", {"error": 0.1, "prices": (1.0, 0.0)}, "prices must be two numbers"),
            ("one price", {"error": 0.1, "prices": 3.0}, "prices must be two numbers"),
            ("a price below zero", {"error": 0.1, "prices": (-1.0, 1.0)}, "prices must be a fin"),
            ("no length", {"error": 0.1, "L": None}, "L must be given: bags_or_instances plans"),
            ("no signal", {"error": 0.1, "theta": None}, "theta must be given"),
            ("no dimension", {"error": 0.1, "d": None}, "d must be given"),
            ("more signal than bag", {"error": 0.1, "R": 11}, "R must be"),
            ("a target above the prior's", {"error": 0.6}, r"error must be below 0\.5"),
            (
                "a target below the Bayes error of the longest",
                {"error": 0.001, "longest": 20},
                r"error must be above 0\.\d+, the Bayes error with 20 instances",
            ),
            ("bags longer than the longest", {"error": 0.1, "longest": 9}, "longest must be"),
            ("too little", {"spend": 300.0}, "spend must be at least 400, for 20 bags of 10 inst"),
            ("joint training", {"error": 0.1, "learner": "joint"}, "learner must be one of"),
            ("a learner that is none", {"error": 0.1, "learner": 3}, "learner must be the name"),
            (
                "no classifier",
                {"error": 0.1, "learner": PooledClassifier},
                "write Pooled",
            ),
            ("no time", {"error": 0.1, "learner": PooledClassifier(), "seconds": 0.0}, "seconds"),
            ("words for an interval", {"error": 0.1, "interval": "yes"}, "interval must be True"),
            ("a tolerance of zero", {"error": 0.1, "tol": 0.0}, "tol must be a number in"),
            ("a loss that is none", {"error": 0.1, "loss": "hope"}, "loss"),
        )
    ),
    Case("tuning no task", lambda: ns.tune(3, 4.0), r"task must be a needlescope\.Task, got 3"),
    Case("tuning nothing", lambda: ns.tune(TASK, 0.0), "budget must be a finite number above 0"),
    Case("tuning a debt", lambda: ns.tune(TASK, -4.0), "budget must be a finite number above 0"),
    Case("several budgets", lambda: ns.tune(TASK, [1.0, 2.0]), "budget must be a single number"),
    Case(
        "a budget in words", lambda: ns.tune(TASK, "400"), "budget must be a single number, got '4"
    ),
    Case(
        "a budget of bytes", lambda: ns.compare(TASK, b"5"), "budget must be a single number, got b"
    ),
    Case(
        "a budget of yes", lambda: ns.tune(TASK, True), "budget must be a single number, got True"
    ),
    Case("no budget", lambda: ns.compare(TASK, None), "budget must be a single number, got None"),
    Case(
        "an imaginary budget", lambda: ns.tune(TASK, 2j), "budget must be a single number, got 2j"
    ),
    Case(
        "a budget of days",
        lambda: ns.compare(TASK, datetime.timedelta(4)),
        r"budget must be a single number, got datetime\.timedelta",
    ),
    Case("a budget of arrays", lambda: ns.tune(TASK, np.ones(2)), "budget must be a single number"),
    Case(
        "too large a budget",
        lambda: ns.tune(TASK, 1e9, 10),
        r"budget must be between 1e-05 and 1e\+07 with d=10, 1e-06 to 1e\+06 bags for each",
    ),
    Case("a dimension in words", lambda: ns.compare(TASK, 40, "10"), "d must be a single integer"),
    Case(
        "a second loss that is none", lambda: ns.tune(TASK, 4.0, losses=["square", 3]), "loss must"
    ),
    Case(
        "sensitivity of no training",
        lambda: ns.sensitivity(TASK, None),
        r"training must be a needlescope\.Training, got None",
    ),
    Case(
        "sensitivity to a tolerance of zero",
        lambda: ns.sensitivity(TASK, ns.Training(alpha0=1.0, alpha1=1.0), tol="1"),
        "tol must be a finite number",
    ),
    Case(
        "tuning several signals",
        lambda: ns.tune(SEVERAL, 4.0),
        "the planner supports only tasks with one",
    ),
    Case(
        "tuning hard", lambda: ns.tune(TASK, 4.0, model="hard"), "model must be one of 'attention"
    ),
    Case("no losses", lambda: ns.tune(TASK, 4.0, losses=3), "losses must be a sequence of losses"),
    Case("none of the losses", lambda: ns.tune(TASK, 4.0, losses=[]), "losses must name at least"),
    Case(
        "tuning a grid",
        lambda: ns.tune(TASK.replace(theta=[4.0, 5.0]), 4.0),
        "the planner takes one task at a time, got a grid of shape",
    ),
    Case("comparing nothing", lambda: ns.compare(TASK, 0), "budget must be a finite number above"),
    Case("comparing no task", lambda: ns.compare(None, 1.0), "task must be a needlescope"),
    Case(
        "sensitivity of a grid",
        lambda: ns.sensitivity(TASK, ns.Training(alpha0=1.0, alpha1=[1.0, 2.0])),
        "sensitivity takes one problem at a time",
    ),
    Case(
        "sensitivity without D0",
        lambda: ns.sensitivity(TASK, ns.Training(alpha1=1.0)),
        "alpha0 must be given: the query is trained on D0",
    ),
]


@pytest.mark.parametrize("cases", by_sentence(CASES))
def test_it_is_refused_in_a_sentence(cases: list[Case]) -> None:
    check_all(cases)
