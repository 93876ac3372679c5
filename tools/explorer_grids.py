"""Compute the grids of the explorer's exported page, and the points that measure them.

    python -m tools.explorer_grids [--parts FOLDER]

Each part is kept in a file, so that a run that was stopped goes on where it was. All together took
half an hour on one busy core; the result is ``src/needlescope/explorer/export/grids.npz``.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from needlescope.explorer.export.axes import LINES, nodes, tokens
from needlescope.explorer.export.grids import FILE, stored
from needlescope.explorer.export.measured import points, truth
from needlescope.explorer.export.values import error, t_of


def part(folder: Path, line: str, L: int, R: int, k: int) -> Any:
    """Return the errors of a line at a node of its first coordinate but L and R, from its file."""
    path = folder / f"{line}_{L}_{R}_{k}.npy"
    if not path.exists():
        first, *names = [name for name in LINES[line] if name != "R"]
        mesh = np.meshgrid(*(nodes(name, LINES[line][name]) for name in names), indexing="ij")
        at = {first: nodes(first, LINES[line][first])[k], **dict(zip(names, mesh, strict=True))}
        start = time.perf_counter()
        found = error(line, L, R, at)
        np.save(path, found)
        spent = time.perf_counter() - start
        print(f"{line} L={L} R={R} {k}: {found.size} points, {spent:.1f} s", flush=True)
    return np.load(path)


def block(folder: Path, line: str, L: int, R: int) -> Any:
    """Return the stored values of a line at a node of L and R."""
    first, *names = [name for name in LINES[line] if name != "R"]
    found = np.stack([part(folder, line, L, R, k) for k in range(LINES[line][first])])
    shares = np.meshgrid(
        *(nodes(name, LINES[line][name]) for name in (first, *names)), indexing="ij"
    )[[first, *names].index("pi")]
    return stored(t_of(found, shares))


def truths(folder: Path, line: str) -> Any:
    """Return the theory's errors at the points that measure a line, from a file."""
    path = folder / f"{line}_truth.npy"
    if not path.exists():
        start = time.perf_counter()
        np.save(path, [truth(line, point) for point in points()])
        print(f"{line}: points that measure it, {time.perf_counter() - start:.1f} s", flush=True)
    return np.load(path)


def main() -> None:
    """Compute what is missing, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--parts", type=Path, default=Path("grids"))
    folder = parser.parse_args().parts
    folder.mkdir(parents=True, exist_ok=True)
    made = {}
    for line in LINES:
        pairs = [(L, R) for L, Rs in tokens(line).items() for R in Rs]
        made[line] = np.stack([block(folder, line, L, R) for L, R in pairs])
        made[f"{line}_truth"] = truths(folder, line)
    np.savez_compressed(FILE, **made)
    print(f"{FILE}: {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
