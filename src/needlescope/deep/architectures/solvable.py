"""The paper's model, wᵀ Xᵀ softmax(X q) + b, all of it trained; and the same with linear attention.

Linear attention is softmax to first order, a = (1 + Xq − mean(Xq))/L. Both start at q = w = 0, as
the paper's two steps do.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .network import Network, NetworkOutput, masked_mean, masked_softmax


class Solvable(Network):
    """Attention of one query, read by one vector."""

    def __init__(self, d: int, linear: bool = False) -> None:
        super().__init__()
        self.linear = linear
        self.query, self.readout = (nn.Parameter(torch.zeros(d)) for _ in range(2))

    def forward(self, X: Tensor, mask: Tensor | None = None) -> NetworkOutput:
        """Attend, and read what is attended to."""
        logits = X @ self.query
        weights = self._first_order(logits, mask) if self.linear else None
        if weights is None:
            weights = masked_softmax(logits[:, None], mask)[:, 0]
        attended = (weights[:, None] @ X)[:, 0]
        return NetworkOutput(attended @ self.readout + self.bias, weights[:, None])

    def _first_order(self, logits: Tensor, mask: Tensor | None) -> Tensor:
        weights = 1.0 + logits - masked_mean(logits[..., None], mask)
        if mask is None:
            return weights / weights.shape[1]
        return weights * mask / mask.sum(dim=1, keepdim=True)

    def queries(self) -> Tensor:
        """Return the query."""
        return self.query[None]


def build(d: int, width: int, heads: int, linear: bool = False) -> Network:
    """Return the model at its start; it knows neither width nor heads."""
    return Solvable(d, linear)
