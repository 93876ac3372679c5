"""Bags of instances: all instances in one table, and where each bag begins.

Bags come as people have them: an array (bags, instances, features), perhaps with a mask; a list of
arrays; a flat table with the bag of each row. `as_bags` takes all but the last, which has to say
its groups: `Bags.from_table`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..arrays import FloatArray, IndexArray

CHUNK = 1 << 22  # numbers looked at in one go


class Bags(Sequence[Any]):
    """A sequence of bags, each an array (instances, features).

    Indexing with a number gives a bag; with a slice, a list or a mask other `Bags`. scikit-learn's
    splitters and searches take it as they take arrays.

    Attributes
    ----------
    instances : array (N, d)
        All instances, bag after bag, float32 or float64.
    starts : array (n + 1,)
        Bag i is ``instances[starts[i]:starts[i + 1]]``.
    names : list of str, optional
        Names of the features.
    ids : array (n,), optional
        What the table called its bags.

    Examples
    --------
    >>> bags = Bags.from_list([np.zeros((2, 3)), np.ones((1, 3))])
    >>> len(bags), bags.lengths, bags[1]
    (2, array([2, 1]), array([[1., 1., 1.]]))
    """

    def __init__(
        self, instances: Any, starts: Any, *, names: Sequence[str] | None = None, ids: Any = None
    ) -> None:
        """Check that every bag has an instance, and every number is finite."""
        self.instances = _numbers(instances)
        self.starts = np.asarray(starts)
        self.names = None if names is None else list(names)
        self.ids = ids
        ends = len(self.starts) > 1 and self.starts[0] == 0 and self.starts[-1] == len(instances)
        if self.starts.ndim != 1 or self.starts.dtype.kind not in "iu" or not ends:
            raise ValueError(
                "starts must be whole numbers that begin with 0 and end with the number of "
                f"instances, {len(self.instances)}, got {starts!r}"
            )
        empty = np.flatnonzero(np.diff(self.starts) < 1)
        if len(empty):
            raise ValueError(
                f"bag {empty[0]} is empty; a bag needs at least one instance: drop it and its label"
            )
        _check_finite(self)

    @classmethod
    def from_array(cls, X: Any, mask: Any = None) -> Bags:
        """Take an array (bags, instances, features); ``mask`` is true where an instance is there.

        A C-ordered array of floats without a mask is not copied, so that a memory-mapped one stays
        on disk.

        Examples
        --------
        >>> padded = np.zeros((2, 3, 4))
        >>> Bags.from_array(padded, mask=[[1, 1, 0], [1, 1, 1]]).lengths
        array([2, 3])
        """
        X = _plain(X)
        X = X if isinstance(X, np.ndarray) else np.asarray(X)
        if X.ndim != 3 or 0 in X.shape:
            raise ValueError(
                f"bags must be an array (bags, instances, features), got shape {X.shape}; a table "
                "with one row for each instance goes through Bags.from_table(X, groups)"
            )
        n, L, d = X.shape
        if mask is None:
            return cls(X.reshape(n * L, d), L * np.arange(n + 1))
        there = np.asarray(mask)
        if there.shape != (n, L) or not np.isin(there, (0, 1)).all():
            raise ValueError(
                f"mask must be {n} × {L} values, true where an instance is there, got shape "
                f"{there.shape}"
            )
        there = there.astype(bool)
        return cls(X[there], np.concatenate([[0], np.cumsum(there.sum(axis=1))]))

    @classmethod
    def from_list(cls, bags: Sequence[Any]) -> Bags:
        """Take a list of arrays, one (instances, features) for each bag.

        Examples
        --------
        >>> Bags.from_list([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]]).lengths
        array([1, 2])
        """
        names = _shared_names(bags)
        parts = [_one_bag(k, bag) for k, bag in enumerate(bags)]
        if not parts:
            raise ValueError("there must be at least one bag, got an empty list")
        widths = [part.shape[1] for part in parts]
        odd = next((k for k, width in enumerate(widths) if width != widths[0]), None)
        if odd is not None:
            raise ValueError(
                f"all bags must have as many features, got {widths[0]} in bag 0 and {widths[odd]} "
                f"in bag {odd}"
            )
        lengths = [len(part) for part in parts]
        if 0 in lengths:
            raise ValueError(
                f"bag {lengths.index(0)} is empty; a bag needs at least one instance: drop it and "
                "its label"
            )
        starts = np.concatenate([[0], np.cumsum(lengths)])
        return cls(np.concatenate(parts), starts, names=names)

    @classmethod
    def from_table(cls, X: Any, groups: Any) -> Bags:
        """Take a table with a row for each instance, and the bag of each row.

        Bags are in the order in which they first appear (``ids``); their rows need not be
        together. The names of a DataFrame's columns are kept. ``groups`` may be one of them.

        Examples
        --------
        >>> bags = Bags.from_table([[1.0], [2.0], [3.0]], ["b", "a", "b"])
        >>> bags.ids, bags[0]
        (array(['b', 'a'], dtype='<U1'), array([[1.],
               [3.]]))
        """
        names = None
        if hasattr(X, "columns"):
            if isinstance(groups, str | int):
                if groups not in X.columns:
                    raise ValueError(f"groups must name a column, got {groups!r}")
                X, groups = X.drop(columns=groups), X[groups]
            names = [str(name) for name in X.columns]
        table = _numbers(X)
        groups = _groups(groups)
        if groups.shape != (len(table),):
            raise ValueError(
                f"groups must name the bag of each of the {len(table)} rows, got shape "
                f"{groups.shape}"
            )
        ids, first, bag = np.unique(groups, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(ids), int)
        rank[order] = np.arange(len(ids))
        bag = rank[bag]
        together = bool((np.diff(bag) >= 0).all())
        rows = table if together else table[np.argsort(bag, kind="stable")]
        starts = np.concatenate([[0], np.cumsum(np.bincount(bag))])
        return cls(rows, starts, names=names, ids=ids[order])

    def __len__(self) -> int:
        """Return how many bags there are."""
        return len(self.starts) - 1

    @property
    def shape(self) -> tuple[int]:
        """The number of bags, as scikit-learn looks for it."""
        return (len(self),)

    @property
    def d(self) -> int:
        """The number of features."""
        return int(self.instances.shape[1])

    @property
    def lengths(self) -> IndexArray:
        """How many instances each bag has."""
        return np.diff(self.starts)

    def __getitem__(self, key: Any) -> Any:
        """Return a bag, or the bags of a slice, of a list of numbers, or of a mask."""
        if isinstance(key, tuple):  # scikit-learn asks for bags[rows, ...]
            key = key[0]
        if isinstance(key, int | np.integer):
            place = range(len(self))[key]
            return self.instances[self.starts[place] : self.starts[place + 1]]
        return self._take(np.arange(len(self))[key])

    def __iter__(self) -> Iterator[Any]:
        """Go through the bags."""
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        """Say how many there are, and of what."""
        if not len(self):
            return f"<0 bags, {self.d} features, {self.instances.dtype}>"
        few, most = self.lengths.min(), self.lengths.max()
        size = f"{few}" if few == most else f"{few} to {most}"
        return f"<{len(self)} bags of {size} instances, {self.d} features, {self.instances.dtype}>"

    def rows(self, bags: IndexArray) -> Any:
        """Return the instances of some bags, one after the other; not copied if they are."""
        if len(bags) and (np.diff(bags) == 1).all():
            return self.instances[self.starts[bags[0]] : self.starts[bags[-1] + 1]]
        lengths = self.lengths[bags]
        ends = np.cumsum(lengths)
        shift = np.repeat(self.starts[:-1][bags] - (ends - lengths), lengths)
        return self.instances[np.arange(ends[-1] if len(ends) else 0) + shift]

    def _take(self, bags: IndexArray) -> Bags:
        found = object.__new__(Bags)  # all was checked when these were made
        found.instances = self.rows(bags)
        found.starts = np.concatenate([[0], np.cumsum(self.lengths[bags])]).astype(int)
        found.names = self.names
        found.ids = None if self.ids is None else self.ids[bags]
        return found


def as_bags(X: Any) -> Bags:
    """Take bags as an array (bags, instances, features), a list of arrays, or `Bags`.

    Examples
    --------
    >>> as_bags(np.zeros((5, 4, 3)))
    <5 bags of 4 instances, 3 features, float64>
    >>> as_bags(np.zeros((5, 3)))
    Traceback (most recent call last):
    ValueError: bags must be an array (bags, instances, features), got shape (5, 3); a table with
    one row for each instance goes through Bags.from_table(X, groups)
    """
    if isinstance(X, Bags):
        return X
    if hasattr(X, "columns"):
        raise ValueError(
            f"a {type(X).__name__} does not say which rows make a bag: "
            "pass Bags.from_table(X, groups)"
        )
    _plain(X)
    if isinstance(X, list | tuple) or (isinstance(X, np.ndarray) and X.dtype == object):
        return Bags.from_list(list(X))
    return Bags.from_array(X)


def _shared_names(bags: Sequence[Any]) -> list[str] | None:
    """Return the columns of bags that are DataFrames; all must have the same, in one order."""
    if not len(bags) or not all(hasattr(bag, "columns") for bag in bags):
        return None
    names = [str(name) for name in bags[0].columns]
    for place, bag in enumerate(bags):
        if [str(name) for name in bag.columns] != names:
            raise ValueError(
                f"all bags must have the same columns in the same order, got {names} in bag 0 "
                f"and {list(bag.columns)} in bag {place}"
            )
    return names


def _groups(groups: Any) -> Any:
    """Return the bag of each row; missing ones are refused."""
    found = np.asarray(groups)
    if found.dtype == object:
        lost = [one is None or one != one for one in found.tolist()]
        if not any(lost) and len({type(one) for one in found.tolist()}) > 1:
            raise ValueError("groups must be of one kind, such as all numbers or all words")
    else:
        lost = found != found  # NaN and NaT are not themselves
    if np.any(lost):
        row = int(np.flatnonzero(lost)[0])
        raise ValueError(f"groups must name the bag of each row, got none in row {row}")
    return found


def _one_bag(place: int, bag: Any) -> Any:
    array = np.asarray(_plain(bag))
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise ValueError(
            f"bag {place} must be an array (instances, features) of numbers, got "
            f"{type(bag).__name__} of shape {array.shape} and type {array.dtype}"
        )
    return array


def _numbers(X: Any) -> Any:
    """Return a table of float32 or float64; single precision is kept."""
    X = _plain(X)
    array = _from_frame(X) if hasattr(X, "dtypes") else X
    array = array if isinstance(array, np.ndarray) else np.asarray(array)
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise ValueError(
            f"instances must be a table of numbers, one row each, got shape {array.shape} and "
            f"type {array.dtype}"
        )
    if array.shape[1] == 0:
        raise ValueError(f"instances must have at least one feature, got shape {array.shape}")
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def _from_frame(X: Any) -> Any:
    """Return the numbers of a DataFrame; missing ones become NaN, and are refused later."""
    for name, dtype in X.dtypes.items():
        if getattr(dtype, "kind", "O") not in "fiub":
            raise ValueError(
                f"column {name!r} must hold numbers, got {dtype}; drop it, or encode it as "
                "numbers first"
            )
    if all(dtype == np.float32 for dtype in X.dtypes):
        return X.to_numpy()
    return X.to_numpy(dtype=float, na_value=np.nan)


def _plain(X: Any) -> Any:
    """Refuse sparse and masked arrays, of which only a part would be read."""
    if hasattr(X, "tocsr") or hasattr(X, "sparse"):
        raise ValueError(
            f"sparse instances ({type(X).__name__}) are not taken: the classifiers centre them; "
            "pass X.toarray() (of a DataFrame X.sparse.to_dense()), or reduce them first, as with "
            "TruncatedSVD"
        )
    if np.ma.isMaskedArray(X):
        raise ValueError(
            "a masked array is not taken: pass Bags.from_array(X.data, mask=~X.mask.any(axis=2)), "
            "true where an instance is there"
        )
    return X


def _check_finite(bags: Bags) -> None:
    step = max(1, CHUNK // bags.d)
    for first in range(0, len(bags.instances), step):
        part = bags.instances[first : first + step]
        with np.errstate(over="ignore", invalid="ignore"):
            whole = float(np.sum(part, dtype=float))  # quick, and finite if all numbers are small
        if not np.isfinite(whole) and not np.isfinite(part).all():
            row = first + int(np.flatnonzero(~np.isfinite(part).all(axis=1))[0])
            bag = int(np.searchsorted(bags.starts, row, side="right")) - 1
            raise ValueError(
                f"bag {bag} has a NaN or infinity in instance {row - bags.starts[bag]}; drop the "
                "instance, or fill it in"
            )


def bag_shares(bags: Bags, weight: FloatArray) -> FloatArray:
    """Return a weight for each instance: its bag's, shared evenly.

    Examples
    --------
    >>> bag_shares(Bags.from_list([np.zeros((2, 1)), np.zeros((1, 1))]), np.array([0.5, 0.5]))
    array([0.25, 0.25, 0.5 ])
    """
    return np.repeat(weight / bags.lengths, bags.lengths)
