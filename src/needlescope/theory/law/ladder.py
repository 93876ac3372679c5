"""Levels of resolution of a law, and the standard errors that decide when to stop refining."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray

ERRORS_WITHIN_TOL = (
    2.0  # standard errors within the tolerance: an uncertainty is twice its standard error
)


class Level(NamedTuple):
    """Resolution of a law: lattice points per replicate, and cells per label."""

    points: int
    cells: int

    @property
    def finer(self) -> Level:
        """The same samples, compressed to more cells."""
        return Level(self.points, FINER_CELLS * self.cells)

    def of_part(self, share: float) -> Level:
        """Return the level of a part of a mixture, coarser for a smaller share.

        >>> Level(2**12, 64).of_part(1.0), Level(2**12, 64).of_part(0.2)
        (Level(points=4096, cells=64), Level(points=1024, cells=29))
        """
        halvings = int(np.log2(1.0 / share))
        points = max(self.points >> halvings, min(self.points, LEAST_LEVEL.points))
        cells = max(int(np.ceil(np.sqrt(share) * self.cells)), min(self.cells, LEAST_LEVEL.cells))
        return Level(points, cells)


LEAST_LEVEL = Level(2**8, 8)  # of a part of a mixture
_CELLS = (32, 32, 48, 96, 128, 160, 192, 256)
LADDER = tuple(Level(2**k, cells) for k, cells in enumerate(_CELLS, 10))
ROUGH = LADDER[0]  # the first attempt: a tenth of the cost, and often sufficient
ROUGH_SHARE = 0.7  # of the tolerance that a rough solution must meet
FINER_CELLS = 8  # factor of cells where integrands are cheap or compression is too coarse


def ladder(tol: float, fine: bool = False) -> tuple[Level, ...]:
    """Return the levels to try for a tolerance, from the coarsest that may suffice."""
    start = int(np.clip(np.floor(4.0 - 2.0 * np.log10(tol / 1e-4)), 0, len(LADDER) - 3))
    return tuple(level.finer if fine else level for level in LADDER[start:])


def sampling_error(shifts: FloatArray) -> FloatArray:
    """Return the standard errors of sampling, from the replicates' rows."""
    replicas = shifts[:-1]
    return np.asarray(replicas.std(axis=0, ddof=1) / np.sqrt(len(replicas)))


def standard_error(shifts: FloatArray) -> FloatArray:
    """Return standard errors from the replicates' rows and the last row, the coarse law's.

    The error of compression is taken as a quarter of the distance to the coarse law; measured on
    seven laws it was 2 to 21 % of that distance on six of them, and half of it on one.
    """
    return np.asarray(np.hypot(sampling_error(shifts), 0.25 * shifts[-1]))
