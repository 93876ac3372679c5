"""A catalogue of refusals: each line a call that must be refused, and the sentence it is told.

Calls share their validators, so a validator is tried with all its bad values through one call, and
every other call with one value, which shows that it asks the validator at all (`wired`). All calls
that are told the same are one test (`by_sentence`).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import pytest

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


def by_sentence(cases: Iterable[Case]) -> list[Any]:
    """Return lists of the cases that are told the same, each the parameter of one test."""
    groups: dict[tuple[str, type], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.says, case.kind), []).append(case)
    return [pytest.param(group, id=group[0].name) for group in groups.values()]


def check_all(cases: Iterable[Case]) -> None:
    """Assert it of every case, and name all that are not refused so."""
    faults = []
    for case in cases:
        try:
            check(case)
        except AssertionError as fault:
            faults.append(str(fault))
    assert not faults, "\n".join(faults)
