"""Groups of samples that a gradient averages over."""

from __future__ import annotations

import pytest

import needlescope as ns
from needlescope.theory.common.groups import sample_groups


def test_groups_share_out_all_samples_and_their_signal_tokens():
    count = ns.SignalCount([0, 1, 3], [0.2, 0.5, 0.3])
    task = ns.Task(6, count, 4.0, 0.4, signals=(0.7, 0.3), label_noise=(0.1, 0.25))
    every = sample_groups(task)
    assert sum(item.share for item in every) == pytest.approx(1.0)
    assert sum(item.share * item.tokens for item in every) == pytest.approx(0.4 * 1.4)
    flipped = sum(item.share for item in every if item.label < 0 and item.tokens > 0)
    assert flipped == pytest.approx(0.4 * 0.8 * 0.1)
    assert sum(item.share for item in every if item.label > 0) == pytest.approx(
        0.4 * 0.9 + 0.6 * 0.25
    )
