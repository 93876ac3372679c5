"""Preprocessed bags, block by block: `Data` as in `models.blocks`.

What fits into memory is preprocessed once and held. Larger data are read and preprocessed again in
every pass, block by block, so that memory stays at one block whatever the number of bags.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...models.blocks import TOKEN_BLOCK, Block
from ...models.segments import Ragged
from ...running.progress import Progress, reporting
from ..bags.bags import Bags
from ..bags.moments import chunks
from ..bags.preprocessing import Preprocessor

MAX_HELD = 1 << 26  # numbers that are held in memory: 256 or 512 MiB


class PreparedBags:
    """Some bags, preprocessed, with labels −1 or +1."""

    def __init__(
        self,
        bags: Bags,
        used: IndexArray,
        y: FloatArray,
        preprocessor: Preprocessor,
        progress: Progress = False,
        border: int = 0,
    ) -> None:
        """Keep the blocks, if there is room; none has bags on both sides of the ``border``."""
        self.bags, self.used, self.y, self.preprocessor = bags, used, y, preprocessor
        self.border = border
        self.progress, self.passes = progress, 0
        self._held = list(self._make()) if self.size <= MAX_HELD else None

    @property
    def dtype(self) -> Any:
        """The precision of the instances."""
        return self.bags.dtype

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return int(self.bags.lengths[self.used].sum()) * self.preprocessor.width

    @property
    def tokens(self) -> tuple[int, int]:
        """L and d; L is 0 where bags differ."""
        lengths = self.bags.lengths[self.used]
        return int(lengths[0]) if (lengths == lengths[0]).all() else 0, self.preprocessor.width

    def blocks(self, wanted: Callable[[slice], bool] | None = None) -> Iterator[Block]:
        """Hand out all bags in order, or the blocks whose places are wanted."""
        if self._held is None:
            return self._pass(wanted)
        return (item for item in self._held if wanted is None or wanted(item.rows))

    def _pass(self, wanted: Callable[[slice], bool] | None) -> Iterator[Block]:
        """Go through the bags, and say how far it is."""
        self.passes += 1
        with reporting(self.progress, len(self.used), f"bags, pass {self.passes}") as report:
            for block in self._make(wanted):
                yield block
                report(block.rows.stop, 0)

    def _make(self, wanted: Callable[[slice], bool] | None = None) -> Iterator[Block]:
        first = 0
        for members in self._cut():
            place = slice(first, first + len(members))
            first = place.stop
            if wanted is not None and not wanted(place):
                continue
            X: Any = self.preprocessor.apply(self.bags.rows(members))
            lengths = self.bags.lengths[members]
            if (lengths == lengths[0]).all():
                yield Block(
                    X.reshape(len(members), -1, self.preprocessor.width), self.y[place], place
                )
            else:
                starts = np.concatenate([[0], np.cumsum(lengths)])
                yield Block(X, self.y[place], place, Ragged.at(starts))

    def _cut(self) -> list[IndexArray]:
        """Cut the bags into blocks, no block across the ``border``."""
        size = TOKEN_BLOCK * self.bags.d // self.preprocessor.width
        sides = (self.used[: self.border], self.used[self.border :])
        return [part for side in sides if len(side) for part in chunks(self.bags, side, size)]
