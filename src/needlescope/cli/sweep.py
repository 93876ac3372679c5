"""``needlescope sweep``: run a grid of calls into a store."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .common import output, show
from .stopping import go_on
from .work import engine_options, finish

if TYPE_CHECKING:
    from ..experiments.engine import Engine

LONGEST_NAME = 255  # bytes of a file's name
MOST_ROWS = 50  # rows of the table for people


@click.command("sweep")
@click.argument("spec", type=click.Path(dir_okay=False))
@click.option("--store", "path", type=click.Path(), default=None, help="SPEC.sqlite by default.")
@click.option(
    "--out", type=click.Path(), default=None, help="Also write the table: .csv, .parquet."
)
@engine_options
@output
def command(
    spec: str,
    path: str | None,
    out: str | None,
    engine: Engine,
    retry: bool,
    form: str | None,
) -> None:
    """Run the sweep in SPEC, a TOML file; what its store has is not run again."""
    from ..deep.torch_needed import need_torch
    from ..experiments.engine import run_units
    from ..experiments.stores.export import check_parquet
    from ..experiments.stores.store import Store
    from ..experiments.sweep import read_sweep
    from .means import means

    go_on()
    if out is not None:
        if not out.endswith((".csv", ".parquet")):
            raise ValueError(f"--out must end in .csv or .parquet, got {out}")
        check_out(Path(out))
        if out.endswith(".parquet"):
            check_parquet()
    sweep = read_sweep(spec)
    if "simulate_deep" in sweep.calls:
        need_torch("simulate_deep")
    units = sweep.units()
    if sweep.left_out:
        words = "do not take" if len(sweep.calls) > 1 else "does not take"
        names, calls = ", ".join(sweep.left_out), " and ".join(sweep.calls)
        click.echo(f"left out: {names}: {calls} {words} them", err=True)
    with Store(path or Path(spec).with_suffix(".sqlite")) as store:
        summary = run_units(units, store, engine=engine, retry=retry, progress=True)
        table = store.to_pandas(units)
        if out is not None:
            (store.to_parquet if out.endswith(".parquet") else store.to_csv)(out, units)
    if form is not None:
        show(table.astype(object).where(table.notna(), None).to_dict("records"), form, spec)
    else:
        rows = means(table, units)
        rest = f", the first {MOST_ROWS} of {len(rows)} points; --csv gives all" * (
            len(rows) > MOST_ROWS
        )
        show(rows[:MOST_ROWS], None, f"{spec}{rest}")
    finish(summary)


def check_out(path: Path) -> None:
    """Refuse a place where no table can be written, before the work that it is about."""
    size = len(os.fsencode(path.name))
    if size > LONGEST_NAME:
        raise ValueError(
            f"--out {path.name:.20}… has a name of {size} bytes, above {LONGEST_NAME}; shorten it"
        )
    if path.is_dir():
        raise ValueError(f"--out {path} is a folder; name a file")
    if not path.parent.is_dir():
        raise ValueError(f"--out {path} is in a folder that does not exist; make it first")
