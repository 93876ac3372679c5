"""Random numbers of signal tokens and label noise, as they are drawn, trained on and tested."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.noise import STANDARD
from needlescope.simulation.error.linear import pooled_error, vectorized_error
from needlescope.simulation.oracle import log_ratio
from needlescope.simulation.samples.data import marks, signal_tokens, tokens

COUNT = ns.SignalCount([0, 1, 3], [0.2, 0.5, 0.3])
TASK = ns.Task(L=5, R=COUNT, theta=3.0, pi=0.4, label_noise=(0.3, 0.1))
TRAINING = ns.Training(alpha0=3.0, alpha1=2.0)
SEARCHED = ("attention", "linear")
SEED = np.random.SeedSequence(1)


def within(found, expected, n, widths=4.0):
    """A share of n draws is as expected."""
    assert abs(found - expected) < widths * np.sqrt(expected * (1.0 - expected) / n)


def test_tokens_follow_true_labels_and_blocks_hand_out_flipped_ones():
    n, d = 4000, 3
    task, xi = TASK.replace(theta=1000.0), np.eye(1, d)[0]
    data = tokens(task, n, xi, STANDARD, SEED)
    truth = data.true_labels
    result = np.concatenate([(block.X[:, :, 0] > 500.0).sum(axis=1) for block in data.blocks()])
    assert np.concatenate([block.y for block in data.blocks()]).tolist() == data.y.tolist()
    assert not result[truth < 0.0].any()
    positive = truth > 0.0
    for value, chance in zip(COUNT.values, COUNT.probabilities, strict=True):
        within((result[positive] == value).mean(), chance, positive.sum())
    within((data.y != truth)[positive].mean(), 0.3, positive.sum())
    within((data.y != truth)[~positive].mean(), 0.1, (~positive).sum())


def test_marks_say_where_the_signal_is():
    data = tokens(TASK.replace(theta=1000.0), 300, np.eye(1, 3)[0], STANDARD, SEED)
    for block, marked in zip(data.blocks(), data.marks(), strict=True):
        positive = np.flatnonzero(data.true_labels[block.rows] > 0.0)
        owner, token = marked.pairs
        expected = np.zeros(block.X.shape[:2], bool)
        expected[positive[owner], token] = True
        assert ((block.X[:, :, 0] > 500.0) == expected).all()


def test_random_subsets_are_uniform():
    marked = marks(TASK, 20_000, np.random.default_rng(0))
    owner, token = marked.pairs
    size = np.bincount(owner, minlength=20_000)
    for value in (1, 3):
        some = size[owner] == value
        share = np.bincount(token[some], minlength=5) / (size == value).sum()
        for item in share:
            within(item, value / 5, (size == value).sum())
    assert marked.total(np.ones(marked.tokens.shape)).tolist() == size.tolist()


def test_clean_labels_and_a_fixed_number_draw_nothing():
    task, rng = ns.Task(5, 2, 3.0, 0.4), np.random.default_rng(0)
    before = rng.bit_generator.state
    assert signal_tokens(task, np.array([1.0, -1.0]), rng).tolist() == [2, 0]
    data = tokens(task, 10, np.eye(1, 3)[0], STANDARD, SEED)
    assert rng.bit_generator.state == before and data.y is data.truth


@pytest.mark.parametrize("model", ["attention", "pooled", "vectorized"])
@pytest.mark.parametrize("sampler", ["tokens", "reduced"])
def test_errors_that_are_counted_are_those_that_are_integrated(model, sampler):
    """Against true labels, both: with the training labels of the task a fifth would differ."""
    how = {"d": 20, "trials": 4, "seed": 3, "sampler": sampler, "n_jobs": 1}
    exact, counted = (
        ns.simulate(TASK, TRAINING, model, test=test, n_test=20_000, **how).trials
        for test in ("exact", "sampled")
    )
    error = np.hypot(exact["test_error_numeric"], counted["test_error_numeric"])
    assert (np.abs(exact["test_error"] - counted["test_error"]) < 4.5 * error).all()


def test_correlated_tokens_have_marks_for_each_number():
    noise = ns.Noise(token_correlation=0.5)
    how = {"d": 12, "trials": 3, "seed": 3, "noise": noise, "n_jobs": 1}
    exact, counted = (
        ns.simulate(TASK, TRAINING, test=test, n_test=20_000, **how).trials
        for test in ("exact", "sampled")
    )
    error = np.hypot(exact["test_error_numeric"], counted["test_error_numeric"])
    assert (np.abs(exact["test_error"] - counted["test_error"]) < 4.5 * error).all()


def test_linear_errors_are_mixtures_of_those_of_each_number():
    rng, signals = np.random.default_rng(0), np.array([0.4, 0.1, 0.3, 0.2, 0.5])
    bare = TASK.replace(theta=0.0, R=1)  # a positive without a signal
    parts = [bare, TASK.replace(R=1), TASK.replace(R=3)]
    pooled = [pooled_error(part, 0.7, 1.0, -0.3, STANDARD) for part in parts]
    assert pooled_error(TASK, 0.7, 1.0, -0.3, STANDARD) == pytest.approx(
        np.dot(COUNT.probabilities, pooled)
    )
    flat = [vectorized_error(part, signals, 1.0, -0.3, rng)[0] for part in parts]
    result, numeric = vectorized_error(TASK, signals, 1.0, -0.3, rng)
    assert result == pytest.approx(np.dot(COUNT.probabilities, flat)) and numeric == 0.0


def test_the_likelihood_ratio_is_a_mixture_over_the_number():
    x = np.random.default_rng(0).standard_normal((4, 5)).astype(np.float32)
    parts = [np.zeros(4), *(log_ratio(TASK.replace(R=R), x) for R in (1, 3))]
    expected = np.log(np.array(COUNT.probabilities) @ np.exp(parts))
    assert log_ratio(TASK, x) == pytest.approx(expected)


@pytest.mark.parametrize(
    "model",
    [
        *("pooled", "hard", "bayes"),
        *(pytest.param(item, marks=pytest.mark.slow) for item in SEARCHED),
    ],
)
def test_simulated_oracles_of_a_random_number_reach_the_least_error(model):
    limit = ns.oracle(TASK, model, tol=2e-3)
    result = ns.simulate_oracle(TASK, model, samples=20_000, trials=6, seed=4, n_jobs=1)
    error = np.hypot(result.error_se, limit.error_se)
    assert abs(result.error - limit.error) < 4.5 * error
