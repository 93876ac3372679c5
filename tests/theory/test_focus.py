"""Mean attention weights, against random numbers and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

import needlescope as ns

TRAINING = ns.Training(alpha0=4.0, alpha1=1.0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("L", "R", "theta", "kappa", "cosine"),
    [
        (10, 1, 5.0, 0.7, 0.97),
        (7, 3, 1.5, 2.0, 0.4),
        (12, 4, 3.0, 1.0, -0.5),
        (300, 2, 3.0, 1.5, 1),
    ],
)
def test_plain_random_numbers(L, R, theta, kappa, cosine):
    result = ns.focus(ns.Task(L, R, theta, 0.5), TRAINING, query=ns.Query(kappa, cosine))
    rng = np.random.default_rng(L)
    logits = kappa * (rng.standard_normal((60_000, L)) + theta * cosine * (np.arange(L) < R))
    a = np.exp(logits - logits.max(axis=1, keepdims=True))
    mass = a[:, :R].sum(axis=1) / a.sum(axis=1)
    largest = a.argmax(axis=1) < R
    error = mass.std() / np.sqrt(len(a))
    assert abs(R * result.signal - mass.mean()) < 4.5 * error
    assert result.signal_se * R < 1e-4 / 2.0
    assert abs(result.largest - largest.mean()) < 4.5 * largest.std() / np.sqrt(len(a))


def test_all_weights_add_up_to_one():
    task = ns.Task(L=9, R=4, theta=np.array([0.5, 2.0, 8.0]), pi=0.3)
    result = ns.focus(task, TRAINING)
    assert result.signal.shape == (3,)
    assert 4 * result.signal + 5 * result.noise == pytest.approx(np.ones(3), abs=1e-12)


def test_a_blind_query_looks_everywhere_alike():
    task = ns.Task(L=8, R=3, theta=4.0, pi=0.5)
    for query in (ns.Query(0.0, 0.9), ns.Query(2.0, 0.0)):
        result = ns.focus(task, TRAINING, query=query)
        assert result.signal == pytest.approx(1 / 8, abs=1e-4)
        assert result.largest == pytest.approx(3 / 8, abs=1e-12)


def test_two_tokens_have_a_closed_form():
    task = ns.Task(L=2, R=1, theta=3.0, pi=0.5)
    result = ns.focus(task, TRAINING, query=ns.Query(1.0, 0.8))
    assert result.largest == pytest.approx(ndtr(2.4 / np.sqrt(2.0)), abs=1e-12)


def test_a_sharp_query_puts_all_weight_on_the_largest():
    task = ns.Task(L=10, R=2, theta=2.0, pi=0.5)
    result = ns.focus(task, TRAINING, query=ns.Query(1e4, 0.7), tol=1e-3)
    assert abs(2 * result.signal - result.largest) < 3e-3


def test_hard_attention_is_a_sharp_query_and_knows_no_other():
    task = ns.Task(L=10, R=2, theta=2.0, pi=0.5)
    hard, endless = (
        ns.focus(task, TRAINING, model, query=ns.Query(kappa, 0.7))
        for model, kappa in (("hard", 0.3), ("attention", np.inf))
    )
    assert (hard.signal, hard.noise) == (endless.signal, endless.noise)
    assert 2 * hard.signal == hard.largest and hard.signal_se == 0.0
    blind = ns.focus(task, TRAINING, "hard", query=ns.Query(0.0, 0.7))
    assert (blind.signal, blind.largest) == (0.1, 0.2)


def test_linear_attention_is_softmax_to_first_order_in_the_query():
    task = ns.Task(L=10, R=3, theta=2.0, pi=0.5)
    slopes = [
        (ns.focus(task, TRAINING, model, query=ns.Query(1e-3, 0.6), tol=1e-7).signal - 0.1)
        for model in ("attention", "linear")
    ]
    assert slopes[0] == pytest.approx(slopes[1], rel=2e-3)
    assert slopes[1] == pytest.approx(1e-3 / 10 * 1.2 * 0.7)


def test_linear_weights_may_be_negative_and_still_add_up():
    result = ns.focus(ns.Task(5, 2, 4.0, 0.5), TRAINING, "linear", query=ns.Query(3.0, 0.9))
    assert result.noise < 0.0 < result.signal
    assert 2 * result.signal + 3 * result.noise == pytest.approx(1.0)


def test_after_a_schedule_what_is_open_about_the_query_stays_open():
    steps = TRAINING.replace(schedule=ns.Schedule.even(3))
    result = ns.focus(ns.Task(10, 1, 3.0, 0.5), steps, "hard", tol=1e-3)
    assert result.signal_se == pytest.approx(result.largest_se) and result.signal_se > 0.0


def test_linear_attention_is_not_predicted_at_a_query_without_end():
    steps = TRAINING.replace(eta_q=1e6, beta=1e3)
    with pytest.raises(ns.NotConverged, match=r"training ends at kappa above .* model='linear'"):
        ns.focus(ns.Task(10, 1, 3.0, 0.5), steps, "linear")


def test_the_query_is_the_trained_one_by_default():
    task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    result, trained = ns.focus(task, TRAINING), ns.align(task, TRAINING)
    assert (result.kappa, result.cosine_q) == (trained.kappa, trained.cosine_q)


def test_every_token_a_signal_leaves_no_noise():
    result = ns.focus(ns.Task(L=5, R=5, theta=2.0, pi=0.5), TRAINING)
    assert result.signal == 0.2 and result.largest == pytest.approx(1.0)
    assert np.isnan(result.noise)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"query": 0.9}, r"query must be a needlescope.Query\(kappa, cosine\), got 0.9"),
        ({"tol": 0.0}, "tol must be"),
        ({"training": 3}, "training must be a needlescope.Training, got 3"),
    ],
)
def test_refusals(change, sentence):
    arguments = {"task": ns.Task(4, 1, 2.0, 0.5), "training": TRAINING, **change}
    with pytest.raises(ValueError, match=sentence):
        ns.focus(**arguments)
