"""From bags to a trained, calibrated model: a setting is chosen by bags held out, then all train.

Nothing here knows which classifier it is: a `Recipe` says how one is trained and how it scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...errors import NotConverged
from ...running.progress import Progress
from ..bags.bags import Bags
from ..bags.views import View
from .places import Place, Rows, among, check_places, first_place, scale_together
from .prepared import HOLD, Prepared
from .selection import (
    AS_IS,
    Choice,
    Platt,
    Tried,
    as_common,
    by_source,
    centre,
    draw,
    even_count,
    from_centre,
    held_out,
    judge,
    losses_of,
)
from .settings import Setting
from .ways.rounds import Scores, Ways, by_glass, compare

VALIDATION = HOLD // 2  # numbers that the choice of a setting looks at; of more, bags are drawn,
ENOUGH = 500  # but not fewer than so many

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


class Member(NamedTuple):
    """A trained model, the setting it was trained in, how instances are shown to it."""

    setting: Setting
    view: View
    model: Any
    calibration: Platt


class Fitted(NamedTuple):
    """The trained models, best first, how they were chosen, and how they are put together."""

    members: list[Member]
    choice: Choice
    data: Prepared  # what the first was trained on
    share: FloatArray


def fit_bags(
    recipe: Recipe, given: Labelled, ways: Ways, random: Any, progress: Progress
) -> Fitted:
    """Choose among the settings, train on all bags in those chosen, and calibrate the scores."""
    seed = int(random.randint(2**31 - 1))  # of cosines: the same for all folds
    choice = _choose(recipe, given, ways, random, seed)
    share = given.weight / given.weight.sum()
    members, first = [], None
    for setting, calibration in choice.members:
        view = setting.glass.fit(given.bags, given.used, given.weight, seed)
        data = Prepared(given.bags, given.used, given.y, view, progress)
        ((_, model),) = recipe.train(data, share, [setting], random)
        if calibration != AS_IS:
            middle = centre(recipe.scores(data, model), data.y, share)
            calibration = calibration.counted_from(middle)
        members.append(Member(setting, view, model, calibration))
        first = data if first is None else first
    assert first is not None
    return Fitted(members, choice, first, share)


def _choose(recipe: Recipe, given: Labelled, ways: Ways, random: Any, seed: int) -> Choice:
    """Choose settings and calibrate, on bags held out; on some bags only if there are many."""
    bags, total = given.bags, even_count(given.y, given.weight)
    settings = [one for group in ways.values() for one in group]
    if recipe.folds == 0 and given.places is None:
        if len(settings) > 1:
            raise ValueError(
                'validation=0 leaves nothing to choose parameters by that are "auto"; give '
                "them values, or validation=3"
            )
        return judge(dict.fromkeys(settings, np.zeros(0)), given.y, given.weight, [])
    everything = int(bags.lengths[given.used].sum()) * bags.d
    room = int(VALIDATION // max(1.0, float(bags.lengths[given.used].mean()) * bags.d))
    if len(given.used) > max(room, ENOUGH):
        given = given.some(*draw(given.y, given.weight, max(room, ENOUGH), random))
    _, used, y, weight, groups, places = given
    fewer = total / even_count(y, weight) if recipe.relative else 1.0
    own = places is None and groups is None
    if places is None:
        places = held_out(y, recipe.folds, random, groups)
    else:
        check_places(places, y, (-1.0, 1.0))
    if not places:
        return judge(dict.fromkeys(settings, np.zeros(0)), y, weight, [])
    rows = Rows.of(places, len(y))
    labels, weights = y[rows.bag], weight[rows.bag] * rows.share  # of each score
    source = groups[rows.bag] if groups is not None else rows.bag if rows.repeated else None

    positive = float(weight[y > 0.0].sum() / weight.sum())

    failed: list[NotConverged] = []

    def score(some: Ways, place: Place, scores: Scores) -> None:
        known, tested = place
        test = rows.bag[tested]
        share = weight[known] / weight[known].sum()
        even = share if own else as_common(share, y[known], positive)
        for glass, same in by_glass(some):
            view = glass.fit(bags, used[known], share, seed)
            data = Prepared(bags, used[known], y[known], view)
            held = Prepared(bags, used[test], y[test], view)
            for wanted in same:
                scaled = [one._replace(ridge=fewer * one.ridge) for one in wanted]
                try:
                    trained = list(recipe.train(data, share, scaled, random))
                except NotConverged as error:  # others may do
                    failed.append(error)
                    for one in wanted:
                        scores.pop(one, None)
                    continue
                for setting, (_, model) in zip(wanted, trained, strict=True):
                    middle = centre(recipe.scores(data, model), y[known], even)
                    found = scores.setdefault(setting, np.empty(len(labels)))
                    found[tested] = from_centre(recipe.scores(held, model), middle)

    def losses(scores: FloatArray, held: IndexArray) -> tuple[FloatArray, FloatArray]:
        share = weights[held] / weights[held].sum()
        each = losses_of(scores[held], labels[held], share)
        found, share = by_source(each, share, source=None if source is None else source[held])
        return found, share

    first = rows.places[0] if own else first_place(rows, y)
    scores, dropped = compare(ways, rows.places, score, losses, first)
    if not scores:
        raise failed[0]
    most = recipe.most if everything <= HOLD else 1  # each way more would read all bags again
    parts = [tested for _, tested in rows.places]
    choice = judge(scores, labels, weights, parts if own else scale_together(parts), most, source)
    early = [
        Tried(one, behind, error, float("nan"), taken=False)
        for one, behind, error in sorted(dropped.values(), key=lambda found: found[1])
    ]
    log_odds = np.full(len(bags), np.nan)
    log_odds[used[rows.bag[np.concatenate(parts)]]] = choice.log_odds
    return choice._replace(tried=choice.tried + early, log_odds=log_odds)
