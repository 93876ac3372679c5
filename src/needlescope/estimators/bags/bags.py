"""Bags of instances: all instances in one table, and where each bag begins.

Bags come as people have them: an array (bags, instances, features), perhaps with a mask; a list of
arrays; a flat table with the bag of each row. `as_bags` takes all but the last, which has to say
its groups: `Bags.from_table`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np

from ...arrays import IndexArray
from ...grid import unmasked
from .tables import bag_of_each_row, check_numbers, numbers, one_bag, plain, same_rows, shared_names

CHUNK = 1 << 22  # numbers looked at in one go


class Bags(Sequence[Any]):
    """A sequence of bags, each an array (instances, features).

    Indexing with a number gives a bag; with a slice, a list or a mask other `Bags`. scikit-learn's
    splitters and searches take it as they take arrays. `from_array`, `from_list` and `from_table`
    make them of what people have.

    Parameters
    ----------
    instances : array (N, d)
        All instances, bag after bag: finite numbers, of size up to 10¹⁵⁰ (10¹⁸ in float32).
    starts : array of int (n + 1,)
        Where each bag begins, and N.
    names : list of str, optional
        Names of the features.
    ids : array (n,), optional
        What the table called its bags.

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
    lengths : array (n,)
        How many instances each bag has.
    d : int
        How many features.

    Raises
    ------
    ValueError
        If a bag is empty, a number missing, infinite, masked or too large, or if parts do not fit
        together.

    Examples
    --------
    >>> import numpy as np
    >>> from needlescope.estimators import Bags
    >>> bags = Bags.from_list([np.zeros((2, 3)), np.ones((1, 3))])
    >>> len(bags), bags.lengths, bags[1]
    (2, array([2, 1]), array([[1., 1., 1.]]))
    """

    def __init__(
        self, instances: Any, starts: Any, *, names: Sequence[str] | None = None, ids: Any = None
    ) -> None:
        """Check that every bag has an instance, and every number is finite and not too large."""
        self.instances = numbers(instances)
        self.starts = np.asarray(unmasked("starts", starts))
        self.names = names
        places = self.starts.ndim == 1 and self.starts.dtype.kind in "iu" and len(self.starts) > 1
        if places:
            self.starts = self.starts.astype(int)  # differences of unsigned numbers wrap around
        if not places or self.starts[0] != 0 or self.starts[-1] != len(self.instances):
            raise ValueError(
                "starts must be whole numbers that begin with 0 and end with the number of "
                f"instances, {len(self.instances)}, got {starts!r}"
            )
        empty = np.flatnonzero(np.diff(self.starts) < 1)
        if len(empty):
            raise ValueError(
                f"bag {empty[0]} is empty; a bag needs at least one instance: drop it and its label"
            )
        self.ids = None if ids is None else np.asarray(unmasked("ids", ids))
        if self.ids is not None and self.ids.shape != (len(self),):
            raise ValueError(
                f"ids must name each of the {len(self)} bags, got shape {self.ids.shape}"
            )
        check_numbers(self.instances, self.starts, max(1, CHUNK // self.d))

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
        X = unmasked("X", plain(X))
        X = X if isinstance(X, np.ndarray) else np.asarray(X)
        if X.ndim == 3 and 0 in X.shape:
            raise ValueError(
                f"there must be at least one bag, instance and feature, got shape {X.shape}"
            )
        if X.ndim != 3:
            raise ValueError(
                f"bags must be an array (bags, instances, features), got shape {X.shape}; a table "
                "with one row for each instance goes through Bags.from_table(X, groups), and a "
                "single bag is [X]"
            )
        n, L, d = X.shape
        if mask is None:
            return cls(X.reshape(n * L, d), L * np.arange(n + 1))
        there = np.asarray(unmasked("mask", mask))
        if there.shape != (n, L):
            raise ValueError(
                f"mask must be {n} × {L} values, true where an instance is there, got shape "
                f"{there.shape}"
            )
        odd = there[~np.isin(there, (0, 1))]
        if len(odd):
            raise ValueError(
                "mask must be true where an instance is there and false elsewhere (or 1 and 0), "
                f"got {odd[0]}"
            )
        there = there.astype(bool)
        return cls(X[there], np.concatenate([[0], np.cumsum(there.sum(axis=1))]))

    @classmethod
    def from_list(cls, bags: Any) -> Bags:
        """Take a list of arrays, one (instances, features) for each bag.

        Examples
        --------
        >>> Bags.from_list([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]]).lengths
        array([1, 2])
        """
        if (not isinstance(bags, Sequence) and np.ndim(bags) == 0) or isinstance(bags, str | bytes):
            raise ValueError(
                f"bags must be a list of arrays (instances, features), got {type(bags).__name__}"
            )
        names = shared_names(bags)
        parts = [one_bag(k, bag) for k, bag in enumerate(bags)]
        if not parts:
            raise ValueError("there must be at least one bag, got an empty list")
        widths = [part.shape[1] for part in parts]
        odd = next((k for k, width in enumerate(widths) if width != widths[0]), None)
        if odd is not None:
            raise ValueError(
                f"all bags must have as many features, got {widths[0]} in bag 0 and {widths[odd]} "
                f"in bag {odd}"
            )
        starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
        return cls(np.concatenate(parts), starts, names=names)

    @classmethod
    def from_table(cls, X: Any, groups: Any) -> Bags:
        """Take a table with a row for each instance, and the bag of each row.

        Bags are in the order in which they first appear (``ids``); their rows need not be
        together. The names of a DataFrame's columns are kept. ``groups`` may be one of them, or a
        Series with the DataFrame's index; anything else goes by position.

        Examples
        --------
        >>> bags = Bags.from_table([[1.0], [2.0], [3.0]], ["b", "a", "b"])
        >>> bags.ids, bags[0]
        (array(['b', 'a'], dtype='<U1'), array([[1.],
               [3.]]))
        """
        names = None
        if hasattr(X, "columns"):
            if isinstance(groups, str | int | np.integer):
                if groups not in X.columns:
                    raise ValueError(f"groups must name a column, got {groups!r}")
                X, groups = X.drop(columns=groups), X[groups]
            same_rows(X, groups)
            names = [str(name) for name in X.columns]
        table = numbers(X)
        if not len(table):
            raise ValueError("there must be at least one row, got none")
        groups = bag_of_each_row(groups)
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
    def names(self) -> list[str] | None:
        """Names of the features, if they have any."""
        return self._names

    @names.setter
    def names(self, names: Sequence[str] | None) -> None:
        if isinstance(names, str | bytes) or (names is not None and not np.iterable(names)):
            raise ValueError(f"names must be a list, one for each feature, got {names!r}")
        listed = None if names is None else [str(name) for name in names]
        if listed is not None and len(listed) != self.d:
            raise ValueError(
                f"names must be one for each of the {self.d} features, got {len(listed)}"
            )
        self._names = listed

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
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            key = key[0]  # scikit-learn asks for bags[rows, ...]
        if isinstance(key, int | np.integer) and not isinstance(key, bool):
            if not -len(self) <= key < len(self):
                raise IndexError(f"there are {len(self)} bags, got number {key}")
            place = range(len(self))[key]
            return self.instances[self.starts[place] : self.starts[place + 1]]
        if isinstance(key, bool | tuple) or key is None or np.ndim(key) > 1:
            raise IndexError(
                f"bags are indexed by a number, a slice, a list of numbers or a mask, got {key!r}; "
                "instance j of bag i is bags[i][j]"
            )
        if isinstance(key, str):
            raise IndexError(f"bags are indexed by their places, got {key!r}; ids has their names")
        chosen = np.arange(len(self))[key]
        return self._take(chosen) if chosen.ndim else self[int(chosen)]

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
        found = copy(self)  # all was checked when these were made
        found.instances = self.rows(bags)
        found.starts = np.concatenate([[0], np.cumsum(self.lengths[bags])]).astype(int)
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
    one row for each instance goes through Bags.from_table(X, groups), and a single bag is [X]
    """
    if isinstance(X, Bags):
        if not len(X):
            raise ValueError("there must be at least one bag, got none")
        return X
    if hasattr(X, "columns"):
        raise ValueError(
            f"a {type(X).__name__} does not say which rows make a bag: "
            "pass Bags.from_table(X, groups)"
        )
    plain(X)
    if not hasattr(X, "__array__") and not isinstance(X, list | tuple):
        raise ValueError(
            f"bags must be an array (bags, instances, features), a list of arrays, or Bags, got "
            f"{type(X).__name__}"
        )
    if isinstance(X, list | tuple) or getattr(X, "dtype", None) == np.dtype(object):
        return Bags.from_list(list(X))
    return Bags.from_array(X)
