"""`needlescope.plan`: of a task that is given, or of pilot data that show one."""

from __future__ import annotations

from typing import Any

from .grid import yes_or_no
from .losses import Loss
from .outcome.planned import Plan
from .planning.plan import plan as plan_task


def plan(
    *,
    L: int | None = None,
    R: int | None = None,
    theta: float | None = None,
    pi: float | None = None,
    d: int | None = None,
    n: int | None = None,
    error: float | None = None,
    learner: str = "attention",
    loss: str | Loss = "logistic",
    positives: int | None = None,
    costs: tuple[float, float] | None = None,
    spend: float | None = None,
    interval: bool = True,
    others: bool = True,
    tol: float = 5e-4,
    seed: Any = 0,
    pilot: tuple[Any, Any] | None = None,
    resamples: int = 12,
) -> Plan:
    """Plan how much data an error needs, how strong a signal, among how many instances.

    Leave out exactly one of ``n``, ``theta``, ``L`` and ``error``: it is what is planned for. The
    settings of training are the best for the data (`tune`). The error is the mean over data sets of
    this d, which a small simulation measures; that of the limit of large d at fixed n/d is
    ``limit_error``. L is the largest whole number whose error is at most the target.

    Parameters
    ----------
    L, R : int, optional
        Instances in a bag, and how many of them carry the signal in a positive one, 1 if left out.
    theta : float, optional
        The signal's strength, in deviations of the noise.
    pi : float, optional
        The share of positives among the bags met later, 0.5 if left out; training has as many,
        unless ``positives`` or ``costs`` say otherwise.
    d : int, required
        Features of an instance; effective ones, where features are correlated.
    n : int, optional
        Bags to train on.
    error : float, optional
        The test error: above what anyone reaches who knows the signal, below min(π, 1 − π), which
        needs no data.
    learner : "attention", "pooled", "vectorized", "bayes_optimal" or "amp", default "attention"
        Who learns: one of three models; the best of all learners; or the best quick one.
    loss : str or Loss, default "logistic"
        The loss that is trained with.
    positives : int, optional
        As many of the bags are positive, whatever n.
    costs : (float, float), optional
        What a positive and a negative bag cost, in place of n; the balance of classes is then the
        best. The bias of a classifier that was trained with another balance is moved.
    spend : float, optional
        With costs: what there is to spend, in place of n.
    interval : bool, default True
        Whether to measure the mean error and its range over data sets of this d, by a small
        simulation. A data set that cannot be trained on, as one of a single class, counts with the
        error of always answering the more frequent class. Without it, and for "bayes_optimal" and
        "amp", a plan is of the limit of large d, which its ``notes`` say.
    others : bool, default True
        Whether to ask, too, what the other learners need or reach.
    tol : float, default 5e-4
        Largest numerical error of the test error; at most a hundredth of a target.
    seed : default 0
        Of that simulation.
    pilot : (X, y), optional
        Labelled bags, in place of L, R, theta, pi and d: the task is read off them by
        `estimators.estimate_task`, and n or the error is left out.
    resamples : int, default 12
        With pilot data: how many pilots like it are drawn to see how far the plan is open.

    Returns
    -------
    Plan
        With pilot data a `PilotPlan`, whose verdict says first how little they may tell. There a
        target below the estimated Bayes error is not refused: an estimate is no floor.

    Raises
    ------
    ValueError
        If an argument is out of its range, if not exactly one is left out, if the target is above
        what needs no data or below what anyone reaches.
    NotConverged
        If an error is not known well enough: no number is given that is not.

    Examples
    --------
    >>> import needlescope as ns
    >>> found = ns.plan(L=4, theta=4.0, d=100, error=0.2, learner="pooled", others=False)
    >>> found.unknown, found.training.loss, found.interval.low < 0.2 < found.interval.high
    ('n', 'logistic', True)
    """
    yes_or_no("interval", interval)
    yes_or_no("others", others)
    how: dict[str, Any] = {
        "n": n,
        "error": error,
        "learner": learner,
        "loss": loss,
        "tol": tol,
    }
    more: dict[str, Any] = {"positives": positives, "costs": costs, "spend": spend}
    if pilot is None:
        given: dict[str, Any] = {"R": 1 if R is None else R, "pi": 0.5 if pi is None else pi}
        return plan_task(
            L=L,
            theta=theta,
            d=d,
            **given,
            **how,
            **more,
            interval=interval,
            others=others,
            seed=seed,
        )
    known = {"L": L, "R": R, "theta": theta, "pi": pi, "d": d}
    told = [name for name, value in known.items() if value is not None]
    if told:
        raise ValueError(
            f"with pilot data leave out {', '.join(told)}: the task is read off the bags"
        )
    from .estimators.task.pilot import plan_from_pilot

    return plan_from_pilot(
        pilot, **how, **more, interval=interval, others=others, seed=seed, resamples=resamples
    )
