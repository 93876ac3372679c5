"""Torch is left as it was found."""

from __future__ import annotations

import pytest
import torch

from needlescope.deep.training.determinism import seeded


def test_threads_strictness_and_random_numbers_are_given_back():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    with pytest.raises(ZeroDivisionError), seeded(1):
        assert torch.get_num_threads() == 1 and torch.are_deterministic_algorithms_enabled()
        torch.rand(9)
        raise ZeroDivisionError
    assert (torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()) == before
    assert torch.equal(torch.rand(3), expected)
