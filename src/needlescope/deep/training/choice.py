"""The learning rate: a training in each of a few settings, and the least held-out loss decides.

A setting in which a loss is no finite number has diverged, and is out. If all have, so has the
training.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from ...errors import NotConverged
from ..architectures.reader import Reader
from ..course import EVERY
from .checkpoint import Keeper
from .loop import Course, Model, Parts, Run, Setting, train
from .quiet import calm, repeatable
from .samples import Samples

Build = Callable[[], Reader]
Watch = Callable[[Reader], Any]


class Chosen(NamedTuple):
    """The weights that are kept, the run they are of, and all runs."""

    reader: Reader
    run: Run
    runs: list[Run]

    @property
    def diverged(self) -> int:
        """In how many settings training diverged."""
        return sum(one.diverged for one in self.runs)


def choose(
    build: Build,
    samples: Samples,
    parts: Parts,
    course: Course,
    settings: Sequence[Setting],
    seed: int,
    keeper: Keeper | None = None,
    watch: Watch | None = None,
    told: Callable[[int], object] = lambda epochs: None,
) -> Chosen:
    """Train from the same start in every setting; keep what errs least on samples held out.

    Parameters
    ----------
    build
        Returns an architecture at its start.
    samples, parts
        All samples, and which are trained on and held out.
    course, settings, seed
        How a training goes; what is chosen from; for the start and the batches.
    keeper
        Keeps what is done so far, so that it can be gone on with.
    watch
        Called with the model at the epochs 0, 1, 2, 4, …; what it returns is kept in the runs.
    told
        Called with the number of epochs that are over, of all settings together.
    """
    keeper = Keeper(None, "") if keeper is None else keeper
    runs = keeper.runs or []
    found: list[Reader] = []
    for number, setting in enumerate(settings):
        with repeatable(seed):
            reader = build()  # the one thing that draws
        with calm():
            reader.bias.data.fill_(_log_odds(samples, parts))
            model = Model.begin(reader, setting)
            if number < len(runs):
                keeper.restore(number, model)
            else:
                runs.append(Run(setting))

            def after(run: Run, model: Model) -> None:
                if watch is not None and run.epoch & (run.epoch - 1) == 0:  # a power of two
                    run.seen.setdefault(run.epoch, watch(model.reader))
                keeper.keep(runs, model)
                told(sum(one.epoch for one in runs))

            train(model, samples, parts, course, runs[number], seed, after)
            found.append(reader)
    best = min(range(len(runs)), key=lambda k: runs[k].least)
    if not math.isfinite(runs[best].least):
        raise NotConverged(
            f"training diverged at every learning rate, {_listed(settings)}: its loss is no finite "
            "number; pass smaller rates"
        )
    return Chosen(found[best], runs[best], runs)


def _listed(settings: Sequence[Setting]) -> str:
    return ", ".join(f"{rate:g}" for rate in dict.fromkeys(one.rate for one in settings))


def held_out(y: Any) -> Parts:
    """Hold out every fifth sample of each class, if there are two; all are, if that leaves none.

    Examples
    --------
    >>> held_out(np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0])).held
    tensor([0, 1, 7])
    """
    sides = [np.flatnonzero(y == sign) for sign in (-1.0, 1.0)]
    every = np.arange(len(y))
    held = np.isin(every, [row for one in sides if len(one) > 1 for row in one[::EVERY]])
    known = torch.from_numpy(every[~held])
    return Parts(known, torch.from_numpy(every[held] if held.any() else every))


def _log_odds(samples: Samples, parts: Parts) -> float:
    """Return the log odds of a positive, where scores start: between those of none and of all."""
    y, weight = samples.y[parts.known], samples.weight[parts.known]
    share = float(weight[y > 0.0].sum() / weight.sum())
    edge = 0.5 / (len(y) + 1.0)
    share = min(max(share, edge), 1.0 - edge)
    return math.log(share / (1.0 - share))
