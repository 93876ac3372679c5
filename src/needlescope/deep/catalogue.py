"""The architectures by name: what each is, and what its attention is. Building one loads torch.

| name | score |
| --- | --- |
| solvable | wᵀ Xᵀ softmax(X q) + b, the paper's |
| cls | one layer of self-attention with key, query and value matrices, read at a CLS token |
| multihead | the same of several heads |
| block, two_blocks | a standard transformer: LayerNorm, residual, MLP; one block or two |
| linear | attention without softmax: its first order |
| max | features of tokens, each at its largest |
| gated, gated_hidden | gated attention pooling as used for bags (ABMIL); behind a hidden layer |
| gru, convolution | tokens in their order, by a recurrent unit or a convolution |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..grid import choice, whole
from .torch_needed import need_torch

if TYPE_CHECKING:
    from .architectures.reader import Reader

MOST_HEADS = 64
MOST_WIDE = 1024


class Architecture(NamedTuple):
    """One way to read a sample of tokens.

    Examples
    --------
    >>> ARCHITECTURES["cls"].attention
    'softmax over the tokens and the CLS token itself, of one head'
    """

    name: str
    words: str  # in a legend
    attention: str  # what it is, nothing if there is none
    heads: int | None = None  # by default; None if there are none to choose

    def build(self, d: int, width: int, heads: int | None = None) -> Reader:
        """Return the torch module at its start, drawn with torch's own generator."""
        need_torch("an architecture")
        from .building import BUILD

        return BUILD[self.name](d, width, heads or self.heads or 1)


_ALL = (
    Architecture("solvable", "the paper's model", "softmax of one query"),
    Architecture(
        "cls",
        "self-attention, one head",
        "softmax over the tokens and the CLS token itself, of one head",
    ),
    Architecture(
        "multihead",
        "self-attention, several heads",
        "softmax over the tokens and the CLS token itself, of each head",
        4,
    ),
    Architecture(
        "block", "transformer block", "that of the CLS token on the others, of each head", 4
    ),
    Architecture(
        "two_blocks",
        "two transformer blocks",
        "that of the CLS token on the others in the last block, of each head",
        4,
    ),
    Architecture("linear", "linear attention", "(1 + Xq − mean)/L: it may be less than nothing"),
    Architecture("max", "max-pooling", "the share of features that are largest there"),
    Architecture("gated", "gated attention (ABMIL)", "softmax of a gated layer"),
    Architecture(
        "gated_hidden",
        "gated attention, hidden layer",
        "softmax of a gated layer of rectified units",
    ),
    Architecture("gru", "recurrent (GRU)", ""),
    Architecture("convolution", "convolution", ""),
)
ARCHITECTURES: Mapping[str, Architecture] = {item.name: item for item in _ALL}


def get_architecture(name: str, width: int = 32, heads: int | None = None) -> Architecture:
    """Return an architecture by name, or refuse a name, width or number of heads.

    Examples
    --------
    >>> get_architecture("gru", heads=2)
    Traceback (most recent call last):
    ValueError: heads=2 needs an architecture that has several, multihead, block or two_blocks, ...
    """
    result = ARCHITECTURES[choice("architecture", name, tuple(ARCHITECTURES))]
    whole("width", width, 1, MOST_WIDE)
    if heads is None:
        heads = result.heads
    elif result.heads is None:
        several = [item.name for item in _ALL if item.heads is not None]
        raise ValueError(
            f"heads={heads} needs an architecture that has several, {', '.join(several[:-1])} or "
            f"{several[-1]}, got architecture={name!r}"
        )
    if heads is not None:
        whole("heads", heads, 1, MOST_HEADS)
        if width % heads:
            raise ValueError(f"width must be a multiple of heads={heads}, got {width}")
    return result
