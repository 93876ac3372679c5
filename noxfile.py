#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""The checks of the Makefile for those who prefer nox, each in an environment of its own.

``nox`` checks style and types and runs the tests on every Python it finds; ``nox -l`` lists the
rest. Versions and requirements are those of pyproject.toml.
"""

from __future__ import annotations

import os
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"

PROJECT = nox.project.load_toml("pyproject.toml")
PYTHONS = nox.project.python_versions(PROJECT)
QUIET = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
PYTEST = ("-n", "2", "--dist", "loadfile")
PACKAGE = ("-e", ".[dask,h5,parquet,live,notebook]")


def group(name: str) -> list[str]:
    """The requirements of a dependency group."""
    return list(nox.project.dependency_groups(PROJECT, name))


@nox.session
def lint(session: nox.Session) -> None:
    """Style, format, types and the import contract."""
    session.install(*group("lint"), *PACKAGE)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("lint-imports", "--no-cache")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """All tests and doctests but the slow ones."""
    session.install(*group("test"), *PACKAGE)
    session.run("pytest", *PYTEST, *session.posargs, env=QUIET)


@nox.session(python=PYTHONS[0], default=False)
def oldest(session: nox.Session) -> None:
    """The same with the oldest versions allowed."""
    pins = session.run("python", "tools/oldest.py", silent=True)
    constraints = Path(session.create_tmp()) / "oldest.txt"
    constraints.write_text(pins or "")
    session.install("--constraint", os.fspath(constraints), *group("test"), *PACKAGE)
    session.run("pytest", *PYTEST, *session.posargs, env=QUIET)


@nox.session(default=False)
def deep(session: nox.Session) -> None:
    """The tests of fuller attention, with torch."""
    session.run("make", "test-deep", external=True)


@nox.session(default=False)
def wheel(session: nox.Session) -> None:
    """Build the wheel into dist/ and try it."""
    session.run("make", "wheel", external=True)


if __name__ == "__main__":
    nox.main()
