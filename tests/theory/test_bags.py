"""A random number of signal tokens, and label noise: limits, exact facts, and what adds up."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.paper import conjectured, derived

TASK = ns.Task(L=6, R=2, theta=4.0, pi=0.4)
ALMOST = TASK.replace(R=ns.SignalCount([0, 2, 5], [1e-12, 1.0 - 2e-12, 1e-12]))
MIXED = TASK.replace(R=ns.SignalCount([0, 1, 3], [0.2, 0.5, 0.3]))
TRAINING = ns.Training(alpha0=3.0, alpha1=2.0, ridge=0.05)
QUERY = ns.Query(1.2, 0.9)
MODELS = ("attention", "hard", "linear", "pooled", "vectorized")
NUMBERS = ("test_error", "train_loss", "train_error", "bias", "signal", "norm")


def given(model):
    return {} if model in ("pooled", "vectorized") else {"query": QUERY}


@pytest.mark.parametrize("model", MODELS)
def test_a_count_that_is_all_but_certain_predicts_as_that_number(model):
    result, plain = (
        ns.predict(task, TRAINING, model, tol=2e-3, **given(model)) for task in (ALMOST, TASK)
    )
    for name in NUMBERS:
        error = np.hypot(getattr(result, f"{name}_se"), getattr(plain, f"{name}_se"))
        assert abs(getattr(result, name) - getattr(plain, name)) <= 1e-9 + 3.0 * error, name


def test_a_count_that_is_all_but_certain_aligns_attends_and_separates_as_that_number():
    result, plain = (ns.align(task, TRAINING) for task in (ALMOST, TASK))
    for name in ("cosine_w", "norm_w", "cosine_q", "norm_q", "constant"):
        assert getattr(result, name) == pytest.approx(getattr(plain, name), rel=1e-9)
    steps = TRAINING.replace(schedule=ns.Schedule.even(3))
    result, plain = (ns.align(task, steps) for task in (ALMOST, TASK))
    for name in ("cosine_q", "norm_q"):
        assert getattr(result, name) == pytest.approx(getattr(plain, name), rel=1e-9)
    result, plain = (ns.focus(task, TRAINING, query=QUERY) for task in (ALMOST, TASK))
    for name in ("signal", "noise", "largest"):
        assert getattr(result, name) == pytest.approx(getattr(plain, name), rel=1e-9)
    for model in ("pooled", "linear"):
        result, plain = (ns.capacity(task, model, **given(model)) for task in (ALMOST, TASK))
        assert result.alpha == pytest.approx(plain.alpha, rel=1e-6)
        result, plain = (ns.asymptote(task, model, **given(model)) for task in (ALMOST, TASK))
        assert result.limit == pytest.approx(plain.limit, rel=1e-6)


@pytest.mark.parametrize("model", ["pooled", "linear"])
def test_symmetric_label_noise_leaves_the_limit_of_much_data_and_slows_the_way_there(model):
    """E[y|x] shrinks by 1 − 2ε wherever x is, and with it the least squares readout: same signs."""
    clean, noisy = (
        ns.asymptote(TASK.replace(label_noise=share), model, **given(model)) for share in (0, 0.2)
    )
    assert noisy.limit == pytest.approx(clean.limit, rel=1e-6)
    assert noisy.rate > 1.5 * clean.rate


@pytest.mark.parametrize("loss", ["logistic", "square"])
def test_the_first_step_sees_the_signal_less_by_the_labels_that_cancel(loss):
    training = TRAINING.replace(loss=loss)
    clean, noisy = (ns.align(TASK.replace(label_noise=share), training) for share in (None, 0.2))
    assert noisy.signal_w == pytest.approx(0.6 * clean.signal_w)


def test_with_much_data_the_cosine_approaches_one_at_the_rate_that_is_said():
    task = MIXED.replace(label_noise=(0.1, 0.2))
    result = ns.align(task, TRAINING.replace(alpha0=1e5))
    assert 1e5 * (1.0 - result.cosine_q) == pytest.approx(result.constant, rel=1e-3)


def test_labels_that_are_all_but_random_separate_up_to_two_samples_a_dimension():
    """Cover's count: half of all labellings of 2d points are linearly separable."""
    result = ns.capacity(TASK.replace(label_noise=0.4999), "pooled")
    assert result.alpha == pytest.approx(2.0, rel=1e-3)
    assert ns.capacity(TASK.replace(label_noise=0.1), "pooled").alpha < 5.0


def test_errors_against_noisy_labels_follow_from_those_against_true_ones():
    """A flipped label is wrong where the true one is right: e' = ε + (1 − 2ε) e."""
    noisy = TASK.replace(label_noise=0.2)
    training = ns.Training(alpha1=200.0, loss="square", ridge=1e-3)
    result = ns.predict(noisy, training, "pooled")
    assert result.train_error == pytest.approx(0.2 + 0.6 * result.test_error, abs=2e-3)


def test_the_test_is_against_true_labels_whatever_the_test_task_says():
    first, second = (
        ns.predict(TASK.replace(label_noise=0.1), TRAINING, "pooled", test_task=test).test_error
        for test in (TASK, TASK.replace(label_noise=0.3))
    )
    assert first == second


def test_results_say_that_they_go_beyond_the_paper():
    task = MIXED.replace(label_noise=0.1)
    both = "with a random number of signal tokens, with label noise"
    assert (
        ns.predict(task, TRAINING, "pooled").provenance
        == f"formula: {derived('theorem 5')}, {both}"
    )
    assert (
        ns.align(task, TRAINING).provenance
        == f"formula: {derived('theorem 3', 'corollary 1')}, {both}"
    )
    assert ns.capacity(task, "pooled").provenance == f"{conjectured('conjecture 1')}, {both}"
    assert ns.oracle(task, "pooled").provenance.endswith(", with a random number of signal tokens")
