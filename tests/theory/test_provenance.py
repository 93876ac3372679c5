"""What a number rests on: which theorem or conjecture, or a formula or search that goes beyond."""

from __future__ import annotations

import pytest

import needlescope as ns

TASK = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
TRAINING = ns.Training(alpha0=4.0, alpha1=1.0)
BALANCED = TRAINING.replace(balanced=True)
PLACED = ns.Task(L=3, R=1, theta=2.0, pi=0.5, positions=ns.Positions([(0,), (1,)]))
OWN = ns.PiecewiseQuadratic([], [(2.0, -2.0, 1.0)], name="twice the square")
ROUGH = {"accuracy": 1e-2}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (lambda: ns.predict(TASK, TRAINING, **ROUGH), "theorem 4"),
        (lambda: ns.predict(TASK, TRAINING, "pooled"), "theorem 5"),
        (lambda: ns.predict(TASK, TRAINING, "vectorized"), "theorem 5"),
        (
            lambda: ns.predict(PLACED, TRAINING, "vectorized"),
            "formula: theorem 5 with given positions",
        ),
        (
            lambda: ns.predict(TASK, TRAINING, "pooled", test_task=TASK.replace(L=20)),
            "formula: theorem 5 tested on another task",
        ),
        (
            lambda: ns.predict(TASK, TRAINING.replace(loss=OWN), "pooled"),
            "formula: theorem 5 with a loss of one's own",
        ),
        (lambda: ns.predict(TASK, BALANCED, **ROUGH), "formula: theorem 4 with balanced slopes"),
        (lambda: ns.predict(TASK, BALANCED, query=ns.Query(1.0, 0.9), **ROUGH), "theorem 4"),
        (lambda: ns.predict(TASK, BALANCED, "pooled"), "theorem 5"),
        (lambda: ns.align(TASK, TRAINING), "theorem 3, corollary 1"),
        (
            lambda: ns.align(TASK, BALANCED),
            "formula: theorem 3, corollary 1 with balanced slopes",
        ),
        (
            lambda: ns.align(TASK, TRAINING.replace(loss=OWN)),
            "formula: theorem 3, corollary 1 with a loss of one's own",
        ),
        (lambda: ns.focus(TASK, TRAINING, **ROUGH), "formula: exact law of the attention weights"),
        (lambda: ns.asymptote(TASK, "pooled"), "corollary 2"),
        (lambda: ns.capacity(TASK, "pooled"), "conjecture 1"),
        (lambda: ns.oracle(TASK, "pooled"), "proposition 1"),
        (lambda: ns.oracle(TASK, "vectorized"), "search: over the weights of proposition 1"),
        (lambda: ns.detection_threshold(TASK, "pooled", 0.1), "search: on proposition 1"),
        (lambda: ns.training_threshold(TASK, TRAINING, 0.1, "pooled"), "search: on theorem 5"),
        (
            lambda: ns.learning_threshold(TASK, 1.0, 0.1),
            "search: on replica-symmetric (not a theorem)",
        ),
        (lambda: ns.crossover(TASK, 1.0, **ROUGH), "search: on corollary 2"),
        (
            lambda: ns.crossover(TASK, 1.0, training=TRAINING, **ROUGH),
            "search: on theorem 4 and theorem 5",
        ),
    ],
)
def test_provenance_says_which(found, said):
    assert found().provenance == said
