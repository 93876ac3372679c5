"""Where a trained query looks: both samplers, other noise, and the marks of the samples."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import needlescope as ns
from needlescope.models.blocks import block_rows
from needlescope.simulation.samples.data import Tokens

COVERS = ("trial",)
TASK = ns.Task(L=10, R=2, theta=5.0, pi=0.5)
TRAINING = ns.Training(alpha0=3.0, alpha1=1.0)


def test_marks_are_the_tokens_that_carry_the_signal():
    xi = np.eye(1, 400)[0]
    y = np.where(np.arange(3 * block_rows(10, 400)) % 3 == 0, 1.0, -1.0)
    data = Tokens(ns.Task(10, 2, 100.0, 0.5), y, xi, ns.Noise(), np.random.SeedSequence(4))
    blocks = 0
    for block, marked in zip(data.blocks(), data.marks(), strict=True):
        lit = block.X[block.y > 0.0][:, :, 0] > 50.0
        assert (np.flatnonzero(lit) == np.flatnonzero(_spread(marked.tokens, 10))).all()
        blocks += 1
    assert blocks == 3


def _spread(marked, L):
    v = np.zeros((len(marked), L), bool)
    np.put_along_axis(v, marked, True, axis=1)
    return v


@pytest.fixture(scope="module")
def both():
    """The same by both samplers."""
    options = {"d": 12, "trials": 300, "n_test": 50, "n_jobs": 1}
    return [
        ns.simulate_focus(TASK, TRAINING, seed=seed, sampler=sampler, **options)
        for seed, sampler in enumerate(("tokens", "reduced"))
    ]


@pytest.mark.parametrize("name", ["signal", "noise", "largest"])
def test_tokens_and_reduced_law_agree(name, both):
    gap = getattr(both[0], name) - getattr(both[1], name)
    error = np.hypot(*(getattr(item, f"{name}_se") for item in both))
    assert abs(gap) < 4.5 * error
    assert error < 0.03


@pytest.mark.parametrize("query", [None, ns.Query(1.0, 0.6)])
def test_agrees_with_theory(query):
    result = ns.simulate_focus(TASK, TRAINING, d=600, trials=20, seed=5, query=query)
    limit = ns.focus(TASK, TRAINING, query=query)
    for name in ("signal", "noise", "largest"):
        gap = getattr(result, name) - getattr(limit, name)
        assert abs(gap) < 4.5 * getattr(result, f"{name}_se"), name


OTHER_KINDS = [
    ("hard", ns.Task(10, 2, 2.0, 0.5), None, 300),
    ("hard", ns.Task(40, 1, 4.0, 0.5), ns.Query(0.5, 0.8), 20),
    ("hard", ns.Task(5, 4, 2.0, 0.5), ns.Query(np.inf, 0.3), 20),
    ("linear", ns.Task(10, 2, 2.0, 0.5), None, 300),
    ("linear", ns.Task(6, 3, 2.0, 0.5), ns.Query(1.5, -0.5), 20),
    ("linear", ns.Task(2, 1, 3.0, 0.5), ns.Query(3.0, 0.9), 20),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("model", "task", "query", "d", "sampler"),
    [(*case, name) for case in OTHER_KINDS for name in ("tokens", "reduced")],
)
def test_other_kinds_of_attention_agree_with_theory(model, task, query, d, sampler):
    options = {"query": query, "sampler": sampler, "n_test": 2000, "n_jobs": 1}
    result = ns.simulate_focus(task, TRAINING, model, d, 20, seed=6, **options)
    limit = ns.focus(task, TRAINING, model, query=query)
    assert (result.model, limit.model) == (model, model)
    for name in ("signal", "noise", "largest"):
        gap, error = getattr(result, name) - getattr(limit, name), getattr(result, f"{name}_se")
        assert abs(gap) < 4.5 * error, name
        assert error < 0.03


def test_equal_weights_share_the_first_place():
    for sampler, model in itertools.product(("tokens", "reduced"), ("attention", "hard", "linear")):
        options = {"query": ns.Query(0.0, 0.5), "sampler": sampler, "n_test": 100}
        result = ns.simulate_focus(TASK, TRAINING, model, d=20, trials=2, **options)
        assert result.signal == pytest.approx(0.1) and result.largest == pytest.approx(0.2)


def test_other_noise_and_more_steps_go_through_tokens():
    noise = ns.Noise("rademacher")
    result = ns.simulate_focus(
        TASK, TRAINING.replace(query_steps=2), d=60, trials=3, noise=noise, n_test=200
    )
    assert result.trials["signal"].shape == (3,)
    assert 2 * result.signal + 8 * result.noise == pytest.approx(1.0)
    assert result.largest > 0.5


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match=r"n_test must be an integer in 1\.\."):
        ns.simulate_focus(TASK, TRAINING, n_test=0)
