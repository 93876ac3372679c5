"""``needlescope reproduce``: Draw all figures and the page that shows them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options.tables import output, show
from .stopping import check_stopped
from .work import engine_options, finish

if TYPE_CHECKING:
    from ..experiments.engine import Engine


@click.command("reproduce")
@click.argument("names", nargs=-1)
@click.option("--full", is_flag=True, help="Full sizes instead of quick ones.")
@click.option("--deep", is_flag=True, help="All figures of fuller attention, which need PyTorch.")
@click.option("--folder", type=click.Path(file_okay=False), default="figures", show_default=True)
@engine_options
@output
def command(
    names: tuple[str, ...],
    full: bool,
    deep: bool,
    folder: str,
    engine: Engine,
    retry: bool,
    form: str | None,
) -> None:
    """Draw the figures NAMES, all but the deep ones by default, and a page of them: index.html.

    The page keeps the figures that were drawn before in the same folder and sizes.
    """
    from ..experiments.engine import Summary
    from ..experiments.stores.store import Store
    from ..gallery.registry import core_names, deep_names, runnable
    from ..report.drawing import draw, on_page
    from ..report.page import page

    check_stopped()
    requested = (*names, *deep_names()) if deep else names or core_names()
    for name in requested:
        runnable(name)  # refuse a wrong name, or one that needs more, before any work
    entries, total = [], Summary(0, 0, 0)
    with Store(Path(folder) / "results.sqlite") as store:
        wanted = on_page(requested, full, Path(folder), store)
        for number, name in enumerate(wanted, 1):
            click.echo(f"[{number}/{len(wanted)}] {name}", err=True)
            entry, summary = draw(name, full, Path(folder), store, engine, retry=retry)
            click.echo(f"    {entry.status}", err=True)
            entries.append(entry)
            pairs: Iterable[Any] = zip(total, summary, strict=True)
            total = Summary(*(a + b for a, b in pairs))
    path = Path(folder) / "index.html"
    sizes = "full sizes" if full else "quick sizes"
    path.write_text(page(entries, sizes), encoding="utf-8")
    show([entry.line for entry in entries], form, f"{path}, {sizes}")
    finish(total)
    if any(entry.verdict == "disagree" for entry in entries):
        click.echo("theory and simulation disagree somewhere: see the page", err=True)
        raise SystemExit(1)
