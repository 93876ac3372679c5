"""Print the z-scores of theory against simulation: ``python -m tests.agreement [trials]``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from needlescope.simulation.error import estimated

from .correlated import CORRELATED
from .grid import ATTENTION, BAGS, BALANCED, KINDS, POOLED, SEVERAL, VECTORIZED
from .joint import BEYOND, WITHIN, joint_scores
from .joint_more import MORE, more_scores
from .limit import LIMIT, limit_scores
from .points import query_scores, scores
from .spectra import AMP, ATTENDING, LINEAR, TRAINED
from .steps import STEPS, steps_scores
from .two_noises import ATTENDING as TWO_ATTENDING
from .two_noises import LINEAR as TWO_LINEAR
from .two_noises import TRAINED as TWO_TRAINED


def main() -> None:
    """Score every point, then summarise: trained models, steps, the iteration to the limit."""
    console = Console()
    trained = [*ATTENTION, *BALANCED, *KINDS, *SEVERAL, *BAGS, *POOLED, *VECTORIZED]
    show(console, "simulation against theory", trained, scores)
    show(console, "balanced queries against theory", BALANCED, query_scores)
    spectra = [*LINEAR, *ATTENDING, *TRAINED]
    show(console, "noise with a spectrum against theory", spectra, scores)
    show(console, "correlated tokens against theory", CORRELATED, scores)
    show(console, "queries in such noise against theory", TRAINED, query_scores)
    two = [*TWO_LINEAR, *TWO_ATTENDING, *TWO_TRAINED]
    show(console, "signal tokens with a noise of their own against theory", two, scores)
    show(console, "queries with such tokens against theory", TWO_TRAINED, query_scores)
    estimated.ESTIMATE_TOL = 1.0  # as in the tests: without bias, and in the scatter
    show(console, "steps on fresh batches against theory", STEPS, steps_scores)
    show(console, "joint training where replica symmetry is stable", WITHIN, joint_scores)
    show(console, "joint training where it is not", BEYOND, joint_scores)
    show(console, "joint training beyond the plain task", MORE, more_scores)
    show(console, "the iteration against state evolution", LIMIT, limit_scores)
    show(console, "the iteration in noise with a spectrum", AMP, limit_scores)


def show(console: Console, title: str, points: Sequence[Any], score: Callable[..., Any]) -> None:
    """Print the points that stand out, and a table of all."""
    if len(sys.argv) > 1:
        points = [point._replace(trials=int(sys.argv[1])) for point in points]
    rows = [score(item, seed=[5, k]) for k, item in enumerate(track(points, "points"))]
    for point, row in zip(points, rows, strict=True):
        listed = "  ".join(f"{name} {z:+.2f}" for name, z in row.items())
        if max(abs(z) for z in row.values()) > 3.0:
            console.print(f"[red]{point.name}[/red]: {listed}")
    names = dict.fromkeys(name for row in rows for name in row)
    table = Table(title=f"z of {title}, {len(points)} points")
    for name in ("quantity", "points", "mean", "± ", "sd", "beyond 2", "expected", "largest"):
        table.add_column(name, justify="right")
    groups = {name: [row[name] for row in rows if name in row] for name in names}
    groups["all"] = [z for group in groups.values() for z in group]
    for name, group in groups.items():
        z = np.array(group)
        table.add_row(
            name,
            str(len(z)),
            f"{z.mean():+.3f}",
            f"{1 / np.sqrt(len(points if name == 'all' else z)):.3f}",
            f"{z.std(ddof=1):.3f}",
            str(int((np.abs(z) > 2).sum())),
            f"{0.0455 * len(z):.1f}",
            f"{z[np.abs(z).argmax()]:+.2f}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
