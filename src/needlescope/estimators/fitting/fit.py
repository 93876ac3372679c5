"""From bags to a trained, calibrated model: a setting is chosen by bags held out, then all train.

Nothing here knows which classifier it is: a `Recipe` says how one is trained and how it scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...running.progress import Progress
from ..bags.bags import Bags
from ..bags.scaling import Scaling, fit_scaling, no_scaling
from .prepared import HOLD, Prepared
from .selection import AS_IS, Choice, Platt, centre, draw, even_count, from_centre, held_out, judge
from .settings import Setting

VALIDATION = HOLD // 2  # numbers that the choice of a setting looks at; of more, bags are drawn,
ENOUGH = 500  # but not fewer than so many

Train: TypeAlias = (
    "Callable[[Prepared, FloatArray, list[Setting], Any], Iterator[tuple[Setting, Any]]]"
)


class Recipe(NamedTuple):
    """How a classifier is made of bags that are labelled and weighted."""

    train: Train  # a model in every setting
    scores: Callable[[Prepared, Any], FloatArray]  # of bags, before calibration
    shrinkage: float | None  # of the covariance that instances are scaled by
    folds: int  # by which settings are compared; 0 compares none
    relative: bool  # whether ridges are in proportion to the number of features per bag

    def scale(self, bags: Bags, used: IndexArray, weight: FloatArray) -> Scaling:
        """Return how instances are scaled, fitted to the bags that are used."""
        if self.shrinkage is None:
            return no_scaling(bags.d)
        return fit_scaling(bags, used, weight, float(self.shrinkage))


class Labelled(NamedTuple):
    """Bags to train on: which of them are used, and their labels −1 or +1 and weights."""

    bags: Bags
    used: IndexArray
    y: FloatArray
    weight: FloatArray


class Fitted(NamedTuple):
    """A trained model, the setting it was trained in, and what it was trained on."""

    model: Any
    choice: Choice
    calibration: Platt
    scaling: Scaling
    data: Prepared
    share: FloatArray


def fit_bags(
    recipe: Recipe, given: Labelled, settings: list[Setting], random: Any, progress: Progress
) -> Fitted:
    """Choose one of the settings, train in it on all bags, and calibrate the scores."""
    choice = _choose(recipe, given, settings, random)
    scaling = recipe.scale(given.bags, given.used, given.weight)
    data = Prepared(given.bags, given.used, given.y, scaling, progress)
    share = given.weight / given.weight.sum()
    ((_, model),) = recipe.train(data, share, [choice.setting], random)
    calibration = choice.calibration
    if calibration != AS_IS:
        middle = centre(recipe.scores(data, model), data.y, share)
        calibration = calibration.counted_from(middle)
    return Fitted(model, choice, calibration, scaling, data, share)


def _choose(recipe: Recipe, given: Labelled, settings: list[Setting], random: Any) -> Choice:
    """Choose a setting and calibrate, on bags held out; on some bags only if there are many."""
    bags, used, y, weight = given
    if recipe.folds == 0:
        if len(settings) > 1:
            raise ValueError(
                'validation=0 leaves nothing to choose parameters by that are "auto"; give '
                "them values, or validation=3"
            )
        return Choice(settings[0], {}, AS_IS)
    total = even_count(y, weight)
    room = int(VALIDATION // max(1.0, float(bags.lengths[used].mean()) * bags.d))
    if len(used) > max(room, ENOUGH):
        drawn, weight = draw(y, weight, max(room, ENOUGH), random)
        used, y = used[drawn], y[drawn]
    fewer = total / even_count(y, weight) if recipe.relative else 1.0
    scaled = [one._replace(ridge=fewer * one.ridge) for one in settings]
    places = held_out(y, recipe.folds, random)
    scores = {setting: np.empty(len(y)) for setting in settings}
    for known, test in places:
        share = weight[known] / weight[known].sum()
        scaling = recipe.scale(bags, used[known], share)
        data = Prepared(bags, used[known], y[known], scaling)
        held = Prepared(bags, used[test], y[test], scaling)
        trained = recipe.train(data, share, scaled, random)
        for setting, (_, model) in zip(settings, trained, strict=True):
            middle = centre(recipe.scores(data, model), y[known], share)
            scores[setting][test] = from_centre(recipe.scores(held, model), middle)
    return judge(scores, y, weight, [test for _, test in places])
