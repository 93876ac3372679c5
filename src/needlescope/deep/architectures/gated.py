"""Gated attention pooling, as used for bags (ABMIL; Ilse, Tomczak and Welling, 2018).

    a = softmax_l v · (tanh(V x_l) ∘ σ(U x_l)),    score = w · Σ_l a_l x_l + b

where x is a token as it is given, or, ``hidden``, a layer of rectified units of it.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .network import Network, NetworkOutput, masked_softmax


class Gated(Network):
    """Attention whose logits are a gated layer, read linearly."""

    def __init__(self, d: int, width: int, hidden: bool) -> None:
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(d, width), nn.ReLU()) if hidden else nn.Identity()
        seen = width if hidden else d
        self.content, self.gate = (nn.Linear(seen, width) for _ in range(2))
        self.weigh = nn.Linear(width, 1, bias=False)
        self.readout = nn.Parameter(torch.zeros(seen))

    def forward(self, X: Tensor, mask: Tensor | None = None) -> NetworkOutput:
        """Attend, and read what is attended to."""
        x = self.embed(X)
        logits = self.weigh(torch.tanh(self.content(x)) * torch.sigmoid(self.gate(x)))
        weights = masked_softmax(logits.transpose(1, 2), mask)
        return NetworkOutput((weights @ x)[:, 0] @ self.readout + self.bias, weights)


def build(d: int, width: int, heads: int, hidden: bool = False) -> Network:
    """Return the model at its start; it has one head."""
    return Gated(d, width, hidden)
