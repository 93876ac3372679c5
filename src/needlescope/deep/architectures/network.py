"""What every architecture is: a module that reads samples of tokens, and says where it looked.

A sample is L rows of d numbers. Samples of several lengths come padded, with a mask that is true
where a token is there.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import torch
from torch import Tensor, nn


class NetworkOutput(NamedTuple):
    """The scores of n samples, and the attention (n, heads, L) that they rest on, if there is."""

    scores: Tensor
    attention: Tensor | None = None


class Network(nn.Module):
    """A classifier of samples: a score each, of which a bias is a part."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(()))

    @abstractmethod
    def forward(self, X: Tensor, mask: Tensor | None = None) -> NetworkOutput:
        """Read samples X (n, L, d); ``mask`` (n, L) is false where a row only fills up."""

    def queries(self) -> Tensor | None:
        """Return the directions (heads, d) along which tokens are looked at, if these are lines."""
        return None


def masked_softmax(logits: Tensor, mask: Tensor | None) -> Tensor:
    """Return the attention over the last axis; nothing for what is not there.

    Examples
    --------
    >>> masked_softmax(torch.zeros(1, 1, 2), torch.tensor([[True, False]]))
    tensor([[[1., 0.]]])
    """
    if mask is not None:
        logits = logits.masked_fill(~mask[:, None], -torch.inf)
    return torch.softmax(logits, dim=-1)


def masked_mean(values: Tensor, mask: Tensor | None) -> Tensor:
    """Return the mean over tokens of values (n, L, k), of those that are there."""
    if mask is None:
        return values.mean(dim=1)
    share = mask.to(values.dtype)
    return (values * share[..., None]).sum(dim=1) / share.sum(dim=1, keepdim=True)


def normal_weights(*shape: int) -> nn.Parameter:
    """Return weights to begin with: normal, of variance one over the numbers they add up."""
    return nn.Parameter(torch.randn(*shape) / shape[-1] ** 0.5)
