"""The program ``needlescope``: made ready to be stopped before anything large is loaded."""

from __future__ import annotations

from typing import Any

from .stopping import stoppable


def main(**options: Any) -> None:
    """Run the command line."""
    with stoppable():
        from .group import run

        run(**options)
