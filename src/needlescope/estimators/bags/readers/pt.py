"""A folder of ``.pt`` files, one tensor of features for each slide, as CLAM writes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....grid import choice
from ..files import MEMORY, memory_bound
from .slides import Reader, Slide, Table, look, match, of_bags
from .source import answer, fingerprint, read
from .tensors import Tensor, read_numbers, read_tensors

ENDINGS = (".pt", ".pth")


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
    """Read a folder of ``.pt`` files, one for each slide, and their labels from a table.

    Each file holds a tensor of features (n × d, or 1 × n × d), or a dict with one, as torch.save
    writes them. Tensors only: such a file is a program, which is not run, and torch is not needed.

    Parameters
    ----------
    folder : path
        Where the files are, ``.pt`` or ``.pth``.
    table, cache, file, label, bag, groups, unmatched : optional
        As in `read_hdf5`.
    features : str, default "features"
        Where the tensor of the instances is in a dict. A tensor alone is the features.
    coords : str or None, default "coords"
        Where the coordinates are in a dict, kept as ``bags.metadata["coords"]`` if files have them.
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
        If a file holds anything but tensors, or it or the table lacks something; the sentence
        names the file.

    Examples
    --------
    >>> import tempfile
    >>> from needlescope.estimators import read_pt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_pt(folder)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: ... has no files that end in .pt or .pth
    """
    choice("unmatched", unmatched, ("raise", "drop"))
    bound = memory_bound(memory)
    slides = match(folder, ENDINGS, Table(table, file, label, bag, groups), unmatched)

    def inspect(path: Path) -> Slide:
        held = _held(path, features)
        shape = _flat(held[features].shape)
        if len(shape) != 2 or not shape[1]:
            raise ValueError(
                f"{path} must have features of instances, n × d or 1 × n × d, in {features!r}, got "
                f"shape {held[features].shape}"
            )
        places = held.get(coords) if coords is not None else None
        result = None if places is None else read_numbers(path, places, bound)
        if result is not None and result.ndim == 3 and len(result) == 1:
            result = result[0]
        return Slide(*shape, held[features].dtype, result)

    def rows(path: Path, size: int) -> Iterator[tuple[int, Any]]:
        tensor = _held(path, features)[features]
        whole = read_numbers(path, tensor, bound).reshape(_flat(tensor.shape))
        for first in range(0, len(whole), size):
            yield first, whole[first : first + size]

    reader = Reader(features, inspect, rows)
    how = {"slides": slides.slides, "bags": slides.bags, "features": features, "coords": coords}
    source = fingerprint(slides.files, **how, unmatched=unmatched)
    drop = unmatched == "drop"
    bags = read(lambda: look(slides, reader, coords, drop, bound), cache, source, folder, bound)
    return answer(bags, of_bags(slides.y, bags.ids), of_bags(slides.groups, bags.ids))


def _held(path: Path, features: str) -> dict[str, Tensor]:
    """Return the tensors of a file by their names."""
    result = read_tensors(path)
    held = {features: result} if isinstance(result, Tensor) else result
    if not isinstance(held, dict) or not isinstance(held.get(features), Tensor):
        known = f"a dict of {', '.join(held)}" if isinstance(held, dict) else type(held).__name__
        raise ValueError(
            f"{path} must hold a tensor, or a dict with one called {features!r}, got {known}"
        )
    return {name: value for name, value in held.items() if isinstance(value, Tensor)}


def _flat(shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape[1:] if len(shape) == 3 and shape[0] == 1 else shape
