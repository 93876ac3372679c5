"""From bags to a trained, calibrated model: a setting is chosen by bags held out, then all train.

Nothing here knows which classifier it is: a `Recipe` says how one is trained and how it scores.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...errors import NotConverged
from ...running.progress import Progress
from ...solvers.calibration import AS_IS, Platt
from ..bags.preprocessing import Preprocessor
from ..bags.scaling import check_whitened
from .bench import Benches, Layout, Work
from .comparison import Comparison, Labelled, Recipe
from .lockstep.threads import Threads
from .prepared import HOLD, Prepared
from .selection import Choice, Tried, centre, draw, even_count, judge
from .settings import Setting
from .ways.rounds import Candidates, compare

VALIDATION = HOLD // 2  # numbers that the choice of a setting looks at; of more, bags are drawn,
ENOUGH = 500  # but not fewer than so many


class Member(NamedTuple):
    """A trained model, the setting it was trained in, how instances are shown to it."""

    setting: Setting
    preprocessor: Preprocessor
    model: Any
    calibration: Platt


class Fitted(NamedTuple):
    """The trained models, best first, how they were chosen, and how they are put together."""

    members: list[Member]
    choice: Choice
    data: Prepared  # what the first was trained on
    share: FloatArray


def fit_bags(
    recipe: Recipe,
    given: Labelled,
    ways: Candidates,
    random: Any,
    progress: Progress,
    threads: Threads,
) -> Fitted:
    """Choose among the settings, train on all bags in those chosen, and calibrate the scores."""
    seed = int(random.randint(2**31 - 1))  # of random features: the same for all folds
    for way in ways:
        check_whitened(given.bags.d, 1.0 if way.shrinkage is None else float(way.shrinkage))
    layout = Layout(
        *given[:4],
        whitens=any(way.shrinkage is not None and way.shrinkage < 1.0 for way in ways),
        contrasts=any(way.init == "contrastive_pca" for way in ways),
        seed=seed,
        progress=progress,
        threads=threads,
        groups=given.groups,
    )
    choice, benches = _choose(recipe, given, ways, layout, random)
    bench = Benches(layout, []).whole if benches is None else benches.whole
    share = given.weight / given.weight.sum()
    settings = [item for item, _ in choice.members]
    seeds = [int(random.randint(2**31 - 1)) for _ in settings]
    every, members = bench.everything, []
    trained = bench.train(
        [
            Work(recipe.train, every, setting.preprocessing, [setting], k)
            for setting, k in zip(settings, seeds, strict=True)
        ]
    )
    for (setting, calibration), result in zip(choice.members, trained, strict=True):
        if isinstance(result, NotConverged):
            raise result
        (item,) = result
        if calibration != AS_IS:
            calibration = calibration.counted_from(centre(item.scores, given.y, share))
        members.append(
            Member(setting, bench.view(every, setting.preprocessing), item.model, calibration)
        )
    data = Prepared(given.bags, given.used, given.y, members[0].preprocessor, progress)
    return Fitted(members, choice, data, share)


def _choose(
    recipe: Recipe, given: Labelled, ways: Candidates, layout: Layout, random: Any
) -> tuple[Choice, Benches | None]:
    """Choose settings and calibrate, on bags held out; on some bags only if there are many.

    Where all bags were looked at, they stay laid out for the last training.
    """
    settings = [item for group in ways.values() for item in group]
    nothing = dict.fromkeys(settings, np.zeros(0))
    if recipe.folds == 0 and given.folds is None:
        if len(settings) > 1:
            raise ValueError(
                'cv=0 leaves nothing to choose parameters by that are "auto"; give '
                "them values, or cv=3"
            )
        return judge(nothing, given.y, given.weight, []), None
    bags, total = given.bags, even_count(given.y, given.weight)
    everything = int(bags.lengths[given.used].sum()) * bags.d
    room = int(VALIDATION // max(1.0, float(bags.lengths[given.used].mean()) * bags.d))
    drawn = len(given.used) > max(room, ENOUGH)
    if drawn:
        given = given.some(*draw(given.y, given.weight, max(room, ENOUGH), random))
        layout = layout._replace(
            used=given.used, y=given.y, weight=given.weight, groups=given.groups
        )
    fewer = total / even_count(given.y, given.weight) if recipe.relative else 1.0
    places = given.split(recipe.folds, random)
    if not places:
        return judge(nothing, given.y, given.weight, []), None
    held = Comparison(recipe, given, places, fewer, layout, random)
    scouting = not held.benches.large
    scores, dropped = compare(
        ways, held.rows.folds, held.score, held.losses, held.first, scouting=scouting
    )
    if not scores:
        raise held.failed[0]
    most = recipe.most if everything <= HOLD else 1  # each way more would read all bags again
    choice = held.judge(scores, most)
    early = [
        Tried(item, behind, error, float("nan"), taken=False)
        for item, behind, error in sorted(dropped.values(), key=lambda result: result[1])
    ]
    return choice._replace(tried=choice.tried + early), None if drawn else held.benches
