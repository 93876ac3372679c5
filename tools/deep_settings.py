"""How the settings of deep training were chosen: ``python -m tools.deep_settings``, with torch.

Every architecture is trained as it is, and with other decays, rates and patience, on a task that no
figure has; the table is of mean test errors over seeds.
"""

from __future__ import annotations

import argparse
import sys
from typing import NamedTuple

import numpy as np
import torch

import needlescope as ns
from needlescope.deep.catalogue import ARCHITECTURES
from needlescope.deep.measures import test_error
from needlescope.deep.training.defaults import BATCH, DECAYS, EPOCHS, PATIENCE, RATES
from needlescope.deep.training.loop import LoopOptions
from needlescope.deep.training.samples import Samples
from needlescope.deep.training.selection import hold_out, select_setting, settings_of
from needlescope.models.blocks import hold
from needlescope.noise import STANDARD
from needlescope.simulation.samples.data import tokens

TASK = ns.Task(L=12, R=1, theta=4.5, pi=0.5)
D, WIDTH, TESTED = 64, 32, 5000


class Column(NamedTuple):
    """A name, and how training goes."""

    name: str
    decays: tuple[float, ...] = DECAYS
    rates: tuple[float, ...] = RATES
    options: LoopOptions = LoopOptions(EPOCHS, PATIENCE, BATCH)


COLUMNS = (
    Column("as they are"),
    *(Column(f"decay {item:g}", (item,)) for item in (0.01, 1.0, 3.0, 10.0)),
    Column("rates 0.001, 0.003 too", rates=(1e-3, 3e-3, *RATES)),
    Column("patience 40", options=LoopOptions(EPOCHS, 40, BATCH)),
)


def error(name: str, alpha: float, column: Column, seed: int) -> float:
    """Train once, and return the test error."""
    rng = np.random.default_rng(seed)
    xi = rng.standard_normal(D)
    xi /= np.linalg.norm(xi)
    sets = (np.random.SeedSequence([seed, k]) for k in (1, 2))
    data = hold(tokens(TASK, round(alpha * D), xi, STANDARD, next(sets)))
    result = select_setting(
        lambda: ARCHITECTURES[name].build(D, WIDTH),
        Samples.of_array(data.X, data.y),
        hold_out(data.y),
        column.options,
        settings_of(column.rates, column.decays, D),
        seed,
    )
    return test_error(result.network, TASK, TESTED, xi, STANDARD, next(sets))


def main(words: list[str]) -> None:
    """Print a table in Markdown, a row for each architecture and α."""
    parser = argparse.ArgumentParser(prog="tools.deep_settings", description=__doc__)
    parser.add_argument("--alpha", type=float, nargs="+", default=[4.0, 16.0])
    parser.add_argument("--only", nargs="+", choices=ARCHITECTURES, default=list(ARCHITECTURES))
    parser.add_argument("--seeds", type=int, default=3)
    wanted = parser.parse_args(words)
    torch.set_num_threads(1)
    print("| architecture | α | " + " | ".join(column.name for column in COLUMNS) + " |")
    print("| --- | --- |" + " --- |" * len(COLUMNS))
    for alpha in wanted.alpha:
        for name in wanted.only:
            cells = []
            for column in COLUMNS:
                every = [error(name, alpha, column, seed) for seed in range(wanted.seeds)]
                cells.append(f"{np.mean(every):.3f}")
            print(f"| {name} | {alpha:g} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
