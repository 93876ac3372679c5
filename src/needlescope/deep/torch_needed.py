"""The one sentence that says how to get PyTorch, for all that needs it."""

from __future__ import annotations

from importlib.util import find_spec


def need_torch(what: str) -> None:
    """Refuse to go on without PyTorch."""
    if find_spec("torch") is None:
        raise ImportError(
            f"{what} needs PyTorch: pip install torch==2.13.0 and then 'needlescope[deep]'",
            name="torch",
        )
