"""What fuller attention reaches, trained end to end: an `Outcome`, with more about training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Value
from .trained import Outcome

Path = tuple[Value, ...]


@dataclass(frozen=True, eq=False, repr=False)
class DeepOutcome(Outcome):
    """An `Outcome` of an architecture that is trained end to end, with what else is known of it.

    Attributes
    ----------
    model
        The architecture's name.
    test_error, train_loss, train_error
        Probability of a wrong sign on fresh data; mean loss and fraction of wrong signs on the
        samples that are trained on, without those held out; each with its ``_se``.
    bias, signal, norm, cosine
        The bias; then of the mean gradient of the score in a signal token, which for a linear
        classifier is its readout: its component along the signal, its norm, and the ratio of the
        two; each with its ``_se``. With several signals, the cosine with the space of them.
    kappa, cosine_q
        Strength and alignment of the query, if there is one that is a direction: of several heads,
        of the one that is best aligned. NaN where there is none.
    query_part, signal_part, rest, gamma, residual
        NaN: they are of the theory's readout.
    provenance
        "simulation".
    alignment, signals, signals_se, rare_event_shift, jumping, replicon, fell_back, second_minimum
        None.
    trials
        The values of each trial by name: an array whose last axis is the trial, but for what has an
        axis of its own, such as ``"test_errors"``.
    attended, attended_se
        Mean attention that the signal tokens of a positive get together, of the head that gives
        them most; NaN without attention. Evenly spread it is R/L.
    largest, largest_se
        The chance that this head's largest weight lies on a signal token.
    validation_loss, validation_loss_se
        The least loss of the samples held out, by which training is stopped.
    rate, decay, stopped
        Mean over trials of the learning rate that was chosen, of the decay, as it was at this d,
        and of the epoch whose weights were kept.
    diverged
        In how many settings a trial diverged, on average. A trial that diverges in all of them is
        no number: `NotConverged` is raised.
    parameters
        How many weights there are.
    test_errors, test_errors_se
        The test error at each of the ``lengths`` that were asked for, one after another.
    path_epochs, path_cosine, path_cosine_q, path_attended, path_loss
        If training was watched: the epochs 0, 1, 2, 4, … and the cosine of the gradient, that of
        the query, the attention on signal tokens and the held-out loss then. After a training has
        ended they are those of the weights that were kept.
    path_map
        If training was watched: at each of these epochs the mean attention on a signal token, then
        on the other tokens of a positive, the most attended first, at most fifteen of them.

    Examples
    --------
    >>> import needlescope as ns
    >>> issubclass(ns.DeepOutcome, ns.Outcome)
    True
    """

    _shown: ClassVar[tuple[str, ...]] = ("test_error", "train_loss", "attended", "validation_loss")

    attended: Value = float("nan")
    attended_se: Value = float("nan")
    largest: Value = float("nan")
    largest_se: Value = float("nan")
    validation_loss: Value = float("nan")
    validation_loss_se: Value = float("nan")
    rate: Value = float("nan")
    decay: Value = float("nan")
    stopped: Value = float("nan")
    diverged: Value = 0.0
    parameters: Value = float("nan")
    test_errors: Path | None = None
    test_errors_se: Path | None = None
    path_epochs: Path | None = None
    path_cosine: Path | None = None
    path_cosine_q: Path | None = None
    path_attended: Path | None = None
    path_loss: Path | None = None
    path_map: tuple[Path, ...] | None = None
