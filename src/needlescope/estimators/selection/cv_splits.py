"""Folds from a splitter or a list of pairs; a bag may be held out never or several times.

A bag that is held out several times has several scores, each from a classifier that has not seen
it. They share its weight, and the loss of a bag is their mean: the scores themselves are not
averaged, as a mean of several would be more certain than the one score that is calibrated.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from ...arrays import FloatArray, IndexArray
from ..engine.folds import grouped, in_order, rarer, stratified
from ..engine.workspace import Fold

MANY = 5000  # bags from which one part held out says enough,
RARE = 500  # if so many are of the rarer class
FEW_TO_SCALE = 10  # held-out bags by whose scores a scale is known


def is_fold_count(cv: Any) -> bool:
    """Tell whether ``cv`` is a number of folds."""
    return isinstance(cv, int | np.integer) and not isinstance(cv, bool)


def read_folds(cv: Any, X: Any, y: Any, groups: IndexArray | None) -> list[Fold]:
    """Return the folds of a splitter or of pairs of indices, each part in order.

    Examples
    --------
    >>> read_folds([([2, 0], [1])], np.zeros(3), np.array([0, 0, 1]), None)
    [(array([0, 2]), array([1]))]
    >>> read_folds([([0, 1], [1])], np.zeros(3), np.array([0, 0, 1]), None)
    Traceback (most recent call last):
    ValueError: fold 0 of cv trains on bag 1 and holds it out
    """
    if isinstance(cv, str | bytes):
        raise _not_folds(cv)
    try:
        result = cv.split(X, y, groups) if hasattr(cv, "split") else cv
        pairs = list(result)
    except TypeError:
        raise _not_folds(cv) from None
    if not pairs:
        raise _not_folds(cv, "; nothing is left of a generator that was used before")
    places = [_pair(fold, pair, len(y)) for fold, pair in enumerate(pairs)]
    if groups is not None:
        for fold, (known, test) in enumerate(places):
            both = np.intersect1d(groups[known], groups[test])
            if len(both):
                bags = [int(part[groups[part] == both[0]][0]) for part in (known, test)]
                raise ValueError(
                    f"fold {fold} of cv trains on bag {bags[0]} and holds out bag "
                    f"{bags[1]} of the same group; pass a splitter that keeps groups together, "
                    "such as GroupKFold, or leave groups out"
                )
    return places


def check_folds(places: list[Fold], y: Any, classes: Any) -> None:
    """Refuse folds that do not train on every class, and a class that is never held out."""
    for fold, (known, test) in enumerate(places):
        if not len(test):
            raise ValueError(f"fold {fold} of cv holds out no bag of weight above zero")
        for label in classes:
            if not (y[known] == label).any():
                raise ValueError(
                    f"fold {fold} of cv must train on bags of every class, but has none "
                    f"labelled {label}"
                )
    tested = y[np.concatenate([test for _, test in places])]
    for label in classes:
        if not (tested == label).any():
            raise ValueError(
                f"cv must hold out bags of every class, but holds out none labelled {label}"
            )


def restrict_folds(places: list[Fold], some: IndexArray, count: int) -> list[Fold]:
    """Return the folds of some of ``count`` bags, as indices into these.

    Examples
    --------
    >>> restrict_folds([(np.array([0, 2]), np.array([1, 3]))], np.array([0, 2, 3]), 4)
    [(array([0, 1]), array([2]))]
    """
    at = np.full(count, -1)
    at[some] = np.arange(len(some))
    return [(at[a][at[a] >= 0], at[b][at[b] >= 0]) for a, b in places]


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


class Rows(NamedTuple):
    """A row for each time that a bag is held out.

    If none is held out twice, row i is bag i.
    """

    bag: IndexArray  # of each row
    share: FloatArray  # of the weight of its bag
    folds: list[Fold]  # bags to train on, rows
    repeated: bool

    @classmethod
    def of(cls, places: list[Fold], count: int) -> Rows:
        """Number the rows of these folds of ``count`` bags.

        Examples
        --------
        >>> train, test = np.array([0]), np.array([1])
        >>> Rows.of([(train, test), (train, test), (test, train)], 2)[:2]
        (array([1, 1, 0]), array([0.5, 0.5, 1. ]))
        """
        tests = [test for _, test in places]
        bag = np.concatenate(tests)
        times = np.bincount(bag, minlength=count)
        if times.max() <= 1:
            return cls(np.arange(count), np.ones(count), places, False)
        rows = np.split(np.arange(len(bag)), np.cumsum([len(test) for test in tests])[:-1])
        numbered = [(known, own) for (known, _), own in zip(places, rows, strict=True)]
        return cls(bag, 1.0 / times[bag], numbered, True)


def first_fold(rows: Rows, y: FloatArray) -> Fold:
    """Return a fold that holds out both classes, for a first comparison.

    If each holds out one class only, as leaving out one patient at a time does, two are joined.
    """
    held = [y[rows.bag[own]] for _, own in rows.folds]
    for place, labels in zip(rows.folds, held, strict=True):
        if (labels > 0.0).any() and (labels < 0.0).any():
            return place
    pair = [next(k for k, labels in enumerate(held) if labels[0] == sign) for sign in (-1.0, 1.0)]
    own = np.concatenate([rows.folds[k][1] for k in pair])
    known = np.union1d(*(rows.folds[k][0] for k in pair))
    return np.setdiff1d(known, rows.bag[own]), own[np.argsort(rows.bag[own], kind="stable")]


def scale_together(parts: list[IndexArray]) -> list[IndexArray]:
    """Join parts, one after another, until each has enough bags to estimate a scale.

    Examples
    --------
    >>> [len(part) for part in scale_together([np.arange(7)] * 3 + [np.arange(20)])]
    [14, 27]
    """
    result: list[IndexArray] = []
    for part in parts:
        if result and (len(result[-1]) < FEW_TO_SCALE):
            result[-1] = np.concatenate([result[-1], part])
        else:
            result.append(part)
    if len(result) > 1 and len(result[-1]) < FEW_TO_SCALE:
        result[-2:] = [np.concatenate(result[-2:])]
    return result


def _pair(fold: int, pair: Any, count: int) -> Fold:
    """Return the training bags and the held-out bags of a pair."""
    wanted = f"fold {fold} of cv must be two arrays of indices, of bags to train on and of "
    try:
        given = [np.asarray(part) for part in pair]
    except (TypeError, ValueError):
        given = []
    if len(given) != 2 or any(part.ndim != 1 for part in given):
        raise ValueError(f"{wanted}bags held out, got {pair!r}")
    for part, words in zip(given, ("trains on", "holds out"), strict=True):
        if not len(part):
            raise ValueError(f"fold {fold} of cv {words} no bags")
        if part.dtype.kind not in "iu":
            raise ValueError(
                f"{wanted}bags held out, got {part.dtype} values; np.flatnonzero makes indices of "
                "a mask"
            )
        odd = part[(part < 0) | (part >= count)]
        if len(odd):
            raise ValueError(
                f"fold {fold} of cv {words} bag {odd[0]}, but bags are 0 to {count - 1}"
            )
        if len(np.unique(part)) < len(part):
            values, times = np.unique(part, return_counts=True)
            raise ValueError(
                f"fold {fold} of cv {words} bag {values[times > 1][0]} more than once; "
                "sample_weight makes a bag count for several"
            )
    known, test = (np.sort(part).astype(int) for part in given)
    both = np.intersect1d(known, test)
    if len(both):
        raise ValueError(f"fold {fold} of cv trains on bag {both[0]} and holds it out")
    return known, test


def _not_folds(cv: Any, more: str = "") -> ValueError:
    return ValueError(
        "cv must be a number of folds from 2 on, or 0 for none, got "
        f"{cv!r}{more}; a splitter of scikit-learn's is taken too, and a list of pairs of "
        "indices, of bags to train on and of bags held out"
    )


def check_fold_count(cv: Any) -> None:
    """Refuse an invalid number of folds, and what is neither a number nor a splitter."""
    number = isinstance(cv, bool | float | np.floating | np.bool_) or cv is None
    if number or (is_fold_count(cv) and (cv < 0 or cv == 1)):
        raise _not_folds(cv)
