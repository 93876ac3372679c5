"""From bags to a trained, calibrated model: a setting is chosen by bags held out, then all train.

Nothing here knows which classifier it is: a `Recipe` says how one is trained and how it scores.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...running.progress import Progress
from ..bags.views import View
from .comparison import Comparison, Labelled, Recipe
from .prepared import HOLD, Prepared
from .selection import AS_IS, Choice, Platt, Tried, centre, draw, even_count, judge
from .settings import Setting
from .ways.rounds import Ways, compare

VALIDATION = HOLD // 2  # numbers that the choice of a setting looks at; of more, bags are drawn,
ENOUGH = 500  # but not fewer than so many


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
    settings = [one for group in ways.values() for one in group]
    if recipe.folds == 0 and given.places is None:
        if len(settings) > 1:
            raise ValueError(
                'validation=0 leaves nothing to choose parameters by that are "auto"; give '
                "them values, or validation=3"
            )
        return judge(dict.fromkeys(settings, np.zeros(0)), given.y, given.weight, [])
    bags, total = given.bags, even_count(given.y, given.weight)
    everything = int(bags.lengths[given.used].sum()) * bags.d
    room = int(VALIDATION // max(1.0, float(bags.lengths[given.used].mean()) * bags.d))
    if len(given.used) > max(room, ENOUGH):
        given = given.some(*draw(given.y, given.weight, max(room, ENOUGH), random))
    fewer = total / even_count(given.y, given.weight) if recipe.relative else 1.0
    places = given.folds(recipe.folds, random)
    if not places:
        return judge(dict.fromkeys(settings, np.zeros(0)), given.y, given.weight, [])
    held = Comparison(recipe, given, places, fewer, random, seed)
    scores, dropped = compare(ways, held.rows.places, held.score, held.losses, held.first)
    if not scores:
        raise held.failed[0]
    most = recipe.most if everything <= HOLD else 1  # each way more would read all bags again
    choice = held.judge(scores, most)
    early = [
        Tried(one, behind, error, float("nan"), taken=False)
        for one, behind, error in sorted(dropped.values(), key=lambda found: found[1])
    ]
    return choice._replace(tried=choice.tried + early)
