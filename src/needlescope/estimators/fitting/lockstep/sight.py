"""Bags as one training sees them: which count by how much, and how instances are shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ....arrays import FloatArray, IndexArray
from ....models.blocks import Data
from .lens import Lens
from .moments import covariances, mean_instances, summaries

UNDER_WAY = object()


class Sight:
    """Bags that passes go over, and what one training makes of them before it asks for any.

    ``data`` has the training bags and the held-out ones, whose ``weight`` is zero; ``lens`` maps
    instances to what the training sees. Optional, if they are known: ``means`` of the bags,
    ``within`` from shares of bags to the weighted sum of their covariances, and ``summaries``.
    ``training`` names those that train on the same bags, if passes leave out held-out bags, which
    are then scored at the end; ``hurried`` says that bags are read again for each pass.
    """

    def __init__(
        self,
        data: Data,
        weight: FloatArray,
        lens: Lens | None = None,
        means: FloatArray | None = None,
        within: Callable[[FloatArray], FloatArray] | None = None,
        summaries: Callable[[], FloatArray] | None = None,
        training: Any = None,
        hurried: bool = False,
    ) -> None:
        self.data, self.y, self.weight, self.lens = data, data.y, weight, lens
        self.training, self.counts, self.hurried = training, weight > 0.0, hurried
        self.order: IndexArray | None = None  # of the bags, if it is another than theirs
        self.groups: IndexArray | None = None  # of the bags, if some belong together
        self.known: dict[Any, Any] = {}  # what was found before: queries, and ways with their paths
        self._means, self._within, self._summaries = means, within, summaries

    @property
    def d(self) -> int:
        """How many features are seen."""
        return self.data.tokens[1]

    @property
    def single(self) -> bool:
        """Whether instances are in single precision, and sums of them no better."""
        return getattr(self.data, "dtype", None) == np.float32

    @cached_property
    def means(self) -> FloatArray:
        """The mean instance of each bag."""
        return mean_instances(self.data) if self._means is None else self._means

    @cached_property
    def summaries(self) -> FloatArray:
        """Mean, largest, least and standard deviation of all features of each bag."""
        return summaries(self.data) if self._summaries is None else self._summaries()

    def within(self, share: FloatArray) -> FloatArray:
        """Return the sum of covariances within bags, each times its share."""
        if self._within is not None:
            return self._within(share)
        result = covariances(self.data, share, mean_instances(self.data))
        return result if self.lens is None else self.lens.square(result)

    def once(self, key: Any, find: Callable[[], Any]) -> Any:
        """Find something by a job, or wait for another that is about to, or return what it found.

        Ways share their starts, and go in lockstep: who comes first finds what all need.
        """
        while self.known.get(key, self) is UNDER_WAY:
            yield []
        if key not in self.known:
            self.known[key] = UNDER_WAY
            try:
                self.known[key] = yield from find()
            except BaseException:
                del self.known[key]
                raise
        return self.known[key]

    def in_order(self, trained: Any) -> Any:
        """Return models with the scores of bags in the order of these."""
        if self.order is None:
            return trained
        back = np.argsort(self.order)
        return [item._replace(scores=item.scores[back]) for item in trained]

    def part(self, places: Any) -> Sight:
        """Return the same bags, of which only some are trained on."""
        weight = np.zeros(len(self.y))
        weight[places] = self.weight[places]
        weight /= weight.sum()
        more: Any = {"training": self.training, "hurried": self.hurried}
        return Sight(self.data, weight, self.lens, self.means, **more)
