"""A schedule of gradient steps on (w, b, q) together, each on a fresh batch of data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .grid import check_sum, real, whole

MOST_STEPS = 10_000
SENSE = (1e-15, 1e6)  # of a step, as in `Training`


@dataclass(frozen=True, repr=False)
class Schedule:
    """Joint gradient steps on D0: the share of each step's batch, and the step sizes.

    From zero, every step moves w, b and q by the gradient of the mean loss over a batch of its
    own. The first cannot move q, as w is zero. In place of the paper's two steps, which share D0.

    Parameters
    ----------
    shares : sequence of float
        The part of D0 that each step gets as its batch: positive, summing to one, at most 10,000.
    eta_w, eta_b, eta_q : float or sequence of float, optional
        Step sizes of readout, bias and query, at least 0: one for all steps or one for each. The
        training's own by default.

    Raises
    ------
    ValueError
        If the shares do not sum to one, a value is out of its range or of the wrong kind, or there
        is neither one step size nor one for each step.

    Examples
    --------
    Four equal batches; the last step moves the query ten times as far:

    >>> import needlescope as ns
    >>> schedule = ns.Schedule.even(4, eta_q=[10.0, 10.0, 10.0, 100.0])
    >>> schedule.steps, schedule.shares
    (4, (0.25, 0.25, 0.25, 0.25))

    With a hundred tokens, four steps on fresh batches align the query better than two steps on all
    data, each with step sizes near the best:

    >>> task = ns.Task(L=100, R=1, theta=4.0, pi=0.5)
    >>> two = ns.Training(8.0, 8.0, eta_w=0.3, eta_b=4.0, eta_q=2.2e4)
    >>> four = two.replace(schedule=ns.Schedule.even(4, eta_w=0.075, eta_q=4.4e3))
    >>> round(ns.align(task, two).cosine_q, 2), round(ns.align(task, four).cosine_q, 2)
    (0.74, 0.89)
    """

    shares: tuple[float, ...]
    eta_w: Any = None
    eta_b: Any = None
    eta_q: Any = None

    def __post_init__(self) -> None:
        """Refuse what is out of range or does not fit."""
        shares = real("schedule.shares", self.shares, 0.0, 1.0, open_low=True)
        if np.ndim(shares) != 1:
            raise ValueError(
                "schedule.shares must be a sequence of numbers, one for each step, got "
                f"{self.shares!r:.80}"
            )
        if len(shares) > MOST_STEPS:
            raise ValueError(f"schedule.shares must be at most {MOST_STEPS}, got {len(shares)}")
        object.__setattr__(self, "shares", tuple(check_sum("schedule.shares", shares).tolist()))
        for name in ("eta_w", "eta_b", "eta_q"):
            object.__setattr__(self, name, self._sizes(name))

    def _sizes(self, name: str) -> float | tuple[float, ...] | None:
        given = getattr(self, name)
        if given is None:
            return None
        sizes = real(f"schedule.{name}", given, 0.0, np.inf, sense=SENSE)
        if np.ndim(sizes) == 0:
            return float(sizes)
        if np.shape(sizes) != (self.steps,):
            raise ValueError(
                f"schedule.{name} must be one number, or one for each of the {self.steps} steps, "
                f"got shape {np.shape(sizes)}"
            )
        return tuple(sizes.tolist())

    @classmethod
    def even(
        cls,
        steps: int,
        eta_w: float | Sequence[float] | None = None,
        eta_b: float | Sequence[float] | None = None,
        eta_q: float | Sequence[float] | None = None,
    ) -> Schedule:
        """Return this many steps on batches of equal size."""
        steps = whole("steps", steps, 1, MOST_STEPS)
        return cls((1.0 / steps,) * steps, eta_w, eta_b, eta_q)

    @property
    def steps(self) -> int:
        """The number of steps."""
        return len(self.shares)

    @property
    def is_even(self) -> bool:
        """Whether all batches are of one size."""
        return len(set(self.shares)) == 1

    def sizes(self, name: str, usual: float) -> tuple[float, ...]:
        """Return a step size for each step; those that are not given are the training's own.

        Examples
        --------
        >>> Schedule((0.5, 0.5), eta_b=4.0).sizes("eta_b", 1.0)
        (4.0, 4.0)
        """
        given = getattr(self, name)
        if isinstance(given, tuple):
            return given
        return (usual if given is None else float(given),) * self.steps

    def __repr__(self) -> str:
        """Write the schedule as it is made: an even one by its number of steps."""
        named = {name: getattr(self, name) for name in ("eta_w", "eta_b", "eta_q")}
        sizes = "".join(f", {name}={value!r}" for name, value in named.items() if value is not None)
        if self.is_even:
            return f"Schedule.even({self.steps}{sizes})"
        return f"Schedule({self.shares}{sizes})"
