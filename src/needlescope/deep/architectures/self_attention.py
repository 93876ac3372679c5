"""One layer of self-attention, read at a CLS token: keys, queries and values, of several heads.

With a token c, for each head h, and everything else as in any transformer,

    q_h = W_K,hᵀ W_Q,h c / √(width/heads),    a_h = softmax([X; c] q_h),
    score = Σ_h u_h · W_V,h [X; c]ᵀ a_h + b.

Only the row of c is read, so that keys and values need not be made for every token: a head looks
along the one direction q_h, and values are made of what is attended to.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .reader import Read, Reader, softmax, start


class SelfAttention(Reader):
    """Multi-head self-attention of a CLS token."""

    def __init__(self, d: int, width: int, heads: int) -> None:
        super().__init__()
        self.token = nn.Parameter(torch.randn(d))  # as long as the others
        self.keys, self.asks, self.values = (start(heads, width // heads, d) for _ in range(3))
        self.readout = nn.Parameter(torch.zeros(heads, width // heads))

    def forward(self, X: Tensor, there: Tensor | None = None) -> Read:
        """Attend to all tokens and the CLS token itself; read values of what is attended to."""
        queries = self.queries()
        own = (queries @ self.token).expand(len(X), 1, -1)  # how each head sees the CLS token
        logits = torch.cat([X @ queries.T, own], dim=1).transpose(1, 2)
        if there is not None:
            there = torch.cat([there, there.new_ones(len(X), 1)], dim=1)
        weights = softmax(logits, there)
        tokens, itself = weights[..., :-1], weights[..., -1:]
        attended = tokens @ X + itself * self.token
        read = torch.einsum("nhd,hkd,hk->n", attended, self.values, self.readout)
        return Read(read + self.bias, tokens)

    def queries(self) -> Tensor:
        """Return the direction in which each head looks."""
        asked = self.asks @ self.token / self.keys.shape[1] ** 0.5
        return torch.einsum("hkd,hk->hd", self.keys, asked)


def build(d: int, width: int, heads: int) -> Reader:
    """Return the layer at its start."""
    return SelfAttention(d, width, heads)
