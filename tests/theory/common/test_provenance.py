"""What a number rests on: our derivation, a conjecture, or a formula or search beyond them."""

from __future__ import annotations

import pytest

import needlescope as ns
from needlescope.paper import conjectured, derived

TASK = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
TRAINING = ns.Training(alpha0=4.0, alpha1=1.0)
BALANCED = TRAINING.replace(balanced=True)
PLACED = ns.Task(L=3, R=1, theta=2.0, pi=0.5, positions=ns.Positions([(0,), (1,)]))
OWN = ns.PiecewiseQuadratic([], [(2.0, -2.0, 1.0)], name="twice the square")
ROUGH = {"tol": 1e-2}


@pytest.mark.parametrize(
    ("call", "provenance"),
    [
        (lambda: ns.predict(TASK, TRAINING, **ROUGH), derived("theorem 4")),
        (lambda: ns.predict(TASK, TRAINING, "pooled"), derived("theorem 5")),
        (lambda: ns.predict(TASK, TRAINING, "vectorized"), derived("theorem 5")),
        (
            lambda: ns.predict(PLACED, TRAINING, "vectorized"),
            f"formula: {derived('theorem 5')}, with given positions",
        ),
        (
            lambda: ns.predict(TASK, TRAINING, "pooled", test_task=TASK.replace(L=20)),
            f"formula: {derived('theorem 5')}, tested on another task",
        ),
        (
            lambda: ns.predict(TASK, TRAINING.replace(loss=OWN), "pooled"),
            f"formula: {derived('theorem 5')}, with a loss of one's own",
        ),
        (
            lambda: ns.predict(TASK, BALANCED, **ROUGH),
            f"formula: {derived('theorem 4')}, with balanced slopes",
        ),
        (
            lambda: ns.predict(TASK, BALANCED, query=ns.Query(1.0, 0.9), **ROUGH),
            derived("theorem 4"),
        ),
        (lambda: ns.predict(TASK, BALANCED, "pooled"), derived("theorem 5")),
        (lambda: ns.align(TASK, TRAINING), derived("theorem 3", "corollary 1")),
        (
            lambda: ns.align(TASK, BALANCED),
            f"formula: {derived('theorem 3', 'corollary 1')}, with balanced slopes",
        ),
        (
            lambda: ns.align(TASK, TRAINING.replace(loss=OWN)),
            f"formula: {derived('theorem 3', 'corollary 1')}, with a loss of one's own",
        ),
        (lambda: ns.focus(TASK, TRAINING, **ROUGH), "formula: exact law of the attention weights"),
        (lambda: ns.asymptote(TASK, "pooled"), derived("corollary 2")),
        (lambda: ns.capacity(TASK, "pooled"), conjectured("conjecture 1")),
        (lambda: ns.oracle(TASK, "pooled"), derived("proposition 1")),
        (
            lambda: ns.oracle(TASK, "vectorized"),
            f"search: over the weights in {derived('proposition 1')}",
        ),
        (
            lambda: ns.oracle_threshold(TASK, "pooled", 0.1),
            f"search: on {derived('proposition 1')}",
        ),
        (
            lambda: ns.training_threshold(TASK, TRAINING, 0.1, "pooled"),
            f"search: on {derived('theorem 5')}",
        ),
        (
            lambda: ns.bayes_threshold(TASK, 1.0, 0.1),
            "search: on replica-symmetric (not a theorem)",
        ),
        (lambda: ns.crossover(TASK, 1.0, **ROUGH), f"search: on {derived('corollary 2')}"),
        (
            lambda: ns.crossover(TASK, 1.0, training=TRAINING, **ROUGH),
            f"search: on {derived('theorem 4')} and {derived('theorem 5')}",
        ),
    ],
)
def test_provenance_says_which(call, provenance):
    assert call().provenance == provenance
