"""A folder of ``.pt`` files, one tensor of features for each bag, as CLAM writes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....arrays import MEMORY
from ..files import check_memory
from .bag_files import FileFormat, FileSummary, features_shape, read_folder
from .label_table import LabelTable
from .tensors import Tensor, read_numbers, read_tensors


def read_pt(
    folder: Any,
    table: Any = None,
    cache: Any = None,
    *,
    file: str = "slide_id",
    label: str = "label",
    bag: str | None = None,
    groups: str | None = None,
    features: str = "features",
    coords: str | None = "coords",
    unmatched: str = "raise",
    memory: int = MEMORY,
) -> Any:
    """Read a folder of ``.pt`` files, one for each bag, and their labels from a table.

    Each file holds a tensor of features (n × d, or 1 × n × d), or a dict with one, as torch.save
    writes them. Tensors only: such a file is a program, which is not run, and torch is not needed.

    Parameters
    ----------
    folder : path
        The folder of the files, ``.pt`` or ``.pth``.
    table, cache, file, label, bag, groups, unmatched : optional
        As in `read_hdf5`.
    features : str, default "features"
        The key of the features in a dict. A tensor alone is the features.
    coords : str or None, default "coords"
        The key of the coordinates, kept as ``bags.metadata["coords"]`` if files have them.
    memory : int, default 1 GiB
        Bytes that may be read into memory; what needs more is refused before it is read. With a
        cache only one file at a time needs to fit.

    Returns
    -------
    bags, y, groups
        As from `read_hdf5`.

    Raises
    ------
    ValueError
        If a file holds anything but tensors, or it or the table lacks something.

    Examples
    --------
    >>> import tempfile
    >>> from needlescope.estimators import read_pt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_pt(folder)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: ... has no files that end in .pt or .pth
    """
    bound = check_memory(memory)

    def inspect(path: Path) -> FileSummary:
        tensors = _tensors(path, features)
        size = features_shape(path, features, tensors[features].shape, tensors[features].dtype)
        places = tensors.get(coords) if coords is not None else None
        result = None if places is None else read_numbers(path, places, bound)
        return FileSummary(*size, tensors[features].dtype, result)

    def rows(path: Path, size: int) -> Iterator[tuple[int, Any]]:
        tensor = _tensors(path, features)[features]
        table = read_numbers(path, tensor, bound).reshape(tensor.shape[-2:])
        for first in range(0, len(table), size):
            yield first, table[first : first + size]

    form = FileFormat((".pt", ".pth"), features, coords, inspect, rows)
    labels = LabelTable(table, file, label, bag, groups)
    return read_folder(folder, form, labels, cache, unmatched, bound)


def _tensors(path: Path, features: str) -> dict[str, Tensor]:
    """Return the tensors of a file by their names."""
    result = read_tensors(path)
    held = {features: result} if isinstance(result, Tensor) else result
    if not isinstance(held, dict) or not isinstance(held.get(features), Tensor):
        kind = f"a dict of {', '.join(held)}" if isinstance(held, dict) else type(held).__name__
        raise ValueError(
            f"{path} must hold a tensor, or a dict with one called {features!r}, got {kind}"
        )
    return {name: value for name, value in held.items() if isinstance(value, Tensor)}
