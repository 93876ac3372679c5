"""Bad words: tasks, trainings, queries, positions, losses and noise that are refused when said."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from tests.catalogue.refusals import Case, by_sentence, check_all

EVEN = ns.Schedule.even(2)
MASKED = np.ma.array([1.0, 2.0], mask=[False, True])
NAN, INF = float("nan"), float("inf")


def task(**changed):
    return lambda: ns.Task(**({"L": 10, "R": 1, "theta": 5.0, "pi": 0.5} | changed))


def training(**changed):
    return lambda: ns.Training(**({"alpha0": 4.0, "alpha1": 1.0} | changed))


def pieces(*given, **named):
    return lambda: ns.PiecewiseQuadratic(*given, **named)


def nested(axes):
    result = 1.0
    for _ in range(axes):
        result = [result]
    return result


class Odd(ns.Loss):
    """A loss whose derivative is not that of its value."""

    name = "odd"

    def value(self, z, y):
        return z * z

    def derivative(self, z, y):
        return z

    def second(self, z, y):
        return 1.0 + 0.0 * z


CASES = [
    Case("theta masked", task(theta=MASKED), "theta must not be masked"),
    Case("theta np.ma.masked", task(theta=np.ma.masked), "theta must not be masked"),
    Case("theta list with masked", task(theta=[1.0, np.ma.masked]), "theta must not be masked"),
    Case("L masked", task(L=np.ma.array([10, 20], mask=[0, 1])), "L must not be masked"),
    Case("theta NaN", task(theta=NAN), "theta must be a finite number of at least 0, got nan"),
    Case("theta infinite", task(theta=INF), "theta must be a finite number of at least 0, got inf"),
    Case("theta negative", task(theta=-1.0), "theta must be a finite number of at least 0"),
    Case("theta huge", task(theta=1e7), "theta must be between 0 and 1e.06 in size"),
    Case("theta a word", task(theta="5"), "theta must be a finite number, or an array of them"),
    Case("theta None", task(theta=None), "theta must be a finite number"),
    Case("theta a truth value", task(theta=True), "theta must be a finite number"),
    Case("theta complex", task(theta=1j), "theta must be a finite number"),
    Case("theta empty", task(theta=[]), "theta must hold at least one value"),
    Case("theta ragged", task(theta=[[1.0], [2.0, 3.0]]), "theta must be a finite number"),
    Case("theta of 60 axes", task(theta=nested(60)), "theta must have at most 16 axes, got 60"),
    Case("L zero", task(L=0), "L must be an integer in 1..1000000000, got 0"),
    Case("L a half", task(L=2.5), "L must be an integer"),
    Case("R beyond L", task(R=12), "R must be an integer in 1..L, got 12 with L=10"),
    Case("R zero", task(R=0), "R must be an integer in 1..L, got 0 with L=10"),
    Case("pi zero", task(pi=0.0), r"pi must be a number in \(0, 1\), got 0.0"),
    Case("pi one", task(pi=1.0), r"pi must be a number in \(0, 1\)"),
    Case("pi tiny", task(pi=1e-9), "pi must be between 1e-06 and 0.999999 in size"),
    Case("shapes", task(theta=[1.0, 2.0], pi=[0.1, 0.2, 0.3]), "must broadcast"),
    Case("signals short of 1", task(signals=(0.5, 0.4)), "signals must be .* sum to 1, got .* 0.9"),
    Case("signals negative", task(signals=(1.5, -0.5)), r"signals must be a number in \[0, 1\]"),
    Case("signals a number", task(signals=2), "signals must be a sequence of probabilities"),
    Case("signals a word", task(signals="both"), "signals must be a sequence of probabilities"),
    Case("signals NaN", task(signals=(NAN, 1.0)), r"signals must be a number in \[0, 1\], got nan"),
    Case("signals none", task(signals=()), "signals must hold at least one value"),
    Case("signals masked", task(signals=MASKED), "signals must not be masked"),
    Case(
        "signals in rows", task(signals=[[0.5, 0.5]]), r"signals must be a flat .* shape \(1, 2\)"
    ),
    Case("signals too many", task(signals=[0.01] * 100), "signals must be .* at most 64"),
    Case(
        "cosines too long",
        lambda: ns.Query(1.0, cosines=(0.8, 0.8)),
        "cosines with orthogonal signals must have squares that add up to at most 1, got .* 1.28",
    ),
    Case("cosines beyond 1", lambda: ns.Query(1.0, cosines=(1.2, 0.0)), "cosines must be a number"),
    Case("cosines a number", lambda: ns.Query(1.0, cosines=0.5), "cosines must be a sequence of"),
    Case("cosines in rows", lambda: ns.Query(1.0, cosines=[[0.5]]), "cosines must be a flat seq"),
    Case("cosines masked", lambda: ns.Query(1.0, cosines=MASKED), "cosines must not be masked"),
    Case(
        "cosine twice", lambda: ns.Query(1.0, 0.5, (0.5,)), "a query has a cosine .* leave out one"
    ),
    Case("no cosine", lambda: ns.Query(1.0), "cosine must be a finite number, .* got None"),
    Case("positions a word", task(positions="first"), "positions must be 'uniform' or"),
    Case("positions too far", task(positions=ns.Positions([(10,)])), "got 10 with L=10"),
    Case("positions too many", task(positions=ns.Positions([(0, 1)])), "sets of 2 with R=1"),
    Case("a field Task has not", lambda: task()().replace(n=3), "Task has no field 'n'"),
    Case("sets a number", lambda: ns.Positions(2), "positions.sets must be a sequence of sets"),
    Case("sets a 0-d array", lambda: ns.Positions(np.array(2)), "positions.sets must be a seq"),
    Case("sets a word", lambda: ns.Positions("ab"), "positions.sets must be a sequence of sets"),
    Case("sets None", lambda: ns.Positions(None), "positions.sets must be a sequence of sets"),
    Case("sets empty", lambda: ns.Positions([]), "one or more sets of equal size R"),
    Case("sets of sizes", lambda: ns.Positions([(0,), (1, 2)]), "sets of equal size R"),
    Case("sets of words", lambda: ns.Positions([{"a", 1}]), "positions.sets must be an integer"),
    Case("sets nested", lambda: ns.Positions([[[0, 1]]]), "must hold flat sets of tokens"),
    Case("sets repeat", lambda: ns.Positions([(1, 1)]), "must hold distinct token indices"),
    Case("sets below 0", lambda: ns.Positions([(-1,)]), "must be an integer in 0.."),
    Case("sets masked", lambda: ns.Positions(np.ma.array([[0], [1]])), "must not be masked"),
    Case("chances masked", lambda: ns.Positions([(0,), (1,)], MASKED), "must not be masked"),
    Case("chances short", lambda: ns.Positions([(0,), (1,)], [1.0]), "one entry for each of the 2"),
    Case("chances above 1", lambda: ns.Positions([(0,), (1,)], [0.7, 0.7]), "must sum to 1"),
    Case("no alpha1", lambda: ns.Training(), "alpha1 must be given"),
    Case("alpha1 zero", training(alpha1=0.0), "alpha1 must be a finite number above 0, got 0.0"),
    Case("alpha1 tiny", training(alpha1=1e-20), "alpha1 must be between 1e-15 and 1e.06"),
    Case("alpha0 masked", training(alpha0=MASKED), "alpha0 must not be masked"),
    Case("ridge negative", training(ridge=-1e-9), "ridge must be a finite number of at least 0"),
    Case("beta zero", training(beta=0.0), "beta must be a finite number above 0"),
    Case("eta_q NaN", training(eta_q=NAN), "eta_q must be a finite number above 0, got nan"),
    Case("loss unknown", training(loss="log"), "loss must be one of 'square', 'logistic'"),
    Case("loss None", training(loss=None), "loss must be one of"),
    Case("loss contradicts itself", training(loss=Odd()), "derivative of the odd loss is not that"),
    Case("no query step", training(query_steps=0), "query_steps must be an integer in 1..1000000"),
    Case("half a query step", training(query_steps=1.5), "query_steps must be an integer"),
    Case("first step unknown", training(first_step="both"), "first_step must be one of 'joint'"),
    Case("balanced a word", training(balanced="yes"), "balanced must be True or False, got 'yes'"),
    Case("balanced a list", training(balanced=[True]), "balanced must be True or False"),
    Case(
        "schedule a number", training(schedule=4), "schedule must be a needlescope.Schedule, got 4"
    ),
    Case(
        "schedule and its first step",
        training(schedule=EVEN, first_step="sequential"),
        "first_step must be 'joint' with a schedule, which says what its steps are",
    ),
    Case(
        "schedule and query steps",
        training(schedule=EVEN, query_steps=2),
        "query_steps must be 1 with a schedule, which says what its steps are, got 2",
    ),
    Case(
        "schedule and balance",
        training(schedule=EVEN, balanced=True),
        "balanced must be False with a schedule, which says what its steps are, got True",
    ),
    Case("shares a number", lambda: ns.Schedule(1.0), "shares must be a sequence of numbers, one"),
    Case("shares a table", lambda: ns.Schedule([[0.5, 0.5]]), "shares must be a sequence of num"),
    Case("shares None", lambda: ns.Schedule(None), "schedule.shares must be a finite number, or"),
    Case("shares empty", lambda: ns.Schedule([]), "schedule.shares must hold at least one value"),
    Case("shares masked", lambda: ns.Schedule(MASKED), "schedule.shares must not be masked"),
    Case(
        "a share of zero",
        lambda: ns.Schedule([1.0, 0.0]),
        r"schedule.shares must be a number in \(0, 1\], got 0.0",
    ),
    Case(
        "a negative share",
        lambda: ns.Schedule([1.5, -0.5]),
        r"schedule.shares must be a number in \(0, 1\], got (1.5|-0.5)",
    ),
    Case(
        "shares of more than all",
        lambda: ns.Schedule([0.5, 0.6]),
        "schedule.shares must sum to 1, got a sum of 1.1",
    ),
    Case("a share NaN", lambda: ns.Schedule([1.0, NAN]), r"schedule.shares must be a number in"),
    Case(
        "shares of less than all",
        lambda: ns.Schedule([0.5, 0.4]),
        "schedule.shares must sum to 1, got a sum of 0.9",
    ),
    Case(
        "too many shares",
        lambda: ns.Schedule(np.full(10_001, 1 / 10_001)),
        "schedule.shares must be at most 10000, got 10001",
    ),
    Case("no steps", lambda: ns.Schedule.even(0), "steps must be an integer in 1..10000, got 0"),
    Case(
        "half a step", lambda: ns.Schedule.even(2.5), "steps must be a single integer in 1..10000"
    ),
    Case(
        "a step back",
        lambda: ns.Schedule.even(2, eta_q=-1.0),
        "schedule.eta_q must be a finite number of at least 0, got -1.0",
    ),
    Case(
        "a step too long",
        lambda: ns.Schedule.even(2, eta_w=1e7),
        "schedule.eta_w must be between 1e-15 and 1e.06 in size",
    ),
    Case(
        "three sizes for two steps",
        lambda: ns.Schedule.even(2, eta_b=[1.0, 2.0, 3.0]),
        r"schedule.eta_b must be one number, or one for each of the 2 steps, got shape \(3,\)",
    ),
    Case("kappa negative", lambda: ns.Query(-1.0, 0.5), "kappa must be a finite number"),
    Case("kappa huge", lambda: ns.Query(1e7, 0.5), "kappa must be between 0 and 1e.06 in size, or"),
    Case("kappa NaN", lambda: ns.Query(NAN, 0.5), "kappa must be a finite number"),
    Case("kappa -inf", lambda: ns.Query(-INF, 0.5), "kappa must be a finite number"),
    Case("cosine infinite", lambda: ns.Query(1.0, INF), r"cosine must be a number in \[-1, 1\]"),
    Case("cosine beyond 1", lambda: ns.Query(1.0, 1.0001), r"cosine must be a number in \[-1, 1\]"),
    Case("cosine masked", lambda: ns.Query(1.0, MASKED), "cosine must not be masked"),
    Case("pieces a number", pieces([1.0], 3), r"pieces must be a sequence of triples \(a, b, c\)"),
    Case("pieces None", pieces([1.0], None), "pieces must be a sequence of triples"),
    Case("pieces of pairs", pieces([], [(1.0, 2.0)]), "must be triples"),
    Case("pieces of words", pieces([], [("a", 0, 0)]), "pieces must be finite numbers"),
    Case("pieces NaN", pieces([], [(NAN, 0, 0)]), "needs one finite"),
    Case("pieces masked", pieces([], [np.ma.array([1.0, 0.0, 0.0])]), "pieces must not be masked"),
    Case("knots a number", pieces(1.0, [(0, 0, 0)]), "knots must be a sequence of margins"),
    Case("knots of words", pieces(["a"], [(0, 0, 0)] * 2), "knots must be finite numbers"),
    Case("knots fall", pieces([1.0, 0.0], [(0, 0, 0)] * 3), "knots must increase"),
    Case("too few pieces", pieces([1.0], [(0, 0, 0)]), "got 1 pieces for 1 knots"),
    Case("pieces apart", pieces([0.0], [(0, 0, 0), (0, 0, 1)]), "must meet at"),
    Case("pieces concave", pieces([0.0], [(0, 1, 0), (0, -1, 0)]), "must be convex"),
    Case("name a number", pieces([], [(1, 0, 0)], name=3), "the name of a loss must be a word"),
    Case("noise unknown", lambda: ns.Noise("cauchy"), "entries must be one of 'gaussian'"),
    Case("df missing", lambda: ns.Noise("student"), "df must be given"),
    Case("df low", lambda: ns.Noise("student", df=2.0), "df must be a finite number above 2"),
    Case("covariance flat", lambda: ns.Noise(covariance=[1.0]), "must be a square d × d array"),
    Case(
        "covariance masked",
        lambda: ns.Noise(covariance=np.ma.array(np.eye(2))),
        "covariance must not be masked",
    ),
    Case("correlation one", lambda: ns.Noise(token_correlation=1.0), "token_correlation must be"),
]


@pytest.mark.parametrize("cases", by_sentence(CASES))
def test_refused(cases):
    check_all(cases)
