"""An architecture fitted to the training bags of one fold; and used on others.

Training is in single precision, on the instances of its own bags, which are held in memory. What is
trained scores in double precision, block by block: then no score depends on the bags beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from ..arrays import FloatArray, IndexArray
from ..estimators.engine.affine import AffineMap
from ..estimators.engine.computation import Scored
from ..estimators.engine.fold_data import FoldData
from ..estimators.engine.folds import grouped
from .architectures.network import Network
from .catalogue import ARCHITECTURES
from .training import samples as in_batches
from .training.defaults import HELD_OUT_EVERY
from .training.determinism import deterministic, seeded
from .training.loop import LoopOptions, Split
from .training.samples import Samples
from .training.selection import hold_out, select_setting, settings_of
from .training_spec import TrainedNetwork, TrainingSpec

LARGEST_VALUE = 1e12  # beyond which values are clipped: single precision squares them


def train_bags(
    fold: FoldData,
    spec: TrainingSpec,
    random: Any,
    report: Callable[[int], object] = lambda epochs: None,
) -> Scored:
    """Train on the training bags, and score all bags.

    A fifth of them, stratified and drawn at random, is held out: it says when to stop, and which
    learning rate and decay to keep. Bags of one group are held out together where that is possible.
    """
    own = np.flatnonzero(fold.in_training)
    weight = fold.weight[own] / fold.weight[own].mean()
    groups = None if fold.groups is None else fold.groups[own]
    split = _hold_out(fold.y[own], groups, random)
    seed = int(random.randint(2**31 - 1))
    table, starts = _table(fold)
    samples = Samples(table, starts, fold.y[own], weight)
    options = LoopOptions(epochs=spec.epochs)
    architecture = ARCHITECTURES[spec.architecture]
    settings = settings_of(spec.rates, spec.decays, samples.d)
    selected = select_setting(
        lambda: architecture.build(samples.d, spec.width, spec.heads),
        *(samples, split, options, settings, seed),
        report=report,
    )
    weights = {name: value.numpy().copy() for name, value in selected.network.state_dict().items()}
    sizes = (spec.architecture, samples.d, spec.width, spec.heads)
    model = TrainedNetwork(*sizes, weights, *selected.run.setting, selected.run.best_epoch)
    return Scored(model, scores(fold.data, model, fold.view))


def scores(data: Any, model: TrainedNetwork, view: AffineMap | None = None) -> FloatArray:
    """Return the score of every bag."""
    result, network = np.empty(len(data.y)), rebuilt(model)
    with deterministic():
        for place, samples in _blocks(data, view):
            rows = torch.arange(len(samples))
            result[place] = in_batches.scores(network, samples, rows).numpy()
    return result


def attention(data: Any, model: TrainedNetwork) -> list[FloatArray] | None:
    """Return the attention (heads, instances) in every bag; None if the architecture has none."""
    result: list[FloatArray] = []
    network = rebuilt(model)
    with deterministic(), torch.no_grad():
        for _, samples in _blocks(data, None):
            for rows in samples.passes(torch.arange(len(samples))):
                weights = network(*samples.batch(rows)).attention
                if weights is None:
                    return None
                lengths = samples.lengths[rows].tolist()
                result += [item[:, :L] for item, L in zip(weights.numpy(), lengths, strict=True)]
    return result


def rebuilt(model: TrainedNetwork) -> Network:
    """Return the torch module of a trained architecture, in double precision."""
    with seeded(0):
        network = ARCHITECTURES[model.architecture].build(model.d, model.width, model.heads)
    state = {name: torch.from_numpy(np.array(weight)) for name, weight in model.weights.items()}
    network.load_state_dict(state)
    network.double()
    return network


def _hold_out(y: FloatArray, groups: IndexArray | None, random: Any) -> Split:
    """Draw the fifth that is held out of training."""
    if groups is not None:
        try:
            rest, held = grouped(y, groups, HELD_OUT_EVERY, random)[0]
        except ValueError:  # a class of one group: to hold it out would leave none to train on
            pass
        else:
            return Split(torch.from_numpy(rest), torch.from_numpy(held))
    order = random.permutation(len(y))
    train, held = (np.sort(order[part.numpy()]) for part in hold_out(y[order]))
    return Split(torch.from_numpy(train), torch.from_numpy(held))


def _table(fold: FoldData) -> tuple[Any, IndexArray]:
    """Return the training bags' instances as the fold sees them, and where each bag begins."""
    data: Any = fold.data
    lengths, shown = data.bags.lengths[data.used], []
    for block in data.blocks():
        own = np.repeat(fold.in_training[block.rows], lengths[block.rows])
        if own.any():
            shown.append(_rescaled(block.table[own], fold.view).astype(np.float32))
    starts = np.concatenate([[0], np.cumsum(lengths[fold.in_training])])
    return np.concatenate(shown), starts


def _blocks(data: Any, view: AffineMap | None) -> Iterator[tuple[Any, Samples]]:
    """Go through all bags, block by block, in double precision."""
    lengths = data.bags.lengths[data.used]
    for block in data.blocks():
        starts = np.concatenate([[0], np.cumsum(lengths[block.rows])])
        table = _rescaled(block.table, view)
        yield block.rows, Samples(table, starts, data.y[block.rows], dtype=np.float64)


def _rescaled(rows: Any, view: AffineMap | None) -> Any:
    """Return mapped instances; what is far out of proportion is brought in."""
    return np.clip(rows if view is None else view.apply(rows), -LARGEST_VALUE, LARGEST_VALUE)
