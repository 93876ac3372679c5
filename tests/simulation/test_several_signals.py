"""Several signals in simulation: who carries what, and what a test makes of it."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.simulation.error.attention import ScoreLaw, attention_error
from needlescope.simulation.samples.data import tokens
from needlescope.simulation.training.reduced import beside

TASK = ns.Task(L=6, R=2, theta=3.0, pi=0.5, signals=(0.2, 0.8))
QUERY = ns.Query(1.5, cosines=(0.7, 0.5))
TRAINING = ns.Training(alpha1=2.0)


def simulate(task=TASK, model="attention", **options):
    given = {"d": 24, "trials": 12, "seed": 5, "n_jobs": 1} | options
    query = QUERY if model == "attention" else None
    return ns.simulate(task, TRAINING, model, query=query, **given)


def test_all_tokens_of_a_positive_carry_one_signal_by_its_weight():
    loud, xi = TASK.replace(theta=1e3), np.eye(2, 8)
    data = tokens(loud, 4000, xi, ns.Noise(), np.random.SeedSequence(1))
    counts = np.zeros(2)
    for block in data.blocks():
        carried = (block.X @ xi.T > 500.0).sum(axis=1)  # tokens of each sample with each signal
        assert set(map(tuple, carried[block.y < 0.0].tolist())) <= {(0, 0)}
        assert set(map(tuple, carried[block.y > 0.0].tolist())) <= {(2, 0), (0, 2)}
        counts += carried.sum(axis=0) / 2
    share = counts[0] / counts.sum()
    assert abs(share - 0.2) < 4.0 * np.sqrt(0.16 / counts.sum())


@pytest.mark.parametrize("cosines", [(0.0, 0.0), (0.6, 0.8), (0.3, -0.2, 0.5)])
def test_what_is_left_beside_a_query_has_the_right_products(cosines):
    rows = beside(cosines)
    expected = np.eye(len(cosines)) - np.outer(cosines, cosines)
    np.testing.assert_allclose(rows @ rows.T, expected, atol=1e-14)


def test_signals_that_do_the_same_are_one_to_the_test_error():
    several, item = ScoreLaw(1.5, [0.9, 0.9], [2.0, 2.0], 0.5, 1.0, -1.0), (1.5, 0.9, 2.0)
    errors = [
        attention_error(task, at, ns.Noise(), np.random.default_rng(0))[0]
        for task, at in (
            (TASK, several),
            (TASK.replace(signals=None), ScoreLaw(*item, 0.5, 1.0, -1.0)),
        )
    ]
    assert errors[0] == pytest.approx(errors[1], rel=1e-12)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("model", "sampler"),
    [
        ("attention", "tokens"),
        ("attention", "reduced"),
        ("pooled", "reduced"),
        ("vectorized", "reduced"),
    ],
)
def test_mistakes_are_as_many_as_the_integral_says(model, sampler):
    exact, counted = (
        simulate(model=model, sampler=sampler, test=test, n_test=4000)
        for test in ("exact", "sampled")
    )
    gap = exact.trials["test_error"] - counted.trials["test_error"]  # of the same classifiers
    doubt = np.sqrt(exact.test_error * (1.0 - exact.test_error) / 4000)
    assert abs(gap.mean()) < 4.0 * doubt / np.sqrt(len(gap))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", ["attention", "pooled", "vectorized"])
def test_the_two_samplers_agree(model):
    made, drawn = (simulate(model=model, sampler=item) for item in ("tokens", "reduced"))
    for name in ("test_error", "signal", "norm", "rest", "train_loss"):
        gap = getattr(made, name) - getattr(drawn, name)
        assert abs(gap) < 4.5 * np.hypot(getattr(made, f"{name}_se"), getattr(drawn, f"{name}_se"))
    for k in range(2):
        gap = made.signals[k] - drawn.signals[k]
        assert abs(gap) < 4.5 * np.hypot(made.signals_se[k], drawn.signals_se[k])


def test_given_vectors_are_the_signals():
    vectors = np.array([[3.0, 0.0], [0.0, -2.0]]) @ np.eye(2, 24)  # of any length
    result = simulate(signal=vectors, trials=2)
    assert result.signals[1] > 0.0 and result.alignment.cosine_q == pytest.approx(result.cosine_q)
    assert result.cosine_q == pytest.approx(QUERY.toward(TASK.mean_signal))
    assert result.trials["signals_1"].mean() == pytest.approx(result.signals[0])


def test_a_single_weight_is_one_signal_to_the_last_bit():
    query = ns.Query(1.5, 0.7)
    item, other = (
        ns.simulate(task, TRAINING, d=20, trials=2, query=query, n_jobs=1)
        for task in (TASK.replace(signals=(1.0,)), TASK.replace(signals=None))
    )
    np.testing.assert_array_equal(item.trials["test_error"], other.trials["test_error"])
    assert "signals_1" not in item.trials
