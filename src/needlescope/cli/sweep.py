"""``needlescope sweep``: Run a sweep from a TOML file into a store; continue where it stopped."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options.tables import output, show
from .stopping import check_stopped
from .work import engine_options, finish

if TYPE_CHECKING:
    import pandas as pd

    from ..experiments.engine import Engine
    from ..experiments.sweep import Sweep

LONGEST_NAME = 255  # bytes of a file's name
MOST_ROWS = 50  # rows of the table for people


@click.command("sweep")
@click.argument("spec", type=click.Path(dir_okay=False))
@click.option("--store", "path", type=click.Path(), default=None, help="SPEC.sqlite by default.")
@click.option(
    "--out", type=click.Path(), default=None, help="Also write the table: .csv, .parquet."
)
@click.option("--summary", is_flag=True, help="Tables have means over trials, not single trials.")
@click.option("--figure", type=click.Path(), default=None, help="Draw curves: .png, .pdf, .svg.")
@click.option("--x", default=None, help="The figure's x axis, such as task.L.")
@click.option("--y", default=None, help="What it shows, such as test_error.")
@click.option("--by", multiple=True, help="What tells its curves apart; may be repeated.")
@engine_options
@output
def command(
    spec: str,
    path: str | None,
    out: str | None,
    summary: bool,
    figure: str | None,
    x: str | None,
    y: str | None,
    by: tuple[str, ...],
    engine: Engine,
    retry: bool,
    form: str | None,
) -> None:
    """Run the sweep in SPEC, a TOML file; what its store has is not run again."""
    from ..deep.torch_needed import need_torch
    from ..experiments.engine import run_units
    from ..experiments.stores.export import check_parquet
    from ..experiments.stores.means import means
    from ..experiments.stores.store import Store
    from ..experiments.sweep import read_sweep

    check_stopped()
    check_file("--out", out, (".csv", ".parquet"))
    check_file("--figure", figure, (".png", ".pdf", ".svg"))
    if out is not None and out.endswith(".parquet"):
        check_parquet()
    sweep = read_sweep(spec)
    check_axes(sweep, figure, {"--x": [] if x is None else [x], "--by": by}, y)
    if "simulate_deep" in sweep.calls:
        need_torch("simulate_deep")
    units = sweep.units()
    if sweep.left_out:
        words = "do not take" if len(sweep.calls) > 1 else "does not take"
        names, calls = ", ".join(sweep.left_out), " and ".join(sweep.calls)
        click.echo(f"left out: {names}: {calls} {words} them", err=True)
    with Store(path or Path(spec).with_suffix(".sqlite")) as store:
        done = run_units(units, store, engine=engine, retry=retry, progress=True)
        trials = store.to_pandas(units)
        table = store.to_pandas(units, summary=True) if summary else trials
        if out is not None:
            write = store.to_parquet if out.endswith(".parquet") else store.to_csv
            write(out, units, summary=summary)
    if figure is not None:
        draw(figure, trials, x, y, list(by) or None)
    if form is not None:
        show(table.astype(object).where(table.notna(), None).to_dict("records"), form, spec)
    else:
        rows = means(trials, units)
        rest = f", the first {MOST_ROWS} of {len(rows)} points; --csv gives all" * (
            len(rows) > MOST_ROWS
        )
        show(rows[:MOST_ROWS], None, f"{spec}{rest}")
    finish(done)


def check_axes(sweep: Sweep, figure: str | None, axes: dict[str, Sequence[str]], y: Any) -> None:
    """Refuse axes of a figure that the sweep does not have, before the work that they are of."""
    from ..experiments.units.spelling import check_choice

    given = [name for name in axes if axes[name]] + ["--y"] * (y is not None)
    if given and figure is None:
        raise ValueError(f"{given[0]} goes with --figure, which names the picture's file")
    for name, values in axes.items():
        for value in values:
            check_choice(name, value, [*sweep.grid.axes, "call"])


def draw(figure: str, table: pd.DataFrame, x: Any, y: Any, by: Any) -> None:
    """Draw the table; what cannot be drawn is said, and the run's own end is not lost to it."""
    from ..figures.lines import lines
    from ..figures.render import picture
    from ..figures.rendered import drawing_of

    try:
        picture(drawing_of(lines)(table, x, y, by)).savefig(figure)
    except (ValueError, OSError) as problem:
        click.echo(f"no figure: {problem}", err=True)
        return
    click.echo(f"drawn: {figure}", err=True)


def check_file(option: str, given: str | None, endings: Sequence[str]) -> None:
    """Refuse a place where nothing can be written, before the work that it is about."""
    if given is None:
        return
    path = Path(given)
    if not given.endswith(tuple(endings)):
        words = f"{', '.join(endings[:-1])} or {endings[-1]}"
        raise ValueError(f"{option} must end in {words}, got {given}")
    size = len(os.fsencode(path.name))
    if size > LONGEST_NAME:
        raise ValueError(
            f"{option} {path.name:.20}… has a name of {size} bytes, above {LONGEST_NAME}; shorten "
            "it"
        )
    if path.is_dir():
        raise ValueError(f"{option} {path} is a folder; name a file")
    if not path.parent.is_dir():
        raise ValueError(f"{option} {path} is in a folder that does not exist; make it first")
