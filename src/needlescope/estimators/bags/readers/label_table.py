"""A table with a row for each file of a folder: which file each row names, and its label.

A row names its file with or without an ending; it may also name the slide image that the features
were made from, as ``abc.svs``. Several files may make one bag, that of a patient.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..conversion.grouping import grouping, label_of_each_bag
from ..conversion.values import as_array, first_missing, row_values
from ..files import existing_path, reading, regular_file

IMAGE_ENDINGS = (
    *(".svs", ".tif", ".tiff", ".ndpi", ".mrxs", ".scn", ".bif", ".vms", ".vmu", ".svslide"),
    *(".dcm", ".czi", ".qptiff", ".h5", ".hdf5", ".pt"),
)
OR_DROP = 'or pass unmatched="drop" to leave such out'


class LabelTable(NamedTuple):
    """A DataFrame or the path of a CSV file, and the columns that are read from it."""

    table: Any
    file: str
    label: str
    bag: str | None
    groups: str | None


class BagFiles(NamedTuple):
    """Files, those of a bag together, and the labels and groups of the bags."""

    paths: list[Path]
    names: list[str]  # of the files, as the table has them
    bags: list[str]  # of each file
    y: dict[str, Any] | None = None  # the label of each bag
    groups: dict[str, Any] | None = None
    name_key: str | None = None  # where metadata keeps the file name of each instance


def match_files(
    folder: Any, endings: tuple[str, ...], labels: LabelTable, unmatched: str
) -> BagFiles:
    """Return the files of a folder in the order of the table, or of their names without one."""
    given, file, label, bag, groups = labels
    paths = _paths(existing_path(folder), endings)
    if given is None:
        for parameter, column in (("groups", groups), ("bag", bag)):
            if column is not None:
                raise ValueError(f"{parameter}={column!r} is a column of a table: pass table, too")
        return BagFiles(list(paths.values()), list(paths), list(paths))
    table = _read_table(given, [item for item in (file, label, bag, groups) if item], file)
    names = [str(item) for item in row_values(file, table[file], len(table), "the id")]
    stems = _match_stems(names, paths)
    rows = _matched_rows(Path(folder), names, paths, stems, unmatched, endings[0])
    if unmatched == "drop":
        values = as_array(table[label])
        rows = [row for row in rows if first_missing(values[[row]]) is None]
        if not rows:
            raise ValueError(f"no row of the table has a {label}: column {label!r} is empty")
    names = [names[row] for row in rows]
    bags = names
    if bag is not None:
        bags = [str(item) for item in _row_values(table[bag], bag, names, rows)]
    made = grouping(bags, len(bags))
    order = np.argsort(made.bag, kind="stable").tolist()

    def by_bag(name: str) -> dict[str, Any]:
        values = label_of_each_bag(made, _row_values(table[name], name, names, rows), name)
        return dict(zip(made.ids.tolist(), values, strict=True))

    return BagFiles(
        [paths[stems[names[k]]] for k in order],
        [names[k] for k in order],
        [bags[k] for k in order],
        by_bag(label),
        None if groups is None else by_bag(groups),
        None if bag is None else file,
    )


def _paths(folder: Path, endings: tuple[str, ...]) -> dict[str, Path]:
    """Return the files of a folder by their names without endings."""
    if not folder.is_dir():
        raise ValueError(f"folder must be one of {endings[0]} files, got the file {folder}")
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in endings)
    if not files:
        below = sorted({path.parent.name for path in folder.glob(f"*/*{endings[0]}")})
        hint = f"; there are some in its folders {', '.join(below[:5])}" if below else ""
        raise ValueError(f"{folder} has no files that end in {' or '.join(endings)}{hint}")
    result: dict[str, Path] = {}
    for path in files:
        if path.stem in result:
            raise ValueError(f"{path} and {result[path.stem].name} have the same name")
        result[path.stem] = path
    return result


def _read_table(given: Any, columns: list[str], file: str) -> Any:
    """Return the table of labels; file names are read as words, as 007 is not 7."""
    import pandas as pd

    where = "table"
    if not hasattr(given, "columns"):
        path = regular_file(given)
        where, ending = str(path), path.suffix.lower()
        if ending not in (".csv", ".tsv", ".txt", ""):
            raise ValueError(
                f"table must be a DataFrame or a file of CSV or TSV, got {path}; pass "
                f"pd.read_csv({path.name!r}) if pandas can read it"
            )
        separator = "\t" if ending == ".tsv" else ","
        with reading(path, "CSV"):
            given = pd.read_csv(path, sep=separator, dtype={file: str}, compression=None)
    for column in columns:
        if column not in given.columns:
            raise ValueError(
                f"{where} must have a column {column!r}, got {', '.join(map(str, given.columns))}"
            )
    return given


def bare_name(name: str) -> str:
    """Return a name without the ending of a slide image."""
    ending = next((item for item in IMAGE_ENDINGS if name.lower().endswith(item)), "")
    return name[: len(name) - len(ending)] or name


def _match_stems(names: list[str], paths: dict[str, Path]) -> dict[str, str]:
    """Return the stem of each row's file: its name, or the only one with the same bare name."""
    near: dict[str, list[str]] = {}
    for stem in paths:
        near.setdefault(bare_name(stem), []).append(stem)
    result = {}
    for name in names:
        others = near.get(bare_name(name), [])
        if name in paths:
            result[name] = name
        elif len(others) == 1:
            result[name] = others[0]
        elif others:
            raise ValueError(
                f"{name!r} of the table may be {others[0]!r} or {others[1]!r} of the folder; name "
                "it as its file"
            )
    return result


def _matched_rows(
    folder: Path,
    names: list[str],
    paths: dict[str, Path],
    stems: dict[str, str],
    unmatched: str,
    ending: str,
) -> list[int]:
    """Return the rows that have a file, or refuse the first that has none."""
    rows = [row for row, name in enumerate(names) if name in stems]
    if not rows:
        raise ValueError(
            f"no row of the table has a file in {folder}: the table has {names[:1]}, the folder "
            f"{next(iter(paths.values())).name!r}"
        )
    name, times = Counter(stems.get(name, name) for name in names).most_common(1)[0]
    if times > 1:
        raise ValueError(f"the table must name each file once, got {name!r} {times} times")
    if unmatched == "raise":
        lost = [name for name in names if name not in stems]
        if lost:
            raise ValueError(
                f"{lost[0]!r} of the table ({len(lost)} in all) has no file "
                f"{folder / lost[0]}{ending}; add it, {OR_DROP}"
            )
        spare = [path for stem, path in paths.items() if stem not in set(stems.values())]
        if spare:
            raise ValueError(
                f"{spare[0]} ({len(spare)} in all) has no row in the table; add it, {OR_DROP}"
            )
    return rows


def _row_values(column: Any, name: str, names: list[str], rows: list[int]) -> Any:
    """Return what a column says of some files; none may be missing."""
    values = as_array(column)[rows]
    lost = first_missing(values)
    if lost is not None:
        remedy = f", {OR_DROP}" * (name != "groups")
        raise ValueError(f"{names[lost]!r} has no {name} in the table; fill it in{remedy}")
    return row_values(name, values, len(names), "what there is")
