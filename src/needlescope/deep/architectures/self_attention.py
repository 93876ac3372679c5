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

from .network import Network, NetworkOutput, masked_softmax, normal_weights


class SelfAttention(Network):
    """Multi-head self-attention of a CLS token."""

    def __init__(self, d: int, width: int, heads: int) -> None:
        super().__init__()
        self.token = nn.Parameter(torch.randn(d))  # as long as the others
        self.W_K, self.W_Q, self.W_V = (normal_weights(heads, width // heads, d) for _ in range(3))
        self.readout = nn.Parameter(torch.zeros(heads, width // heads))

    def forward(self, X: Tensor, mask: Tensor | None = None) -> NetworkOutput:
        """Attend to all tokens and the CLS token itself; read values of what is attended to."""
        queries = self.queries()
        own = (queries @ self.token).expand(len(X), 1, -1)  # how each head sees the CLS token
        logits = torch.cat([X @ queries.T, own], dim=1).transpose(1, 2)
        if mask is not None:
            mask = torch.cat([mask, mask.new_ones(len(X), 1)], dim=1)
        weights = masked_softmax(logits, mask)
        tokens, itself = weights[..., :-1], weights[..., -1:]
        attended = tokens @ X + itself * self.token
        scores = torch.einsum("nhd,hkd,hk->n", attended, self.W_V, self.readout)
        return NetworkOutput(scores + self.bias, tokens)

    def queries(self) -> Tensor:
        """Return the direction in which each head looks."""
        query = self.W_Q @ self.token / self.W_K.shape[1] ** 0.5
        return torch.einsum("hkd,hk->hd", self.W_K, query)


def build(d: int, width: int, heads: int) -> Network:
    """Return the layer at its start."""
    return SelfAttention(d, width, heads)
