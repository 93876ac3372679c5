"""Bags of instances: all instances in one table, and where each bag begins.

`as_bags` takes an array (bags, instances, features) or a list of arrays. A table with a row for
each instance has to say which rows make a bag: `Bags.from_table`. `readers` take bags from files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, overload

import numpy as np

from ...arrays import MEMORY, IndexArray
from ...grid import unmasked, yes_or_no
from .conversion.arrays import parts_of_array, parts_of_list
from .conversion.leakage import warn_of_leakage
from .conversion.metadata import Metadata
from .conversion.numeric import as_float_table, check_dense, check_finite
from .conversion.parts import Parts, concatenate
from .conversion.table import parts_of_table
from .files import as_path, reading
from .saving import save_parts
from .storage import load_parts

CHUNK = 1 << 22  # numbers that are checked or written at once


class Bags(Sequence[Any]):
    """A sequence of bags, each an array (instances, features).

    Indexing with a number gives a bag; with a slice, a list or a mask other `Bags`. scikit-learn's
    splitters and searches take it as they take arrays. `from_array`, `from_list` and `from_table`
    make bags from other data, `load` reads what `save` wrote.

    Parameters
    ----------
    instances : array (N, d)
        All instances, bag after bag: finite numbers, of size up to 10¹⁵⁰ (10¹⁸ in float32), or
        NaN for a missing value. Classifiers refuse these; ``InstanceTransformer(SimpleImputer())``
        fills them in.
    starts : array of int (n + 1,)
        The first row of each bag, and N: bag i is ``instances[starts[i]:starts[i + 1]]``.
    names : list of str, optional
        Names of the features.
    ids : array (n,), optional
        Names of the bags.
    metadata : dict of arrays (N, ...), optional
        Further columns, such as coordinates or times: numbers, words or dates of each instance.

    Attributes
    ----------
    instances, starts, names, ids
        As above; ``instances`` is float32 or float64. Some bags of a memory map, as the folds of a
        cross-validation, are read when they are needed: `rows` and an index read those of some
        bags, ``instances`` all.
    metadata : dict of arrays (N, ...)
        Empty if there is none, and it may be added to. That of bag i is ``bags[[i]].metadata``.
    lengths : array (n,)
        The number of instances of each bag.
    d : int
        The number of features.

    Raises
    ------
    ValueError
        If a bag is empty, a number infinite, masked or too large, or if parts do not fit together.

    Examples
    --------
    >>> import numpy as np
    >>> from needlescope.estimators import Bags
    >>> bags = Bags.from_list([np.zeros((2, 3)), np.ones((1, 3))])
    >>> len(bags), bags.lengths, bags[1]
    (2, array([2, 1]), array([[1., 1., 1.]]))
    """

    _missing = False  # whether some value may be NaN

    def __init__(
        self,
        instances: Any,
        starts: Any,
        *,
        names: Sequence[str] | None = None,
        ids: Any = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        """Check that every bag has an instance, and no number is infinite or too large."""
        self._set_parts(Parts(instances, starts, names, ids, metadata))  # type: ignore[arg-type]
        self._missing = self._check_values(self.instances, missing=True)

    def _check_values(self, table: Any, *, missing: bool) -> bool:
        """Refuse values that are infinite or too large; return whether some are missing."""
        step = max(1, CHUNK // table.shape[1])
        return check_finite(table, self.starts, step, self.names, self.ids, missing=missing)

    def _set_parts(self, parts: Parts) -> None:
        """Set all attributes, if the parts fit together."""
        self._table = as_float_table(parts.instances)
        self._at: IndexArray | None = None  # where bags begin in the table, if not at starts
        self.starts = np.asarray(unmasked("starts", parts.starts))
        self.names = parts.names
        places = self.starts.ndim == 1 and self.starts.dtype.kind in "iu" and len(self.starts) > 1
        if places:
            self.starts = self.starts.astype(int)  # differences of unsigned numbers wrap around
        if not places or self.starts[0] != 0 or self.starts[-1] != len(self._table):
            raise ValueError(
                "starts must be whole numbers that begin with 0 and end with the number of "
                f"instances, {len(self._table)}, got {parts.starts!r}"
            )
        empty = np.flatnonzero(np.diff(self.starts) < 1)
        if len(empty):
            raise ValueError(
                f"bag {empty[0]} is empty; a bag needs at least one instance: drop it and its label"
            )
        self.ids = None if parts.ids is None else np.asarray(unmasked("ids", parts.ids))
        if self.ids is not None and self.ids.shape != (len(self),):
            raise ValueError(
                f"ids must name each of the {len(self)} bags, got shape {self.ids.shape}"
            )
        self.metadata = parts.metadata

    @classmethod
    def from_array(cls, X: Any, mask: Any = None) -> Bags:
        """Make bags of an array (bags, instances, features); ``mask`` is false at padding.

        A C-ordered array of floats without a mask is not copied: a memory map stays on disk.

        Examples
        --------
        >>> padded = np.zeros((2, 3, 4))
        >>> Bags.from_array(padded, mask=[[1, 1, 0], [1, 1, 1]]).lengths
        array([2, 3])
        """
        return cls(**parts_of_array(X, mask)._asdict())

    @classmethod
    def from_list(cls, bags: Any, ids: Any = None) -> Bags:
        """Make bags of a list of arrays (instances, features), and their names if they have any.

        Examples
        --------
        >>> Bags.from_list([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]], ids=["a", "b"]).lengths
        array([1, 2])
        """
        return cls(**parts_of_list(bags, ids)._asdict())

    @overload
    @classmethod
    def from_table(
        cls,
        X: Any,
        bag: Any,
        label: None = ...,
        drop: Any = ...,
        metadata: Any = ...,
        features: Any = ...,
    ) -> Bags: ...

    @overload
    @classmethod
    def from_table(
        cls,
        X: Any,
        bag: Any,
        label: Any,
        drop: Any = ...,
        metadata: Any = ...,
        features: Any = ...,
    ) -> tuple[Bags, Any]: ...

    @classmethod
    def from_table(
        cls,
        X: Any,
        bag: Any,
        label: Any = None,
        drop: Any = None,
        metadata: Any = None,
        features: Any = None,
    ) -> Any:
        """Make bags of a table with a row for each instance, and the bag of each row.

        Bags are in the order in which they first appear (``ids``); their rows need not be
        together. The column names of a DataFrame, of pandas or polars, are kept. A label or a row
        number among the features would leak the answer: columns that look like either are warned
        of.

        Parameters
        ----------
        X : DataFrame or array (N, d)
        bag, label : column or array (N,)
            The bag of each row, and the label of its bag, the same in all its rows: the name of a
            column, which is then no feature, a Series with the DataFrame's index, or values by
            position. ``label`` may also be a dict or a Series with the label of each bag, by name.
        drop : column or list of columns, optional
            Columns to leave out, by name; those of an array by number.
        metadata : list of columns or dict, optional
            Columns that are no features, but kept with each instance; or a dict from names to
            columns, lists of columns or arrays, as ``{"coords": ["x", "y"]}``.
        features : column or list of columns, optional
            Columns of numbers, or one with a vector in every row, as embeddings are stored. By
            default all that are named nowhere else.

        Returns
        -------
        Bags, or with ``label`` Bags and an array of labels in their order.

        Examples
        --------
        >>> import pandas as pd
        >>> from needlescope.estimators import Bags
        >>> frame = pd.DataFrame({"slide": list("bab"), "sick": [1, 0, 1], "u": [1.5, 2.0, 3.0]})
        >>> bags, y = Bags.from_table(frame, "slide", label="sick")
        >>> bags.ids.tolist(), y.tolist(), bags.names, bags[0].ravel().tolist()
        (['b', 'a'], [1, 0], ['u'], [1.5, 3.0])
        """
        parts, y, rows = parts_of_table(X, bag, label, drop, metadata, features)
        bags = cls(**parts._asdict())
        warn_of_leakage(bags.instances, bags.starts, bags.names, y, rows.places)
        return bags if label is None else (bags, y)

    @classmethod
    def concatenate(cls, bags: Any) -> Bags:
        """Concatenate several `Bags`, in memory; features and metadata must be the same.

        Examples
        --------
        >>> Bags.concatenate([np.zeros((2, 3, 4)), np.zeros((1, 5, 4))])
        <3 bags of 3 to 5 instances, 4 features, float64>
        """
        if not isinstance(bags, list | tuple):
            raise ValueError(f"bags must be a list of Bags, got {type(bags).__name__}")
        given = [as_bags(bag, missing=True) for bag in bags]
        result = cls._unchecked(concatenate([item._parts(item.instances) for item in given]))
        result._missing = any(item._missing for item in given)
        return result

    def map(self, function: Callable[[Any], Any], names: Sequence[str] | None = None) -> Bags:
        """Apply a function to the instances of each bag; it returns a row for each, of any width.

        ids and metadata stay; names are those given.

        Examples
        --------
        >>> bags = Bags.from_list([np.ones((2, 3)), np.ones((1, 3))])
        >>> bags.map(lambda instances: instances[:, :2] - instances[:, :2].mean(axis=0))[0]
        array([[0., 0.],
               [0., 0.]])
        """
        if not callable(function):
            raise ValueError(
                f"function must take the instances of a bag, got {type(function).__name__}; for a "
                "fitted transformer pass its method transform"
            )
        parts = [as_float_table(function(bag)) for bag in as_bags(self, missing=True)]
        for k, (part, length) in enumerate(zip(parts, self.lengths, strict=True)):
            if len(part) != length or part.shape[1] != parts[0].shape[1]:
                raise ValueError(
                    "function must return a row for each instance, all of one width: for bag "
                    f"{k} with {length} instances it returned shape {part.shape}, for bag 0 "
                    f"{parts[0].shape}"
                )
        return self.with_instances(np.concatenate(parts), names)

    def with_instances(self, instances: Any, names: Sequence[str] | None = None) -> Bags:
        """Return the same bags with other features of the instances: an array (N, any width)."""
        array = as_float_table(instances)
        if len(array) != self.starts[-1]:
            raise ValueError(
                f"instances must have a row for each of the {self.starts[-1]} there are, got "
                f"shape {array.shape}"
            )
        result = copy(self)
        result._names, result._table, result._at = None, array, None
        result.names, result.metadata = names, self.metadata
        result._missing = result._check_values(array, missing=True)
        return result

    def save(self, path: Any, overwrite: bool = False) -> None:
        """Write bags to a folder, with names, ids and metadata: completely, or not at all.

        The folder holds ``.npy`` files, and one of JSON that names them; nothing is pickled. Bags
        in the folder are replaced, in one step, only with ``overwrite``; other files are kept.

        Examples
        --------
        >>> import tempfile
        >>> bags = Bags.from_array(np.zeros((5, 4, 3)))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bags.save(folder + "/bags")
        ...     Bags.load(folder + "/bags")
        <5 bags of 4 instances, 3 features, float64>
        """
        yes_or_no("overwrite", overwrite)
        numbers_before = as_bags(self).starts[1:] * self.d - 1
        cuts = np.flatnonzero(np.diff(numbers_before // CHUNK)) + 1
        blocks = (self.rows(members) for members in np.split(np.arange(len(self)), cuts))
        shape = (int(self.starts[-1]), self.d)
        save_parts(path, self._parts(None), shape, self.dtype, blocks, overwrite)

    @classmethod
    def load(cls, path: Any, mapped: bool | str = "auto", memory: int = MEMORY) -> Bags:
        """Read what `save` wrote; large bags stay on disk.

        Parameters
        ----------
        path
            The folder.
        mapped : bool or "auto", default "auto"
            Whether instances are memory-mapped, read-only. "auto" does so from 256 MB on. Mapped
            values were checked before they were saved, and are not checked again.
        memory : int, default 1 GiB
            Bytes that may be read from one file; a larger one is refused.
        """
        parts, on_disk = load_parts(path, mapped, memory)
        with reading(as_path(path), "saved bags"):
            return cls._unchecked(parts) if on_disk else as_bags(cls(**parts._asdict()))

    @classmethod
    def _unchecked(cls, parts: Parts) -> Bags:
        """Make bags of values that were checked before."""
        result = cls.__new__(cls)
        result._set_parts(parts)
        return result

    def _parts(self, instances: Any) -> Parts:
        return Parts(instances, self.starts, self.names, self.ids, self.metadata)

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
    def metadata(self) -> Metadata:
        """Further columns of the instances, by name: arrays with a row for each."""
        return self._metadata

    @metadata.setter
    def metadata(self, metadata: Mapping[str, Any] | None) -> None:
        self._metadata = Metadata(metadata, int(self.starts[-1]))

    @property
    def shape(self) -> tuple[int]:
        """The number of bags, as scikit-learn looks for it."""
        return (len(self),)

    @property
    def d(self) -> int:
        """The number of features."""
        return int(self._table.shape[1])

    @property
    def dtype(self) -> Any:
        """The precision of the instances, float32 or float64."""
        return self._table.dtype

    @property
    def instances(self) -> Any:
        """All instances, bag after bag."""
        if self._at is not None:
            self._table, self._at = self.rows(np.arange(len(self))), None
        return self._table

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
            first, length = self._offsets[place], self.starts[place + 1] - self.starts[place]
            return self._table[first : first + length]
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
            return f"<0 bags, {self.d} features, {self.dtype}>"
        few, most = self.lengths.min(), self.lengths.max()
        size = f"{few}" if few == most else f"{few} to {most}"
        return f"<{len(self)} bags of {size} instances, {self.d} features, {self.dtype}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return bags of equal size as an array (bags, instances, features); refuse others.

        With ``dtype=object`` it is one of bags, whatever their sizes.
        """
        if dtype is not None and np.dtype(dtype) == object:
            result = np.empty(len(self), object)
            result[:] = list(self)
            return result
        lengths = self.lengths
        if len(lengths) and (lengths != lengths[0]).any():
            raise ValueError(
                f"bags of {lengths.min()} to {lengths.max()} instances are not one array. A "
                "transformer of instances, as PCA(), goes into a pipeline as "
                "InstanceTransformer(PCA()); what takes a table with a row for each bag, as "
                "BaggingClassifier or permutation_importance do, can have the features of a "
                "fitted classifier, clf.transform(bags)"
            )
        L = int(lengths[0]) if len(lengths) else 0
        return np.array(self.instances.reshape(len(self), L, self.d), dtype, copy=copy)

    @property
    def _offsets(self) -> IndexArray:
        """Where each bag begins in the table."""
        return self.starts[:-1] if self._at is None else self._at

    def rows(self, bags: IndexArray) -> Any:
        """Return the instances of some bags, bag after bag; neighbouring bags are not copied."""
        return self._table[self._rows_of(bags, self._offsets)]

    def _rows_of(self, bags: IndexArray, at: IndexArray) -> Any:
        """Return the rows of some bags: a slice if the bags are neighbours."""
        first, lengths = at[bags], self.starts[bags + 1] - self.starts[bags]
        if len(bags) and (first[1:] == first[:-1] + lengths[:-1]).all():
            return slice(int(first[0]), int(first[-1] + lengths[-1]))
        ends = np.cumsum(lengths)
        shift = np.repeat(first - (ends - lengths), lengths)
        return np.arange(ends[-1] if len(ends) else 0) + shift

    def _take(self, bags: IndexArray) -> Bags:
        result = copy(self)  # all was checked when these were made
        if getattr(self._table, "_mmap", None) is None:
            result._table, result._at = self.rows(bags), None
        else:  # stays on disk
            result._at = self._offsets[bags]
        result._metadata = self.metadata.rows(self._rows_of(bags, self.starts[:-1]))
        result.starts = np.concatenate([[0], np.cumsum(self.lengths[bags])]).astype(int)
        result.ids = None if self.ids is None else self.ids[bags]
        return result

    def __copy__(self) -> Bags:  # without __getstate__, which would read a memory map
        result = self.__class__.__new__(self.__class__)
        result.__dict__.update(self.__dict__)
        return result

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the instances of these bags only, not the whole memory map."""
        return {**self.__dict__, "_table": self.instances, "_at": None}


def as_bags(X: Any, *, missing: bool = False) -> Bags:
    """Return `Bags` of an array (bags, instances, features), a list of arrays, or `Bags`.

    Missing values are refused unless ``missing``.
    """
    bags = X if isinstance(X, Bags) else _convert(X)
    if not len(bags):
        raise ValueError("there must be at least one bag, got none")
    if bags._missing and not missing:
        bags._check_values(bags.instances, missing=False)
    return bags


def _convert(X: Any) -> Bags:
    """Make bags of an array or a list of arrays."""
    if hasattr(X, "columns"):
        raise ValueError(
            f"a {type(X).__name__} does not say which rows make a bag: pass Bags.from_table(X, bag)"
        )
    check_dense(X)
    if not hasattr(X, "__array__") and not isinstance(X, list | tuple):
        raise ValueError(
            f"bags must be an array (bags, instances, features), a list of arrays, or Bags, got "
            f"{type(X).__name__}"
        )
    if isinstance(X, list | tuple) or getattr(X, "dtype", None) == np.dtype(object):
        return Bags.from_list(list(X))
    return Bags.from_array(X)
