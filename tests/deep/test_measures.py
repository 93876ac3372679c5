"""Where a model looks and along what, against theory where there is one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import needlescope as ns
from needlescope.deep.architectures.in_order import Recurrent
from needlescope.deep.architectures.self_attention import SelfAttention
from needlescope.deep.architectures.solvable import Solvable
from needlescope.deep.measures import observe, positives, test_error
from needlescope.noise import STANDARD

test_error.__test__ = False  # it is what is tested
TASK = ns.Task(L=10, R=2, theta=3.0, pi=0.5)
XI = np.eye(20)[3]


def seed(k):
    return np.random.SeedSequence(k)


def aligned(kappa=1.2):
    """The paper's model, its query and readout along the signal."""
    network = Solvable(20)
    network.query.data[3], network.readout.data[3] = kappa, 2.0
    return network


@pytest.fixture(scope="module")
def fresh():
    return positives(TASK, 4000, XI, STANDARD, seed(0))


def test_attention_on_signal_tokens_is_what_theory_says(fresh):
    result = observe(aligned(), fresh)
    training = ns.Training(alpha0=1.0, alpha1=1.0)
    theory = ns.simulate_focus(TASK, training, query=ns.Query(1.2, 1.0), d=20, trials=4)
    assert result["attended"] == pytest.approx(2 * theory.signal, abs=0.01)
    assert result["largest"] == pytest.approx(theory.largest, abs=0.03)
    assert result["kappa"] == pytest.approx(1.2) and result["cosine_q"] == pytest.approx(1.0)
    assert result["cosine"] == pytest.approx(1.0, abs=0.01)


def test_the_map_begins_with_the_signal_and_adds_up(fresh):
    own, *others = observe(aligned(), fresh)["map"]
    assert own * 2 == pytest.approx(observe(aligned(), fresh)["attended"])
    assert 2 * own + sum(others) == pytest.approx(1.0)
    assert others == sorted(others, reverse=True) and len(others) == 8


def test_the_gradient_of_a_linear_model_is_its_readout(fresh):
    network = Solvable(20)
    network.readout.data = torch.randn(20, generator=torch.Generator().manual_seed(0))
    result, w = observe(network, fresh), network.readout.detach().numpy()
    assert result["cosine"] == pytest.approx(w[3] / np.linalg.norm(w), rel=1e-4)
    assert result["signal"] == pytest.approx(w[3] / 10, rel=1e-4)  # a mean of ten tokens


def test_the_head_that_looks_at_the_signal_is_reported(fresh):
    network = SelfAttention(20, 4, 2)
    for item in (network.W_K, network.W_Q, network.token):
        item.data.zero_()
    network.token.data[0] = network.W_Q.data[1, 0, 0] = 1.0
    network.W_K.data[1, 0, 3] = 3.0
    result = observe(network, fresh)
    assert result["attended"] > 0.8 and abs(result["cosine_q"]) == pytest.approx(1.0)


def test_what_does_not_attend_has_a_gradient_and_no_more(fresh):
    result = observe(Recurrent(20, 4), fresh)
    assert np.isfinite(result["cosine"]) and np.isnan(result["attended"]) and result["map"] == []


def test_errors_are_counted_on_fresh_samples():
    network = aligned(kappa=0.0)  # mean pooling along the signal
    network.bias.data.fill_(-2.0 * 0.5 * 3.0 * 0.2)  # half-way between the means
    exact = ns.oracle(TASK, "pooled").error
    result = test_error(network, TASK, 20_000, XI, STANDARD, seed(1))
    assert result == pytest.approx(exact, abs=4.0 * np.sqrt(exact * (1.0 - exact) / 20_000))
    assert test_error(network, TASK, 500, XI, STANDARD, seed(1)) != result


def test_several_signals_share_one_cosine():
    task = TASK.replace(signals=(0.5, 0.5))
    some = positives(task, 100, np.eye(20)[3:5], STANDARD, seed(0))
    network = Solvable(20)
    network.query.data[3:5] = torch.tensor([3.0, 4.0])
    assert observe(network, some)["cosine_q"] == pytest.approx(1.0)
