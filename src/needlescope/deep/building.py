"""From an architecture's name to its torch module, at its start."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .architectures import gated, in_order, maximum, self_attention, solvable, transformer
from .architectures.reader import Reader

BUILD: dict[str, Callable[[int, int, int], Reader]] = {
    "solvable": solvable.build,
    "cls": self_attention.build,
    "multihead": self_attention.build,
    "block": partial(transformer.build, depth=1),
    "two_blocks": partial(transformer.build, depth=2),
    "linear": partial(solvable.build, linear=True),
    "max": maximum.build,
    "gated": gated.build,
    "gated_hidden": partial(gated.build, hidden=True),
    "gru": partial(in_order.build, recurrent=True),
    "convolution": partial(in_order.build, recurrent=False),
}
