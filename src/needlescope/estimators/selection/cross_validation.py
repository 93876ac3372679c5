"""Cross-validation: candidates are fitted to some bags, and score those that were held out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...errors import NotConverged
from ...losses import Loss
from ...solvers.calibration import losses_of
from ..bags.bags import Bags
from ..candidates.shared.candidate import Candidate, Configuration
from ..engine.folds import as_common
from ..engine.shared_table import FitData
from ..engine.workspace import Fold, Workspace, Workspaces
from .choice import Choice, centre, choose, from_centre
from .cv_splits import Rows, check_folds, first_fold, held_out, restrict_folds, scale_together
from .fold_fits import FoldFit, fit_folds
from .ranking import by_source

Candidates: TypeAlias = "dict[Candidate, list[Configuration]]"
Scores: TypeAlias = "dict[Configuration, FloatArray]"


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

    def split(self, count: int, random: Any, partitions: int = 1) -> list[Fold]:
        """Return the given folds, or ``count`` new ones of each partition.

        There are none if a class has one bag.
        """
        if self.folds is None:
            each = [held_out(self.y, count, random, self.groups) for _ in range(partitions)]
            return [fold for folds in each for fold in folds]
        check_folds(self.folds, self.y, (-1.0, 1.0))
        return self.folds


class CrossValidation:
    """Bags held out in turn, and the scores that configurations give to them.

    Ridges are multiplied by ``more``, as a fold has fewer bags than the last fit.
    """

    def __init__(
        self,
        loss: Loss,
        bags: Labelled,
        folds: list[Fold],
        more: float,
        data: FitData,
        random: Any,
    ) -> None:
        """Number the scores that there will be: one each time that a bag is held out."""
        self.loss, self.bags, self.more, self.random = loss, bags, more, random
        self.rows = rows = Rows.of(folds, len(bags.y))
        self.labels, self.weights = bags.y[rows.bag], bags.weight[rows.bag] * rows.share
        self.source = rows.bag if rows.repeated else None  # scores of one source go together
        if bags.groups is not None:
            self.source = bags.groups[rows.bag]
        self.failed: list[NotConverged] = []
        # The fold by which hopeless candidates are dropped.
        self.first = rows.folds[0] if bags.usual else first_fold(rows, bags.y)
        apart = all(self.first is not fold for fold in rows.folds)
        self.workspaces = Workspaces(data, [*rows.folds, self.first] if apart else rows.folds)

    def score(self, candidates: Candidates, folds: list[Fold], scores: Scores) -> None:
        """Fit all configurations of some candidates to some folds, and enter held-out scores.

        One that does not converge leaves it to the others.
        """
        result: list[tuple[Fold, list[Configuration], Any]] = []
        for workspace, some in self.workspaces.of(folds):
            wanted, asked = [], []
            for number, fold in some:
                for configurations in by_preprocessing(candidates):
                    wanted.append(self._fit(number, configurations, self.more))
                    asked.append((fold, configurations))
            if self.workspaces.large:
                wanted += self._ahead(workspace, candidates, [number for number, _ in some])
            answers = fit_folds(workspace, wanted, self.loss)[: len(asked)]
            result += [(*item, answer) for item, answer in zip(asked, answers, strict=True)]
        lost = {some[0].candidate for _, some, item in result if isinstance(item, NotConverged)}
        self.failed += [item for *_, item in result if isinstance(item, NotConverged)]
        for fold, configurations, answer in result:
            if configurations[0].candidate not in lost:
                for configuration, item in zip(configurations, answer, strict=True):
                    held = scores.setdefault(configuration, np.empty(len(self.labels)))
                    self._enter(fold, item.scores, held)

    def _fit(self, fold: int, configurations: list[Configuration], more: float) -> FoldFit:
        scaled = [item._replace(ridge=more * item.ridge) for item in configurations]
        seed = int(self.random.randint(2**31 - 1))  # its own: fits go side by side
        return FoldFit(fold, configurations[0].candidate, scaled, seed)

    def _ahead(
        self, workspace: Workspace, candidates: Candidates, folds: list[int]
    ) -> list[FoldFit]:
        """Return what may as well be done in the same passes, of data that are read for each.

        In a first round on one fold, the initial queries of the others; in the last, the fit to
        all bags.
        """
        wanted = []
        for number in range(len(workspace.trained)):
            if number in folds:
                continue
            last = number == workspace.everything and len(folds) == len(self.rows.folds)
            for configurations in by_preprocessing(candidates):
                item = self._fit(number, configurations, 1.0)
                wanted.append(item if last else item._replace(configurations=[]))
        return wanted

    def _enter(self, fold: Fold, scores: FloatArray, result: FloatArray) -> None:
        """Enter the scores of the bags that a fold holds out, counted from its own middle.

        That is the mean of its training bags, classes as in all.
        """
        (known, tested), bags = fold, self.bags
        y, share = bags.y[known], bags.weight[known] / bags.weight[known].sum()
        if not bags.usual:
            positive = float(bags.weight[bags.y > 0.0].sum() / bags.weight.sum())
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

    def choose(self, scores: Scores, most: int) -> Choice:
        """Choose among configurations by all scores, and calibrate; log odds are of all bags."""
        parts, rows, bags = [own for _, own in self.rows.folds], self.rows, self.bags
        alike = parts if bags.usual else scale_together(parts)
        choice = choose(scores, self.labels, self.weights, alike, most, self.source)
        own = bags.used[rows.bag[np.concatenate(parts)]]

        def placed(odds: FloatArray) -> FloatArray:
            result = np.full(len(bags.bags), np.nan)
            result[own] = odds
            return result

        nested = choice.nested
        if nested is not None:
            nested = nested._replace(log_odds=placed(nested.log_odds))
        return choice._replace(log_odds=placed(choice.log_odds), nested=nested)


def by_preprocessing(candidates: Candidates) -> Iterator[list[Configuration]]:
    """Go through the configurations of each candidate, those of one preprocessing together."""
    for candidate in sorted(candidates, key=_order):
        yield candidates[candidate]


def _order(candidate: Candidate) -> tuple[bool, float]:
    shrinkage = candidate.shrinkage
    return candidate.random_features, -1.0 if shrinkage is None else -shrinkage
