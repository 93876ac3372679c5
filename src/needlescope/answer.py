"""The base of all results: the call they answer, how they print, how they become a table."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .grid import Gridded
from .task import Task
from .training import Training

if TYPE_CHECKING:
    import pandas as pd

NAME_WIDTH = 12  # of the names in a printed result, at least


@dataclass(frozen=True)
class Question:
    """A call: the function, the problem, and every option.

    Examples
    --------
    >>> import needlescope as ns
    >>> result = ns.capacity(ns.Task(L=10, R=1, theta=5.0, pi=0.5), "pooled")
    >>> result.question.call, result.question.options["tol"]
    ('capacity', 0.005)
    """

    call: str
    task: Task
    training: Training | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def columns(self, shape: tuple[int, ...]) -> dict[str, Any]:
        """Return every argument by its path (``task.L``), one value for each point of the grid."""
        result: dict[str, Any] = {"call": self.call}
        if self.training is not None and self.training.schedule is not None:
            result["training.schedule.steps"] = self.training.schedule.steps
        parts = {"task": self.task, "training": self.training, **self.options}
        for name, value in parts.items():
            if dataclasses.is_dataclass(value):  # a task, a query, a noise
                for item in dataclasses.fields(value):
                    if item.init:
                        result[f"{name}.{item.name}"] = _column(getattr(value, item.name), shape)
            elif isinstance(column := _column(value, shape), str) and isinstance(value, np.ndarray):
                result[f"{name}.given"] = column  # a number may have that name, such as a signal
            else:
                result[name] = column
        return {name: column for name, column in result.items() if column is not None}


def _column(value: Any, shape: tuple[int, ...]) -> Any:
    """Broadcast a number over the grid; strings stay, other values are replaced by their name.

    An array that is no axis, such as a covariance, is written as its shape and part of a hash.
    """
    if isinstance(value, int | float | np.ndarray):
        try:
            return np.broadcast_to(value, shape).ravel()
        except ValueError:
            digits = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:8]
            return f"array {np.shape(value)} #{digits}"
    if value is None or isinstance(value, str):
        return value
    return getattr(value, "name", None) or repr(value)


@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """A result: numbers, where they come from, and the question they answer.

    Attributes
    ----------
    question
        The call with its task, training and options; None for a result built by hand.
    """

    question: Question | None = field(default=None, kw_only=True)

    _shown: ClassVar[tuple[str, ...]] = ()  # the fields that printing shows; others are named
    _labels: ClassVar[Mapping[str, str]] = {}  # what printing calls a field, if not by its name
    _last_axis: ClassVar[str] = ""  # what the numbers' last axis counts, if it is not the grid's

    @property
    def task(self) -> Task | None:
        """The task of the call."""
        return None if self.question is None else self.question.task

    @property
    def training(self) -> Training | None:
        """The training of the call; None where there is none."""
        return None if self.question is None else self.question.training

    @property
    def options(self) -> Mapping[str, Any]:
        """All other arguments by name, those left at their defaults included."""
        return {} if self.question is None else self.question.options

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats in sentences, printed with the numbers."""
        return ()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the grid: ``()`` for a single problem."""
        full = np.broadcast_shapes(*(np.shape(value) for value in self._numbers().values()))
        return full[:-1] if self._last_axis else full

    def to_pandas(self) -> pd.DataFrame:
        """Return a table of arguments and results, with a row for each point of the grid.

        A path has a row for each iteration of each point.

        Columns are named as in a `Store`'s table (``task.L``, ``training.alpha1``,
        ``test_error``, ``test_error_se``), so that `needlescope.figures` draws them too.

        Examples
        --------
        >>> import needlescope as ns
        >>> task = ns.Task(L=10, R=1, theta=[4.0, 5.0], pi=0.5)
        >>> table = ns.oracle(task, "pooled").to_pandas()
        >>> table[["task.L", "task.theta", "error"]].round(3).values.tolist()
        [[10.0, 4.0, 0.264], [10.0, 5.0, 0.215]]
        """
        import pandas as pd

        arguments = {} if self.question is None else self.question.columns(self.shape)
        numbers = {name: np.ravel(value) for name, value in self._numbers().items()}
        words = {name: value for name, value in self._fields() if isinstance(value, str)}
        points = int(np.prod(self.shape, dtype=np.int64))
        if not self._last_axis:
            return pd.DataFrame({**arguments, **words, **numbers}, index=range(points))
        rows = max(len(number) for number in numbers.values())
        point, place = np.divmod(np.arange(rows), rows // points)
        table = pd.DataFrame({**arguments, **words}, index=range(points)).loc[point]
        return table.reset_index(drop=True).assign(**{self._last_axis: place}, **numbers)

    def __repr__(self) -> str:
        """Print the question and the main numbers, in a few lines."""
        named = dict(self._fields())
        head = [type(self).__name__, named.get("model")]
        lines = [("provenance", named["provenance"]), *self._arguments()]
        for name in self._shown:
            shown = _shown(named[name], named.get(f"{name}_se", 0.0))
            lines.append((self._labels.get(name, name), shown))
        more = [
            name
            for name, value in named.items()
            if name not in (*self._shown, "model", "provenance")
            and value is not None
            and not name.endswith("_se")
        ]
        lines += [("and", ", ".join(more))] if more else []
        lines += [("note", note) for note in self.notes]
        width = max([NAME_WIDTH, *(len(name) + 1 for name, _ in lines)])
        first = " ".join(str(part) for part in head if part)
        return "\n".join([first, *(f"  {name:<{width}}{text}" for name, text in lines)])

    def _arguments(self) -> Iterator[tuple[str, str]]:
        if self.question is None:
            return
        parts = {"task": self.question.task, "training": self.question.training}
        for name, part in parts.items():
            if part is not None:
                yield name, _fields_of(part)
        chosen = {name: value for name, value in self.options.items() if value is not None}
        if chosen:
            yield "options", ", ".join(f"{name}={_brief(value)}" for name, value in chosen.items())

    def _fields(self) -> Iterator[tuple[str, Any]]:
        for item in dataclasses.fields(self):
            if item.name != "question":
                yield item.name, getattr(self, item.name)

    def _numbers(self) -> dict[str, Any]:
        return {
            name: value
            for field, given in self._fields()
            for name, value in numbered(field, given).items()
            if isinstance(value, int | float | np.number | np.ndarray)
        }


def numbered(name: str, value: Any) -> dict[str, Any]:
    """Return the numbers of a field by name: one for each entry of a tuple.

    Examples
    --------
    >>> numbered("norm", 2.0), numbered("signals_se", (0.1, 0.2))
    ({'norm': 2.0}, {'signals_1_se': 0.1, 'signals_2_se': 0.2})
    >>> numbered("map", ((0.1, 0.2), (0.3,)))
    {'map_1_1': 0.1, 'map_1_2': 0.2, 'map_2_1': 0.3}
    """
    if not isinstance(value, tuple):
        return {name: value}
    base, uncertainty = name.removesuffix("_se"), "_se" if name.endswith("_se") else ""
    each = (numbered(f"{base}_{k}{uncertainty}", item) for k, item in enumerate(value, 1))
    return {inner: value for result in each for inner, value in result.items()}


def _fields_of(part: Gridded) -> str:
    names = [field.name for field in dataclasses.fields(part) if field.name not in part.idle]  # type: ignore[arg-type]
    values = {name: getattr(part, name) for name in names}
    return ", ".join(f"{k}={_brief(value)}" for k, value in values.items() if value is not None)


def _brief(value: Any) -> str:
    """Write a value in a few characters: an array by its ends."""
    if isinstance(value, np.ndarray) and value.ndim:
        inside = f"{value.flat[0]:g} … {value.flat[-1]:g}"
        return f"[{inside}]" if value.ndim == 1 else f"[{inside}; {value.shape}]"
    if isinstance(value, float):
        return f"{value:g}"
    return f"({_fields_of(value)})" if isinstance(value, Gridded) else repr(value)


def _shown(value: Any, error: Any) -> str:
    """Write a number with its uncertainty; of an array its range."""
    array, spread = np.asarray(value), np.asarray(error, float)
    if array.dtype.kind not in "if":
        return str(value) if array.ndim == 0 else ", ".join(sorted(set(array.ravel().tolist())))
    largest = float(np.nanmax(spread)) if np.isfinite(spread).any() else 0.0
    uncertainty = f" ± {largest:.1g}" if largest > 0.0 else ""
    if array.ndim == 0:
        return f"{float(array):.6g}{uncertainty}"
    known = array[~np.isnan(array)]
    lost = array.size - known.size
    within = f"{known.min():.6g} to {known.max():.6g}{uncertainty}" if known.size else "none"
    return f"{within}, shape {array.shape}" + (f", {lost} NaN" if lost else "")
