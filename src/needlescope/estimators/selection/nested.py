"""How much the choice itself found: candidates chosen again without the bags that judge them.

The least of many losses is too small: on pure noise some candidate looks good, and the calibration
of its scores believes it. So the held-out bags are cut once more. The choice and its calibration
are repeated on four fifths of them and applied to the rest, which neither had seen; nothing is
trained again. With z the log odds that bags get in this way:

* the slope α of a logistic regression of the labels on z, which is below 1 where the choice
  overrates itself, and about 0 on noise;
* Λ, half the gain in log-likelihood of that regression over the base rate, and c = ½ log n, what
  a parameter costs by the Bayesian information criterion: something is found if Λ > c, with the
  probability p = 1/(1 + exp(c − Λ)). Half, as bags are not independent: each of a pair helps to
  train the classifier that scores the other, and on noise what they have in common counts twice.

Log odds are multiplied by p · min(α, 1)^{c/(c + Λ)}: near the base rate if nothing is found, as
they were if much is. The classifier is trained on all bags, and better than those that α is of: the
more there is to see, the less of α is due to luck.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from ...arrays import FloatArray, IndexArray
from ...losses import Logistic
from ...losses.balance import balancing_shift
from ...solvers.calibration import FLATTEST_CALIBRATION, platt, platt_of_each
from ..candidates.shared.candidate import Configuration
from ..engine.folds import as_common
from .ensemble import greedy_weights
from .ranking import apart, by_source, rank

PARTS = 5  # that held-out bags are cut into,
REPEATS = 2  # so many times
TWICE = 2.0  # a pair of bags speaks twice: each trains the classifier that scores the other
HOPELESS = 3.0  # standard errors behind the best, from which a configuration is chosen nowhere


class Nested(NamedTuple):
    """What the choice is worth on bags that it was not made by.

    Attributes
    ----------
    loss
        The logarithmic loss of these bags, after the log odds are shrunk.
    base_rate
        That of the base rate alone: every bag has the share of positives as its probability.
    error
        The standard error of their difference.
    log_evidence
        Λ − c: above 0 if something was found.
    slope, shift
        What log odds are multiplied by, and what is added then.
    log_odds
        Of each bag, by choices that it had no part in; NaN where it was not held out.
    """

    loss: float
    base_rate: float
    error: float
    log_evidence: float
    slope: float
    shift: float
    log_odds: FloatArray

    @property
    def found(self) -> bool:
        """Whether held-out bags are told apart better than by the base rate."""
        return self.log_evidence > 0.0

    @property
    def words(self) -> str:
        """The comparison with the base rate in a sentence."""
        compared = f"{self.loss:.3f} where that of the base rate is {self.base_rate:.3f}"
        off = f"a difference of {self.base_rate - self.loss:.3f} ± {self.error:.3f}"
        if self.found:
            return f"On bags held out from the selection too, its loss is {compared}, {off}."
        return (
            f"Nothing found: on bags held out from the selection too, its loss is {compared}, "
            f"{off}; probabilities stay near the base rate."
        )


def nested(
    configurations: list[Configuration],
    scores: FloatArray,
    y: FloatArray,
    weight: FloatArray,
    most: int,
    source: IndexArray | None = None,
) -> Nested | None:
    """Repeat the choice without some of the held-out bags, and judge it by these.

    ``scores`` has a row for each configuration and a column for each held-out bag; up to ``most``
    candidates are taken together; bags of one ``source`` stay together. Returns None where a class
    has too few bags, or sources, to leave any out.
    """
    share, random = weight / weight.sum(), np.random.RandomState(0)
    kept = _hopeful(scores, y, share, source)
    configurations, scores = [configurations[k] for k in kept], scores[kept]
    rows: list[FloatArray] = []
    for _ in range(REPEATS):
        part = _parts(y, source, random)
        if part is None:
            return None
        z = np.empty(len(y))
        for k in range(int(part.max()) + 1):
            own, rest = part == k, part != k
            origin = None if source is None else source[rest]
            if len(np.unique(y[rest])) < 2:
                return None
            common = as_common(share[rest], y[rest], float(share[y > 0.0].sum()))
            z[own] = _chosen(
                configurations, scores[:, rest], scores[:, own], y[rest], common, most, origin
            )
        rows.append(z)
    return _judged(np.array(rows), y, share, source)


def _hopeful(
    scores: FloatArray, y: FloatArray, share: FloatArray, source: IndexArray | None
) -> IndexArray:
    """Return the places of configurations that may be chosen when some bags are left out."""
    losses = _losses(scores, y, share)
    *each, weight = by_source(*losses, share, source=source)
    best = each[int(np.argmin(losses @ share))]
    gaps = [apart(item, best, weight) for item in each]
    return np.array([k for k, (behind, error) in enumerate(gaps) if behind <= HOPELESS * error])


def _losses(scores: FloatArray, y: FloatArray, share: FloatArray) -> FloatArray:
    fitted = platt_of_each(scores, y, share)
    return np.asarray(np.logaddexp(0.0, -y * fitted.log_odds(scores)))


def _parts(
    y: FloatArray, source: IndexArray | None, random: np.random.RandomState
) -> IndexArray | None:
    """Deal bags, or sources, to parts with as many of each class; return the part of each bag."""
    place = np.arange(len(y)) if source is None else np.unique(source, return_inverse=True)[1]
    count = int(place.max()) + 1
    first, other = np.bincount(place, y == y[0], count), np.bincount(place, y != y[0], count)
    parts = min(PARTS, int((first > 0).sum()), int((other > 0).sum()))
    if parts < 2:
        return None
    drawn = random.permutation(count)
    drawn = drawn[np.argsort((first / (first + other))[drawn], kind="stable")]
    dealt = np.empty(count, int)
    dealt[drawn] = np.arange(count) % parts
    result: IndexArray = dealt[place]
    return result


def _chosen(
    configurations: list[Configuration],
    scores: FloatArray,
    others: FloatArray,
    y: FloatArray,
    weight: FloatArray,
    most: int,
    source: IndexArray | None,
) -> FloatArray:
    """Choose and calibrate by some bags, and return the log odds of others."""
    share = weight / weight.sum()
    fitted = platt_of_each(scores, y, share)
    known = fitted.log_odds(scores)
    ranked = rank(configurations, np.logaddexp(0.0, -y * known), share, source)
    tops = [item.place for item in ranked]
    weights = greedy_weights(known[tops], y, share, most)
    result: FloatArray = weights @ fitted.log_odds(others)[tops]
    if (weights > 0.0).sum() > 1:
        result = platt(weights @ known[tops], y, share).log_odds(result)
    return result


def _judged(
    rows: FloatArray, y: FloatArray, share: FloatArray, source: IndexArray | None
) -> Nested:
    """Compare log odds (repeats, bags) with the base rate, and say how far to shrink them."""
    times = len(rows)
    z, labels, weight = rows.ravel(), np.tile(y, times), np.tile(share, times) / times
    positive = float(share[y > 0.0].sum())
    constant = -np.log(np.where(y > 0.0, positive, 1.0 - positive))
    base = float(share @ constant)
    fitted = platt(z, labels, weight)
    (own,) = by_source(share, source=source)
    count = 1.0 / float(own @ own)  # bags, or sources, of equal weight that say as much
    regressed = float(weight @ np.logaddexp(0.0, -labels * fitted.log_odds(z)))
    gain, cost = count / TWICE * max(base - regressed, 0.0), 0.5 * float(np.log(count))
    alpha = min(max(float(fitted.slope), FLATTEST_CALIBRATION), 1.0)
    slope = float(expit(gain - cost)) * alpha ** (cost / (cost + gain))
    slope = max(slope, FLATTEST_CALIBRATION)
    shift = balancing_shift(slope * z, labels, Logistic(), weight)
    log_odds = slope * rows + shift
    losses = np.logaddexp(0.0, -y * log_odds).mean(axis=0)
    _, error = apart(*by_source(losses, constant, share, source=source))
    loss = float(share @ losses)
    # those of one repeat: a mean over several would be surer than any choice is
    return Nested(loss, base, error, gain - cost, slope, shift, log_odds[0])
