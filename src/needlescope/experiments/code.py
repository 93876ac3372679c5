"""The version of the code that a number rests on: a hash of its source.

Theory's numbers rest on the rooms that theory imports, simulated ones on those of simulation.
What is hashed is the syntax tree without docstrings, so that comments, layout and words may change
and everything else may not: a changed formula never meets an old result.
"""

from __future__ import annotations

import ast
import hashlib
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = ("models", "losses")
OWN = ("experiments/calls.py",)  # between a unit's arguments and the call


@lru_cache
def fingerprint(room: str) -> str:
    """Return the hash of a room, "theory" or "simulation", and of all that it may import.

    Examples
    --------
    >>> len(fingerprint("theory")), fingerprint("theory") == fingerprint("simulation")
    (16, False)
    """
    paths = [path for path in ROOT.glob("*.py") if path.name != "__init__.py"]
    for name in (*SHARED, room):
        paths += (ROOT / name).rglob("*.py")
    paths += [ROOT / name for name in OWN]
    whole = hashlib.sha256()
    for path in sorted(paths):
        whole.update(str(path.relative_to(ROOT)).encode())
        whole.update(_meaning(path.read_text(encoding="utf-8")).encode())
    return whole.hexdigest()[:16]


def _meaning(source: str) -> str:
    """Return what a source says to the interpreter, docstrings left out.

    Examples
    --------
    >>> _meaning("x = 1  # one") == _meaning("'words'; x = 1"), _meaning("x=1") == _meaning("x=2")
    (True, False)
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _is_text(one)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(node: ast.AST) -> bool:
    inside = node.value if isinstance(node, ast.Expr) else None
    return isinstance(inside, ast.Constant) and isinstance(inside.value, str)
