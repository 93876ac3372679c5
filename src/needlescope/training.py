"""The training protocol: how much data, which loss, ridge and steps.

D0 (n0 = α0 d samples) trains the query by two gradient steps; on D1 (n1 = α1 d samples) the readout
(w, b) minimises ``(1/n1) Σ loss + (ridge/2)‖w‖²`` with the query fixed and the bias unpenalised.
How the paper scales its ridge, and whether its first step is joint or sequential, is not known to
us (`paper`).

`Training.joint` is training without stages: query and readout minimise one objective, together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .grid import Gridded, check_broadcast, check_kind, choice, integer, real, yes_or_no
from .losses import Loss, check_loss, get_loss
from .schedule import Schedule

FIRST_STEPS = ("joint", "sequential")
DATA = ("D1", "all")  # what models without a query are trained on
STEPS = ("beta", "eta_w", "eta_b", "eta_q", "first_step", "query_steps", "balanced")
SENSE = (1e-15, 1e6)
MOST_QUERY_STEPS = 10**6


def check_smooth(loss: str | Loss) -> None:
    """Refuse a loss with a kink for joint training.

    Examples
    --------
    >>> check_smooth("hinge")
    Traceback (most recent call last):
    ValueError: joint training needs a loss without kinks, got 'hinge'; squared_hinge is one
    """
    if get_loss(loss).kinked:
        raise ValueError(
            f"joint training needs a loss without kinks, got {loss!r}; squared_hinge is one"
        )


@dataclass(frozen=True, eq=False)
class Training(Gridded):
    """The training of a classifier; only ``alpha1``, and ``alpha0`` to train a query, are required.

    Parameters
    ----------
    alpha0 : float or array, optional
        Samples per dimension in D0, which trains the query: above 0. Needed by attention, unless
        its query is given, and by baselines that are trained on all data.
    alpha1 : float or array, required
        Samples per dimension in D1, which trains the readout: above 0.
    loss : str or Loss, default "logistic"
        "square", ½(1 − u)² of the margin u = yz; "logistic", log(1 + e^{−u}); "hinge", (1 − u)₊;
        "squared_hinge", ½(1 − u)₊²; or a `needlescope.Loss` of one's own. Mind the ½: without it
        the same ridge would be half as strong.
    ridge : float or array, default 0.01
        λ ≥ 0 of (1/n1) Σ loss + (λ/2)‖w‖², for scores wᵀx + b of tokens with unit noise. A penalty
        (λ'/2)‖w‖² beside Σ loss (not the mean), with scores wᵀx/√d, is λ = λ'/α1. Zero means the
        limit λ → 0⁺ for the square loss; for other losses a minimiser exists then only beyond the
        separability capacity.
    beta : float or array, default 1
        Inverse temperature of the softmax, above 0.
    eta_w, eta_b, eta_q : float or array, default 1, 1 and 10
        Step sizes of readout, bias and query; eta_w and eta_q above 0, eta_b at least 0.
    first_step : "joint" or "sequential", default "joint"
        Whether the first w-gradient is taken at b = 0 or at the bias after its own step. Which of
        the two the paper takes is not known to us.
    query_steps : int or array of int, default 1
        Gradient steps on the query, all on D0, after the first step on w and b; from 1 to 10⁶. The
        theory follows one.
    balanced : bool, default False
        Whether the bias moves, between the first step and those on the query, to where the slopes
        of the loss over D0 add up to zero. Where positives are rare, or common, their sum turns
        the query away from the signal. The paper's protocol leaves the bias where it is.
    schedule : Schedule, optional
        In place of the two steps: joint steps on readout, bias and query, each on a fresh batch of
        D0. The theory follows them all.
    ridge_q : float or array, optional
        Where it is given there are no steps: query and readout are trained together on alpha1 * d
        samples, as `Training.joint` describes.

    Raises
    ------
    ValueError
        If a value is out of its range, of the wrong kind, or arrays do not broadcast.

    Examples
    --------
    >>> import needlescope as ns
    >>> ns.Training(alpha0=4.0, alpha1=1.0, ridge=1e-3).replace(alpha1=2.0).alpha1
    2.0
    >>> ns.Training(alpha0=4.0, alpha1=-1.0)
    Traceback (most recent call last):
        ...
    ValueError: alpha1 must be a finite number above 0, got -1.0
    """

    alpha0: Any = None
    alpha1: Any = None
    loss: str | Loss = "logistic"
    ridge: Any = 1e-2
    beta: Any = 1.0
    eta_w: Any = 1.0
    eta_b: Any = 1.0
    eta_q: Any = 10.0
    first_step: str = "joint"
    query_steps: Any = 1
    balanced: bool = False
    schedule: Schedule | None = None
    ridge_q: Any = None

    _gridded: ClassVar[tuple[str, ...]] = (
        "alpha0",
        "alpha1",
        "ridge",
        "beta",
        "eta_w",
        "eta_b",
        "eta_q",
        "query_steps",
        "ridge_q",
    )

    @classmethod
    def joint(
        cls,
        alpha: Any,
        loss: str | Loss = "logistic",
        ridge: Any = 1e-2,
        ridge_q: Any = 1e-2,
    ) -> Training:
        """Return a training of query and readout together, end to end, on all data.

        It minimises (1/n) Σ loss + (ridge/2)‖w‖² + (ridge_q/2)‖q‖² over w, b and q, for scores
        wᵀXᵀ softmax(Xq) + b and n = alpha * d samples.

        Parameters
        ----------
        alpha : float or array
            Samples per dimension, above 0; ``alpha1`` of the training.
        loss : str or Loss, default "logistic"
            Without kinks: "square", "logistic", "squared_hinge" or one of your own.
        ridge, ridge_q : float or array, default 0.01
            Above 0: without them the query could grow for ever.

        Examples
        --------
        >>> import needlescope as ns
        >>> training = ns.Training.joint(alpha=2.0, ridge=0.02, ridge_q=0.005)
        >>> training.is_joint, training.alpha1, training.ridge_q
        (True, 2.0, 0.005)
        """
        return cls(alpha1=alpha, loss=loss, ridge=ridge, ridge_q=ridge_q)

    @property
    def idle(self) -> tuple[str, ...]:
        """The fields that play no part: those of the steps, in joint training."""
        return STEPS if self.is_joint else ()

    @property
    def is_joint(self) -> bool:
        """Whether query and readout are trained together, without steps."""
        return self.ridge_q is not None

    def __post_init__(self) -> None:
        """Refuse what is out of range or of the wrong type."""
        check_loss(get_loss(self.loss))
        choice("first_step", self.first_step, FIRST_STEPS)
        object.__setattr__(self, "balanced", yes_or_no("balanced", self.balanced))
        if self.alpha1 is None:
            raise ValueError("alpha1 must be given: the readout is trained on alpha1 * d samples")
        for name in self._gridded:
            if name in ("alpha0", "ridge_q") and getattr(self, name) is None:
                continue
            value = getattr(self, name)
            if name == "query_steps":
                value = integer(name, value, 1, MOST_QUERY_STEPS)
            else:
                above_zero = name not in ("ridge", "eta_b")
                value = real(name, value, 0.0, np.inf, open_low=above_zero, sense=SENSE)
            object.__setattr__(self, name, value)
        check_broadcast("Training", **{name: getattr(self, name) for name in self._gridded})
        self._check_schedule()
        self._check_joint()

    def _check_schedule(self) -> None:
        if self.schedule is None:
            return
        check_kind("schedule", self.schedule, Schedule)
        for name, usual in (("first_step", "joint"), ("query_steps", 1), ("balanced", False)):
            if np.any(np.asarray(getattr(self, name)) != usual):
                raise ValueError(
                    f"{name} must be {usual!r} with a schedule, which says what its steps are, "
                    f"got {getattr(self, name)!r}"
                )

    def _check_joint(self) -> None:
        if not self.is_joint:
            return
        if self.alpha0 is not None:
            raise ValueError(
                f"alpha0 must be left out with ridge_q, got {self.alpha0!r}: query and readout are "
                "trained together, on alpha1 * d samples"
            )
        if np.any(np.asarray(self.beta) != 1.0):
            raise ValueError(
                f"beta must be 1 with ridge_q, got {self.beta!r}: it is a part of the query, so "
                "give the ridge_q of your query divided by β²"
            )
        usual = {"first_step": "joint", "query_steps": 1, "balanced": False, "schedule": None}
        for name, value in usual.items():
            given = getattr(self, name)
            if np.any(np.asarray(given, object) != value):
                raise ValueError(
                    f"{name} must be {value!r} with ridge_q, got {given!r}: joint training takes "
                    "no steps"
                )
        if np.any(np.asarray(self.ridge) == 0.0):
            raise ValueError(
                f"ridge must be above 0 with ridge_q, got {self.ridge!r}: without it query and "
                "readout have no finite minimum; give a small one, such as 1e-4"
            )
        check_smooth(self.loss)

    def need_alpha0(self, why: str) -> None:
        """Refuse a training without D0, which ``why`` says is needed."""
        if self.is_joint:
            raise ValueError(
                f"{why}, and joint training, with ridge_q={self.ridge_q!r}, has no D0; predict and "
                "simulate support it for attention, or leave out ridge_q"
            )
        if self.alpha0 is None:
            raise ValueError(f"alpha0 must be given: {why}, which has alpha0 * d samples")

    def need_one_query_step(self) -> None:
        """Refuse more than one query step, which the theory does not cover."""
        if np.any(np.asarray(self.query_steps) != 1):
            raise ValueError(
                f"query_steps must be 1 here, got {self.query_steps}: the theory follows one step "
                "on the query; simulate takes any number"
            )
