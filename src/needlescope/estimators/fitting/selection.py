"""Choice of a setting by held-out bags, and the scores they get: what calibration is fitted to.

The bags are cut into folds; each is scored by what was trained on the others, in every setting.
Scores are counted from the mean of a classifier's own training scores (`centre`): the bias differs
from fold to fold, and where a strong ridge leaves instances little say it would be all there is.
Two numbers put scores, each from a classifier that has not seen the bag, on the scale of
probabilities (Platt). The setting with the least logarithmic loss after that calibration is taken:
scores too timid, or too bold, are put right. Those beyond the middle 90 % of both classes are
moved to its ends first: a few bags with features out of all proportion would else decide.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from ...arrays import FloatArray, IndexArray
from ...solvers.calibration import AS_IS, Platt, ends, losses_of_each, platt, quantile
from .choosing.nested import Nested, nested
from .choosing.ranking import NEAR, apart, by_source, rank
from .folds import grouped, in_order, rarer, stratified
from .settings import Setting

MANY = 5000  # bags from which one part held out says enough,
RARE = 500  # if so many are of the rarer class
FEWEST = 100  # bags of a class that are kept when some are drawn
CENTRE_ROUNDING = 1e-10  # of the centre, below which scores do not differ from it


class Taken(NamedTuple):
    """A setting to be trained on all bags, and the calibration of its scores."""

    setting: Setting
    calibration: Platt


class Tried(NamedTuple):
    """How a setting did on held-out bags."""

    setting: Setting
    behind: float  # its loss, less the best
    error: float  # the standard error of that
    loss: float  # on the bags of all folds; NaN where it was dropped after the first
    taken: bool


class Choice(NamedTuple):
    """The settings taken, how their log odds are put together, and all that were tried."""

    members: list[Taken]
    blend: Platt  # of the mean of the members' log odds
    tried: list[Tried]  # by increasing loss; of a way that was dropped early, the best setting
    log_odds: FloatArray = np.zeros(0)  # of the bags held out, one part after another
    nested: Nested | None = None  # what the choice is worth on bags that it was not made by


def held_out(
    y: FloatArray,
    folds: int,
    random: np.random.RandomState,
    groups: IndexArray | None = None,
) -> list[tuple[IndexArray, IndexArray]]:
    """Return bags to train on and bags held out, several times; none if a class has one bag."""
    fewest = rarer(y)
    if fewest < 2 or folds < 2:
        return []
    if groups is not None:
        if len(y) >= MANY and fewest >= RARE:
            return grouped(y, groups, 5, random)[:1]
        return grouped(y, groups, folds, random)
    if len(y) >= MANY and fewest >= RARE:
        return in_order(StratifiedShuffleSplit(1, test_size=0.2, random_state=random), y)
    return stratified(y, min(folds, fewest), random)


def judge(
    scores: dict[Setting, FloatArray],
    y: FloatArray,
    weight: FloatArray,
    parts: list[IndexArray],
    most: int = 1,
    source: IndexArray | None = None,
) -> Choice:
    """Return the settings whose scores of bags held out are best, and their calibration.

    The best is taken, and the best of every other family that is near to it, up to ``most`` in all:
    bags held out do not tell them apart, and the mean of their log odds is better than any of
    them. Ways of one family err alike, and a mean of them gains nothing.

    ``parts`` are the bags that were held out together, none if there were too few: then the first
    setting is taken, the most cautious. Scores of one ``source``, such as a patient, do not count
    as independent where standard errors are concerned.
    """
    if not parts:
        return Choice([Taken(next(iter(scores)), AS_IS)], AS_IS, [])
    held = np.concatenate(parts)
    share, labels = weight[held] / weight[held].sum(), y[held]
    settings, from_one = list(scores), None if source is None else source[held]
    each = losses_of_each(np.stack([scores[setting][held] for setting in settings]), labels, share)
    ranked = rank(settings, each, share, most, from_one)
    alike = np.stack([_one_scale(scores[setting], weight, parts)[held] for setting in settings])
    taken = [item.place for item in ranked if item.taken]
    fitted = [platt(alike[k], labels, share) for k in taken]
    odds = [item.log_odds(alike[k]) for k, item in zip(taken, fitted, strict=True)]
    together: FloatArray = np.mean(odds, axis=0)
    blend = platt(together, labels, share) if len(taken) > 1 else AS_IS
    together = blend.log_odds(together)
    result = nested(settings, alike, labels, share, most, from_one)
    if result is not None:
        together = result.slope * together + result.shift
        if len(taken) > 1:
            blend = blend.shrunk(result.slope, result.shift)
        else:
            fitted = [fitted[0].shrunk(result.slope, result.shift)]
    members = [Taken(settings[k], item) for k, item in zip(taken, fitted, strict=True)]
    losses, (*by, counted) = each @ share, by_source(*each, share, source=from_one)
    tried = [
        Tried(settings[k], *apart(by[k], by[taken[0]], counted), float(losses[k]), k in taken)
        for k in np.argsort(losses, kind="stable")
    ]
    return Choice(members, blend, tried, together, result)


def summary(every: list[Tried], setting: Setting) -> str:
    """Return sentences on why a setting was selected, and with which others.

    Examples
    --------
    >>> mean = Setting(0.0, 0.1, pooling="mean")
    >>> rows = [Tried(mean, 0.0, 0.0, 0.4, True), Tried(Setting(2.0, 0.1), 0.1, 0.02, 0.5, False)]
    >>> print(summary(rows, mean))
    The mean of standardised instances had the least loss on held-out bags, 0.400, of 2 candidates;
    the next, attention initialised by two gradient steps, on standardised instances, was 0.100 ±
    0.020 behind. Attention is uniform: attending did not help.
    """
    start = setting.words[0].upper() + setting.words[1:]
    best: dict[Setting, Tried] = {}
    for row in every:
        best.setdefault(row.setting.candidate, row)
    tried = list(best.values())
    if len(tried) < 2:
        result = f"{start} was the only candidate."
    else:
        others = [row for row in tried if row.taken][1:]
        result = f"{start} had the least loss on held-out bags, {tried[0].loss:.3f}, of "
        result += f"{len(tried)} candidates; "
        if others:
            listed = " and ".join(row.setting.words for row in others)
            result += f"{listed} came within {NEAR:g} standard errors of it, and the mean of their "
            result += "log odds is used."
        else:
            row = tried[1]
            result += (
                f"the next, {row.setting.words}, was {row.behind:.3f} ± {row.error:.3f} behind."
            )
    if not setting.attends:
        compared = any(row.setting.attends for row in tried)
        alone = not any(row.setting.attends for row in tried if row.taken)
        so = (": attending did not help" if alone else " in the best") * compared
        result += f" Attention is uniform{so}."
    return result


def centre(scores: FloatArray, y: FloatArray, weight: FloatArray) -> float:
    """Return the mean score of training bags, those far out in their class moved in."""
    return float(weight @ np.clip(scores, *ends(scores, y, weight)) / weight.sum())


def from_centre(scores: FloatArray, middle: float) -> FloatArray:
    """Return scores counted from there; what may be rounding is zero."""
    result = scores - middle
    return np.where(np.abs(result) > CENTRE_ROUNDING * abs(middle), result, 0.0)


def _one_scale(scores: FloatArray, weight: FloatArray, parts: list[IndexArray]) -> FloatArray:
    """Return the scores of all parts on the scale of the middle one.

    Without an effective ridge, classifiers of bags that can be separated differ in nothing but
    their scale, by powers of ten; those of the largest would be all that a calibration sees.
    """
    sizes = [quantile(np.abs(scores[part]), weight[part], 0.5) for part in parts]
    result, middle = scores.copy(), float(np.median(sizes))
    for part, size in zip(parts, sizes, strict=True):
        if size > 0.0:
            result[part] *= middle / size
    return result


def even_count(y: FloatArray, weight: FloatArray) -> float:
    """Return how many bags of equal weight, half of them positive, say as much as these.

    Examples
    --------
    >>> y = np.array([1.0, 1.0, -1.0, -1.0])
    >>> even_count(y, np.ones(4)), even_count(y, np.array([1.0, 0.0, 1.0, 1.0]))
    (4.0, 2.666667)
    """
    sides = (weight[y > 0.0], weight[y < 0.0])
    parts = [side / side.max() for side in sides]
    counts = [float(part.sum()) ** 2 / float(part @ part) for part in parts]
    return round(4.0 / (1.0 / counts[0] + 1.0 / counts[1]), 6)


def draw(
    y: FloatArray, weight: FloatArray, count: int, random: np.random.RandomState
) -> tuple[IndexArray, FloatArray]:
    """Draw about ``count`` bags, in proportion to both classes but not too few of either.

    The chance of a bag is in proportion to its weight, so that those drawn weigh the same; bags
    too heavy for that are all taken, with their own weight. Returns their places, increasing, and
    weights under which each class weighs what it did.
    """
    places, weights = [], []
    for sign in (-1.0, 1.0):
        own = np.flatnonzero(y == sign)
        wanted = max(round(count * len(own) / len(y)), min(FEWEST, len(own)))
        drawn, share = own, weight[own]
        if wanted < len(own):
            chosen, share = _in_proportion(share, wanted, random)
            drawn = own[chosen]
        places.append(drawn)
        weights.append(share)
    result = np.concatenate(places)
    order = np.argsort(result)
    return result[order], np.concatenate(weights)[order]


def _in_proportion(
    weight: FloatArray, count: int, random: np.random.RandomState
) -> tuple[IndexArray, FloatArray]:
    """Choose ``count`` places with chances in proportion to their weights; return new weights.

    The chances are laid end to end, in random order, and a place is taken wherever a grid of unit
    steps with a random start falls into it.
    """
    sure = np.zeros(len(weight), bool)
    while True:
        left = count - int(sure.sum())
        level = float(weight[~sure].sum()) / max(left, 1)
        more = ~sure & (weight >= level)
        if not left or not more.any():
            break
        sure |= more
    order = random.permutation(np.flatnonzero(~sure))
    ends = np.floor(np.cumsum(weight[order]) / level + random.random_sample()).astype(int)
    drawn = order[np.diff(ends, prepend=0) > 0][:left]
    weights = np.concatenate([weight[sure], np.full(len(drawn), level)])
    return np.concatenate([np.flatnonzero(sure), drawn]), weights
