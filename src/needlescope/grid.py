"""Validated numeric fields, and grids of them.

Every numeric field of `Task`, `Training` and `Query` is a number or an array of numbers. Arrays
broadcast against each other as NumPy would; a problem with arrays in it stands for the grid of
scalar problems that `scalars` lists.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

MOST_AXES = 16  # of a grid: NumPy itself broadcasts no more than 32 of all parts together


def real(
    name: str,
    value: Any,
    low: float,
    high: float,
    *,
    open_low: bool = False,
    open_high: bool = False,
    sense: tuple[float, float] = (0.0, np.inf),
    endless: bool = False,
) -> Any:
    """Return ``value`` as a float or a read-only float array inside the range, or refuse it.

    ``sense`` bounds the size of values other than zero to what floating point can handle; with
    ``endless`` infinity itself is allowed.
    """
    array = _numeric(name, value, "a finite number", kinds="iuf").astype(float)
    inside = np.isfinite(array) | (endless & (array == np.inf))
    inside &= (array > low) if open_low else (array >= low)
    inside &= (array < high) if open_high else (array <= high)
    more = ", or infinite" if endless else ""
    _refuse_outside(name, array, inside, _range_words(low, high, open_low, open_high) + more)
    size = np.abs(array)
    served = (size == 0.0) | ((size >= sense[0]) & (size <= sense[1])) | (endless & np.isinf(size))
    _refuse_outside(name, array, served, f"between {sense[0]:g} and {sense[1]:g} in size{more}")
    return _scalar_or_frozen(array)


def single(name: str, value: Any, low: float, high: float = np.inf, **how: Any) -> float:
    """Return ``value`` as one float inside the range, as `real` does for grids, or refuse it.

    Examples
    --------
    >>> single("budget", "400", 0.0)
    Traceback (most recent call last):
    ValueError: budget must be a single number, got '400'
    """
    plain = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if not isinstance(plain, float | int | np.floating | np.integer) or isinstance(plain, bool):
        raise ValueError(f"{name} must be a single number, got {value!r}")
    return float(real(name, plain, low, high, **how))


def amount(name: str, value: Any) -> Any:
    """Return an amount of data, in samples per dimension: above 0, within 1e-15 to 1e6."""
    return real(name, value, 0.0, np.inf, open_low=True, sense=(1e-15, 1e6))


def check_sum(name: str, shares: Any) -> Any:
    """Return ``shares`` if they sum to one, up to rounding, or refuse them."""
    if abs(shares.sum() - 1.0) > 1e-9:
        raise ValueError(f"{name} must sum to 1, got a sum of {shares.sum():.12g}")
    return shares


def integer(name: str, value: Any, low: int, high: int = 10**9) -> Any:
    """Return ``value`` as an int or a read-only int array in low..high, or refuse it."""
    array = _numeric(name, value, "an integer", kinds="iu")
    inside = (array >= low) & (array <= high)
    _refuse_outside(name, array, inside, f"an integer in {low}..{high}")
    return _scalar_or_frozen(array.astype(np.int64))


def whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return ``value`` as a single whole number of at least ``low``, or refuse it.

    Examples
    --------
    >>> whole("count", 0, 1)
    Traceback (most recent call last):
    ValueError: count must be a whole number of at least 1, got 0
    """
    inside = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if high is not None:
        if not inside:
            raise ValueError(f"{name} must be a single integer in {low}..{high}, got {value!r}")
        return int(integer(name, value, low, high))
    if not inside or value < low:
        raise ValueError(f"{name} must be a whole number of at least {low}, got {value!r}")
    return int(value)


def choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """Return ``value`` if it is one of the ``allowed`` words, or refuse it."""
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(repr(a) for a in allowed)
        raise ValueError(f"{name} must be one of {words}, got {value!r}")
    return value


