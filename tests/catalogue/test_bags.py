"""Random numbers of signal tokens and label noise: what is none, and who knows neither."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from tests.catalogue.refusals import Case, check

TASK = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
TRAINING = ns.Training(alpha0=4.0, alpha1=1.0)
COUNT = ns.SignalCount([1, 2])
RANDOM, NOISY = TASK.replace(R=COUNT), TASK.replace(label_noise=0.1)
ONE_COUNT = r"a fixed number of signal tokens, got R=SignalCount\(.*; give R=2, near its mean"
CLEAN = r"supports only tasks without label noise, got label_noise=0\.1; leave it out"
PLACES = ns.Positions([(0, 1), (2, 3)])


def counts(*given):
    return lambda: ns.SignalCount(*given)


def flips(share):
    return lambda: TASK.replace(label_noise=share)


PLAIN_ONLY = (
    (ns.bayes_optimal, (1.0,)),
    (ns.bayes_threshold, (1.0, 0.1)),
    (ns.phase_boundaries, ()),
    (ns.state_evolution, (1.0,)),
    (ns.oracle_threshold, ("pooled", 0.1)),
    (ns.simulate_amp, (1.0,)),
    (ns.simulate_deep, (1.0,)),
    (ns.sensitivity, (TRAINING,)),
    (ns.tune, (4.0,)),
    (ns.compare, (4.0,)),
)
CASES = [
    Case("no counts", counts([]), r"SignalCount.values must be an integer, .* got \[\]"),
    Case("a number", counts(3), "SignalCount.values must be a sequence of whole numbers, got 3"),
    Case("half a token", counts([1.5]), "SignalCount.values must be an integer"),
    Case("fewer than none", counts([-1, 2]), r"SignalCount.values must be an integer in 0\.\."),
    Case("a table of counts", counts([[1, 2]]), "must be a flat sequence of at most 200"),
    Case("too many counts", counts(range(300)), "must be a flat sequence of at most 200"),
    Case("a count twice", counts([1, 1]), "SignalCount.values must be distinct"),
    Case("no signal ever", counts([0]), "must hold a number above 0 of positive probability"),
    Case(
        "no signal that occurs",
        counts([0, 1], [1.0, 0.0]),
        "must hold a number above 0 of positive probability",
    ),
    Case("a chance for two", counts([1, 2], [1.0]), "one entry for each of the 2 values"),
    Case("chances of 0.9", counts([1, 2], [0.5, 0.4]), "must sum to 1, got a sum of 0.9"),
    Case("a negative chance", counts([1, 2], [1.5, -0.5]), r"must be a number in \[0, 1\]"),
    Case("a word for chances", counts([1, 2], "ab"), "must be a sequence of probabilities"),
    Case(
        "masked counts",
        counts(np.ma.array([1, 2], mask=[True, False])),
        "SignalCount.values must not be masked",
    ),
    *(
        Case(f"binomial {given!r}", lambda given=given: ns.SignalCount.binomial(*given), says)
        for given, says in (
            ((0, 0.5), r"L must be an integer in 1\.\."),
            ((10, 0.0), r"p must be a number in \(0, 1\)"),
            ((10, 1.0), r"p must be a number in \(0, 1\)"),
            ((10, [0.1, 0.2]), "p must be a single number"),
            ((10, 0.5, 2), r"at_least must be an integer in 0\.\.1"),
            ((10**6, 0.5), "takes more than 200 values; .* take R=500000"),
            ((10**9, 0.5), "takes more than 200 values; .* take R=500000000"),
        )
    ),
    Case("more than L", lambda: TASK.replace(L=[5, 1], R=COUNT), "in 0..L, got 2 with L=1"),
    Case(
        "a random count at given places",
        lambda: TASK.replace(R=COUNT, positions=PLACES),
        "positions must be 'uniform' with a random number of signal tokens",
    ),
    Case("half of all labels", flips(0.5), r"label_noise must be a number in \[0, 0\.5\), got 0.5"),
    Case("a negative share", flips(-0.1), r"label_noise must be a number in \[0, 0\.5\)"),
    Case("a negative share of a pair", flips((0.1, -0.1)), r"label_noise must be a number in"),
    Case("three shares", flips((0.1, 0.1, 0.1)), r"or a pair of them.* got an array of shape \(3,"),
    Case("a word", flips("much"), "label_noise must be a finite number"),
    *(
        Case(f"{call.__name__} of {what}", lambda a=(call, task, more): a[0](a[1], *a[2]), says)
        for what, task, says in (("a random R", RANDOM, ONE_COUNT), ("label noise", NOISY, CLEAN))
        for call, more in PLAIN_ONLY
    ),
    Case(
        "training_threshold of a random R",
        lambda: ns.training_threshold(RANDOM, TRAINING, 0.1),
        ONE_COUNT,
    ),
    Case("vectorized oracle of a random R", lambda: ns.oracle(RANDOM, "vectorized"), ONE_COUNT),
    Case(
        "Bayes error of many random tokens",
        lambda: ns.oracle(ns.Task(500, ns.SignalCount([1, 20]), 3.0, 0.5), "bayes"),
        "at most 12 signal tokens where L is above 128, got R up to 20 with L=500",
    ),
    Case(
        "a plan for a random R",
        lambda: ns.plan(L=10, R=COUNT, theta=5.0, d=100, error=0.1, learner="attention"),
        "plan supports only a fixed number of signal tokens, got R=SignalCount",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_refusal(case):
    check(case)
