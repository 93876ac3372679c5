"""Labels, weights and groups of bags: read as arrays, or refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d

from ...arrays import FloatArray, IndexArray
from ...grid import unmasked
from .conversion.values import as_array, common_kind, first_missing, index_of

LARGEST_WEIGHT = float(np.finfo(float).max)
LIGHTEST = 1e-100  # of the heaviest bag's weight: squares of shares are above what underflows
LIGHT_CLASS = 1e-9  # of both classes' weight: its calibration stands out from rounding


def read_labels(y: Any, count: int) -> Any:
    """Return the labels of ``count`` bags as an array: all of one kind, and none missing."""
    result = column_or_1d(as_array(unmasked("y", y)), warn=True)
    if len(result) != count:
        raise ValueError(f"y must have a label for each of the {count} bags, got {len(result)}")
    lost = first_missing(result)
    if lost is not None:
        raise ValueError(
            f"y must have a label for each bag, got {result[lost]} for bag {lost}; drop the bag, "
            "or label it"
        )
    if result.dtype != object and result.dtype.kind not in "SV":
        return result
    kind = common_kind("labels in y", result)
    if kind not in ("number", "word"):
        raise ValueError(
            f"labels in y must be numbers or words, got {kind}, as {result[0]!r}; pass words, as "
            "y.astype(str) makes them"
        )
    words = kind == "word" and not isinstance(y, list | tuple)
    return result if words else np.array(result.tolist())


def two_classes(y: Any) -> tuple[Any, FloatArray]:
    """Return the two labels, sorted, and −1 or +1 for each bag."""
    classes, class_codes = encode_labels(y)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"multiclass; y must have two labels, got {len(classes)}: {classes[:5]}"
        )
    return classes, class_codes


def encode_labels(y: Any) -> tuple[Any, FloatArray]:
    """Return the labels, sorted, and the code of each bag (see `class_codes`).

    Examples
    --------
    >>> encode_labels(np.array(["b", "a", "c"]))
    (array(['a', 'b', 'c'], dtype='<U1'), array([1., 0., 2.]))
    """
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind not in ("binary", "multiclass"):
        raise ValueError(
            f"Unknown label type: {kind}; y must have two labels, whole numbers or words, got "
            f"{np.ravel(y)[0]!r}; a score becomes a label by comparing it, as in y > 0.5"
        )
    classes, place = np.unique(y, return_inverse=True)
    if len(classes) > 2:
        return classes, place.astype(float)
    signs = np.where(place == 1, 1.0, -1.0)
    check_every_class(classes, signs)
    return classes, signs


def class_codes(classes: Any) -> FloatArray:
    """Return the codes of the classes: −1 and +1 for two, 0, 1, 2, … for more."""
    return np.array([-1.0, 1.0]) if len(classes) <= 2 else np.arange(float(len(classes)))


def check_every_class(classes: Any, signs: FloatArray, which: str = "") -> None:
    """Refuse labels that lack a class."""
    if len(classes) > 2:
        lost = np.setdiff1d(class_codes(classes), signs)
        if len(lost):
            raise ValueError(
                f"there must be bags {which}of every class, but none are labelled "
                f"{classes[int(lost[0])]}; leave them out of X and y"
            )
    elif (signs == signs[0]).all():
        item = classes[-1] if signs[0] > 0.0 else classes[0]
        raise ValueError(
            f"y must have two classes, but the bags {which}have one class only: {item}"
        )


def check_order(name: str, values: Any, ids: Any) -> None:
    """Refuse a Series whose index has the names of the bags in another order.

    An index of integers may be mere positions, unless it has all the names.
    """
    index = index_of(values)
    if ids is None or index is None or len(index) != len(ids):
        return
    names = np.asarray(index)
    if (names.astype(object) == ids.astype(object)).all():
        return
    shared = len(set(names.tolist()) & set(ids.tolist()))
    if shared == len(ids) or (shared and names.dtype.kind not in "iu"):
        raise ValueError(
            f"the index of {name} names the bags in another order than X; pass {name}.loc[X.ids] "
            f"to align them, or {name}.to_numpy() to go by position"
        )


def bag_weights(given: Any, count: int) -> FloatArray:
    """Return a weight for each of ``count`` bags, the largest 1."""
    wanted = f"sample_weight must be {count} finite numbers of at least 0, got"
    unmasked("sample_weight", given)
    try:
        if given is not None and np.asarray(given).dtype.kind == "c":
            raise TypeError("complex numbers")
        weight = np.ones(count) if given is None else np.asarray(given, float)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{wanted} something else: {error}") from None
    if weight.ndim == 0:
        weight = np.full(count, float(weight))
    if weight.shape != (count,):
        raise ValueError(f"{wanted} shape {weight.shape}")
    odd = np.flatnonzero(~((weight >= 0.0) & (weight < np.inf)))
    if len(odd):
        raise ValueError(f"{wanted} {weight[odd[0]]} for bag {odd[0]}")
    if not weight.max() > 0.0:
        raise ValueError("sample_weight must not be zero for all bags")
    return np.asarray(weight / weight.max())


def bag_groups(given: Any, count: int) -> IndexArray | None:
    """Return a number for the group of each of ``count`` bags; None without groups."""
    if given is None:
        return None
    result = as_array(unmasked("groups", given))
    if np.shape(result) != (count,):
        raise ValueError(f"groups must be one for each of the {count} bags, got {_shape(result)}")
    lost = first_missing(result)
    if lost is not None:
        raise ValueError(
            f"groups must have one for each bag, got {result[lost]} for bag {lost}; a bag on its "
            "own needs a name of its own"
        )
    names: dict[Any, int] = {}
    return np.array([names.setdefault(name, len(names)) for name in result.tolist()])


def _shape(result: Any) -> str:
    shape = np.shape(result)
    return f"{shape[0]}" if len(shape) == 1 else f"shape {shape}"


def check_weight_ratios(weight: FloatArray, classes: Any, signs: FloatArray) -> None:
    """Refuse weights so unequal that some bags, or a class, would be lost in rounding."""
    share = weight / weight.max()
    light = np.flatnonzero((share > 0.0) & (share < LIGHTEST))
    if len(light):
        raise ValueError(
            f"the weight of a bag, class weight included, must be 0 or at least {LIGHTEST:g} of "
            f"the largest, got {share[light[0]]:.0e} for bag {light[0]}; pass 0 to leave it out"
        )
    every = "both" if len(classes) == 2 else "all"
    for sign, name in zip(class_codes(classes), classes, strict=True):
        part = float(share[signs == sign].sum() / share.sum())
        if 0.0 < part < LIGHT_CLASS:
            raise ValueError(
                f"the weight of each class must be at least {LIGHT_CLASS:g} of {every}, got "
                f"{part:.0e} for the bags labelled {name}; bring sample_weight and class_weight "
                "closer together"
            )


def class_factors(
    class_weight: Any, classes: Any, signs: FloatArray, weight: FloatArray
) -> FloatArray:
    """Return the factor of each bag by its class weight."""
    if class_weight is None:
        return np.ones(len(signs))
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = [float(weight[signs == sign].sum()) for sign in class_codes(classes)]
        each = [1.0 / total if total > 0.0 else 1.0 for total in totals]
    elif isinstance(class_weight, Mapping):
        each = _given_factors(class_weight, classes.tolist())
    else:
        raise ValueError(
            'class_weight must be a dict from labels to weights, "balanced" or None, got '
            f"{class_weight!r}"
        )
    return np.array([item / max(each) for item in each])[
        np.searchsorted(class_codes(classes), signs)
    ]


def _given_factors(class_weight: Mapping[Any, Any], labels: list[Any]) -> list[float]:
    for label, value in class_weight.items():
        if label not in labels:
            known = " and ".join([", ".join(map(repr, labels[:-1])), repr(labels[-1])])
            raise ValueError(f"class_weight must name labels of y, {known}, got {label!r}")
        number = isinstance(value, int | float | np.integer | np.floating)
        size = value if isinstance(value, int) or not number else float(value)
        if not number or not 0.0 <= size <= LARGEST_WEIGHT:
            raise ValueError(
                f"class_weight must be finite numbers of at least 0, got {value!r} for {label!r}"
            )
    each = [float(class_weight.get(label, 1.0)) for label in labels]
    if not max(each) > 0.0:
        every = "both" if len(labels) == 2 else "all"
        raise ValueError(f"class_weight must not be zero for {every} labels")
    return each
