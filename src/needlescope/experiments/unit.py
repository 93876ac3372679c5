"""A unit of work: one call of the public interface with plain arguments, and its key.

A unit is data. Its arguments are numbers, words and dicts of them (a task is the dict of its
fields), so that it can be hashed, stored, sent to another machine and read back without running
anything that a file contains. The key is a hash of all of it and of the version of the code that
answers the call; two units with one key are the same work.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .calls import CALLS, SIMULATED, run_call
from .code import fingerprint


@dataclass(frozen=True)
class Unit:
    """One call: its name in `needlescope.experiments.calls`, and its arguments.

    Examples
    --------
    >>> task = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
    >>> unit = Unit("oracle", {"task": task, "model": "pooled"})
    >>> len(unit.key), round(unit.run()["error"], 4)
    (64, 0.2146)
    """

    call: str
    arguments: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Refuse a call that does not exist and arguments that are not plain data."""
        if self.call not in CALLS:
            known = ", ".join(sorted(CALLS))
            raise ValueError(f"call must be one of {known}, got {self.call!r}")
        object.__setattr__(self, "arguments", json.loads(canonical(self.arguments)))

    @property
    def key(self) -> str:
        """A hash of the complete input and of the code version that matters."""
        code = fingerprint("simulation" if self.call in SIMULATED else "theory")
        return hashlib.sha256(f"{self.question}{code}".encode()).hexdigest()

    @property
    def question(self) -> str:
        """A hash of the input alone."""
        whole = {"call": self.call, "arguments": self.arguments}
        return hashlib.sha256(canonical(whole).encode()).hexdigest()

    def run(self) -> dict[str, Any]:
        """Do the work and return its numbers by name."""
        return run_call(self.call, self.arguments)


def canonical(value: Any) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces, no NaN."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise ValueError(
            f"arguments must be numbers, words, lists and dicts of them: {problem}"
        ) from None
