"""The group of all commands, found by their files.

A command is a module of this package whose first line is its docstring, ``needlescope NAME`` and
a summary, and which has a ``command``; a hyphen in the name is an underscore in the module's. It
is imported only to run it or to show its help.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from ..paper import NOTE
from .stopping import check_stopped, received

FIRST_LINE = re.compile(r'"""``needlescope ([\w-]+)``: (.+)"""\n')


def summaries(folder: Path) -> dict[str, str]:
    """Return the summary of each command in a folder, by name."""
    result = {}
    for path in sorted(folder.glob("*.py")):
        with path.open(encoding="utf-8") as file:
            match = FIRST_LINE.fullmatch(file.readline())
        if match and match[1].replace("-", "_") == path.stem:
            result[match[1]] = match[2]
    return result


SUMMARIES = summaries(Path(__file__).parent)


class Commands(click.Group):
    """A group that knows its commands by name and summary only."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands."""
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        if cmd_name not in SUMMARIES:
            return None
        result: click.Command = import_module(f".{cmd_name.replace('-', '_')}", __package__).command
        check_stopped()
        return result

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and keep its arguments for the one that retries."""
        ctx.meta["arguments"] = list(args)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))


@click.group(cls=Commands, epilog=NOTE, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="needlescope")
def group() -> None:
    """See when attention finds the needle."""


def run(**options: Any) -> None:
    """Run the command line; what is wrong with an input is a sentence, not a traceback."""
    try:
        group(**options)
    except (ValueError, RuntimeError, ImportError, OSError) as problem:
        if received:
            raise  # a module that was stopped while it loaded
        click.echo(f"needlescope: {problem}", err=True)
        raise SystemExit(2) from None
