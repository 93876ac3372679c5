"""The parts of bags, and their concatenation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .values import common_kind


class Parts(NamedTuple):
    """The arrays that make `Bags`."""

    instances: Any
    starts: Any
    names: list[str] | None = None
    ids: Any = None
    metadata: Any = None


def concatenate(parts: Sequence[Parts]) -> Parts:
    """Concatenate the parts of several bags, or say in what they differ."""
    if not parts:
        raise ValueError("there must be at least one of Bags to concatenate, got none")
    first = parts[0]
    for k, part in enumerate(parts):
        _check_like(k, part, first)
    names = next((part.names for part in parts if part.names is not None), None)
    for k, part in enumerate(parts):
        if part.names is not None and part.names != names:
            raise ValueError(
                f"all must have the same features in the same order, got {names} and, of number "
                f"{k}, {part.names}"
            )
    lengths = np.concatenate([np.diff(part.starts) for part in parts])
    ids = None
    if first.ids is not None:
        common_kind("ids", np.array([item for part in parts for item in part.ids.tolist()], object))
        ids = np.concatenate([part.ids for part in parts])
    return Parts(
        np.concatenate([part.instances for part in parts]),
        np.concatenate([[0], np.cumsum(lengths)]).astype(int),
        names,
        ids,
        {name: np.concatenate([part.metadata[name] for part in parts]) for name in first.metadata},
    )


def _check_like(place: int, part: Parts, first: Parts) -> None:
    """Refuse bags that differ from the first ones in what they have."""
    widths = part.instances.shape[1], first.instances.shape[1]
    if widths[0] != widths[1]:
        raise ValueError(
            f"all must have the same number of features, got {widths[1]} and, of number "
            f"{place}, {widths[0]}"
        )
    if (part.ids is None) != (first.ids is None):
        raise ValueError(
            f"all must have ids, or none: number {place} differs from the first; set bags.ids of "
            "all, or to None"
        )
    if set(part.metadata) != set(first.metadata):
        raise ValueError(
            f"all must have the same metadata, got {sorted(first.metadata)} and, of number "
            f"{place}, {sorted(part.metadata)}"
        )
    for name, values in part.metadata.items():
        other = first.metadata[name]
        if values.shape[1:] != other.shape[1:] or _kind(values) != _kind(other):
            raise ValueError(
                f"metadata {name!r} must be of one kind, got {other.dtype} of shape {other.shape} "
                f"and, of number {place}, {values.dtype} of shape {values.shape}"
            )


def _kind(values: Any) -> str:
    return "number" if values.dtype.kind in "biuf" else str(values.dtype.kind)
