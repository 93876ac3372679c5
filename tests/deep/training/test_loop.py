"""One training: it learns, stops, keeps its best weights, and repeats itself to the bit."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from needlescope.deep.architectures.solvable import Solvable
from needlescope.deep.architectures.transformer import Transformer
from needlescope.deep.training import defaults
from needlescope.deep.training.loop import (
    Hyperparameters,
    LoopOptions,
    Model,
    Run,
    Split,
    mean_loss,
    train,
)
from tests.deep.training.toy import samples

COVERS = ("defaults",)
SPLIT = Split(torch.arange(12, 60), torch.arange(12))


OPTIONS = LoopOptions(epochs=30, patience=5, batch=16)


def trained(options=OPTIONS, rate=0.05, seed=0):
    setting = Hyperparameters(rate, 1.0)
    run, some = Run(setting), samples()
    model = Model.begin(Solvable(4), setting)
    epochs = []
    train(model, some, SPLIT, options, run, seed, lambda run, model: epochs.append(run.epoch))
    return model.network, run, some, epochs


def test_the_best_weights_are_kept():
    network, run, some, _ = trained(LoopOptions(epochs=500, patience=5, batch=16), rate=0.5)
    assert run.best_epoch < run.epoch  # others came after
    assert mean_loss(network, some, SPLIT.held_out) == run.least < 0.7 * run.history[0]
    assert run.least == min(run.history) == run.history[run.best_epoch]


def test_it_is_told_of_every_epoch_from_the_start_on():
    _, run, _, epochs = trained()
    assert epochs == list(range(run.epoch + 1)) and len(run.history) == run.epoch + 1


def test_it_ends_when_it_has_waited_long_enough():
    _, run, _, _ = trained(LoopOptions(epochs=500, patience=5, batch=16), rate=0.5)
    assert run.epoch == run.best_epoch + 5 < 500
    _, run, _, _ = trained(LoopOptions(epochs=3, patience=5, batch=16), rate=1e-4)
    assert run.epoch == 3


def test_one_that_has_learned_nothing_yet_is_given_more():
    options, still, fallen = LoopOptions(epochs=500, patience=5), [0.7, *[0.71] * 99], [0.7, 0.5]
    assert not Run(Hyperparameters(0.1, 1.0), still).ended(options)
    assert Run(Hyperparameters(0.1, 1.0), [*still, 0.71]).ended(options)
    assert not Run(Hyperparameters(0.1, 1.0), fallen + [0.51] * 4).ended(options)
    assert Run(Hyperparameters(0.1, 1.0), fallen + [0.51] * 5).ended(options)


def test_the_same_seed_gives_the_same_bits_and_another_does_not():
    item, again, other = (trained(seed=seed)[1].history for seed in (0, 0, 1))
    assert item == again != other


@pytest.mark.filterwarnings("ignore")
def test_a_loss_that_is_no_number_is_a_divergence():
    some = samples()
    some.table[100] = torch.inf
    setting, options = Hyperparameters(0.1, 1.0), LoopOptions(epochs=4, batch=16)
    run = Run(setting)
    train(Model.begin(Solvable(4), setting), some, SPLIT, options, run, 0)
    assert run.diverged and run.least == math.inf and run.epoch < 4


def test_weights_decay_and_biases_and_norms_do_not():
    network = Transformer(4, 8, 2, depth=1)
    before = {name: item.detach().clone() for name, item in network.named_parameters()}
    model = Model.begin(network, Hyperparameters(0.1, 3.0))
    for parameter in network.parameters():
        parameter.grad = torch.zeros_like(parameter)
    model.adam.step()
    norms = {n for n, part in network.named_modules() if isinstance(part, nn.LayerNorm)}
    for name, parameter in network.named_parameters():
        free = name.endswith("bias") or name.rpartition(".")[0] in norms
        torch.testing.assert_close(parameter.detach(), before[name] * (1.0 if free else 0.7))


def test_a_weight_of_two_stands_for_two_samples():
    some, twice = samples(n=4), samples(n=4)
    twice.weight[1] = 2.0
    network = Solvable(4)
    network.readout.data.fill_(0.3)
    repeated = mean_loss(network, some, torch.tensor([0, 1, 1, 2, 3]))
    assert mean_loss(network, twice, torch.arange(4)) == pytest.approx(repeated, rel=1e-9)


def test_every_epoch_has_all_samples_in_an_order_of_its_own(monkeypatch):
    some, seen = samples(), []
    whole = some.batch
    monkeypatch.setattr(some, "batch", lambda rows: seen.append(rows.tolist()) or whole(rows))
    run, options = Run(Hyperparameters(0.01, 1.0)), LoopOptions(epochs=2, batch=16)
    train(Model.begin(Solvable(4), run.setting), some, SPLIT, options, run, 0)
    # 48 samples in three batches, and those held out before and between
    epochs = [[row for batch in seen[k : k + 3] for row in batch] for k in (1, 5)]
    assert [sorted(epoch) for epoch in epochs] == [SPLIT.train.tolist()] * 2
    assert epochs[0] != epochs[1]


def test_training_is_described_by_numbers_that_make_sense():
    assert all(0.0 < rate < 1.0 for rate in defaults.RATES)
    assert all(decay >= 0.0 for decay in defaults.DECAYS)
    assert 0 < defaults.PATIENCE < defaults.EPOCHS
