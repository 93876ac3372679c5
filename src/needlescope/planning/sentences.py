"""A plan in sentences."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from ..results.planned import Plan

if TYPE_CHECKING:
    from .spec import PlanSpec

LARGEST = {
    "n": "with 100,000 bags for each dimension",
    "theta": "with a signal of strength 1,000",
    "L": "with the signal in all instances",
}
"""The easiest problem that a search looks at, by the argument that was left out."""


def has_error(label: str, error: float) -> str:
    """Say which test error a learner has.

    Examples
    --------
    >>> has_error("mean pooling", 0.25)
    'mean pooling has a test error of 0.25'
    """
    return f"{label} has a test error of {error:.3g}"


def counted(bags: float) -> str:
    """Say how many bags.

    Examples
    --------
    >>> counted(1.0), counted(1200.0)
    ('1 bag', '1,200 bags')
    """
    return f"{bags:,.0f} bag" + ("" if round(bags) == 1 else "s")


def cannot(label: str, spec: PlanSpec, error: float | None = None) -> str:
    """Say that a learner does not reach the target, and its error where that is easiest."""
    sentence = f"{label} cannot reach {spec.error:g}"
    if error is None:
        return sentence
    easiest = LARGEST[spec.unknown]
    if spec.unknown == "L" and spec.learner == "joint" and spec.R < 2:
        easiest = "among two instances"
    return f"{sentence}: {easiest} its test error is {error:.3g}"


def capitalised(text: str) -> str:
    """Return a text whose first letter is a capital."""
    return text[0].upper() + text[1:]


def with_verdict(result: Plan, spec: PlanSpec, label: str) -> Plan:
    """Add the answer in sentences, the notes last."""
    sentences = [*_sentences(result, spec, label), *result.notes]
    return dataclasses.replace(result, verdict=" ".join(sentences))


def _sentences(result: Plan, spec: PlanSpec, label: str) -> list[str]:
    if not result.reached:
        floor = ""
        if spec.unknown == "n":
            floor = f"; with a known signal the least test error is {result.floor:.3g}"
        return [capitalised(f"{cannot(label, spec, result.error)}{floor}.")]
    sentences = [capitalised(_answer(result, spec, label))]
    if np.isfinite(result.ridge_q):
        sentences.append(
            f"Train query and readout together, with a ridge of {result.ridge:.3g} for the readout "
            f"and {result.ridge_q:.3g} for the query."
        )
    elif np.isfinite(result.n0) and result.n0 > 0:
        sentences.append(
            f"Train the query on {counted(result.n0)} and the readout on {result.n1:,.0f}, with "
            f"κ = {result.kappa:.3g} and a ridge of {result.ridge:.3g}."
        )
    if result.shift:
        sentences.append(
            f"A share of {result.balance:.3g} of them should be positive, and the bias moves by "
            f"{result.shift:.3g} after training."
        )
    elif spec.costs is not None and result.balance == 1.0:
        sentences.append("All of them are positive: it learns nothing from negative bags.")
    if result.interval is not None:
        sentences.append(
            f"At d = {result.d}, nine of ten data sets lead to a test error between "
            f"{result.interval.low:.3g} and {result.interval.high:.3g}."
        )
    return sentences


def _answer(result: Plan, spec: PlanSpec, label: str) -> str:
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
        return f"{label} trained on {bags} has a test error of {result.error:.3g}{limit}."
    target = f"a test error of {spec.error:g}"
    if result.interval is None:
        target += " in the limit of large d"
    if spec.unknown == "n":
        return f"{label} needs {bags} for {target}{limit}."
    if spec.unknown == "theta":
        return (
            f"with {bags} {label} has {target} where the signal has a strength of "
            f"{result.theta:.3g}{limit}."
        )
    return f"with {bags} {label} has at most {target} among up to {result.L:,} instances{limit}."
