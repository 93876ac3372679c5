"""The pilot's own learning curve: classifiers fitted to parts of it, and tested on the rest.

With p_ij the share of wrong answers on bag i, over the splits with parts of size m_j in which it is
held out, the error is e_j = ⟨p_ij⟩. Three things are not known of it:

- the bags are a sample: Cov(e_j, e_k) = Σ_i (p_ij − e_j)(p_ik − e_k)/n², common to all sizes;
- the splits are a sample: their variance over their number;
- the pilot is one data set to train on. Parts of it overlap, so that their classifiers differ less
  than those of other data would; what they differ by beyond the noise of testing, at a size m, is
  m/n of the variance that all of them share.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...planning.studies.curve import noise_in_t, to_t
from ...planning.studies.measures import Measure
from .curves import PRIORS, Curves, posterior
from .fitting import Fit, chosen

SHARES = (0.35, 0.5, 0.7, 0.85)  # of the pilot
LEAST_IN_PART = 2  # bags of each class


class Split(NamedTuple):
    """A split: how many bags were trained on, the others, and whether they were answered wrongly.

    ``failure`` says why there are none, if the classifier failed.
    """

    size: int
    rest: IndexArray
    wrong: FloatArray
    failure: str = ""


def part_jobs(
    X: Any, signs: FloatArray, classifier: Any, splits: int, seed: np.random.SeedSequence
) -> list[Fit]:
    """Return the fits to random parts, with the same share of each class.

    Examples
    --------
    >>> signs = np.where(np.arange(20) % 2, 1.0, -1.0)
    >>> jobs = part_jobs(np.zeros((20, 3, 2)), signs, None, 2, np.random.SeedSequence(0))
    >>> [len(job.train[1]) for job in jobs]
    [8, 8, 10, 10, 14, 14, 16, 16]
    """
    rng = np.random.default_rng(seed)
    result = []
    for share in SHARES:
        for state in seed.spawn(splits):
            known = []
            for sign in (-1.0, 1.0):
                places = rng.permutation(np.flatnonzero(signs == sign))
                count = min(max(round(share * len(places)), LEAST_IN_PART), len(places) - 1)
                known.append(places[:count])
            part = np.sort(np.concatenate(known))
            rest = np.setdiff1d(np.arange(len(signs)), part)
            train, test = ((chosen(X, rows), signs[rows]) for rows in (part, rest))
            result.append(Fit(classifier, train, test, state, rest))
    return result


def errors_of_parts(tested: list[Split]) -> dict[int, tuple[float, float]]:
    """Return the mean error at each size, with its standard error.

    Examples
    --------
    >>> rest = np.arange(4)
    >>> errors_of_parts([Split(6, rest, np.array([1.0, 0.0, 0.0, 0.0]))])
    {6: (0.25, 0.25)}
    """
    sizes, errors, covariance, _ = _moments(tested)
    return {
        size: (float(error), float(np.sqrt(variance)))
        for size, error, variance in zip(sizes, errors, np.diag(covariance), strict=True)
    }


def _moments(tested: list[Split]) -> tuple[list[int], FloatArray, FloatArray, FloatArray]:
    """Return sizes, errors, their covariance by the bags, and variances between splits."""
    sizes = sorted({item.size for item in tested})
    bags = 1 + max(int(item.rest.max()) for item in tested)
    p = np.full((len(sizes), bags), np.nan)
    between = np.zeros(len(sizes))
    for j, size in enumerate(sizes):
        total, count, each = np.zeros(bags), np.zeros(bags), []
        for item in tested:
            if item.size == size:
                total[item.rest] += item.wrong
                count[item.rest] += 1.0
                each.append(float(item.wrong.mean()))
        p[j, count > 0] = total[count > 0] / count[count > 0]
        tests = float(np.mean([len(item.rest) for item in tested if item.size == size]))
        error = float(np.mean(each))
        if len(each) > 1:
            between[j] = max(float(np.var(each, ddof=1)) - error * (1.0 - error) / tests, 0.0)
    errors = np.nanmean(p, axis=1)
    away = np.nan_to_num(p - errors[:, None])
    counted = (~np.isnan(p)).sum(axis=1)
    freedom = np.maximum(counted - 1, 1)
    scale = np.sqrt(counted * freedom)
    return sizes, errors, away @ away.T / np.outer(scale, scale), between


def curve_of_parts(
    tested: list[Split], bags: int, measure: Measure, rng: np.random.Generator
) -> Curves:
    """Fit a learning curve to errors on parts of a pilot of so many bags.

    Examples
    --------
    >>> from ...planning.studies.measures import get_measure
    >>> rng = np.random.default_rng(0)
    >>> tested = [Split(m, np.arange(80), (np.arange(80) % 10 < k) * 1.0)
    ...           for m, k in ((30, 4), (40, 3), (56, 3), (70, 2))]
    >>> result = curve_of_parts(tested, 80, get_measure("error", 0.5), rng)
    >>> result.error(160, get_measure("error", 0.5)).value < 0.25
    True
    """
    sizes, errors, covariance, between = _moments(tested)
    splits = np.array([sum(item.size == size for item in tested) for size in sizes])
    least = 0.5 / bags  # an error of none among so many
    shown = np.clip(errors, least, abs(measure.worst) * 1.3)
    t = to_t(shown, measure)
    unit = noise_in_t(shown, np.ones(len(sizes)), measure)
    of_bags = (covariance + np.diag(np.full(len(sizes), least**2))) * np.outer(unit, unit)
    of_splits = np.diag(float(between.mean()) / splits * unit**2)
    of_training = float(np.mean(between * np.array(sizes) / bags * unit**2))
    u = np.log(np.array(sizes) / bags)
    design = np.stack([np.ones_like(u), u, u**2], axis=1)
    draws = posterior(design, t, of_bags + of_splits + of_training, *PRIORS, rng)
    return Curves(float(bags), draws)
