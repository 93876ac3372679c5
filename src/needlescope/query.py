"""The query by its strength κ = β‖q‖ and its alignment s = cos(q, ξ).

With several signals, which are orthogonal, it has a cosine with each, and Σ s_k² ≤ 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .arrays import FloatArray
from .grid import Gridded, check_broadcast, listed, real, unmasked, written

SHARPEST = 1e6  # κ, but for infinity


@dataclass(frozen=True, eq=False)
class Query(Gridded):
    """A query given directly instead of trained.

    Parameters
    ----------
    kappa : float or array
        Inverse temperature times the query's norm, κ = β‖q‖, from 0 to 10⁶, or infinite. At κ = 0
        attention is pooling; at infinity it is hard, and only the largest token counts.
    cosine : float or array, optional
        Alignment s of the query with the signal, in [−1, 1].
    cosines : sequence of float, optional
        In place of ``cosine``, for a task of several signals: the alignment with each of them, in
        their order. Their squares add up to at most 1.

    Raises
    ------
    ValueError
        If a value is out of its range, of the wrong kind, or the arrays do not broadcast.

    Examples
    --------
    >>> import needlescope as ns
    >>> ns.Query(kappa=2.0, cosine=0.9)
    Query(kappa=2.0, cosine=0.9)
    >>> ns.Query(kappa=2.0, cosines=(0.6, 0.8))
    Query(kappa=2.0, cosines=(0.6, 0.8))
    """

    kappa: Any
    cosine: Any = None
    cosines: Any = None

    _gridded: ClassVar[tuple[str, ...]] = ("kappa", "cosine")

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        kappa = real("kappa", self.kappa, 0.0, np.inf, sense=(0.0, SHARPEST), endless=True)
        object.__setattr__(self, "kappa", kappa)
        if self.cosines is not None:
            if self.cosine is not None:
                raise ValueError(
                    "a query has a cosine with the one signal, or cosines with each of several, "
                    f"got cosine={self.cosine!r} and cosines={self.cosines!r}; leave out one"
                )
            object.__setattr__(self, "cosines", _cosines(self.cosines))
            return
        object.__setattr__(self, "cosine", real("cosine", self.cosine, -1.0, 1.0))
        check_broadcast("Query", kappa=self.kappa, cosine=self.cosine)

    def __repr__(self) -> str:
        """Write the fields that are given."""
        return written(self)

    def toward(self, direction: FloatArray) -> float:
        """Return the cosine with a direction in the span of the signals, by its components.

        Examples
        --------
        >>> round(Query(2.0, cosines=(0.6, 0.8)).toward(np.array([0.6, 0.8])), 6)
        1.0
        """
        if self.cosines is None:
            return float(self.cosine)
        return float(np.clip(np.dot(self.cosines, direction), -1.0, 1.0))


def _cosines(given: Any) -> tuple[float, ...]:
    """Return the cosines with each of several signals, or refuse them."""
    listed("cosines", unmasked("cosines", given), "numbers, one for each signal")
    result = real("cosines", given, -1.0, 1.0)
    if np.ndim(result) != 1:
        raise ValueError(
            "cosines must be a flat sequence of numbers, one for each signal, got an array of "
            f"shape {np.shape(result)}"
        )
    square = float(result @ result)
    if square > 1.0 + 1e-9:
        raise ValueError(
            "cosines with orthogonal signals must have squares that add up to at most 1, got "
            f"{tuple(result.tolist())} with a sum of {square:.12g}"
        )
    return tuple((result / max(np.sqrt(square), 1.0)).tolist())
