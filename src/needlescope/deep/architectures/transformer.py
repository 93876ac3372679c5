"""A standard transformer: LayerNorm, self-attention, residual, MLP; one block of it or two.

Tokens are embedded in ``width`` dimensions, a CLS token stands before them, and its last state is
read. There are no positions: the order of tokens means nothing, as in the task.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .network import Network, NetworkOutput, masked_softmax

MLP_FACTOR = 2  # the hidden layer of an MLP, in widths


class Block(nn.Module):
    """x + MHA(LN x), then x + MLP(LN x)."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.out = (
            nn.Linear(width, width, bias=False) for _ in range(4)
        )
        self.mlp = nn.Sequential(
            nn.Linear(width, MLP_FACTOR * width), nn.GELU(), nn.Linear(MLP_FACTOR * width, width)
        )

    def forward(self, x: Tensor, mask: Tensor | None, rows: int) -> tuple[Tensor, Tensor]:
        """Return the first ``rows`` states after the block, and the attention of the first."""
        n, L, width = x.shape
        z = self.before(x)
        q, k, v = (
            layer(part).reshape(n, -1, self.heads, width // self.heads).transpose(1, 2)
            for layer, part in ((self.query, z[:, :rows]), (self.key, z), (self.value, z))
        )
        logits = q @ k.transpose(2, 3) / (width // self.heads) ** 0.5
        flat = logits.reshape(n, -1, L)
        weights = masked_softmax(flat, mask).reshape(logits.shape)
        x = x[:, :rows] + self.out((weights @ v).transpose(1, 2).reshape(n, -1, width))
        return x + self.mlp(self.after(x)), weights[:, :, 0]


class Transformer(Network):
    """Blocks one after another, read at the CLS token."""

    def __init__(self, d: int, width: int, heads: int, depth: int) -> None:
        super().__init__()
        self.embed = nn.Linear(d, width)
        self.token = nn.Parameter(torch.randn(width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.norm, self.readout = nn.LayerNorm(width), nn.Linear(width, 1, bias=False)

    def forward(self, X: Tensor, mask: Tensor | None = None) -> NetworkOutput:
        """Read the CLS token's last state; the attention is the last block's, on the others."""
        x = torch.cat([self.token.expand(len(X), 1, -1), self.embed(X)], dim=1)
        if mask is not None:
            mask = torch.cat([mask.new_ones(len(X), 1), mask], dim=1)
        attention = X
        for number, block in enumerate(self.blocks, 1):
            last = number == len(self.blocks)
            x, attention = block(x, mask, 1 if last else x.shape[1])  # none reads the others
        score = self.readout(self.norm(x[:, 0]))[:, 0]
        return NetworkOutput(score + self.bias, attention[..., 1:])


def build(d: int, width: int, heads: int, depth: int) -> Network:
    """Return ``depth`` blocks with initial weights."""
    return Transformer(d, width, heads, depth)
