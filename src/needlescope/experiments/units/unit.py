"""A unit of work: one call of the public interface with plain arguments, and its key.

A unit is data. Its arguments are numbers, words, lists and dicts of them (a task is the dict of its
fields), so that it can be hashed, stored, sent to another machine and read back without running
anything that a file contains. The key is a hash of all of it and of the version of the code that
answers the call; two units with one key are the same work.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...losses import Loss
from .calls import CALLS, EXECUTION_ARGUMENTS, RESUMABLE, code_of, parameters, run_call
from .plain_data import canonical as canonical
from .plain_data import to_json
from .spelling import check_choice, did_you_mean


@dataclass(frozen=True)
class Unit:
    """One call of the public interface, as data: what a store keeps a row of.

    Parameters
    ----------
    call : str
        The name of the call, one of `needlescope.experiments.units.calls`: "predict" and so on.
    arguments : mapping
        The call's arguments by name. Those left out have the call's own defaults, which a
        store's row has as well; ``n_jobs`` and ``progress`` are the engine's. A
        ``task``, ``training``, ``query``, ``test_task`` or ``noise`` is the object or a dict of its
        fields, each a single number or word. NumPy's numbers and arrays, `Positions` and losses
        become plain data. A custom loss is known by its name, its parameters and a hash of
        its code; it goes along with the unit in memory, and never into a store.

    Raises
    ------
    ValueError
        If there is no such call or argument, or an argument has no plain form. Values out of range
        are refused when the unit runs.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> unit = ns.Unit("oracle", {"task": task, "model": "pooled"})
    >>> unit.arguments
    {'model': 'pooled', 'task': {'L': 10, 'R': 1, 'pi': 0.5, 'theta': 5.0}}
    >>> len(unit.key), round(unit.run()["error"], 4)
    (64, 0.2146)
    """

    call: str
    arguments: Mapping[str, Any]
    loss: Loss | None = field(default=None, init=False, repr=False, compare=False)
    checkpoints: str | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse a call or an argument that does not exist, and what is not plain data."""
        check_choice("call", self.call, sorted(CALLS))
        if not isinstance(self.arguments, Mapping):
            raise ValueError(
                f"arguments must be a dict of {self.call}'s arguments by name, "
                f"got {self.arguments!r:.80}"
            )
        known = parameters(self.call)
        for name in self.arguments:
            if name in EXECUTION_ARGUMENTS:
                raise ValueError(f"{name} is for the engine to say, not for a unit")
            if name not in known:
                raise ValueError(
                    f"{self.call} has no argument {name!r}; its arguments are {', '.join(known)}"
                    f"{did_you_mean(name, known)}"
                )
        result = json.loads(canonical(self.arguments))
        object.__setattr__(self, "loss", _own_loss(self.arguments, result))
        object.__setattr__(self, "arguments", result)

    @classmethod
    def stored(cls, call: str, arguments: Mapping[str, Any]) -> Unit:
        """Return a unit as it was kept, also if this version has no such call or argument."""
        result = object.__new__(cls)
        parts = {"call": call, "arguments": arguments, "loss": None, "checkpoints": None}
        for name, value in parts.items():
            object.__setattr__(result, name, value)
        return result

    def extended(self, **more: Any) -> Unit:
        """Return the unit with further arguments, which are plain already.

        Examples
        --------
        >>> Unit("simulate_oracle", {"model": "pooled"}).extended(seed=[0, 1]).arguments
        {'model': 'pooled', 'seed': [0, 1]}
        """
        result = Unit.stored(self.call, dict(sorted({**self.arguments, **more}.items())))
        object.__setattr__(result, "loss", self.loss)
        return result

    @property
    def key(self) -> str:
        """A hash of the complete input and of the code version that matters."""
        return hashlib.sha256(f"{self.question}{code_of(self.call)}".encode()).hexdigest()

    @property
    def question(self) -> str:
        """A hash of the input alone."""
        whole = {"call": self.call, "arguments": self.arguments}
        text = to_json(whole, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def run(self) -> dict[str, Any]:
        """Do the work and return its numbers by name."""
        return run_call(self.call, self.arguments, self.loss, self.checkpoints)

    def with_checkpoints(self, folder: Path) -> Unit:
        """Return the unit with a folder of its own for what it has done so far, if it keeps any.

        Examples
        --------
        >>> task = {"L": 4, "R": 1, "theta": 2.0, "pi": 0.5}
        >>> oracle = Unit("oracle", {"task": task, "model": "pooled"})
        >>> oracle.with_checkpoints(Path("here")).checkpoints
        >>> deep = Unit("simulate_deep", {"task": task, "alpha": 2.0})
        >>> deep.with_checkpoints(Path("here")).checkpoints == str(Path("here", deep.key[:16]))
        True
        """
        if self.call not in RESUMABLE:
            return self
        result = self.extended()
        object.__setattr__(result, "checkpoints", str(folder / self.key[:16]))
        return result


def _own_loss(given: Mapping[str, Any], plain: Mapping[str, Any]) -> Loss | None:
    """Return the loss among some arguments that cannot be made again from its plain form."""
    training, known = given.get("training"), plain.get("training")
    if not isinstance(known, dict) or "code" not in (known.get("loss") or ()):
        return None
    result = training["loss"] if isinstance(training, Mapping) else getattr(training, "loss", None)
    return result if isinstance(result, Loss) else None
