"""A row of a store: a finished unit, as text in a file and as a line of a table."""

from __future__ import annotations

import json
import math
import platform
import time
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from ..units.calls import CALLS
from ..units.plain_data import canonical, to_json
from ..units.unit import Unit
from .settings import columns, settings


class Row(NamedTuple):
    """A finished unit: its numbers, or the error it ended in.

    The settings are the unit's arguments with the defaults that held when it was done.
    """

    unit: Unit
    numbers: dict[str, Any] | None
    error: str | None
    seconds: float
    versions: dict[str, str]
    finished: str
    settings: dict[str, Any]


def check_units(units: Iterable[Unit]) -> Iterator[Unit]:
    """Give the units, or refuse what is none."""
    if isinstance(units, Unit) or not isinstance(units, Iterable):
        raise ValueError(f"units must be a list of needlescope.Unit, got {units!r:.80}")
    for unit in units:
        if not isinstance(unit, Unit):
            raise ValueError(f"units must be of needlescope.Unit, got {unit!r:.80}")
        yield unit


def to_fields(unit: Unit, numbers: Any, seconds: Any, error: Any) -> tuple[Any, ...]:
    """Return the fields of a row as they are kept: those of the file, then the settings."""
    (unit,) = check_units([unit])
    if not isinstance(numbers, dict | None) or not isinstance(error, str | None):
        raise ValueError(
            f"numbers must be a dict or None and error a sentence or None, got {numbers!r:.80} "
            f"and {error!r:.80}"
        )
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds != seconds:
        raise ValueError(f"seconds must be a number, got {seconds!r:.80}")
    return (
        unit.key,
        unit.call,
        canonical(unit.arguments),
        None if numbers is None else to_json(_plain(numbers), sort_keys=True),
        None if error is None else error.encode(errors="replace").decode(),
        seconds,
        canonical(_versions()),
        time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        canonical(settings(unit)),
    )


def _plain(numbers: dict[Any, Any]) -> dict[str, Any]:
    """Return numbers for JSON, or refuse what is neither a number nor a word."""
    result = {}
    for name, number in numbers.items():
        result[name] = number.item() if isinstance(number, np.generic) else number
        if not isinstance(name, str) or not isinstance(result[name], int | float | str):
            raise ValueError(
                f"numbers must be numbers and words by name, got {name!r}: {number!r:.80}"
            )
    return result


@cache
def _versions() -> dict[str, str]:
    names = ["needlescope", "numpy", "scipy", *["torch"] * (find_spec("torch") is not None)]
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def from_fields(fields: tuple[Any, ...]) -> Row:
    """Return the row that was written, or raise a `ValueError` if the fields make no sense."""
    key, call, arguments, numbers, error, seconds, versions, finished, settings_text = fields
    try:
        unit = Unit.stored(call, _object(arguments))
        if settings_text is None and call in CALLS and unit.key == key:
            settings_text = canonical(settings(unit))  # from before settings; the code is the same
        return Row(
            unit,
            None if numbers is None else _numbers(numbers),
            error,
            float(seconds),
            _object(versions),
            str(finished),
            unit.arguments if settings_text is None else _object(settings_text),  # type: ignore[arg-type]
        )
    except (TypeError, RecursionError) as problem:
        raise ValueError(str(problem)) from None


def _object(text: Any) -> dict[str, Any]:
    result = json.loads(text)
    if "\\ud" in text.lower():  # half of a character, which no file in UTF-8 can hold
        json.dumps(result, ensure_ascii=False).encode()
    if not isinstance(result, dict):
        raise ValueError(f"{text!r:.40} is no table")
    columns(result)  # too deep for a table of ours
    return result


def _numbers(text: Any) -> dict[str, Any]:
    """Read numbers and words; null is NaN."""
    result = {name: math.nan if value is None else value for name, value in _object(text).items()}
    for name, value in result.items():
        if not isinstance(value, int | float | str):
            raise ValueError(f"{name} is neither a number nor a word")
    return result


def to_record(row: Row) -> dict[str, Any]:
    """Return a row as a line of a table: call, arguments, numbers, and where they are from."""
    return {
        "call": row.unit.call,
        **columns(row.settings),
        **(row.numbers or {}),
        "error_message": row.error,
        "seconds": row.seconds,
        "finished": row.finished,
        **{f"version.{name}": value for name, value in row.versions.items()},
    }
