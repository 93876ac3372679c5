"""The query as everything after its training sees it: κ = β‖q‖ and s = cos(q, ξ)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .grid import Gridded, check_broadcast, real

SHARPEST = 1e6  # κ, but for infinity


@dataclass(frozen=True, eq=False)
class Query(Gridded):
    """A query given directly instead of trained.

    Parameters
    ----------
    kappa : float or array
        Inverse temperature times the query's norm, κ = β‖q‖, from 0 to 10⁶, or infinite. At κ = 0
        attention is pooling; at infinity it is hard, and only the largest token counts.
    cosine : float or array
        Alignment s of the query with the signal, in [−1, 1].

    Raises
    ------
    ValueError
        If a value is out of its range, of the wrong kind, or the arrays do not broadcast.

    Examples
    --------
    >>> import needlescope as ns
    >>> ns.Query(kappa=2.0, cosine=0.9)
    Query(kappa=2.0, cosine=0.9)
    """

    kappa: Any
    cosine: Any

    _gridded: ClassVar[tuple[str, ...]] = ("kappa", "cosine")

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        kappa = real("kappa", self.kappa, 0.0, np.inf, sense=(0.0, SHARPEST), endless=True)
        object.__setattr__(self, "kappa", kappa)
        object.__setattr__(self, "cosine", real("cosine", self.cosine, -1.0, 1.0))
        check_broadcast("Query", kappa=self.kappa, cosine=self.cosine)
