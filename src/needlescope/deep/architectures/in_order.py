"""Models that take tokens in their order: a recurrent one, and a convolutional one.

A gated recurrent unit (GRU) goes through the tokens and its last state is read. The convolution
sees three tokens at a time, and each rectified feature is read where it is largest. Neither
attends. The order of tokens means nothing in the task; these have to learn that.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .reader import Read, Reader

SPAN = 3  # tokens that the convolution sees at once


class Recurrent(Reader):
    """A GRU, read after the last token."""

    def __init__(self, d: int, width: int) -> None:
        super().__init__()
        self.unit = nn.GRU(d, width, batch_first=True)
        self.readout = nn.Linear(width, 1, bias=False)

    def forward(self, X: Tensor, there: Tensor | None = None) -> Read:
        """Read the state after each sample's own last token."""
        states = self.unit(X)[0]
        last = states[:, -1]
        if there is not None:
            ends = there.sum(dim=1) - 1
            last = states[torch.arange(len(X)), ends]
        return Read(self.readout(last)[:, 0] + self.bias)


class Convolution(Reader):
    """Features of neighbouring tokens, each at its largest, read linearly."""

    def __init__(self, d: int, width: int) -> None:
        super().__init__()
        self.features = nn.Conv1d(d, width, SPAN, padding=SPAN // 2)
        self.readout = nn.Linear(width, 1, bias=False)

    def forward(self, X: Tensor, there: Tensor | None = None) -> Read:
        """Read the largest of each feature; rows that only fill up are zero, as padding is."""
        if there is not None:
            X = X * there[..., None]
        seen = torch.relu(self.features(X.transpose(1, 2)))
        if there is not None:
            seen = seen * there[:, None]  # rectified: zero is the least
        return Read(self.readout(seen.amax(dim=2))[:, 0] + self.bias)


def build(d: int, width: int, heads: int, recurrent: bool) -> Reader:
    """Return the model at its start; it has no heads."""
    return Recurrent(d, width) if recurrent else Convolution(d, width)
