"""Linear attention: softmax to first order in the query, trained by the same two steps."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import get_loss
from needlescope.models import ATTENTION, HARD, LINEAR, POOLED
from needlescope.models.blocks import Arrays
from needlescope.models.gradient import State, gradient
from needlescope.models.segments import Even, Ragged

TASK = ns.Task(L=6, R=2, theta=3.0, pi=0.4)
TRAINING = ns.Training(alpha0=3.0, alpha1=2.0, ridge=0.05)
ROWS, Q = np.random.default_rng(0).standard_normal((20, 3)), np.array([1.0, -2.0, 0.5])


@pytest.mark.parametrize("segments", [Even(5), Ragged.at(np.array([0, 3, 4, 20]))])
def test_it_agrees_with_softmax_to_first_order(segments):
    """The difference falls with the square of β, and both start as pooling."""

    def gap(beta, other):
        return np.abs(LINEAR.features(ROWS, segments, Q, beta) - other).max()

    still = POOLED.features(ROWS, segments, Q, 1.0)
    assert gap(0.0, still) < 1e-15
    gaps = [gap(beta, ATTENTION.features(ROWS, segments, Q, beta)) for beta in (1e-2, 1e-3)]
    assert 80.0 < gaps[0] / gaps[1] < 125.0
    assert gap(1e-3, still) > 100.0 * gaps[1]


def test_the_order_of_tokens_does_not_matter():
    rng = np.random.default_rng(1)
    X = ROWS.reshape(4, 5, 3)
    turned = X[:, rng.permutation(5)]
    for model in (ATTENTION, LINEAR, HARD):
        item, other = (model.features(x.reshape(-1, 3), Even(5), Q, 2.0) for x in (X, turned))
        assert other == pytest.approx(item, abs=1e-12)


def test_weights_are_those_of_the_features():
    weights = LINEAR.weigh((2.0 * ROWS @ Q).reshape(4, 5), 1)
    assert weights.sum(axis=1) == pytest.approx(np.ones(4))
    mixed = np.einsum("nl,nld->nd", weights, ROWS.reshape(4, 5, 3))
    assert LINEAR.features(ROWS, Even(5), Q, 2.0) == pytest.approx(mixed, abs=1e-12)


def test_the_step_from_zero_is_that_of_softmax():
    """By differences of its own score in q, against the gradient that training takes."""
    y, w, beta = np.array([1.0, -1.0, -1.0, 1.0]), np.array([0.3, 1.0, -0.7]), 1.5
    loss = get_loss("logistic")
    data = Arrays(ROWS.reshape(4, 5, 3), y)

    def mean_loss(q):
        return loss.value(LINEAR.features(ROWS, Even(5), q, beta) @ w + 0.2, y).mean()

    slope = [(mean_loss(1e-5 * e) - mean_loss(-1e-5 * e)) / 2e-5 for e in np.eye(3)]
    state = State(np.zeros(3), w, 0.2)
    assert gradient(data, state, loss, beta).q == pytest.approx(slope, abs=1e-8)


def told(model, kappa, **more):
    query = {} if kappa is None else {"query": ns.Query(kappa, 0.8)}
    return ns.predict(TASK, TRAINING, model, tol=1e-4, **query, **more).test_error


def test_theory_starts_as_pooling_and_moves_as_softmax_does():
    pooled = told("pooled", None)
    assert told("linear", 0.0) == pytest.approx(pooled, abs=1e-9)
    moves = {model: told(model, 0.02) - pooled for model in ("linear", "attention")}
    assert moves["linear"] < -1e-3
    assert moves["attention"] == pytest.approx(moves["linear"], rel=0.05)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("test", ["exact", "sampled"])
def test_samplers_agree(test):
    asked = {"d": 30, "trials": 40, "seed": 3, "n_jobs": 1, "test": test, "n_test": 4000}
    tokens, law = (
        ns.simulate(TASK, TRAINING, "linear", sampler=item, **asked)
        for item in ("tokens", "reduced")
    )
    for name in ("test_error", "train_loss", "signal", "norm", "query_part", "rest"):
        error = np.hypot(getattr(tokens, f"{name}_se"), getattr(law, f"{name}_se"))
        assert abs(getattr(tokens, name) - getattr(law, name)) < 4.5 * error, name


def test_weights_of_very_different_sizes_are_solved():
    """Where ‖a‖² spans six decades, Newton's step for the square loss ran to infinity."""
    task = ns.Task(L=18, R=3, theta=50.0, pi=0.9976)
    training = ns.Training(alpha1=1.399, loss="squared_hinge", ridge=1e-8)
    result = ns.predict(task, training, "linear", query=ns.Query(50.0, -1.0), tol=5e-3)
    assert result.residual <= 1e-8 and 0.0 <= result.test_error <= 0.5


def test_what_it_cannot_do_is_refused():
    with pytest.raises(ValueError, match="kappa must be finite with model='linear'"):
        ns.predict(TASK, TRAINING, "linear", query=ns.Query([1.0, np.inf], 0.5))
    with pytest.raises(ValueError, match="query_steps must be 1 with model='linear', got 2"):
        ns.simulate(TASK, TRAINING.replace(query_steps=2), "linear", 10)
    with pytest.raises(ValueError, match="starts=1 trains a softmax end to end"):
        ns.simulate(TASK, TRAINING, "linear", 10, starts=1)
    given = {"query": ns.Query(1.0, 0.5)}  # then no query is trained, by however many steps
    ns.simulate(TASK, TRAINING.replace(query_steps=2), "linear", 10, 2, n_jobs=1, **given)
