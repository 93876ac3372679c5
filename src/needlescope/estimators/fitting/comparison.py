"""Settings compared: each is trained on some bags, and scores those that were held out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...errors import NotConverged
from ..bags.bags import Bags
from .places import Place, Rows, among, check_places, first_place, scale_together
from .prepared import Prepared
from .selection import Choice, as_common, by_source, centre, from_centre, held_out, judge, losses_of
from .settings import Setting
from .ways.rounds import Scores, Ways, by_glass

Train: TypeAlias = (
    "Callable[[Prepared, FloatArray, list[Setting], Any], Iterator[tuple[Setting, Any]]]"
)


class Recipe(NamedTuple):
    """How a classifier is made of bags that are labelled and weighted."""

    train: Train  # a model in every setting
    scores: Callable[[Prepared, Any], FloatArray]  # of bags, before calibration
    folds: int  # by which settings are compared, unless places are given; 0 compares none
    relative: bool  # whether ridges are in proportion to the number of features per bag
    most: int = 1  # ways whose log odds may be put together


class Labelled(NamedTuple):
    """Bags to train on: which of them are used, and their labels −1 or +1 and weights."""

    bags: Bags
    used: IndexArray
    y: FloatArray
    weight: FloatArray
    groups: IndexArray | None = None  # bags of one group are held out together
    places: list[Place] | None = None  # folds, in place of those made here

    def some(self, drawn: IndexArray, weight: FloatArray) -> Labelled:
        """Return some of these bags, with other weights."""
        groups = None if self.groups is None else self.groups[drawn]
        places = None if self.places is None else among(self.places, drawn, len(self.y))
        return Labelled(self.bags, self.used[drawn], self.y[drawn], weight, groups, places)

    @property
    def usual(self) -> bool:
        """Whether folds are made here, of bags that have nothing in common."""
        return self.places is None and self.groups is None

    def folds(self, count: int, random: Any) -> list[Place]:
        """Return the folds that were given, or so many; none if a class has one bag."""
        if self.places is None:
            return held_out(self.y, count, random, self.groups)
        check_places(self.places, self.y, (-1.0, 1.0))
        return self.places


class Comparison:
    """Bags held out in turn, the scores they get, and what is made of these.

    Parameters
    ----------
    recipe, given
        How a classifier is made, and of which bags.
    places
        The folds.
    fewer
        What ridges are multiplied by, as there are fewer bags than will be trained on.
    random, seed
        For what is drawn in training, and for cosines.
    """

    def __init__(
        self,
        recipe: Recipe,
        given: Labelled,
        places: list[Place],
        fewer: float,
        random: Any,
        seed: int,
    ) -> None:
        """Number the scores that there will be: one each time that a bag is held out."""
        self.recipe, self.given, self.fewer = recipe, given, fewer
        self.random, self.seed = random, seed
        self.rows = rows = Rows.of(places, len(given.y))
        self.labels, self.weights = given.y[rows.bag], given.weight[rows.bag] * rows.share
        self.source = rows.bag if rows.repeated else None  # scores of one source go together
        if given.groups is not None:
            self.source = given.groups[rows.bag]
        self.failed: list[NotConverged] = []

    @property
    def first(self) -> Place:
        """The fold by which hopeless ways are dropped."""
        return self.rows.places[0] if self.given.usual else first_place(self.rows, self.given.y)

    def score(self, some: Ways, place: Place, scores: Scores) -> None:
        """Train all settings of some ways for a fold, and enter the scores of its bags."""
        (known, tested), given = place, self.given
        test = self.rows.bag[tested]
        share = given.weight[known] / given.weight[known].sum()
        for glass, same in by_glass(some):
            view = glass.fit(given.bags, given.used[known], share, self.seed)
            data = Prepared(given.bags, given.used[known], given.y[known], view)
            held = Prepared(given.bags, given.used[test], given.y[test], view)
            for wanted in same:
                for setting, model in self._trained(wanted, data, share, scores):
                    middle = self._middle(data, model, share)
                    found = scores.setdefault(setting, np.empty(len(self.labels)))
                    found[tested] = from_centre(self.recipe.scores(held, model), middle)

    def _trained(
        self, wanted: list[Setting], data: Prepared, share: FloatArray, scores: Scores
    ) -> list[tuple[Setting, Any]]:
        """Train in every setting of a way; one that does not converge leaves it to the others."""
        scaled = [one._replace(ridge=self.fewer * one.ridge) for one in wanted]
        try:
            trained = list(self.recipe.train(data, share, scaled, self.random))
        except NotConverged as error:
            self.failed.append(error)
            for one in wanted:
                scores.pop(one, None)
            return []
        return [(one, model) for one, (_, model) in zip(wanted, trained, strict=True)]

    def _middle(self, data: Prepared, model: Any, share: FloatArray) -> float:
        """Return where scores are counted from: the mean of training bags, classes as in all."""
        y, weight = self.given.y, self.given.weight
        if not self.given.usual:
            positive = float(weight[y > 0.0].sum() / weight.sum())
            share = as_common(share, data.y, positive)
        return centre(self.recipe.scores(data, model), data.y, share)

    def losses(self, scores: FloatArray, held: IndexArray) -> tuple[FloatArray, FloatArray]:
        """Return the losses of some bags held out, those of one source together, and weights."""
        share = self.weights[held] / self.weights[held].sum()
        each = losses_of(scores[held], self.labels[held], share)
        source = None if self.source is None else self.source[held]
        found, share = by_source(each, share, source=source)
        return found, share

    def judge(self, scores: Scores, most: int) -> Choice:
        """Choose among settings by all scores, and calibrate; log odds are those of all bags."""
        parts, rows, given = [own for _, own in self.rows.places], self.rows, self.given
        alike = parts if given.usual else scale_together(parts)
        choice = judge(scores, self.labels, self.weights, alike, most, self.source)
        log_odds = np.full(len(given.bags), np.nan)
        log_odds[given.used[rows.bag[np.concatenate(parts)]]] = choice.log_odds
        return choice._replace(log_odds=log_odds)
