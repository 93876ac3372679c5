"""A catalogue of refusals: each line a call that must be refused, and the sentence it is told.

Calls share their validators, so a validator is tried with all its bad values through one call, and
every other call with one value, which shows that it asks the validator at all (`wired`).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

C = TypeVar("C")
V = TypeVar("V")


class Case(NamedTuple):
    """A call that must be refused, and how: the sentence (a regular expression), the exact type."""

    name: str
    call: Callable[[], object]
    says: str
    kind: type = ValueError


def wired(calls: Iterable[C], values: Sequence[V]) -> list[tuple[C, V]]:
    """Return the first call with every value, and each other call with the first value."""
    first, *others = calls
    return [*((first, value) for value in values), *((call, values[0]) for call in others)]


def check(case: Case) -> None:
    """Assert that the call raises the sentence, of exactly that type, and leaks no warning."""
    with warnings.catch_warnings(record=True) as leaked:
        warnings.simplefilter("always")
        try:
            result = case.call()
        except Exception as problem:
            raised: Exception | None = problem
        else:
            raised = None
    assert raised is not None, f"{case.name} was not refused: it returned {result!r}"
    told = str(raised)
    assert type(raised) is case.kind, f"{case.name} raised {type(raised).__name__}: {told}"
    assert re.search(case.says, told), f"{case.name} was told: {told}"
    assert not re.search(r"Traceback|\n\s*File ", told), f"{case.name} was told: {told}"
    assert not leaked, f"{case.name} leaked: {leaked[0].message}"
