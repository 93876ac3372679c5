"""A catalogue of refusals: each line a call that must be refused, and the sentence it is told."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import NamedTuple


class Case(NamedTuple):
    """A call that must be refused, and how: the sentence (a regular expression), the exact type."""

    name: str
    call: Callable[[], object]
    says: str
    kind: type = ValueError


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
