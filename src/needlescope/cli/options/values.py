"""What options take: numbers, names of a table, eigenvalues, places of a signal."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click


class Numbers(click.ParamType):  # type: ignore[type-arg]  # older releases take no argument
    """One number or several, separated by commas."""

    name = "numbers"

    def __init__(self, whole: bool = False) -> None:
        self.kind = int if whole else float

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a number, or a list of them."""
        if not isinstance(value, str):
            return value
        try:
            result = [self.kind(part) for part in value.split(",")]
        except ValueError:
            word = "whole numbers" if self.kind is int else "numbers"
            self.fail(f"{value!r} must be {word} separated by commas", param, ctx)
        return result[0] if len(result) == 1 else result


class Names(click.ParamType):  # type: ignore[type-arg]
    """A key of a table of the package, loaded only to check a value or to show the keys."""

    name = "choice"

    def __init__(self, package: str, table: str) -> None:
        self.package, self.table = package, table

    @property
    def names(self) -> tuple[str, ...]:
        """The keys of the table."""
        return tuple(getattr(import_module(f"needlescope.{self.package}"), self.table))

    def get_metavar(self, param: Any, ctx: Any = None) -> str:
        """Return all names, for the help."""
        return f"[{'|'.join(self.names)}]"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the name, or refuse it."""
        return click.Choice(self.names).convert(value, param, ctx)


class Eigenvalues(click.ParamType):  # type: ignore[type-arg]  # older releases take no argument
    """Eigenvalues, each with a multiplicity after a colon if these differ."""

    name = "eigenvalue[:multiplicity],…"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the words themselves, which a table shows, or refuse them."""
        try:
            lengths = {len(pair) for pair in pairs_of(value)}
        except ValueError:
            lengths = set()
        if lengths not in ({1}, {2}):
            self.fail(
                f"{value!r} must be eigenvalues separated by commas, each of them or none with a "
                "multiplicity after a colon, such as 4:0.2,0.25:0.8",
                param,
                ctx,
            )
        return value


def pairs_of(words: str) -> list[list[float]]:
    """Return the eigenvalues, or the pairs of an eigenvalue and its multiplicity."""
    return [[float(word) for word in part.split(":")] for part in words.split(",")]


class Places(click.ParamType):  # type: ignore[type-arg]
    """Places of a signal, separated by commas: names or exponents."""

    name = "flat|quiet|loud|exponent,…"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a list of names and numbers."""
        return [_place(word) for word in value.split(",")] if isinstance(value, str) else value


def _place(word: str) -> str | float:
    try:
        return float(word)
    except ValueError:
        return word
