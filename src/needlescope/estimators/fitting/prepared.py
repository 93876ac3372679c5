"""Scaled bags as the stages of training take their data: block by block.

What fits is scaled once and kept; larger data are scaled again in every pass, block by block, so
that memory stays at one block whatever the number of bags.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...models.segments import Ragged
from ...running.progress import Progress, reporting
from ...simulation.samples.data import TOKEN_BLOCK, Block
from ..bags.bags import Bags
from ..bags.scaling import chunks
from ..bags.views import View

HOLD = 1 << 26  # numbers that are kept scaled: 256 or 512 MiB


class Prepared:
    """Some bags, scaled, with labels −1 or +1: `Data` as in `simulation.samples.data`.

    Examples
    --------
    >>> from needlescope.estimators.bags.scaling import no_scaling
    >>> view = View(no_scaling(3))
    >>> bags = Bags.from_list([np.ones((2, 3)), np.ones((1, 3)), np.ones((4, 3))])
    >>> data = Prepared(bags, np.array([0, 2]), np.array([1.0, -1.0]), view)
    >>> [block.table.shape for block in data.blocks()]
    [(6, 3)]
    """

    def __init__(
        self,
        bags: Bags,
        used: IndexArray,
        y: FloatArray,
        view: View,
        progress: Progress = False,
    ) -> None:
        """Keep what is needed to make the blocks, or the blocks if there is room."""
        self.bags, self.used, self.y, self.view = bags, used, y, view
        self.progress, self.passes = progress, 0
        self._held: list[Block] | None = None
        if int(bags.lengths[used].sum()) * view.width <= HOLD:
            self._held = list(self._make())

    @property
    def tokens(self) -> tuple[int, int]:
        """L and d; L is 0 where bags differ."""
        lengths = self.bags.lengths[self.used]
        return int(lengths[0]) if (lengths == lengths[0]).all() else 0, self.view.width

    def blocks(self) -> Iterator[Block]:
        """Hand out all bags in order."""
        return iter(self._held) if self._held is not None else self._pass()

    def _pass(self) -> Iterator[Block]:
        """Go through all bags, and say how far it is."""
        self.passes += 1
        with reporting(self.progress, len(self.used), f"bags, pass {self.passes}") as report:
            for block in self._make():
                yield block
                report(block.rows.stop, 0)

    def _make(self) -> Iterator[Block]:
        first = 0
        for members in chunks(self.bags, self.used, TOKEN_BLOCK):
            place = slice(first, first + len(members))
            first = place.stop
            X: Any = self.view.apply(self.bags.rows(members))
            lengths = self.bags.lengths[members]
            if (lengths == lengths[0]).all():
                yield Block(X.reshape(len(members), -1, self.view.width), self.y[place], place)
            else:
                starts = np.concatenate([[0], np.cumsum(lengths)])
                yield Block(X, self.y[place], place, Ragged.at(starts))

    def part(self, places: IndexArray) -> Prepared:
        """Return some of these bags, in increasing order of their places."""
        return Prepared(self.bags, self.used[places], self.y[places], self.view, self.progress)
