"""An initial query that is known, for tests of what starts from one."""

from __future__ import annotations

from needlescope.estimators.candidates.shared.initial_queries import InitialQuery


class KnownQuery(InitialQuery):
    """A query that takes no pass."""

    finished = True

    def __init__(self, q):
        self.q = q

    def ask(self):
        return None

    def tell(self, answers):
        raise AssertionError("nothing was asked for")
