"""A folder with a file for each slide, and a table that labels them: which file is which row.

Several slides may make one bag, that of a patient. A slide is known by the name of its file without
its ending; tables often name the picture it was made from, as ``abc.svs``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..files import check_fits, existing, reading, regular
from ..making.rows import grouping, label_of_each_bag
from ..tables import as_given, first_missing, value_of_each_row
from .source import Blocks, Content, checked, precision, rows_at_once

PICTURES = (
    *(".svs", ".tif", ".tiff", ".ndpi", ".mrxs", ".scn", ".bif", ".vms", ".vmu", ".svslide"),
    *(".dcm", ".czi", ".qptiff", ".h5", ".hdf5", ".pt"),
)
DROP = 'or pass unmatched="drop" to leave such out'


class Slides(NamedTuple):
    """Slides with their files, those of a bag together, and what is known of the bags."""

    files: list[Path]
    slides: list[str]
    bags: list[str]  # of each slide
    y: dict[str, Any] | None = None  # the label of each bag
    groups: dict[str, Any] | None = None
    kept: str | None = None  # what the slide of each instance is called in metadata


class Slide(NamedTuple):
    """What a file holds: instances, features, their type, and coordinates if there are any."""

    length: int
    width: int
    dtype: Any
    coords: Any = None


class Reader(NamedTuple):
    """How files of one kind are read, and what their features are called."""

    features: str
    inspect: Callable[[Path], Slide]
    rows: Callable[[Path, int], Iterator[tuple[int, Any]]]  # so many rows at a time


class Table(NamedTuple):
    """The table of labels, a DataFrame or the path of one, and which of its columns are asked."""

    rows: Any
    file: str
    label: str
    bag: str | None
    groups: str | None


def match(folder: Any, endings: tuple[str, ...], asked: Table, unmatched: str) -> Slides:
    """Return the slides of a folder in the order of the table, or of their names without one."""
    given, file, label, bag, groups = asked
    result = _files(existing(folder), endings)
    if given is None:
        for name, column in (("groups", groups), ("bag", bag)):
            if column is not None:
                raise ValueError(f"{name}={column!r} is a column of a table: pass table, too")
        return Slides(list(result.values()), list(result), list(result))
    wanted = [file, label, *(item for item in (bag, groups) if item is not None)]
    table = _table(given, wanted, file)
    slides = [str(item) for item in value_of_each_row(file, table[file], len(table), "the id")]
    files = _named(slides, result)
    rows = _matched(Path(folder), slides, result, files, unmatched, endings[0])
    if unmatched == "drop":
        there = as_given(table[label])
        rows = [row for row in rows if first_missing(there[[row]]) is None]
        if not rows:
            raise ValueError(f"no slide of the table has a {label}: column {label!r} is empty")
    slides = [slides[row] for row in rows]
    bags = slides
    if bag is not None:
        bags = [str(of_slide) for of_slide in _of_slides(table[bag], bag, slides, rows)]
    made = grouping(bags, len(bags))
    order = np.argsort(made.bag, kind="stable").tolist()

    def of_bags(name: str) -> dict[str, Any]:
        values = label_of_each_bag(made, _of_slides(table[name], name, slides, rows), name)
        return dict(zip(made.ids.tolist(), values, strict=True))

    return Slides(
        [result[files[slides[k]]] for k in order],
        [slides[k] for k in order],
        [bags[k] for k in order],
        of_bags(label),
        None if groups is None else of_bags(groups),
        None if bag is None else file,
    )


def _files(folder: Path, endings: tuple[str, ...]) -> dict[str, Path]:
    """Return the files of a folder by the slide they are of."""
    kinds = " or ".join(endings)
    if not folder.is_dir():
        raise ValueError(f"folder must be one of {endings[0]} files, got the file {folder}")
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in endings)
    if not files:
        below = sorted({path.parent.name for path in folder.glob(f"*/*{endings[0]}")})
        hint = f"; there are some in its folders {', '.join(below[:5])}" if below else ""
        raise ValueError(f"{folder} has no files that end in {kinds}{hint}")
    result: dict[str, Path] = {}
    for path in files:
        if path.stem in result:
            raise ValueError(f"{path} and {result[path.stem].name} are of the same slide")
        result[path.stem] = path
    return result


def _table(given: Any, columns: list[str], file: str) -> Any:
    """Return the table of labels, of slides' names as words: 007 is not 7."""
    import pandas as pd

    where = "table"
    if not hasattr(given, "columns"):
        path = regular(given)
        where = str(path)
        if path.suffix.lower() not in (".csv", ".tsv", ".txt", ""):
            raise ValueError(
                f"table must be a DataFrame or a file of CSV or TSV, got {path}; pass "
                f"pd.read_csv({path.name!r}) if pandas can read it"
            )
        tabs = "\t" if path.suffix.lower() == ".tsv" else ","
        with reading(path, "CSV"):
            given = pd.read_csv(path, sep=tabs, dtype={file: str}, compression=None)
    for column in columns:
        if column not in given.columns:
            raise ValueError(
                f"{where} must have a column {column!r}, got {', '.join(map(str, given.columns))}"
            )
    return given


def bare(name: str) -> str:
    """Return the name of a slide without the ending of its picture.

    Examples
    --------
    >>> bare("TCGA-1.a.svs"), bare("TCGA-1.a")
    ('TCGA-1.a', 'TCGA-1.a')
    """
    ending = next((picture for picture in PICTURES if name.lower().endswith(picture)), "")
    return name[: len(name) - len(ending)] or name


