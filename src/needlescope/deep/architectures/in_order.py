"""Models that take tokens in their order: a recurrent one, and a convolutional one.

A gated recurrent unit (GRU) goes through the tokens and its last state is read. The convolution
sees three tokens at a time, and each rectified feature is read where it is largest. Neither
attends. The order of tokens means nothing in the task; these have to learn that.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .network import Network, NetworkOutput

SPAN = 3  # tokens that the convolution sees at once


class Recurrent(Network):
    """A GRU, read after the last token."""

    def __init__(self, d: int, width: int) -> None:
        super().__init__()
        self.unit = nn.GRU(d, width, batch_first=True)
        self.readout = nn.Linear(width, 1, bias=False)

    def forward(self, X: Tensor, mask: Tensor | None = None) -> NetworkOutput:
        """Read the state after each sample's own last token."""
        states = self.unit(X)[0]
        last = states[:, -1]
        if mask is not None:
            ends = mask.sum(dim=1) - 1
            last = states[torch.arange(len(X)), ends]
        return NetworkOutput(self.readout(last)[:, 0] + self.bias)


class Convolution(Network):
    """Features of neighbouring tokens, each at its largest, read linearly."""

    def __init__(self, d: int, width: int) -> None:
        super().__init__()
        self.features = nn.Conv1d(d, width, SPAN, padding=SPAN // 2)
        self.readout = nn.Linear(width, 1, bias=False)

    def forward(self, X: Tensor, mask: Tensor | None = None) -> NetworkOutput:
        """Read the largest of each feature; rows that only fill up are zero, as padding is."""
        if mask is not None:
            X = X * mask[..., None]
        seen = torch.relu(self.features(X.transpose(1, 2)))
        if mask is not None:
            seen = seen * mask[:, None]  # rectified: zero is the least
        return NetworkOutput(self.readout(seen.amax(dim=2))[:, 0] + self.bias)


def build(d: int, width: int, heads: int, recurrent: bool) -> Network:
    """Return the model at its start; it has no heads."""
    return Recurrent(d, width) if recurrent else Convolution(d, width)
