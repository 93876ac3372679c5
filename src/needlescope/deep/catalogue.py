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

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..grid import choice, whole
from .torch_needed import need_torch

if TYPE_CHECKING:
    from .architectures.reader import Reader

MOST_HEADS = 64
MOST_WIDE = 1024
SETTLED = 64  # numbers in a token of the task on which decays were chosen


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
    decay: float = 3.0  # of weights, of tokens with 64 numbers; chosen on the task of `course`

    def decay_at(self, d: int, rates: Sequence[float]) -> float:
        """Return how fast weights decay by default, for tokens of d numbers.

        Adam lets no weight grow beyond one over its decay: d of them have a norm of √d times that,
        which stays the same if the decay goes with √d. A step leaves at least half of a weight.

        Examples
        --------
        >>> one = ARCHITECTURES["solvable"]
        >>> one.decay_at(64, [0.01]), one.decay_at(256, [0.01]), one.decay_at(10**6, [0.01])
        (3.0, 6.0, 50.0)
        """
        return min(self.decay * math.sqrt(d / SETTLED), 0.5 / max(rates))

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
        decay=10.0,
    ),
    Architecture(
        "multihead",
        "self-attention, several heads",
        "softmax over the tokens and the CLS token itself, of each head",
        4,
        decay=10.0,
    ),
    Architecture(
        "block", "transformer block", "that of the CLS token on the others, of each head", 4, 10.0
    ),
    Architecture(
        "two_blocks",
        "two transformer blocks",
        "that of the CLS token on the others in the last block, of each head",
        4,
    ),
    Architecture("linear", "linear attention", "(1 + Xq − mean)/L: it may be less than nothing"),
    Architecture("max", "max-pooling", "the share of features that are largest there", decay=10.0),
    Architecture("gated", "gated attention (ABMIL)", "softmax of a gated layer", decay=10.0),
    Architecture(
        "gated_hidden",
        "gated attention, hidden layer",
        "softmax of a gated layer of rectified units",
        decay=10.0,
    ),
    Architecture("gru", "recurrent (GRU)", ""),
    Architecture("convolution", "convolution", ""),
)
ARCHITECTURES: Mapping[str, Architecture] = {one.name: one for one in _ALL}


def check_steps(rates: Sequence[float], decay: float) -> None:
    """Refuse a decay that leaves nothing of the weights after a step.

    Examples
    --------
    >>> check_steps([0.01, 0.2], 10.0)
    Traceback (most recent call last):
    ValueError: rates must be below 1/decay = 0.1, or a step leaves nothing of the weights, got 0.2
    """
    if max(rates) * decay >= 1.0:
        raise ValueError(
            f"rates must be below 1/decay = {1.0 / decay:g}, or a step leaves nothing of the "
            f"weights, got {max(rates):g}"
        )


def get_architecture(name: str, width: int = 32, heads: int | None = None) -> Architecture:
    """Return an architecture by name, or refuse a name, width or number of heads.

    Examples
    --------
    >>> get_architecture("gru", heads=2)
    Traceback (most recent call last):
    ValueError: heads=2 needs an architecture that has several, multihead, block or two_blocks, ...
    """
    found = ARCHITECTURES[choice("architecture", name, tuple(ARCHITECTURES))]
    whole("width", width, 1, MOST_WIDE)
    if heads is None:
        heads = found.heads
    elif found.heads is None:
        several = [one.name for one in _ALL if one.heads is not None]
        raise ValueError(
            f"heads={heads} needs an architecture that has several, {', '.join(several[:-1])} or "
            f"{several[-1]}, got architecture={name!r}"
        )
    if heads is not None:
        whole("heads", heads, 1, MOST_HEADS)
        if width % heads:
            raise ValueError(f"width must be a multiple of heads={heads}, got {width}")
    return found
