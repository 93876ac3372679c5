"""Programs to run and to interrupt."""

from __future__ import annotations

import signal

PATIENCE = 60.0


def heed_interrupts() -> None:
    """Undo what a shell does to programs in its background: they are started deaf to Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


LONG = """
import sys
import numpy as np
from needlescope.running.processes import run

def trial(job):
    if job >= 2:
        np.linalg.eigvals(np.random.default_rng(job).standard_normal((3000, 3000)))
    return job

def tell(done, total):
    print("done", done, flush=True)

print("begin", flush=True)
run(trial, range(40), n_jobs=2, progress=PROGRESS)
"""
