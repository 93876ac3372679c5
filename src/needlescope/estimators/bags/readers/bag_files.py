"""A folder with a file for each bag, or for each part of a bag, and labels from a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....grid import choice
from ..conversion.grouping import grouping
from ..files import check_fits
from .content import (
    Blocks,
    Content,
    check_block,
    fingerprint,
    precision,
    read_bags,
    rows_at_once,
    with_labels,
)
from .label_table import OR_DROP, BagFiles, LabelTable, match_files


class FileSummary(NamedTuple):
    """The size of a file's features, their type, and coordinates if there are any."""

    length: int
    width: int
    dtype: Any
    coords: Any = None


class FileFormat(NamedTuple):
    """How files of one format are read."""

    endings: tuple[str, ...]
    features: str  # what errors call the features
    coords: str | None
    inspect: Callable[[Path], FileSummary]
    rows: Callable[[Path, int], Iterator[tuple[int, Any]]]  # blocks of up to this many rows


def read_folder(
    folder: Any, form: FileFormat, labels: LabelTable, cache: Any, unmatched: str, memory: int
) -> Any:
    """Return the bags of a folder, and labels and groups if a table has them."""
    choice("unmatched", unmatched, ("raise", "drop"))
    files = match_files(folder, form.endings, labels, unmatched)
    how = {"names": files.names, "bags": files.bags, "unmatched": unmatched}
    source = fingerprint(files.paths, **how, features=form.features, coords=form.coords)
    drop = unmatched == "drop"
    bags = read_bags(
        lambda: _inspect_files(files, form, drop, memory), cache, source, folder, memory
    )
    ids: Any = bags.ids
    y, groups = (
        None if values is None else np.array([values[name] for name in ids.tolist()])
        for values in (files.y, files.groups)
    )
    return with_labels(bags, y, groups)


def _inspect_files(files: BagFiles, form: FileFormat, drop: bool, memory: int) -> Content:
    """Inspect every file: how many instances it has, and where they go."""
    result = [form.inspect(path) for path in files.paths]
    for path, item in zip(files.paths, result, strict=True):
        if not item.length and not drop:
            raise ValueError(f"{path} has no instances; leave it out, {OR_DROP}")
    kept = [k for k, item in enumerate(result) if item.length]
    if not kept:
        raise ValueError(f"{files.paths[0].parent} has no file with an instance")
    paths, result = [files.paths[k] for k in kept], [result[k] for k in kept]
    d = result[0].width
    for path, item in zip(paths, result, strict=True):
        if item.width != d:
            raise ValueError(
                f"{path} has {item.width} features, but {paths[0]} has {d}: were they made by the "
                "same encoder?"
            )
    made = grouping([files.bags[k] for k in kept], len(kept))
    counts = np.array([item.length for item in result])
    starts = np.concatenate([[0], np.cumsum(np.bincount(made.bag, counts).astype(int))])
    metadata = _coordinates(paths, result, form.coords)
    if files.name_key is not None:
        names = np.array([files.names[k] for k in kept])
        needed = int(counts.sum()) * names.dtype.itemsize
        check_fits(f"{paths[0].parent}: the file name of each instance", needed, memory)
        metadata[files.name_key] = np.repeat(names, counts)
    dtype = precision([item.dtype for item in result])

    def blocks(_: Any) -> Blocks:
        for path, count, end in zip(paths, counts, np.cumsum(counts), strict=True):
            for first, rows in form.rows(path, rows_at_once(d)):
                block = check_block(rows, dtype, f"{path}, {form.features!r}", first)
                if first + len(block) > count or block.shape[1] != d:
                    raise ValueError(f"{path} changed while it was read")
                yield end - count + first + np.arange(len(block)), block

    return Content((int(starts[-1]), d), dtype, starts, None, made.ids, metadata, blocks)


def _coordinates(paths: list[Path], result: list[FileSummary], name: str | None) -> dict[str, Any]:
    """Return the coordinates of all instances, if all files have them."""
    given = [_without_batch(item.coords) for item in result if item.coords is not None]
    if name is None or not given:
        return {}
    remedy = "pass coords=None to do without"
    for path, item in zip(paths, result, strict=True):
        if item.coords is None:
            raise ValueError(f"{path} has no {name!r}, and {len(given)} other files have; {remedy}")
        coords = _without_batch(item.coords)
        if coords.ndim < 1 or len(coords) != item.length:
            raise ValueError(
                f"{path} has {item.length} instances, but {name!r} has shape {coords.shape}; "
                f"{remedy}"
            )
        if coords.shape[1:] != given[0].shape[1:] or coords.dtype.kind not in "iuf":
            raise ValueError(
                f"{path} has {name!r} of shape {coords.shape} and type {coords.dtype}, unlike "
                f"{paths[0]}; {remedy}"
            )
    return {name: np.concatenate(given)}


def features_shape(path: Path, name: str, shape: tuple[int, ...], dtype: Any) -> tuple[int, int]:
    """Return the numbers of instances and features of an array n × d or 1 × n × d."""
    flat = shape[1:] if len(shape) == 3 and shape[0] == 1 else shape
    if len(flat) != 2 or dtype.kind not in "fiub" or not flat[1]:
        raise ValueError(
            f"{path} must have features of instances, n × d or 1 × n × d, in {name!r}, got shape "
            f"{shape} of {dtype}"
        )
    return int(flat[0]), int(flat[1])


def _without_batch(array: Any) -> Any:
    return array[0] if array.ndim == 3 and len(array) == 1 else array
