"""Max-pooling: score = u · max_l (W x_l) + b, each of ``width`` features at its largest."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .network import Network, NetworkOutput, normal_weights


class MaxPooling(Network):
    """Features of tokens, each at its largest, read linearly."""

    def __init__(self, d: int, width: int) -> None:
        super().__init__()
        self.features = normal_weights(width, d)
        self.readout = nn.Parameter(torch.randn(width) / width**0.5)

    def forward(self, X: Tensor, mask: Tensor | None = None) -> NetworkOutput:
        """Read the largest of each feature; its attention is the share of features it is of."""
        seen = X @ self.features.T
        if mask is not None:
            seen = seen.masked_fill(~mask[..., None], -torch.inf)
        largest, where = seen.max(dim=1)
        share = torch.zeros(X.shape[:2], dtype=X.dtype)
        share.scatter_add_(1, where, torch.full_like(largest.detach(), 1.0 / largest.shape[1]))
        return NetworkOutput(largest @ self.readout + self.bias, share[:, None])

    def queries(self) -> Tensor:
        """Return the direction of every feature."""
        return self.features


def build(d: int, width: int, heads: int) -> Network:
    """Return the model at its start; it has no heads."""
    return MaxPooling(d, width)
