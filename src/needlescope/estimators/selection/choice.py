"""Choice of a configuration by the scores of held-out bags, which calibration is fitted to.

The bags are cut into folds; each is scored by fits to the others, in every configuration. Scores
are counted from the mean of a classifier's own training scores (`centre`): the bias differs
from fold to fold, and where a strong ridge leaves instances little say it would be all there is.
Two numbers put scores, each from a classifier that has not seen the bag, on the scale of
probabilities (Platt). The configuration with the least logarithmic loss after that is selected:
scores too timid, or too bold, are put right. Those beyond the middle 90 % of both classes are
moved to its ends first: a few bags with features out of all proportion would else decide.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score

from ...arrays import FloatArray, IndexArray
from ...solvers.calibration import (
    AS_IS,
    Platt,
    ends,
    losses_of_each,
    platt,
    platt_of_each,
    quantile,
)
from ..candidates.shared.candidate import Configuration
from .ensemble import greedy_weights
from .nested import Nested, nested
from .ranking import apart, by_source, rank

CENTRE_ROUNDING = 1e-10  # of the centre, below which scores do not differ from it


class Selected(NamedTuple):
    """A configuration to be fitted to all bags, and the calibration of its scores."""

    configuration: Configuration
    calibration: Platt
    weight: float = 1.0  # of its log odds


class Compared(NamedTuple):
    """How a configuration did on held-out bags."""

    configuration: Configuration
    behind: float  # its loss, less the best
    error: float  # the standard error of that
    loss: float  # on the bags of all folds; NaN where it was dropped after the first
    weight: float  # of its log odds; 0 if it is not selected


class Explainer(NamedTuple):
    """The best candidate that attends, by which instances may be explained, and what that costs."""

    selected: Selected
    auc: float  # of its scores of held-out bags
    auc_of_all: float  # of the log odds of all that are selected


class Choice(NamedTuple):
    """The configurations selected, how their log odds are combined, and all that were compared."""

    selected: list[Selected]
    blend: Platt  # of the weighted mean of their log odds
    compared: list[Compared]  # by increasing loss; of a candidate dropped early, the best
    log_odds: FloatArray = np.zeros(0)  # of the bags held out, one part after another
    nested: Nested | None = None  # what the choice is worth on bags that it was not made by
    explainer: Explainer | None = None  # if a candidate attends


def choose(
    scores: dict[Configuration, FloatArray],
    y: FloatArray,
    weight: FloatArray,
    parts: list[IndexArray],
    most: int = 1,
    source: IndexArray | None = None,
) -> Choice:
    """Return the configurations whose scores of held-out bags are best, and their calibration.

    Up to ``most`` candidates are put together, each in its best configuration (`ensemble`).

    ``parts`` are the bags that were held out together, none if there were too few: then the first
    configuration is taken, the most cautious. Scores of one ``source``, such as a patient, do not
    count as independent where standard errors are concerned.
    """
    if not parts:
        return Choice([Selected(next(iter(scores)), AS_IS)], AS_IS, [])
    held = np.concatenate(parts)
    share, labels = weight[held] / weight[held].sum(), y[held]
    configurations, from_one = list(scores), None if source is None else source[held]
    each = losses_of_each(np.stack([scores[item][held] for item in configurations]), labels, share)
    ranked = [item.place for item in rank(configurations, each, share, from_one)]
    alike = np.stack([_one_scale(scores[item], weight, parts)[held] for item in configurations])
    fits = platt_of_each(alike[ranked], labels, share)
    odds = fits.log_odds(alike[ranked])
    weights = greedy_weights(odds, labels, share, most)
    taken = {ranked[k]: (fits.of(int(k)), float(weights[k])) for k in np.flatnonzero(weights)}
    weight_of = dict(zip(ranked, weights.tolist(), strict=True))
    together: FloatArray = weights @ odds
    blend = platt(together, labels, share) if len(taken) > 1 else AS_IS
    together = blend.log_odds(together)
    explainer = _explainer([configurations[k] for k in ranked], fits, odds, labels, share, together)
    result = nested(configurations, alike, labels, share, most, from_one)
    if result is not None:
        together = result.slope * together + result.shift
        if explainer is not None:
            own = explainer.selected
            shrunk = own.calibration.shrunk(result.slope, result.shift)
            explainer = explainer._replace(selected=own._replace(calibration=shrunk))
        if len(taken) > 1:
            blend = blend.shrunk(result.slope, result.shift)
        else:
            taken = {
                k: (item.shrunk(result.slope, result.shift), 1.0) for k, (item, _) in taken.items()
            }
    selected = [Selected(configurations[k], *item) for k, item in taken.items()]
    losses, (*by, counted) = each @ share, by_source(*each, share, source=from_one)
    compared = [
        Compared(
            configurations[k],
            *apart(by[k], by[ranked[0]], counted),
            float(losses[k]),
            weight_of.get(int(k), 0.0),
        )
        for k in np.argsort(losses, kind="stable")
    ]
    return Choice(selected, blend, compared, together, result, explainer)


def _explainer(
    ranked: list[Configuration],
    fits: Platt,
    odds: FloatArray,
    y: FloatArray,
    share: FloatArray,
    together: FloatArray,
) -> Explainer | None:
    """Return the best candidate that attends, if one does."""
    attends = [item.candidate.attends for item in ranked]
    if not any(attends):
        return None
    k = attends.index(True)
    auc, auc_of_all = (
        float(roc_auc_score(y, item, sample_weight=share)) for item in (odds[k], together)
    )
    return Explainer(Selected(ranked[k], fits.of(k)), auc, auc_of_all)


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
