"""Waiting on a Dask cluster, for as long as it can still answer.

A unit may take hours, so waiting for one has no limit. A cluster without a worker, or whose
scheduler does not answer, gives no results: that is reported at once, and ends the run if it lasts.
Nothing that was finished is lost, and a rerun goes on from there.
"""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Callable
from typing import Any, TypeVar

POLL_SECONDS = (
    5.0  # seconds without a result after which the scheduler is asked how many workers it has
)
GIVE_UP_SECONDS = 120.0  # seconds without workers, or without an answer, after which a run ends
RESUME_NOTE = "what was finished is kept, and a rerun goes on from there"

Answer = TypeVar("Answer")
logger = logging.getLogger(__name__)


class Watch:
    """Waits for what a cluster is to answer, and notices when it no longer can.

    Parameters
    ----------
    client
        A client of Dask distributed.
    where
        The scheduler's address; None for a cluster on this machine, which replaces its workers.
    """

    def __init__(self, client: Any, where: str | None) -> None:
        self.client = client
        self.cluster = f"the Dask scheduler at {where}" if where else "the Dask cluster"
        self.remedy = f" (start some with dask worker {where})" if where else ""
        self.known = 1  # threads, when the scheduler last answered
        self.since: float | None = None  # when the cluster was first found unable to answer

    def threads(self) -> int:
        """Return the cluster's threads; if its scheduler does not answer, the last known number."""
        self._trouble()
        return max(1, self.known)

    def wait(self, ask: Callable[[float], Answer]) -> Answer:
        """Return what is asked for; ``ask`` waits some seconds, and raises if nothing came.

        Raises
        ------
        RuntimeError
            If for `GIVE_UP_SECONDS` seconds there was no worker, or no answer of the scheduler.
        """
        while True:
            try:
                result = ask(POLL_SECONDS)
            except (queue.Empty, TimeoutError):
                self._check_cluster()
            else:
                self.since = None
                return result

    def _check_cluster(self) -> None:
        """Say that the cluster cannot answer when this is new, and give up when it lasts."""
        trouble = self._trouble()
        if not trouble:
            self.since = None
            return
        now = time.monotonic()
        if self.since is None:
            self.since = now
            logger.warning("%s %s: the run ends in %g s unless that changes; %s",
                           self.cluster, trouble, GIVE_UP_SECONDS, RESUME_NOTE)  # fmt: skip
        if now - self.since >= GIVE_UP_SECONDS:
            raise RuntimeError(
                f"{self.cluster} {trouble}, for {GIVE_UP_SECONDS:g} s now; {RESUME_NOTE}"
            )

    def _trouble(self) -> str:
        """Say why no result can come; nothing where one can."""
        try:
            self.known = sum(self.client.nthreads(callback_timeout=POLL_SECONDS).values())
        except TimeoutError:
            return "does not answer"
        return "" if self.known else f"has no workers{self.remedy}"
