"""Plain data: what a unit's arguments are made of, and the one JSON text of it.

| object | plain |
| --- | --- |
| NumPy's numbers and arrays | numbers and lists |
| `Task`, `Training`, `Query`, `Noise` | a dict of the fields that differ from their defaults |
| `Spectrum` | {"eigenvalues": …, "multiplicities": …} |
| `Positions` | {"sets": …, "probabilities": …} |
| `SignalCount` | {"values": …, "probabilities": …} |
| `Schedule` | {"steps": …} or {"shares": …}, and the step sizes that are given |
| a built-in loss | its name |
| `PiecewiseQuadratic` | {"name": …, "knots": …, "pieces": …} |
| another custom loss | its `identity` |

JSON has no infinity. Its grammar allows a number beyond all floats, though, which every reader of
floats takes for one: infinity is written 1e999.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from functools import singledispatch
from typing import Any

import numpy as np

from ...grid import Gridded, unmasked
from ...losses import LOSSES, Loss, PiecewiseQuadratic
from ...noise import Noise
from ...schedule import Schedule
from ...signal_count import SignalCount
from ...spectrum import Spectrum
from ...task import Positions
from .identity import identity

KINDS = "arguments must be numbers, words, lists and dicts of them"
MARKS = {"inf\0": "1e999", "-inf\0": "-1e999"}
"""What stands for infinity until the text is there: words that nobody uses, and their number."""


@singledispatch
def plain(value: Any) -> Any:
    """Return what a value is in plain data, or refuse one that has no plain form.

    Examples
    --------
    >>> import needlescope as ns
    >>> plain({"task": ns.Task(L=4, R=1, theta=np.float64(2.0), pi=0.5), "d": np.int64(3)})
    {'task': {'L': 4, 'R': 1, 'theta': 2.0, 'pi': 0.5}, 'd': 3}
    """
    raise ValueError(f"{KINDS}, got {type(value).__name__} {value!r:.80}")


@plain.register(type(None))
@plain.register(bool)
@plain.register(int)
def _(value: Any) -> Any:
    return value


@plain.register(str)
def _(value: str) -> str:
    return str(value)  # NumPy's words are of a kind of their own


@plain.register(float)
def _(value: float) -> float:
    if math.isnan(value):
        raise ValueError(f"{KINDS}, got NaN, which is no number")
    return float(value)


@plain.register(np.generic)
@plain.register(np.ndarray)
def _(value: Any) -> Any:
    result = unmasked("an array", value).tolist()
    if value.dtype.kind not in "biufU":
        raise ValueError(f"{KINDS}, got an array of {value.dtype}")
    return plain(result)


@plain.register(list)
@plain.register(tuple)
def _(value: Any) -> list[Any]:
    return [plain(item) for item in value]


@plain.register(Mapping)
def _(value: Mapping[Any, Any]) -> dict[str, Any]:
    for key in value:
        if not isinstance(key, str):
            raise ValueError(f"{KINDS}: the keys of a dict must be words, got {key!r:.80}")
    return {key: plain(item) for key, item in value.items()}


@plain.register(Gridded)
@plain.register(Noise)
def _(value: Any) -> dict[str, Any]:
    fields = (field for field in dataclasses.fields(value) if field.init)
    given = {field.name: (getattr(value, field.name), field.default) for field in fields}
    return {name: plain(item) for name, (item, usual) in given.items() if not _same(item, usual)}


def _same(item: Any, usual: Any) -> bool:
    return item is usual or (np.ndim(item) == 0 and type(item) is type(usual) and item == usual)


@plain.register(Positions)
def _(value: Positions) -> dict[str, Any]:
    return {"sets": plain(value.sets), "probabilities": plain(value.probabilities)}


@plain.register(Spectrum)
def _(value: Spectrum) -> dict[str, Any]:
    return {"eigenvalues": plain(value.eigenvalues), "multiplicities": plain(value.shares)}


@plain.register(SignalCount)
def _(value: SignalCount) -> dict[str, Any]:
    return {"values": plain(value.values), "probabilities": plain(value.probabilities)}


@plain.register(Schedule)
def _(value: Schedule) -> dict[str, Any]:
    batches = {"steps": value.steps} if value.is_even else {"shares": plain(value.shares)}
    sizes = {name: getattr(value, name) for name in ("eta_w", "eta_b", "eta_q")}
    return batches | {name: plain(size) for name, size in sizes.items() if size is not None}


@plain.register(Loss)
def _(value: Loss) -> Any:
    if LOSSES.get(value.name) is value:
        return value.name
    return plain(identity(value))


@plain.register(PiecewiseQuadratic)
def _(value: PiecewiseQuadratic) -> Any:
    if LOSSES.get(value.name) is value:
        return value.name
    if type(value) is not PiecewiseQuadratic:
        return plain(identity(value))
    return {"name": value.name, "knots": plain(value.knots), "pieces": plain(value.pieces)}


def canonical(value: Any) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces.

    Examples
    --------
    >>> canonical({"kappa": np.inf, "d": 3}), json.loads('{"kappa":1e999}')
    ('{"d":3,"kappa":1e999}', {'kappa': inf})
    """
    try:
        return to_json(plain(value), sort_keys=True, separators=(",", ":"))
    except RecursionError:
        raise ValueError(f"{KINDS}, got a value nested too deeply") from None


def to_json(value: Any, **options: Any) -> str:
    """Return plain data as JSON by the standard: infinity is 1e999, NaN is null."""
    try:
        return json.dumps(value, allow_nan=False, **options)
    except ValueError:  # there are such numbers in it, which is rare
        text = json.dumps(_marked(value), allow_nan=False, **options)
    for mark, number in MARKS.items():
        text = text.replace(json.dumps(mark), number)
    return text


def _marked(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else f"{value}\0"
    if isinstance(value, dict):
        return {key: _marked(item) for key, item in value.items()}
    return [_marked(item) for item in value] if isinstance(value, list | tuple) else value
