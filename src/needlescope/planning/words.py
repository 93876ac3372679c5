"""Plans in sentences."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from ..results.planned import Plan

if TYPE_CHECKING:
    from .learners import Learner
    from .spec import PlanSpec


def reaches(who: str, error: float) -> str:
    """Say what someone reaches.

    Examples
    --------
    >>> reaches("mean pooling", 0.25)
    'mean pooling errs 0.25'
    """
    return f"{who} errs {error:.3g}"


def counted(bags: float) -> str:
    """Say how many bags.

    Examples
    --------
    >>> counted(1.0), counted(1200.0)
    ('1 bag', '1,200 bags')
    """
    return f"{bags:,.0f} bag" + ("" if round(bags) == 1 else "s")


def never(who: str, best: float) -> str:
    """Say that no amount of data is enough."""
    return f"{who} cannot: with the signal known it still errs {best:.3g}"


def stuck(who: str, unknown: str, error: float) -> str:
    """Say that the target is met nowhere that was looked."""
    far = {"n": "with 100,000 bags for each dimension", "theta": "with a signal of 1,000",
           "L": "with all instances carrying the signal"}[unknown]  # fmt: skip
    return f"{who} cannot: {far} it errs {error:.3g}"


def needs(who: str, unknown: str, at: float) -> str:
    """Say what someone needs, or how far it goes.

    Examples
    --------
    >>> needs("mean pooling", "n", 1200.0)
    'mean pooling needs 1,200 bags'
    """
    if unknown == "n":
        return f"{who} needs {counted(at)}"
    if unknown == "theta":
        return f"{who} needs a signal of {at:.3g}"
    return f"{who} manages {at:,.0f} instances"


def unknown(who: str, problem: Exception) -> str:
    """Say that a learner's number is not known, and why.

    Examples
    --------
    >>> unknown("mean pooling", ValueError("no minimiser; try a ridge"))
    'mean pooling: not known (no minimiser)'
    """
    return f"{who}: not known ({str(problem).partition(';')[0]})"


def spends(who: str, money: float) -> str:
    """Say what someone needs to spend.

    Examples
    --------
    >>> spends("mean pooling", 1200.0)
    'mean pooling needs to spend 1,200'
    """
    return f"{who} needs to spend {money:,.4g}"


def with_verdict(result: Plan, spec: PlanSpec, who: Learner) -> Plan:
    """Add the answer in sentences, what is to be said of it (``notes``) last."""
    told = [*_sentences(result, spec, who), *result.notes]
    return dataclasses.replace(result, verdict=" ".join(told))


def _sentences(result: Plan, spec: PlanSpec, who: Learner) -> list[str]:
    if not result.reached:
        floor = "" if spec.unknown != "n" else f"; whoever knows the signal errs {result.floor:.3g}"
        lost = stuck(who.words, spec.unknown, result.error)
        return [_big(f"{lost}, not {spec.error:g}{floor}.")]
    told = [_big(_first(result, spec, who))]
    if np.isfinite(result.n0) and result.n0 > 0:
        told.append(
            f"Train the query on {counted(result.n0)} and the readout on {result.n1:,.0f}, with "
            f"κ = {result.kappa:.3g} and a ridge of {result.ridge:.3g}."
        )
    if result.shift:
        told.append(
            f"A share of {result.balance:.3g} of them should be positive, and the bias moves by "
            f"{result.shift:.3g} after training."
        )
    elif spec.costs is not None and result.balance == 1.0:
        told.append("All of them are positive: negative bags tell it nothing.")
    if result.interval is not None:
        told.append(
            f"At d = {result.d}, nine of ten data sets leave an error between "
            f"{result.interval.low:.3g} and {result.interval.high:.3g}."
        )
    return told


def _first(result: Plan, spec: PlanSpec, who: Learner) -> str:
    """Say what was left out: the mean error at this d is what meets the target."""
    bags = counted(result.n) + (
        f", which cost {result.spend:,.4g}," if np.isfinite(result.spend) else ""
    )
    limit = ""
    if result.interval is not None:
        limit = (
            f" (the mean at d = {result.d} is {result.error:.3g} ± {result.error_se:.1g}; in the "
            f"limit of large d {result.limit_error:.3g})"
        )
    if spec.unknown == "error":
        return f"{who.words} trained on {bags} has a test error of {result.error:.3g}{limit}."
    target = f"a test error of {spec.error:g}"
    if result.interval is None:
        target += " in the limit of large d"
    if spec.unknown == "n":
        return f"{who.words} needs {bags} for {target}{limit}."
    if spec.unknown == "theta":
        return (
            f"with {bags} {who.words} has {target} where the signal has a strength of "
            f"{result.theta:.3g}{limit}."
        )
    return (
        f"with {bags} {who.words} has at most {target} among up to {result.L:,} instances{limit}."
    )


def _big(text: str) -> str:
    return text[0].upper() + text[1:]
