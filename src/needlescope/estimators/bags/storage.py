"""Bags on disk: a folder of ``.npy`` files, which can be memory-mapped, and a small JSON file.

Nothing is pickled, so that a folder from elsewhere runs no code. ``bags.json`` names the arrays;
the first version of the format had the same names for all.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np

from .conversion.parts import Parts
from .files import MEMORY, as_path, check_fits, check_memory, reading, regular_file

FORMAT, VERSION = "bags of needlescope", 2
MANIFEST = "bags.json"
MAPPED_FROM = 1 << 28  # bytes from which a file is memory-mapped rather than read
OWN_FILE = re.compile(
    r"((instances|starts|ids|metadata\d+)-[0-9a-f]{32}\.npy)|((columns\d+|bags)-[0-9a-f]{32}\.part)"
)


def load_parts(path: Any, mapped: Any = "auto", memory: Any = MEMORY) -> tuple[Parts, bool]:
    """Return what a folder holds, and whether its instances are memory-mapped."""
    if not isinstance(mapped, bool) and not (isinstance(mapped, str) and mapped == "auto"):
        raise ValueError(f'mapped must be True, False or "auto", got {mapped!r}')
    bound = check_memory(memory)
    folder = as_path(path)
    about = read_manifest(folder)
    while True:
        try:
            return _load(folder, about, mapped, bound)
        except FileNotFoundError as problem:
            now = read_manifest(folder)  # other bags may have been saved there meanwhile
            if now == about:
                raise ValueError(f"{problem}; save the bags again") from None
            about = now


def _load(folder: Path, about: dict[str, Any], mapped: Any, memory: int) -> tuple[Parts, bool]:
    files = {part: folder / name for part, name in files_of(about).items()}
    n, N, d = about["shape"]
    on_disk = mapped
    if mapped == "auto":
        on_disk = regular_file(files["instances"]).stat().st_size >= MAPPED_FROM
    instances = read_array(files["instances"], on_disk, memory)
    starts = read_array(files["starts"], False, memory)
    if instances.shape != (N, d) or starts.shape != (n + 1,):
        raise ValueError(
            f"{folder} holds {N} instances of {d} features in {n} bags by its {MANIFEST}, but its "
            f"arrays have shapes {instances.shape} and {starts.shape}; save the bags again"
        )
    ids = read_array(files["ids"], False, memory) if about["ids"] else None
    metadata = {
        name: read_array(files[f"metadata{k}"], on_disk, memory)
        for k, name in enumerate(about["metadata"])
    }
    return Parts(instances, starts, about["names"], ids, metadata), on_disk


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return what the JSON file of a folder says, or refuse the folder."""
    path = folder / MANIFEST
    if not path.exists():
        raise FileNotFoundError(f"no bags are saved in {folder}: it has no file {MANIFEST}")
    regular_file(path)
    check_fits(str(path), path.stat().st_size, MEMORY)
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        good = about["format"] == FORMAT and isinstance(about["version"], int)
    except (ValueError, TypeError, KeyError, RecursionError):
        good = False
    if not good:
        raise ValueError(f"{path} is not what Bags.save writes")
    if not 1 <= about["version"] <= VERSION:
        raise ValueError(
            f"{folder} was saved by another needlescope, as version {about['version']} of the "
            f"format; this one reads versions 1 to {VERSION}"
        )
    if not _complete(about):
        raise ValueError(f"{path} is not what Bags.save writes")
    return dict(about)


def _complete(about: dict[str, Any]) -> bool:
    """Tell whether all is there, of the right types, and files have names as we give them."""
    shape, names, metadata = (about.get(name) for name in ("shape", "names", "metadata"))
    good = isinstance(shape, list) and len(shape) == 3 and all(type(item) is int for item in shape)
    good = good and (names is None or _words(names)) and _words(metadata)
    good = good and isinstance(about.get("ids"), bool) and "source" in about
    if not good or about["version"] == 1:
        return good
    files = about.get("files")
    wanted = set(files_of({**about, "version": 1}))
    return (
        isinstance(files, dict)
        and set(files) == wanted
        and all(isinstance(name, str) and OWN_FILE.fullmatch(name) for name in files.values())
    )


def _words(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(item, str) for item in given)


def files_of(about: dict[str, Any]) -> dict[str, str]:
    """Return the names of the arrays' files."""
    if about["version"] > 1:
        return dict(about["files"])
    parts = ["instances", "starts", *(["ids"] if about["ids"] else [])]
    parts += [f"metadata{k}" for k in range(len(about["metadata"]))]
    return {part: f"{part}.npy" for part in parts}


def read_array(file: Path, mapped: bool, memory: int = MEMORY) -> Any:
    """Return the array of a ``.npy`` file, which must be as long as its header says."""
    if not file.exists():
        raise FileNotFoundError(f"{file} is missing")
    regular_file(file)
    with reading(file, "an array of NumPy"):
        with file.open("rb") as raw:
            version = np.lib.format.read_magic(raw)
            if version not in ((1, 0), (2, 0)):
                raise ValueError(f"its format {version} is not one that Bags.save writes")
            header = np.lib.format.read_array_header_1_0
            if version == (2, 0):
                header = np.lib.format.read_array_header_2_0
            shape, _, dtype = header(raw)
            needed, there = math.prod(shape) * dtype.itemsize, file.stat().st_size - raw.tell()
        if dtype.hasobject:
            raise ValueError("it holds pickled objects, which are not read")
        if min(shape, default=0) < 0 or needed != there:
            raise ValueError(f"its header says {needed} bytes, and there are {there}")
        if not mapped:
            check_fits(str(file), needed, memory, "pass mapped=True")
        return np.load(file, mmap_mode="r" if mapped else None, allow_pickle=False)
