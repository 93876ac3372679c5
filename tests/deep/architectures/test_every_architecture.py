"""What holds of every architecture: padding is not seen, order is not either, attention adds up."""

from __future__ import annotations

from pkgutil import iter_modules

import pytest
import torch

from needlescope.deep import architectures
from needlescope.deep.catalogue import ARCHITECTURES

COVERS = ("network",)
IN_ORDER = ("gru", "convolution")
SIGNED = ("linear",)


@pytest.fixture(params=ARCHITECTURES)
def name(request):
    return request.param


@pytest.fixture
def network(name):
    torch.manual_seed(3)
    result = ARCHITECTURES[name].build(6, 8, 4 if ARCHITECTURES[name].heads else None)
    for parameter in result.parameters():  # away from the start, where much is zero
        parameter.data.add_(0.3 * torch.randn_like(parameter))
    return result


@pytest.fixture
def X():
    torch.manual_seed(4)
    return torch.randn(5, 7, 6)


def test_every_module_builds_some_architecture():
    files = {module.name for module in iter_modules(architectures.__path__)} - {"network"}
    assert files == {architecture.module for architecture in ARCHITECTURES.values()}


def test_a_score_for_each_sample(network, X):
    assert network(X).scores.shape == (5,)
    assert len(network(X).scores.unique()) == 5


def test_what_fills_up_is_not_seen(network, X):
    lengths = torch.tensor([7, 1, 3, 6, 2])
    mask = torch.arange(7) < lengths[:, None]
    padded = torch.where(mask[..., None], X, torch.tensor(0.0))
    together = network(padded, mask)
    for row, length in enumerate(lengths):
        alone = network(X[row : row + 1, :length])
        torch.testing.assert_close(together.scores[row], alone.scores[0])
        if alone.attention is not None:
            torch.testing.assert_close(together.attention[row, :, :length], alone.attention[0])
            assert (together.attention[row, :, length:] == 0.0).all()


def test_order_means_nothing_but_to_those_that_read_in_order(name, network, X):
    turned = network(X.flip(1)).scores
    same = torch.allclose(turned, network(X).scores, atol=1e-5)
    assert same != (name in IN_ORDER)


def test_attention_is_shared_out(name, network, X):
    attention, words = network(X).attention, ARCHITECTURES[name].attention
    assert (attention is None) == (words == "")
    if attention is not None:
        heads = ARCHITECTURES[name].heads
        assert attention.shape == (5, heads or 1, 7)
        assert (attention.sum(dim=2) <= 1.0 + 1e-5).all()  # a CLS token may have some
        assert name in SIGNED or (attention >= 0.0).all()


def test_every_weight_is_learned(network, X):
    network(X).scores.sum().backward()
    assert all(
        parameter.grad is not None and parameter.grad.any() for parameter in network.parameters()
    )


def test_queries_are_directions_of_tokens(network, X):
    queries = network.queries()
    assert queries is None or queries.shape[1] == X.shape[2]


def test_the_bias_is_part_of_the_score(network, X):
    before = network(X).scores
    network.bias.data += 2.0
    torch.testing.assert_close(network(X).scores, before + 2.0)
