"""One training: Adam on the logistic loss, stopped by samples held out.

The mean loss log(1 + e^{−yf}) over the samples is followed in batches, drawn anew in every epoch;
weights decay apart from it (AdamW), biases and norms excepted. After each epoch the loss of the
samples held out is measured: the weights of the epoch at which it was least are what is kept, and
training ends when it has not become less for ``patience`` epochs; one that has not yet learned
anything is given more, as some stay long where they start. Nothing depends on anything but
the numbers given: the order of an epoch's batches follows from the seed and the epoch, so that a
training can go on from any epoch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ..architectures.network import Network
from .defaults import BATCH, EPOCHS, LEARNED, PATIENCE, PLATEAU
from .samples import Samples, scores


class LoopOptions(NamedTuple):
    """The most epochs, the patience in epochs, and the size of a batch."""

    epochs: int = EPOCHS
    patience: int = PATIENCE
    batch: int = BATCH


class Hyperparameters(NamedTuple):
    """The learning rate, and how fast weights decay: in every step by their product."""

    rate: float
    decay: float


@dataclass
class Run:
    """An unfinished training in one setting: all that is needed to resume it.

    ``history`` has the held-out loss at the start and after every epoch, ``best`` the weights at
    the least of them, ``seen`` what was watched, by epoch.
    """

    setting: Hyperparameters
    history: list[float] = field(default_factory=list)
    best: dict[str, Tensor] = field(default_factory=dict)
    seen: dict[int, Any] = field(default_factory=dict)

    @property
    def epoch(self) -> int:
        """How many epochs are over."""
        return max(0, len(self.history) - 1)

    @property
    def least(self) -> float:
        """The least loss of the samples held out, infinite if a loss was no finite number."""
        return math.inf if self.diverged else min(self.history)

    @property
    def best_epoch(self) -> int:
        """The epoch of the least loss."""
        return int(np.argmin(self.history))

    @property
    def diverged(self) -> bool:
        """Whether a loss was no finite number."""
        return not all(map(math.isfinite, self.history))

    def ended(self, options: LoopOptions) -> bool:
        """Whether there is nothing more to do."""
        if not self.history:
            return False
        if self.diverged or self.epoch >= options.epochs:
            return True
        learned = self.least < LEARNED * self.history[0]
        patience = options.patience if learned else max(options.patience, PLATEAU)
        return self.epoch - self.best_epoch >= patience


class Split(NamedTuple):
    """Which samples are trained on, and which are held out."""

    train: Tensor
    held_out: Tensor


class Model(NamedTuple):
    """An architecture that is being trained, and its optimiser."""

    network: Network
    adam: torch.optim.Optimizer

    @classmethod
    def begin(cls, network: Network, setting: Hyperparameters) -> Model:
        """Set Adam up: weights decay, biases and norms do not."""
        free = _without_decay(network)
        groups = [
            {"params": [parameter for parameter in network.parameters() if parameter not in free]},
            {
                "params": [parameter for parameter in network.parameters() if parameter in free],
                "weight_decay": 0.0,
            },
        ]
        return cls(
            network,
            torch.optim.AdamW(groups, lr=setting.rate, weight_decay=setting.decay, fused=True),
        )


def _without_decay(network: Network) -> set[nn.Parameter]:
    """Return what does not decay. The best bias is often far from 0."""
    norms = (part for part in network.modules() if isinstance(part, nn.LayerNorm))
    result = {parameter for part in norms for parameter in part.parameters()}
    names = network.named_parameters()
    return result | {item for name, item in names if name.rpartition(".")[2].startswith("bias")}


Callback = Callable[[Run, Model], object]
"""Called at the start and after every epoch."""


def train(
    model: Model,
    samples: Samples,
    split: Split,
    options: LoopOptions,
    run: Run,
    seed: int,
    after: Callback = lambda run, model: None,
) -> None:
    """Go on with a training until it ends; the weights are then left at their best.

    Examples
    --------
    >>> from ..architectures.solvable import Solvable
    >>> X = np.random.default_rng(0).standard_normal((40, 2, 3)) + 1.0
    >>> y = np.repeat([1.0, -1.0], 20)
    >>> X[20:] -= 2.0
    >>> samples, split = Samples.of_array(X, y), Split(torch.arange(40), torch.arange(40))
    >>> setting, options = Hyperparameters(0.1, 0.0), LoopOptions(epochs=9, batch=8)
    >>> run, model = Run(setting), Model.begin(Solvable(3), setting)
    >>> train(model, samples, split, options, run, seed=0)
    >>> run.epoch, run.history[0] > 0.69, run.least < 0.1
    (9, True, True)
    """
    if not run.history:
        _measure(model.network, samples, split, run)
        after(run, model)
    while not run.ended(options):
        order = np.random.default_rng([seed, run.epoch]).permutation(len(split.train))
        for rows in split.train[torch.from_numpy(order)].split(options.batch):
            model.adam.zero_grad()
            _loss(model.network, samples, rows).backward()
            model.adam.step()
        _measure(model.network, samples, split, run)
        after(run, model)
    if not run.diverged:
        model.network.load_state_dict(run.best)


def _loss(network: Network, samples: Samples, rows: Tensor) -> Tensor:
    """Return the mean loss of some samples.

    It is divided by their number: by their weight, light ones would pull as hard as heavy ones
    wherever they are among themselves.
    """
    result = functional.softplus(-samples.y[rows] * network(*samples.batch(rows)).scores)
    return (samples.weight[rows].to(result.dtype) * result).sum() / len(rows)


def mean_loss(network: Network, samples: Samples, rows: Tensor) -> float:
    """Return the mean loss of some samples as a number, summed in double precision."""
    margins = (samples.y[rows] * scores(network, samples, rows)).double()
    weight = samples.weight[rows]
    return float((weight * functional.softplus(-margins)).sum() / weight.sum())


def _measure(network: Network, samples: Samples, split: Split, run: Run) -> None:
    loss = mean_loss(network, samples, split.held_out)
    if math.isfinite(loss) and loss < min(run.history, default=math.inf):
        run.best = {name: value.detach().clone() for name, value in network.state_dict().items()}
    run.history.append(loss)
