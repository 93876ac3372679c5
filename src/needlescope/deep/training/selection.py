"""The learning rate and the decay: a training in each of a few settings; samples held out decide.

What counts is their loss once scores are calibrated, as everywhere in this package: weights that
decay much make scores that are too small, and may have the better signs. A setting in which a loss
is no finite number has diverged, and is out. If all have, so has the training.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from ...errors import NotConverged
from ...solvers.calibration import losses_of
from ..architectures.network import Network
from .checkpoint import Checkpoint
from .defaults import HELD_OUT_EVERY
from .determinism import deterministic, seeded
from .loop import Hyperparameters, LoopOptions, Model, Run, Split, train
from .samples import Samples, scores

REFERENCE_D = 64  # numbers in a token of the task on which decays were chosen

Build = Callable[[], Network]
Observer = Callable[[Network], Any]


class Selected(NamedTuple):
    """The weights that are kept, the run they are of, and all runs."""

    network: Network
    run: Run
    runs: list[Run]

    @property
    def diverged(self) -> int:
        """In how many settings training diverged."""
        return sum(run.diverged for run in self.runs)


def select_setting(
    build: Build,
    samples: Samples,
    split: Split,
    options: LoopOptions,
    settings: Sequence[Hyperparameters],
    seed: int,
    checkpoint: Checkpoint | None = None,
    watch: Observer | None = None,
    report: Callable[[int], object] = lambda epochs: None,
) -> Selected:
    """Train from the same start in every setting; keep what does best on samples held out.

    Parameters
    ----------
    build
        Returns an architecture at its start.
    samples, split
        All samples, and which are trained on and held out.
    options, settings, seed
        The options of a training; the settings to select from; the seed of start and batches.
    checkpoint
        Stores the progress, so that an interrupted training resumes.
    watch
        Called with the model at the epochs 0, 1, 2, 4, …; what it returns is kept in the runs.
    report
        Called with the number of epochs that are over, of all settings together.
    """
    checkpoint = Checkpoint(None, "") if checkpoint is None else checkpoint
    runs = checkpoint.runs or []
    result: list[Network] = []
    for number, setting in enumerate(settings):
        with seeded(seed):
            network = build()  # the one thing that draws
        with deterministic():
            network.bias.data.fill_(_log_odds(samples, split))
            model = Model.begin(network, setting)
            if number < len(runs):
                checkpoint.restore(number, model)
            else:
                runs.append(Run(setting))

            def after(run: Run, model: Model) -> None:
                if watch is not None and run.epoch & (run.epoch - 1) == 0:  # a power of two
                    run.seen.setdefault(run.epoch, watch(model.network))
                checkpoint.keep(runs, model)
                report(sum(run.epoch for run in runs))

            train(model, samples, split, options, runs[number], seed, after)
            result.append(network)
    judged = [
        _validation_loss(item, samples, split, run) for item, run in zip(result, runs, strict=True)
    ]
    best = int(np.argmin(judged))
    if not math.isfinite(judged[best]):
        raise NotConverged(
            f"training diverged at every learning rate, {_listed(settings)}: its loss is no finite "
            "number; pass smaller rates"
        )
    return Selected(result[best], runs[best], runs)


def settings_of(rates: Sequence[float], decays: Sequence[float], d: int) -> list[Hyperparameters]:
    """Combine every decay with every rate, for tokens of d numbers.

    Adam lets no weight grow beyond one over its decay: d of them have a norm of √d times that,
    which stays the same if the decay goes with √d. A step leaves at least half of a weight.

    Examples
    --------
    >>> settings_of([0.01], [3.0], 256), settings_of([0.01, 0.1], [10.0], 64)[1]
    ([Hyperparameters(rate=0.01, decay=6.0)], Hyperparameters(rate=0.1, decay=5.0))
    """
    wider = math.sqrt(d / REFERENCE_D)
    result = (
        Hyperparameters(float(rate), min(float(decay) * wider, 0.5 / float(rate)))
        for decay in decays
        for rate in rates
    )
    return list(dict.fromkeys(result))


def _validation_loss(network: Network, samples: Samples, split: Split, run: Run) -> float:
    """Return the loss of the samples held out, calibrated if there are both labels."""
    y = samples.y[split.held_out].double().numpy()
    if run.diverged or len(np.unique(y)) < 2:
        return run.least
    share = samples.weight[split.held_out].double().numpy()
    share = share / share.sum()
    result = scores(network, samples, split.held_out).double().numpy()
    return float(share @ losses_of(result, y, share))


def _listed(settings: Sequence[Hyperparameters]) -> str:
    return ", ".join(f"{rate:g}" for rate in dict.fromkeys(setting.rate for setting in settings))


def hold_out(y: Any) -> Split:
    """Hold out every fifth sample of each class, if there are two; all are, if that leaves none.

    Examples
    --------
    >>> hold_out(np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0])).held_out
    tensor([0, 1, 7])
    """
    sides = [np.flatnonzero(y == sign) for sign in (-1.0, 1.0)]
    every = np.arange(len(y))
    held = np.isin(
        every, [row for side in sides if len(side) > 1 for row in side[::HELD_OUT_EVERY]]
    )
    train = torch.from_numpy(every[~held])
    return Split(train, torch.from_numpy(every[held] if held.any() else every))


def _log_odds(samples: Samples, split: Split) -> float:
    """Return the log odds of a positive, where scores start: between those of none and of all."""
    y, weight = samples.y[split.train], samples.weight[split.train]
    share = float(weight[y > 0.0].sum() / weight.sum())
    edge = 0.5 / (len(y) + 1.0)
    share = min(max(share, edge), 1.0 - edge)
    return math.log(share / (1.0 - share))
