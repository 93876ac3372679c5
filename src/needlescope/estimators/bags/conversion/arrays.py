"""Bags from arrays: one for all bags, perhaps with a mask, or one for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....grid import unmasked
from .numeric import as_bag, check_dense, shared_columns
from .parts import Parts


def parts_of_array(X: Any, mask: Any = None) -> Parts:
    """Return the parts of an array (bags, instances, features), without masked instances."""
    X = unmasked("X", check_dense(X))
    X = X if isinstance(X, np.ndarray) else np.asarray(X)
    if X.ndim == 3 and 0 in X.shape:
        raise ValueError(
            f"there must be at least one bag, instance and feature, got shape {X.shape}"
        )
    if X.ndim != 3:
        raise ValueError(
            f"bags must be an array (bags, instances, features), got shape {X.shape}; a table "
            "with one row for each instance goes through Bags.from_table(X, bag), and a "
            "single bag is [X]"
        )
    n, L, d = X.shape
    if mask is None:
        return Parts(X.reshape(n * L, d), L * np.arange(n + 1))
    kept = np.asarray(unmasked("mask", mask))
    if kept.shape != (n, L):
        raise ValueError(
            f"mask must be {n} × {L} values, true where an instance is there, got shape "
            f"{kept.shape}"
        )
    odd = kept[~np.isin(kept, (0, 1))]
    if len(odd):
        raise ValueError(
            "mask must be true where an instance is there and false elsewhere (or 1 and 0), "
            f"got {odd[0]}"
        )
    kept = kept.astype(bool)
    return Parts(X[kept], np.concatenate([[0], np.cumsum(kept.sum(axis=1))]))


def parts_of_list(bags: Any, ids: Any = None) -> Parts:
    """Return the parts of a list of arrays (instances, features), one for each bag."""
    if (not isinstance(bags, Sequence) and np.ndim(bags) == 0) or isinstance(bags, str | bytes):
        raise ValueError(
            f"bags must be a list of arrays (instances, features), got {type(bags).__name__}"
        )
    names = shared_columns(bags)
    parts = [as_bag(k, bag) for k, bag in enumerate(bags)]
    if not parts:
        raise ValueError("there must be at least one bag, got an empty list")
    widths = [part.shape[1] for part in parts]
    odd = next((k for k, width in enumerate(widths) if width != widths[0]), None)
    if odd is not None:
        raise ValueError(
            f"all bags must have the same number of features, got {widths[0]} in bag 0 and "
            f"{widths[odd]} in bag {odd}"
        )
    starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    called = None if ids is None else list(ids) if not hasattr(ids, "dtype") else ids
    if called is not None and len(set(np.asarray(called).tolist())) < len(called):
        twice = next(name for name, times in Counter(list(called)).items() if times > 1)
        raise ValueError(f"ids must name each bag once, got {twice!r} more than once")
    return Parts(np.concatenate(parts), starts, names, called)
