"""The learning rate and the decay that do best on samples held out."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from needlescope import NotConverged
from needlescope.deep.architectures.solvable import Solvable
from needlescope.deep.training.loop import Hyperparameters, LoopOptions, mean_loss
from needlescope.deep.training.selection import hold_out, select_setting
from tests.deep.training.toy import samples

OPTIONS = LoopOptions(epochs=6, patience=6, batch=16)


def selected(rates, decays=(1.0,), **more):
    some = samples()
    settings = [Hyperparameters(rate, decay) for rate in rates for decay in decays]
    split = hold_out(some.y.numpy())
    return (
        select_setting(lambda: Solvable(4), some, split, OPTIONS, settings, 0, **more),
        some,
        split,
    )


def test_samples_held_out_decide():
    result, some, split = selected([1e-5, 0.05, 1e-3])
    assert result.run is result.runs[1]
    assert mean_loss(result.network, some, split.held_out) == result.run.least


def test_settings_may_differ_in_decay():
    result, _, _ = selected([0.05], [300.0, 1.0])
    assert [run.setting.decay for run in result.runs] == [300.0, 1.0]
    assert result.run is result.runs[1]


def test_small_scores_with_better_signs_win():
    """Their loss is larger, and less once they are calibrated."""
    some = samples()
    split, sizes = hold_out(some.y.numpy()), iter([1e-3, 3.0])

    def build():
        network, size = Solvable(4), next(sizes)
        network.query.data[0] = 2.0
        network.readout.data[0] = size
        network.readout.data[1:] = 0.0 if size < 1.0 else 2.0
        return network

    still = [Hyperparameters(1e-12, 0.0)] * 2
    result = select_setting(build, some, split, OPTIONS._replace(epochs=1), still, 0)
    assert result.run is result.runs[0] and result.run.least > 0.6


def test_rates_do_not_know_of_each_other():
    alone, _, _ = selected([0.05])
    among, _, _ = selected([1e-3, 0.05])
    assert alone.run.history == among.run.history


def test_scores_start_at_the_odds_of_a_positive():
    result, some, split = selected([1e-3])
    share = float((some.y[split.train] > 0).double().mean())
    entropy = -np.mean(
        np.where(some.y[split.held_out].numpy() > 0, math.log(share), math.log(1.0 - share))
    )
    assert result.run.history[0] == pytest.approx(entropy, rel=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_a_rate_that_diverges_is_out_and_if_all_do_so_is_said():
    result, _, _ = selected([0.05, 1e30])
    assert result.diverged == 1 and result.run.setting.rate == 0.05
    with pytest.raises(NotConverged, match=r"diverged at every learning rate, 1e\+30, 1e\+35: "):
        selected([1e30, 1e35])


def test_it_is_watched_at_powers_of_two():
    result, _, _ = selected([0.01], watch=lambda network: float(network.readout.detach().norm()))
    assert sorted(result.run.seen) == [0, 1, 2, 4] and result.run.seen[0] == 0.0


@pytest.mark.parametrize("n", [1, 2, 3, 9, 50])
def test_a_fifth_of_each_class_is_held_out(n):
    y = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    known, held = hold_out(y)
    if n > 3:
        for sign in (-1.0, 1.0):
            count = int((y == sign).sum())
            assert (y[held.numpy()] == sign).sum() == -(-count // 5)
        assert sorted([*known.tolist(), *held.tolist()]) == list(range(n))
    assert len(known) and len(held)


def test_a_class_of_one_sample_is_trained_on():
    known, held = hold_out(np.array([1.0, -1.0, -1.0, -1.0]))
    assert 0 in known and 0 not in held
    assert torch.equal(hold_out(np.array([1.0])).held_out, torch.tensor([0]))
