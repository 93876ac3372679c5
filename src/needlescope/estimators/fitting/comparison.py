"""Settings compared: each is trained on some bags, and scores those that were held out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...errors import NotConverged
from ...solvers.calibration import losses_of
from ..bags.bags import Bags
from ..bags.preprocessing import Preprocessing
from .bench import Bench, Benches, Layout, Train, Work
from .choosing.ranking import by_source
from .cv_splits import Fold, Rows, check_folds, first_fold, restrict_folds, scale_together
from .folds import as_common
from .prepared import Prepared
from .selection import Choice, centre, from_centre, held_out, judge
from .settings import Setting
from .ways.rounds import Candidates, Scores, by_preprocessing


class Recipe(NamedTuple):
    """How a classifier is made of bags that are labelled and weighted."""

    train: Train  # a model in every setting of a way, and its scores
    scores: Callable[[Prepared, Any], FloatArray]  # of other bags, before calibration
    folds: int  # by which settings are compared, unless folds are given; 0 compares none
    relative: bool  # whether ridges are in proportion to the number of features per bag
    most: int = 1  # ways whose log odds may be put together
    start: Train | None = None  # what ways have in common, if it can be found ahead


class Labelled(NamedTuple):
    """Bags to train on: which of them are used, and their labels −1 or +1 and weights."""

    bags: Bags
    used: IndexArray
    y: FloatArray
    weight: FloatArray
    groups: IndexArray | None = None  # bags of one group are held out together
    folds: list[Fold] | None = None  # in place of those made here

    def some(self, drawn: IndexArray, weight: FloatArray) -> Labelled:
        """Return some of these bags, with other weights."""
        groups = None if self.groups is None else self.groups[drawn]
        folds = None if self.folds is None else restrict_folds(self.folds, drawn, len(self.y))
        return Labelled(self.bags, self.used[drawn], self.y[drawn], weight, groups, folds)

    @property
    def usual(self) -> bool:
        """Whether folds are made here, of bags that have nothing in common."""
        return self.folds is None and self.groups is None

    def split(self, count: int, random: Any) -> list[Fold]:
        """Return the given folds, or ``count`` new ones; none if a class has one bag."""
        if self.folds is None:
            return held_out(self.y, count, random, self.groups)
        check_folds(self.folds, self.y, (-1.0, 1.0))
        return self.folds


class Comparison:
    """Bags held out in turn, their scores, and the selection by these.

    Ridges are multiplied by ``fewer``, as there are fewer bags than the final training has.
    """

    def __init__(
        self,
        recipe: Recipe,
        given: Labelled,
        places: list[Fold],
        fewer: float,
        layout: Layout,
        random: Any,
    ) -> None:
        """Number the scores that there will be: one each time that a bag is held out."""
        self.recipe, self.given, self.fewer = recipe, given, fewer
        self.random = random
        self.rows = rows = Rows.of(places, len(given.y))
        self.labels, self.weights = given.y[rows.bag], given.weight[rows.bag] * rows.share
        self.source = rows.bag if rows.repeated else None  # scores of one source go together
        if given.groups is not None:
            self.source = given.groups[rows.bag]
        self.failed: list[NotConverged] = []
        # The fold by which hopeless ways are dropped.
        self.first = rows.folds[0] if given.usual else first_fold(rows, given.y)
        apart = all(self.first is not place for place in rows.folds)
        self.benches = Benches(layout, [*rows.folds, self.first] if apart else rows.folds)

    def score(self, some: Candidates, places: list[Fold], scores: Scores) -> None:
        """Train all settings of some ways for some folds, and enter the scores of their bags.

        One that does not converge leaves it to the others.
        """
        result: list[tuple[Fold, list[Setting], Any]] = []
        for bench, those in self.benches.of(places):
            works, asked = [], []
            for training, place in those:
                for prep, same in by_preprocessing(some):
                    for wanted in same:
                        works.append(self._work(training, prep, wanted, self.fewer))
                        asked.append((place, wanted))
            if self.benches.large:
                works += self._ahead(bench, some, [training for training, _ in those])
            answers = bench.train(works)[: len(asked)]
            result += [(*item, answer) for item, answer in zip(asked, answers, strict=True)]
        lost = {wanted[0].candidate for _, wanted, item in result if isinstance(item, NotConverged)}
        self.failed += [item for *_, item in result if isinstance(item, NotConverged)]
        for place, wanted, answer in result:
            if wanted[0].candidate not in lost:
                for setting, item in zip(wanted, answer, strict=True):
                    self._enter(place, item.scores, scores.setdefault(setting, self._empty()))

    def _work(
        self, training: int, prep: Preprocessing, wanted: list[Setting], fewer: float
    ) -> Work:
        scaled = [item._replace(ridge=fewer * item.ridge) for item in wanted]
        seed = int(self.random.randint(2**31 - 1))  # its own: trainings take turns
        return Work(self.recipe.train, training, prep, scaled, seed)

    def _ahead(self, bench: Bench, some: Candidates, trained: list[int]) -> list[Work]:
        """Return what may as well be done in the same passes, of data that are read for each.

        In a first round on one fold, the starts of the others; in the last, training on all bags.
        """
        works = []
        for training in range(len(bench.trained)):
            if training in trained:
                continue
            last = training == bench.everything and len(trained) == len(self.rows.folds)
            for prep, same in by_preprocessing(some):
                for wanted in same:
                    item = self._work(training, prep, wanted, 1.0)
                    if last:
                        works.append(item)
                    elif self.recipe.start is not None:
                        works.append(item._replace(train=self.recipe.start))
        return works

    def _empty(self) -> FloatArray:
        return np.empty(len(self.labels))

    def _enter(self, place: Fold, scores: FloatArray, result: FloatArray) -> None:
        """Enter the scores of the bags that a fold holds out, counted from its own middle.

        That is the mean of its training bags, classes as in all.
        """
        (known, tested), given = place, self.given
        y, share = given.y[known], given.weight[known] / given.weight[known].sum()
        if not given.usual:
            positive = float(given.weight[given.y > 0.0].sum() / given.weight.sum())
            share = as_common(share, y, positive)
        middle = centre(scores[known], y, share)
        result[tested] = from_centre(scores[self.rows.bag[tested]], middle)

    def losses(self, scores: FloatArray, held: IndexArray) -> tuple[FloatArray, FloatArray]:
        """Return the losses of some bags held out, those of one source together, and weights."""
        share = self.weights[held] / self.weights[held].sum()
        each = losses_of(scores[held], self.labels[held], share)
        source = None if self.source is None else self.source[held]
        result, share = by_source(each, share, source=source)
        return result, share

    def judge(self, scores: Scores, most: int) -> Choice:
        """Choose among settings by all scores, and calibrate; log odds are those of all bags."""
        parts, rows, given = [own for _, own in self.rows.folds], self.rows, self.given
        alike = parts if given.usual else scale_together(parts)
        choice = judge(scores, self.labels, self.weights, alike, most, self.source)
        own = given.used[rows.bag[np.concatenate(parts)]]

        def placed(odds: FloatArray) -> FloatArray:
            result = np.full(len(given.bags), np.nan)
            result[own] = odds
            return result

        nested = choice.nested
        if nested is not None:
            nested = nested._replace(log_odds=placed(nested.log_odds))
        return choice._replace(log_odds=placed(choice.log_odds), nested=nested)
