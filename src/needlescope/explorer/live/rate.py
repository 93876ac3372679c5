"""How many messages a connection may send: a burst, and then so many a second.

What comes beyond is not lost and does not queue up: of each type of request the newest waits until
it may pass, as a session itself does with requests that it cannot answer yet.
"""

from __future__ import annotations

from typing import NamedTuple

from ..protocol import Request

BURST, PER_SECOND = 200, 100  # messages; a drag sends at most 60 a second of two or three types


class Taken(NamedTuple):
    """What becomes of a request: it passes now, or another one was replaced by it."""

    passes: bool
    replaced: Request | None


class Rate:
    """A budget of messages that fills up again.

    Parameters
    ----------
    now : float
        Seconds on a clock that only goes forward.
    burst, per_second : int, default 200 and 100
        The budget, and what comes back to it each second.

    Examples
    --------
    >>> rate = Rate(0.0, burst=1, per_second=1)
    >>> [rate.take(Request("bag", number, {}), 0.0).passes for number in (1, 2, 3)]
    [True, False, False]
    >>> rate.due(0.5), rate.due(1.5)
    (None, Request(type='bag', id=3, fields={}))
    """

    def __init__(self, now: float, burst: int = BURST, per_second: int = PER_SECOND) -> None:
        self._burst, self._per_second = burst, per_second
        self._left, self._then = float(burst), now
        self._waiting = dict[str, Request]()

    def take(self, request: Request, now: float) -> Taken:
        """Let a request pass, or keep it until `due` returns it.

        A ``cancel`` always passes: it costs nothing, and takes work away.
        """
        if request.type == "cancel":
            for name, waiting in self._waiting.items():
                if waiting.id == request.fields["of"]:
                    return Taken(True, self._waiting.pop(name))
            return Taken(True, None)
        if self.spend(now):
            return Taken(True, self._waiting.pop(request.type, None))
        replaced = self._waiting.pop(request.type, None)
        self._waiting[request.type] = request
        return Taken(False, replaced)

    def spend(self, now: float) -> bool:
        """Take one from the budget if there is one."""
        self._left = min(float(self._burst), self._left + (now - self._then) * self._per_second)
        self._then = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True

    def due(self, now: float) -> Request | None:
        """Return the request that waited longest, if it may pass now."""
        if not self._waiting or not self.spend(now):
            return None
        return self._waiting.pop(next(iter(self._waiting)))

    @property
    def wait(self) -> float | None:
        """Seconds until a request that waits may pass; None if none waits."""
        if not self._waiting:
            return None
        return max(0.0, (1.0 - self._left) / self._per_second) + 1e-3