def yes_or_no(name: str, value: Any) -> bool:
    """Return ``value`` if it is True or False, or refuse it.

    Examples
    --------
    >>> yes_or_no("balanced", 1)
    Traceback (most recent call last):
    ValueError: balanced must be True or False, got 1
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_kind(name: str, value: Any, kind: type) -> None:
    """Refuse a value that is not of one of the package's own types.

    Examples
    --------
    >>> import needlescope as ns
    >>> check_kind("task", 3, ns.Task)
    Traceback (most recent call last):
    ValueError: task must be a needlescope.Task, got 3
    """
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be a needlescope.{kind.__name__}, got {value!r}")


def listed(name: str, value: Any, of: str) -> list[Any]:
    """Return ``value`` as a list, or refuse what is no sequence.

    Examples
    --------
    >>> listed("pieces", 3, "triples")
    Traceback (most recent call last):
    ValueError: pieces must be a sequence of triples, got 3
    """
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        return list(value)
    except TypeError:
        raise ValueError(f"{name} must be a sequence of {of}, got {value!r}") from None


def unmasked(name: str, value: Any) -> Any:
    """Return ``value`` unless it is masked: NumPy would compute with what the mask hides.

    Examples
    --------
    >>> import numpy as np
    >>> unmasked("theta", np.ma.array([1.0, 2.0], mask=[False, True]))
    Traceback (most recent call last):
    ValueError: theta must not be masked: leave out what is hidden, or fill it in, got...
    """
    parts = value if isinstance(value, list | tuple) else (value,)
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):
        raise ValueError(
            f"{name} must not be masked: leave out what is hidden, or fill it in, got a masked "
            f"{type(value).__name__ if parts is value else f'array of shape {value.shape}'}"
        )
    return value


class Gridded:
    """A frozen dataclass some of whose fields (``_gridded``) may be arrays that broadcast."""

    _gridded: ClassVar[tuple[str, ...]] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the grid: ``()`` for a single problem."""
        return np.broadcast_shapes(*(np.shape(getattr(self, name)) for name in self._gridded))

    @property
    def idle(self) -> tuple[str, ...]:
        """The fields that play no part, which a printed result leaves out."""
        return ()

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed, validated anew."""
        known = {field.name for field in dataclasses.fields(self)}  # type: ignore[arg-type]
        for name in changes:
            if name not in known:
                raise ValueError(
                    f"{type(self).__name__} has no field {name!r}; "
                    f"its fields are {', '.join(sorted(known))}"
                )
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def scalars(self, shape: tuple[int, ...]) -> list[Self]:
        """List the scalar problems of this grid, broadcast to ``shape``, in C order."""
        columns = {
            name: np.broadcast_to(getattr(self, name), shape).ravel().tolist()
            for name in self._gridded
            if np.ndim(getattr(self, name))
        }
        count = int(np.prod(shape, dtype=np.int64))
        if not columns:
            return [self] * count
        return [
            dataclasses.replace(self, **{name: column[k] for name, column in columns.items()})  # type: ignore[type-var]
            for k in range(count)
        ]

    def __eq__(self, other: object) -> bool:
        """Compare field by field; arrays are equal when all their entries are."""
        if type(self) is not type(other):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        """Hash the field values, arrays by their contents."""
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        values = (getattr(self, field.name) for field in dataclasses.fields(self))  # type: ignore[arg-type]
        return tuple(_hashable(value) for value in values)


def written(part: Gridded) -> str:
    """Return the constructor call of a part, without the fields that are None."""
    fields = ((field.name, getattr(part, field.name)) for field in dataclasses.fields(part))  # type: ignore[arg-type]
    inside = ", ".join(f"{name}={value!r}" for name, value in fields if value is not None)
    return f"{type(part).__name__}({inside})"


def _hashable(value: Any) -> Any:
    """A key for a field: contents of an array, identity of what cannot be hashed."""
    if isinstance(value, np.ndarray):
        return value.shape, tuple(value.ravel().tolist())
    return value if type(value).__hash__ is not None else id(value)


def common_shape(*parts: Gridded) -> tuple[int, ...]:
    """Return the shape of the grid that several parts make together, or refuse it."""
    try:
        return np.broadcast_shapes(*(part.shape for part in parts))
    except ValueError:
        listed = ", ".join(f"{type(part).__name__} {part.shape}" for part in parts)
        raise ValueError(
            f"the grids must broadcast against each other, got shapes {listed}; "
            "give them lengths that match, or new axes with np.newaxis"
        ) from None


def check_broadcast(owner: str, **named: Any) -> None:
    """Refuse fields whose shapes do not broadcast against each other."""
    shapes = {name: np.shape(value) for name, value in named.items() if np.ndim(value)}
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(
            f"the arrays in {owner} must broadcast against each other, got shapes {listed}; "
            "give them lengths that match, or new axes with np.newaxis"
        ) from None


def _numeric(name: str, value: Any, wanted: str, *, kinds: str) -> np.ndarray[Any, Any]:
    items: Any = []
    unmasked(name, value)
    try:
        array = np.asarray(value)
        items = np.asarray(value, dtype=object).ravel() if isinstance(value, list | tuple) else ()
    except (TypeError, ValueError):
        array = np.asarray(None)
    if any(isinstance(item, bool | np.bool_) for item in items):
        array = np.asarray(None)
    if array.dtype.kind not in kinds:
        raise ValueError(f"{name} must be {wanted}, or an array of them, got {value!r}")
    if array.ndim > MOST_AXES:
        raise ValueError(f"{name} must have at most {MOST_AXES} axes, got {array.ndim}")
    if array.size == 0:
        raise ValueError(f"{name} must hold at least one value, got an empty array")
    return array


def _refuse_outside(
    name: str, array: np.ndarray[Any, Any], inside: np.ndarray[Any, Any], words: str
) -> None:
    if not inside.all():
        value = array.item() if array.ndim == 0 else array[~inside].ravel()[0].item()
        where = "" if array.ndim == 0 else f" in an array of shape {array.shape}"
        raise ValueError(f"{name} must be {words}, got {value!r}{where}")


def _range_words(low: float, high: float, open_low: bool, open_high: bool) -> str:
    if high == np.inf:
        return f"a finite number {'above' if open_low else 'of at least'} {low:g}"
    left, right = "(" if open_low else "[", ")" if open_high else "]"
    return f"a number in {left}{low:g}, {high:g}{right}"


def _scalar_or_frozen(array: np.ndarray[Any, Any]) -> Any:
    if array.ndim == 0:
        return array.item()
    frozen = array.copy()
    frozen.setflags(write=False)
    return frozen
