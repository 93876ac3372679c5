"""What commands that run units share: engine options, and how a run ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..experiments.engine import Engine, Summary


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --engine, --scheduler, --workers and --retry."""
    command = click.option("--retry", is_flag=True, help="Run units again that failed before.")(
        command
    )
    command = click.option("--workers", type=int, default=None, help="Processes to run on.")(
        command
    )
    command = click.option(
        "--scheduler", default=None, metavar="ADDRESS", help="A Dask scheduler that is running."
    )(command)
    return click.option(
        "--engine", type=click.Choice(["local", "dask"]), default="local", show_default=True
    )(command)


def make_engine(engine: str, scheduler: str | None, workers: int | None) -> Engine:
    """Return the engine that the options name."""
    from ..experiments.engine import local

    if engine == "local":
        if scheduler is not None:
            raise ValueError(f"--scheduler {scheduler} goes with --engine dask")
        return local(workers)
    from ..experiments.on_dask import dask

    return dask(scheduler, workers)


def finish(summary: Summary, again: str) -> None:
    """Say what was done; end with 1 if units failed, and say how to retry just those."""
    click.echo(f"{summary.done} units run, {summary.before} found done before.", err=True)
    if summary.failed:
        click.echo(f"{summary.failed} units failed; retry just those with: {again}", err=True)
        raise SystemExit(1)
