"""Answers that wait for a slow reader: a bounded queue that keeps the newest.

Answers are put in from the threads of a session and taken out by the event loop. When the queue is
full, the oldest answer goes that a newer one makes up for: first lines of coarse precision, then
bags, maps, progress and dots; if there is none, the oldest of all.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from typing import Any

MOST_WAITING = 256  # answers; a fine figure has about 10
PASSING = ("bag", "map", "progress", "dot")


class Outbox:
    """A queue between threads and an event loop; made inside the loop.

    Parameters
    ----------
    most : int, default 256
        Answers that may wait.

    Examples
    --------
    >>> async def run():
    ...     outbox = Outbox(most=2)
    ...     for number in (1, 2, 3):
    ...         outbox.put({"type": "bag", "id": number})
    ...     return [(await outbox.get())["id"] for _ in range(2)], outbox.dropped
    >>> asyncio.run(run())
    ([2, 3], 1)
    """

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most, self._waiting = most, deque[dict[str, Any]]()
        self._lock, self._ready = threading.Lock(), asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self.dropped = 0

    def put(self, answer: dict[str, Any]) -> None:
        """Add an answer, from any thread; never blocks."""
        with self._lock:
            if len(self._waiting) >= self._most:
                del self._waiting[_least(self._waiting)]
                self.dropped += 1
            self._waiting.append(answer)
        try:
            self._loop.call_soon_threadsafe(self._ready.set)
        except RuntimeError:  # the loop has ended, and nobody reads
            return

    async def get(self) -> dict[str, Any]:
        """Return the oldest answer; wait until there is one."""
        while True:
            with self._lock:
                if self._waiting:
                    return self._waiting.popleft()
                self._ready.clear()
            await self._ready.wait()


def _least(waiting: deque[dict[str, Any]]) -> int:
    """Return the place of the answer that is missed least."""
    for place, answer in enumerate(waiting):
        if answer["type"] == "line" and answer.get("precision") == "coarse":
            return place
    for place, answer in enumerate(waiting):
        if answer["type"] in PASSING:
            return place
    return 0
