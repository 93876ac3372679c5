"""Long lists of cases: some are tried by default, `make test-slow` tries the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def thinned(cases: Iterable[Any], every: int) -> list[Any]:
    """Return the parameters of all cases, marked slow but for the first of each ``every``.

    Of a product of two lists it takes a diagonal, where ``every`` and the length of the second have
    no common divisor.
    """
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=pytest.mark.slow if place % every else (),
        )
        for place, case in enumerate(cases)
    ]
