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

A new architecture is a module in `architectures/` with a function ``build(d, width, heads)``, and
its record here, with the module's name in the import of `Architecture.build`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..grid import choice, whole
from .torch_needed import need_torch

if TYPE_CHECKING:
    from .architectures.network import Network

MAX_HEADS = 64
MAX_WIDTH = 1024


class Architecture(NamedTuple):
    """What is known of an architecture without torch, and how torch builds it.

    Attributes
    ----------
    name, label
        Its name as an argument, and in a legend.
    attention
        What its attention weights are; nothing if it has none.
    module, options
        The module in `architectures/` that builds it, and the options of its ``build``.
    heads
        How many heads it has by default; None if there are none to choose.
    family
        The panel that figures draw it in: "paper", "attention" or "others".
    all_pairs
        Whether all tokens attend to all, which takes memory that grows as L².

    Examples
    --------
    >>> ARCHITECTURES["cls"].attention
    'softmax over the tokens and the CLS token itself, of one head'
    """

    name: str
    label: str
    attention: str
    module: str
    options: Mapping[str, Any] = MappingProxyType({})
    heads: int | None = None
    family: str = "attention"
    all_pairs: bool = False

    def build(self, d: int, width: int, heads: int | None = None) -> Network:
        """Return the torch module with initial weights, drawn by torch's own generator."""
        need_torch("an architecture")
        # Imported by name: the imports say which code a stored result rests on.
        from .architectures import gated, in_order, maximum, self_attention, solvable, transformer

        modules = (gated, in_order, maximum, self_attention, solvable, transformer)
        builders = {module.__name__.rpartition(".")[2]: module.build for module in modules}
        network: Network = builders[self.module](d, width, heads or self.heads or 1, **self.options)
        return network


_ALL = (
    Architecture(
        "solvable", "the paper's model", "softmax of one query", "solvable", family="paper"
    ),
    Architecture(
        "cls",
        "self-attention, one head",
        "softmax over the tokens and the CLS token itself, of one head",
        "self_attention",
    ),
    Architecture(
        "multihead",
        "self-attention, several heads",
        "softmax over the tokens and the CLS token itself, of each head",
        "self_attention",
        heads=4,
    ),
    Architecture(
        "block",
        "transformer block",
        "that of the CLS token on the others, of each head",
        "transformer",
        {"depth": 1},
        heads=4,
    ),
    Architecture(
        "two_blocks",
        "two transformer blocks",
        "that of the CLS token on the others in the last block, of each head",
        "transformer",
        {"depth": 2},
        heads=4,
        all_pairs=True,
    ),
    Architecture(
        "linear",
        "linear attention",
        "(1 + Xq − mean)/L, which may be negative",
        "solvable",
        {"linear": True},
        family="paper",
    ),
    Architecture(
        "max",
        "max-pooling",
        "the share of features that are largest there",
        "maximum",
        family="others",
    ),
    Architecture("gated", "gated attention (ABMIL)", "softmax of a gated layer", "gated"),
    Architecture(
        "gated_hidden",
        "gated attention, hidden layer",
        "softmax of a gated layer of rectified units",
        "gated",
        {"hidden": True},
    ),
    Architecture("gru", "recurrent (GRU)", "", "in_order", {"recurrent": True}, family="others"),
    Architecture(
        "convolution", "convolution", "", "in_order", {"recurrent": False}, family="others"
    ),
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
    whole("width", width, 1, MAX_WIDTH)
    if heads is None:
        heads = result.heads
    elif result.heads is None:
        several = [item.name for item in _ALL if item.heads is not None]
        raise ValueError(
            f"heads={heads} needs an architecture that has several, {', '.join(several[:-1])} or "
            f"{several[-1]}, got architecture={name!r}"
        )
    if heads is not None:
        whole("heads", heads, 1, MAX_HEADS)
        if width % heads:
            raise ValueError(f"width must be a multiple of heads={heads}, got {width}")
    return result
