"""A trained architecture on fresh samples: its test error, its attention, and its direction.

The gradient of the score in a signal token, averaged over positives, is the direction along which
a signal changes the score: of a linear classifier it is the readout.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..arrays import FloatArray
from ..noise import Noise
from ..simulation.samples.data import Tokens, tokens
from ..task import Task
from .architectures.network import Network
from .training.samples import samples_per_pass

OTHERS = 15  # tokens beside the signal whose attention is reported, the most attended first


class Positives(NamedTuple):
    """Fresh positives (m, L, d), and which R tokens of each carry a signal of these (K, d)."""

    X: Tensor
    marked: Tensor
    signals: Tensor


def positives(
    task: Task, count: int, xi: FloatArray, noise: Noise, seed: np.random.SeedSequence
) -> Positives:
    """Draw positives of a task."""
    data = Tokens(task, np.ones(count), xi, noise, seed)
    X = torch.from_numpy(np.concatenate([block.X.copy() for block in data.blocks()]))
    marked = torch.from_numpy(np.concatenate([mark.tokens for mark in data.marks()]))
    return Positives(X, marked, torch.from_numpy(np.atleast_2d(xi)).to(X.dtype))


def test_error(
    network: Network,
    task: Task,
    count: int,
    xi: FloatArray,
    noise: Noise,
    seed: np.random.SeedSequence,
) -> float:
    """Return the share of fresh samples whose sign is wrong."""
    wrong = 0
    data = tokens(task, count, xi, noise, seed)
    with torch.no_grad():
        for block in data.blocks():
            split = torch.from_numpy(block.X).split(samples_per_pass(*block.X.shape[1:]))
            result = torch.cat([network(part).scores for part in split]).numpy()
            wrong += int(((result > 0.0) != (block.y > 0.0)).sum())
    return wrong / count


def observe(network: Network, fresh: Positives) -> dict[str, float | list[float]]:
    """Return the attention and the direction of an architecture in fresh positives."""
    pull, seen = torch.zeros(fresh.X.shape[-1]), []
    step = samples_per_pass(*fresh.X.shape[1:])
    for part, marked in zip(fresh.X.split(step), fresh.marked.split(step), strict=True):
        X = part.clone().requires_grad_(True)
        read = network(X)
        (slope,) = torch.autograd.grad(read.scores.sum(), X)
        at = marked[..., None].expand(-1, -1, X.shape[-1])
        pull += slope.gather(1, at).sum(dim=(0, 1)).detach() / fresh.marked.numel()
        seen.append(None if read.attention is None else read.attention.detach())
    weights = [item for item in seen if item is not None]
    along = fresh.signals @ pull
    return {
        "signal": float(along[0] if len(along) == 1 else along.norm()),
        "norm": float(pull.norm()),
        "cosine": _cosine(pull, fresh.signals),
        **_query(network, fresh.signals),
        **_attention(torch.cat(weights) if weights else None, fresh.marked),
    }


def _cosine(vector: Tensor, signals: Tensor) -> float:
    """Return the cosine with the signal; with several, that with the space of them."""
    norm = float(vector.norm())
    if norm == 0.0:
        return 0.0
    along = signals @ vector
    return float(along[0] if len(along) == 1 else along.norm()) / norm


def _query(network: Network, signals: Tensor) -> dict[str, float]:
    """Return strength and alignment of the best aligned query; NaN without one."""
    queries = network.queries()
    if queries is None:
        return {"kappa": np.nan, "cosine_q": np.nan}
    queries = queries.detach()
    cosines = [_cosine(query, signals) for query in queries]
    best = int(np.argmax(np.abs(cosines)))
    return {"kappa": float(queries[best].norm()), "cosine_q": cosines[best]}


def _attention(weights: Tensor | None, marked: Tensor) -> dict[str, float | list[float]]:
    """Return the attention on signal tokens, by the head that gives them most."""
    if weights is None:
        return {"attended": np.nan, "largest": np.nan, "map": []}
    weights = weights.double()
    at = marked[:, None].expand(-1, weights.shape[1], -1)
    on_signal = weights.gather(2, at)
    head = int(on_signal.sum(dim=2).mean(dim=0).argmax())
    own, every = on_signal[:, head], weights[:, head]
    top = every == every.max(dim=1, keepdim=True).values  # of equal weights each counts in part
    hit = top.gather(1, marked).sum(dim=1) / top.sum(dim=1)
    rest = every.scatter(1, marked, -torch.inf).sort(dim=1, descending=True).values
    rest = rest[:, : min(OTHERS, every.shape[1] - marked.shape[1])]
    return {
        "attended": float(own.sum(dim=1).mean()),
        "largest": float(hit.mean()),
        "map": [float(own.mean()), *rest.mean(dim=0).tolist()],
    }
