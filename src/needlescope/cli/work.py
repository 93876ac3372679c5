"""What commands that run units share: engine options, and how a run ends."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from ..errors import shortened
from .stopping import check_stopped, program

if TYPE_CHECKING:
    from ..experiments.engine import Engine, Summary


MOST_ERRORS = 5  # different errors that are shown


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --engine, --scheduler, --n-jobs and --retry.

    The command is given the ``engine`` that the first three name.
    """

    @wraps(command)
    def run(*rest: Any, engine: str, scheduler: str | None, n_jobs: int | None, **more: Any) -> Any:
        made = make_engine(engine, scheduler, n_jobs)
        check_stopped()
        return command(*rest, engine=made, **more)

    for option in (
        click.option("--retry", is_flag=True, help="Run units again that failed before."),
        click.option("--n-jobs", type=int, default=None, help="Processes to run on."),
        click.option(
            "--scheduler", default=None, metavar="ADDRESS", help="A Dask scheduler that is running."
        ),
        click.option(
            "--engine", type=click.Choice(["local", "dask"]), default="local", show_default=True
        ),
    ):
        run = option(run)
    return run


def make_engine(engine: str, scheduler: str | None, n_jobs: int | None) -> Engine:
    """Return the engine that the options name."""
    from ..experiments.engine import local

    if engine == "local":
        if scheduler is not None:
            raise ValueError(f"--scheduler {scheduler} goes with --engine dask")
        return local(n_jobs)
    from ..experiments.on_dask import dask

    return dask(scheduler, n_jobs)


def finish(summary: Summary) -> None:
    """Say what was done; end with 1 if units failed, and say why and how to retry just those."""
    click.echo(f"{summary.done} units run, {summary.before} already in the store.", err=True)
    if summary.failed:
        errors = Counter(summary.errors).most_common()
        for error, count in errors[:MOST_ERRORS]:
            click.echo(f"    {count} with {shortened(error)}", err=True)
        if len(errors) > MOST_ERRORS:
            click.echo(f"    and {len(errors) - MOST_ERRORS} other errors", err=True)
        retry = retry_command()
        click.echo(f"{summary.failed} units failed; retry just those with: {retry}", err=True)
        raise SystemExit(1)


def retry_command() -> str:
    """Return the command that is running, ready for a shell, with --retry."""
    name, *rest = click.get_current_context().meta["arguments"]
    retry = [] if "--retry" in rest else ["--retry"]
    return shlex.join([program(sys.argv[0]), name, *retry, *rest])
