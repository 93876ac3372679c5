"""Batches of samples."""

from __future__ import annotations

import numpy as np
import torch

from needlescope.deep.architectures.solvable import Solvable
from needlescope.deep.training import samples as room
from needlescope.deep.training.samples import Samples, scores


def ragged():
    table = np.arange(24.0).reshape(8, 3)
    return Samples(table, np.array([0, 3, 4, 8]), np.array([1.0, -1.0, 1.0]), np.ones(3))


def test_samples_of_several_lengths_are_filled_up():
    X, mask = ragged().batch(torch.tensor([2, 1]))
    assert X.shape == (2, 4, 3) and mask.sum(dim=1).tolist() == [4, 1]
    np.testing.assert_array_equal(X[0].numpy(), np.arange(12.0, 24.0).reshape(4, 3))
    np.testing.assert_array_equal(X[1, 0].numpy(), [9.0, 10.0, 11.0])
    assert (X[1, 1:] == 0.0).all()


def test_samples_of_one_length_have_no_mask():
    result = Samples.of_array(np.zeros((4, 2, 3)), np.ones(4))
    X, mask = result.batch(torch.tensor([3]))
    assert X.shape == (1, 2, 3) and mask is None


def test_scores_do_not_depend_on_how_much_is_looked_at_in_one_go(monkeypatch):
    some = ragged()
    network = Solvable(3)
    network.query.data.fill_(0.1)
    network.readout.data.copy_(torch.tensor([1.0, -2.0, 0.5]))
    rows = torch.tensor([2, 0, 1])
    whole = scores(network, some, rows)
    monkeypatch.setattr(room, "NUMBERS_PER_PASS", 1)
    torch.testing.assert_close(scores(network, some, rows), whole)
    assert scores(network, some, rows[:0]).shape == (0,)
