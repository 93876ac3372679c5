"""The version of the code that a number rests on: a hash of its source.

A call rests on the module it is defined in, and on all that this imports, directly or through
others. The imports are read from the source itself, so that a moved or a new module counts as soon
as something uses it. What is hashed is the syntax tree without docstrings: comments, layout and
words may change and everything else may not, so that a changed formula never meets an old result.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "needlescope"


class _Source(NamedTuple):
    """A module's meaning, hashed, and the modules of the package that it may import."""

    meaning: str
    imports: tuple[str, ...]


@cache
def fingerprint(module: str, *alone: str) -> str:
    """Return the hash of a module of the package and of all that it imports.

    What is named after it counts by itself, without what it imports.

    Examples
    --------
    >>> len(fingerprint("theory.learning"))
    16
    >>> fingerprint("theory.learning") == fingerprint("theory.learning", "experiments.units.calls")
    False
    """
    whole = hashlib.sha256()
    for name in sorted({*rests_on(module), *alone}):
        whole.update(f"{name}\n{_source(ROOT, name).meaning}\n".encode())
    return whole.hexdigest()[:16]


def rests_on(module: str) -> list[str]:
    """Return a module and all others of the package that run when it is imported and used.

    Examples
    --------
    >>> rests_on("losses.logistic")
    ['arrays', 'errors', 'grid', 'losses', 'losses.base', 'losses.logistic', 'losses.piecewise']
    """
    result: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in result:
            result.add(name)
            waiting += _source(ROOT, name).imports
            waiting += [name.rsplit(".", 1)[0]] * ("." in name)  # a package runs before its modules
    return sorted(result)


@cache
def _source(root: Path, module: str) -> _Source:
    path = _path(root, module)
    if path is None:
        raise ValueError(f"{PACKAGE} has no module {module!r}")
    tree = _parsed(path.read_text(encoding="utf-8"))
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    imports = sorted({name for node in ast.walk(tree) for name in _imported(root, package, node)})
    return _Source(hashlib.sha256(_meaning(tree).encode()).hexdigest(), tuple(imports))


def _parsed(text: str) -> ast.Module:
    """Return the syntax tree of a source text.

    Before CPython 3.11.8 and 3.12.2 parsing fails now and then while another thread parses.
    """
    try:
        return ast.parse(text)
    except SystemError:
        return ast.parse(text)


def _path(root: Path, module: str) -> Path | None:
    """Return the file of a module; None for what is no module, as a name inside one."""
    place = root.joinpath(*module.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            return path
    return None


def _imported(root: Path, package: list[str], node: ast.AST) -> Iterator[str]:
    """Name the modules of this package that an import statement in ``package`` may load."""
    if isinstance(node, ast.Import):
        for name in node.names:
            if name.name.startswith(f"{PACKAGE}."):
                yield name.name.removeprefix(f"{PACKAGE}.")
    elif isinstance(node, ast.ImportFrom):
        named = node.module.split(".") if node.module else []
        if node.level:
            start = package[: len(package) - node.level + 1] + named
        elif named[:1] == [PACKAGE]:
            start = named[1:]
        else:
            return
        for name in node.names:
            inner = ".".join([*start, name.name])
            if _path(root, inner) is not None:
                yield inner
            elif start:
                yield ".".join(start)


def _meaning(tree: ast.Module) -> str:
    """Return what a source says to the interpreter, docstrings left out.

    Examples
    --------
    >>> one, two, three = map(ast.parse, ("x = 1  # one", "'words'; x = 1", "x = 2"))
    >>> _meaning(one) == _meaning(two), _meaning(one) == _meaning(three)
    (True, False)
    """
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [item for item in body if not _is_text(item)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(node: ast.AST) -> bool:
    inside = node.value if isinstance(node, ast.Expr) else None
    return isinstance(inside, ast.Constant) and isinstance(inside.value, str)
