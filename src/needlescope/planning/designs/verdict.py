"""Sentences about the cheapest bags and instances."""

from __future__ import annotations

import numpy as np

from ...results.planned import BagsOrInstances, Design
from ..solve import LEAST_OF_CLASS
from ..spec import PlanSpec
from .search import BEYOND, NO_ERROR, Designs, fewest_bags, length


def notes_of(search: Designs, planned: dict[int, Design], R: int, most: int) -> tuple[str, ...]:
    """Say where the best is at an end of what is looked at, and what is not told apart from it."""
    best, fewest, notes = planned[R], fewest_bags(search.spec), []
    if search.spend is None and best.n <= fewest:
        notes.append(
            f"The best is at an end: fewer than {fewest:,} bags, {LEAST_OF_CLASS} of the rarer "
            "class, are not planned for."
        )
    elif best.error <= NO_ERROR:
        notes.append("More instances are not needed: the error is next to nothing.")
    elif most == R:
        bound = "the money buys" if _bought(search, most) else "are looked at"
        notes.append(f"The best is at an end: {best.L:,} instances are the most that {bound}.")
    known = [at for at, design in planned.items() if np.isfinite(design.low + design.spend)]
    near = [at for at in known if at != R and planned[at].low <= best.high]
    if near and R in known:
        lengths = " and ".join(f"{planned[at].L:,}" for at in near)
        notes.append(f"Bags of {lengths} instances are not told apart from it by these studies.")
    return tuple(notes)


def _bought(search: Designs, R: int) -> bool:
    """Return whether one more of the signal would leave too few bags for the spend."""
    if search.spend is None:
        return False
    bags = search.spend / search.prices.of(length(R + 1, search.rate))
    return bags < fewest_bags(search.spec)


def money(amount: float) -> str:
    """Write an amount of money.

    >>> money(13653.0), money(12.5)
    ('13,653', '12.5')
    """
    return f"{amount:,.0f}" if amount >= 1e3 else f"{amount:.4g}"


def sentences(answer: BagsOrInstances, label: str, spec: PlanSpec) -> list[str]:
    """Say which design is the best, and what the given one would cost or reach."""
    text = label[0].upper() + label[1:]
    if not answer.reached:
        return [f"{text} was not seen to reach a test error of {spec.error:g} with any length."]
    bags = f"{answer.n:,.0f} bags of {answer.L:,} instances, {answer.R:,} with the signal,"
    if spec.error is not None:
        first = (
            f"{text} has a test error of at most {spec.error:g} at the least cost with {bags} for "
            f"{money(answer.spend)}."
        )
    else:
        first = f"{text} has the least test error, {answer.error:.3g}, with {bags} for "
        first += f"{money(answer.spend)}."
    given = next((design for design in answer.designs if design.R == spec.R), None)
    if given is None or spec.R == answer.R:
        return [first]
    if spec.error is not None and np.isfinite(given.spend):
        second = (
            f"With {given.L:,} instances it takes {given.n:,.0f} bags, for {money(given.spend)}."
        )
    elif np.isfinite(given.low):
        second = f"With {given.L:,} instances it was not seen to reach it."
    elif spec.error is not None:
        second = (
            f"With {given.L:,} instances it costs more than {BEYOND:g} times that, if it is "
            "reached at all."
        )
    else:
        second = f"With {given.L:,} instances it is {given.error:.3g}, with {given.n:,.0f} bags."
    return [first, second]