def _named(slides: list[str], files: dict[str, Path]) -> dict[str, str]:
    """Return which file each slide is in, by its stem: of its own name, or but for the endings."""
    near: dict[str, list[str]] = {}
    for stem in files:
        near.setdefault(bare(stem), []).append(stem)
    result = {}
    for slide in slides:
        others = near.get(bare(slide), [])
        if slide in files:
            result[slide] = slide
        elif len(others) == 1:
            result[slide] = others[0]
        elif others:
            raise ValueError(
                f"slide {slide!r} of the table may be {others[0]!r} or {others[1]!r} of the folder"
                "; name it as its file"
            )
    return result


def _matched(
    folder: Path,
    slides: list[str],
    files: dict[str, Path],
    named: dict[str, str],
    unmatched: str,
    ending: str,
) -> list[int]:
    """Return the rows of slides that have a file, or refuse the first that has none."""
    rows = [row for row, slide in enumerate(slides) if slide in named]
    if not rows:
        raise ValueError(
            f"no slide of the table has a file in {folder}: the table has {slides[:1]}, the folder "
            f"{next(iter(files.values())).name!r}"
        )
    name, times = Counter(named.get(slide, slide) for slide in slides).most_common(1)[0]
    if times > 1:
        raise ValueError(f"the table must name each slide once, got {name!r} {times} times")
    if unmatched == "raise":
        lost = [slide for slide in slides if slide not in named]
        if lost:
            raise ValueError(
                f"slide {lost[0]!r} of the table ({len(lost)} in all) has no file "
                f"{folder / lost[0]}{ending}; add it, {DROP}"
            )
        spare = [files[file] for file in files if file not in set(named.values())]
        if spare:
            raise ValueError(
                f"{spare[0]} ({len(spare)} in all) has no row in the table; add it, {DROP}"
            )
    return rows


def _of_slides(column: Any, name: str, slides: list[str], rows: list[int]) -> Any:
    """Return what a column says of some slides; none may be missing."""
    values = as_given(column)[rows]
    lost = first_missing(values)
    if lost is not None:
        raise ValueError(
            f"slide {slides[lost]!r} has no {name} in the table; fill it in, {DROP}"
            if name != "groups"
            else f"slide {slides[lost]!r} has no {name} in the table; fill it in"
        )
    return value_of_each_row(name, values, len(slides), "what there is")


def look(slides: Slides, reader: Reader, coords: str | None, drop: bool, memory: int) -> Content:
    """Look into every file: how many instances it has, and where they go."""
    result = [reader.inspect(path) for path in slides.files]
    for path, item in zip(slides.files, result, strict=True):
        if not item.length and not drop:
            raise ValueError(f"{path} has no instances; leave it out, {DROP}")
    kept = [k for k, item in enumerate(result) if item.length]
    if not kept:
        raise ValueError(f"{slides.files[0].parent} has no file with an instance")
    files, result = [slides.files[k] for k in kept], [result[k] for k in kept]
    for path, item in zip(files, result, strict=True):
        if item.width != result[0].width:
            raise ValueError(
                f"{path} has {item.width} features, but {files[0]} has {result[0].width}: were "
                "they made by the same encoder?"
            )
    made = grouping([slides.bags[k] for k in kept], len(kept))
    counts = np.array([item.length for item in result])
    starts = np.concatenate([[0], np.cumsum(np.bincount(made.bag, counts).astype(int))])
    metadata = _coords(files, result, coords)
    if slides.kept is not None:
        called = np.array([slides.slides[k] for k in kept])
        needed = int(counts.sum()) * called.dtype.itemsize
        check_fits(f"{files[0].parent}: the slide of each instance", needed, memory)
        metadata[slides.kept] = np.repeat(called, counts)
    dtype, d = precision([item.dtype for item in result]), result[0].width

    def blocks(_: Any) -> Blocks:
        ends = np.cumsum(counts)
        for path, count, end in zip(files, counts, ends, strict=True):
            for first, rows in reader.rows(path, rows_at_once(d)):
                block = checked(rows, dtype, f"{path}, {reader.features!r}", first)
                if first + len(block) > count or block.shape[1] != d:
                    raise ValueError(f"{path} changed while it was read")
                yield end - count + first + np.arange(len(block)), block

    return Content((int(starts[-1]), d), dtype, starts, None, made.ids, metadata, blocks)


def _coords(files: list[Path], result: list[Slide], name: str | None) -> dict[str, Any]:
    """Return the coordinates of all instances, if all files have them."""
    given = [item.coords for item in result if item.coords is not None]
    if name is None or not given:
        return {}
    for path, item in zip(files, result, strict=True):
        if item.coords is None:
            raise ValueError(
                f"{path} has no {name!r}, and {len(given)} other files have; pass "
                "coords=None to do without"
            )
        if item.coords.ndim < 1 or len(item.coords) != item.length:
            raise ValueError(
                f"{path} has {item.length} instances, but {name!r} has shape {item.coords.shape}; "
                "pass coords=None to do without"
            )
        if (
            item.coords.shape[1:] != result[0].coords.shape[1:]
            or item.coords.dtype.kind not in "iuf"
        ):
            raise ValueError(
                f"{path} has {name!r} of shape {item.coords.shape} and type {item.coords.dtype}, "
                f"unlike {files[0]}; pass coords=None to do without"
            )
    return {name: np.concatenate(given)}


def of_bags(known: dict[str, Any] | None, ids: Any) -> Any:
    """Return what is known of some bags, in their order."""
    return None if known is None else np.array([known[item] for item in ids.tolist()])
