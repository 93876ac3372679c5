"""Bags on disk: a folder of ``.npy`` files, which can be memory-mapped, and a manifest in JSON.

Nothing is pickled, so that an untrusted folder runs no code. The manifest, ``bags.json``, names the
arrays; in the first version of the format their names were fixed.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import MEMORY
from .conversion.parts import Parts
from .files import as_path, check_fits, check_memory, reading, regular_file

FORMAT, VERSION = "bags of needlescope", 2
MANIFEST = "bags.json"
MAPPED_FROM = 1 << 28  # bytes from which a file is memory-mapped rather than read
OWN_FILE = re.compile(
    r"((instances|starts|ids|metadata\d+)-[0-9a-f]{32}\.npy)|((columns\d+|bags)-[0-9a-f]{32}\.part)"
)


def load_parts(path: Any, mapped: Any = "auto", memory: Any = MEMORY) -> tuple[Parts, bool]:
    """Return the parts of saved bags, and whether their instances are memory-mapped."""
    if not isinstance(mapped, bool) and not (isinstance(mapped, str) and mapped == "auto"):
        raise ValueError(f'mapped must be True, False or "auto", got {mapped!r}')
    bound = check_memory(memory)
    folder = as_path(path)
    manifest = read_manifest(folder)
    while True:
        try:
            return _load(folder, manifest, mapped, bound)
        except FileNotFoundError as problem:
            now = read_manifest(folder)  # other bags may have been saved there meanwhile
            if now == manifest:
                raise ValueError(f"{problem}; save the bags again") from None
            manifest = now


def _load(folder: Path, manifest: dict[str, Any], mapped: Any, memory: int) -> tuple[Parts, bool]:
    files = {part: folder / name for part, name in files_of(manifest).items()}
    n, N, d = manifest["shape"]
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
    ids = read_array(files["ids"], False, memory) if manifest["ids"] else None
    metadata = {
        name: read_array(files[f"metadata{k}"], on_disk, memory)
        for k, name in enumerate(manifest["metadata"])
    }
    return Parts(instances, starts, manifest["names"], ids, metadata), on_disk


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a folder, or refuse the folder."""
    path = folder / MANIFEST
    if not path.exists():
        raise FileNotFoundError(f"no bags are saved in {folder}: it has no file {MANIFEST}")
    regular_file(path)
    check_fits(str(path), path.stat().st_size, MEMORY)
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        good = manifest["format"] == FORMAT and isinstance(manifest["version"], int)
    except (ValueError, TypeError, KeyError, RecursionError):
        good = False
    if not good:
        raise ValueError(f"{path} is not what Bags.save writes")
    if not 1 <= manifest["version"] <= VERSION:
        raise ValueError(
            f"{folder} was saved by another needlescope, as version {manifest['version']} of the "
            f"format; this one reads versions 1 to {VERSION}"
        )
    if not _complete(manifest):
        raise ValueError(f"{path} is not what Bags.save writes")
    return dict(manifest)


def _complete(manifest: dict[str, Any]) -> bool:
    """Tell whether a manifest has all entries, of the right types, and only names of our files."""
    shape, names, metadata = (manifest.get(name) for name in ("shape", "names", "metadata"))
    good = isinstance(shape, list) and len(shape) == 3 and all(type(item) is int for item in shape)
    good = good and (names is None or _words(names)) and _words(metadata)
    good = good and isinstance(manifest.get("ids"), bool) and "source" in manifest
    if not good or manifest["version"] == 1:
        return good
    files = manifest.get("files")
    wanted = set(files_of({**manifest, "version": 1}))
    return (
        isinstance(files, dict)
        and set(files) == wanted
        and all(isinstance(name, str) and OWN_FILE.fullmatch(name) for name in files.values())
    )


def _words(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(item, str) for item in given)


def files_of(manifest: dict[str, Any]) -> dict[str, str]:
    """Return the file name of each array."""
    if manifest["version"] > 1:
        return dict(manifest["files"])
    parts = ["instances", "starts", *(["ids"] if manifest["ids"] else [])]
    parts += [f"metadata{k}" for k in range(len(manifest["metadata"]))]
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
            needed, size = math.prod(shape) * dtype.itemsize, file.stat().st_size - raw.tell()
        if dtype.hasobject:
            raise ValueError("it holds pickled objects, which are not read")
        if min(shape, default=0) < 0 or needed != size:
            raise ValueError(f"its header says {needed} bytes, and there are {size}")
        if not mapped:
            check_fits(str(file), needed, memory, "pass mapped=True")
        return np.load(file, mmap_mode="r" if mapped else None, allow_pickle=False)
