"""``needlescope figure``: Draw a figure, running what its table still misses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options.tables import output, show
from .stopping import check_stopped
from .work import engine_options, finish

if TYPE_CHECKING:
    from ..experiments.engine import Engine


@click.command("figure")
@click.argument("name")
@click.option("--full", is_flag=True, help="Full sizes instead of quick ones.")
@click.option("--folder", type=click.Path(file_okay=False), default="figures", show_default=True)
@engine_options
@output
def command(
    name: str,
    full: bool,
    folder: str,
    engine: Engine,
    retry: bool,
    form: str | None,
) -> None:
    """Draw the figure NAME into a folder: PNG, PDF and the table behind it as CSV."""
    from ..experiments.stores.store import Store
    from ..gallery.registry import runnable
    from ..report.drawing import draw

    check_stopped()
    runnable(name)  # refuse a wrong name, or one that needs more, before any work
    with Store(Path(folder) / "results.sqlite") as store:
        entry, summary = draw(name, full, Path(folder), store, engine, retry=retry)
    show([entry.line], form, str(entry.picture))
    finish(summary)
    if entry.verdict == "disagree":
        click.echo("theory and simulation disagree", err=True)
        raise SystemExit(1)
