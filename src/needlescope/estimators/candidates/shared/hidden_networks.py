"""Networks of one hidden layer and attention, trained side by side by steps of Adam.

With h = max(A x + c, 0) for each instance x of a bag, a network scores the bag by

    Σ_k ⟨w_k, Σ_j a_kj h_j⟩ + b,  a_k = softmax(h q_k).

Every step sees 16 bags, drawn without replacement until all had their turn, and half of the units
are left out at random. Of many bags not all are seen: the number of steps is fixed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....arrays import FloatArray
from ....losses import Loss
from ....models.gradient import token_coefficients
from ....models.segments import Ragged
from ....solvers.smooth.adam import Adam

NETWORKS, UNITS, QUERIES = 4, 64, 4  # how many networks; hidden units and queries of each
BATCH, RATE = 16, 0.02  # of a step of Adam: bags, and how large it is
SPREAD = 2.0  # of random weights, in units of 1/√d
MOST_INSTANCES = 2000  # of a bag in one step; of more, so many are drawn
ROWS = 2048  # instances whose hidden units are held at a time


class Networks(NamedTuple):
    """Some networks side by side, along the first axis."""

    hidden: FloatArray  # (networks, units, d): A
    bias: FloatArray  # (networks, units, 1): c
    heads: FloatArray  # (networks, 2 × queries, units): all q, then all w
    constants: FloatArray  # (networks, 1): b

    @staticmethod
    def drawn(d: int, random: np.random.RandomState) -> Networks:
        """Return networks with random weights, for instances of d features."""

        def uniform(size: float, *shape: int) -> FloatArray:
            return random.uniform(-size, size, (NETWORKS, *shape)).astype(np.float32)

        first, then = SPREAD / np.sqrt(d), 1.0 / np.sqrt(UNITS)
        return Networks(
            uniform(first, UNITS, d),
            uniform(first, UNITS, 1),
            uniform(then, 2 * QUERIES, UNITS),
            uniform(then, 1),
        )

    def layer(self, rows: FloatArray) -> FloatArray:
        """Return the hidden units before they are rectified: (networks, units, instances)."""
        d = self.hidden.shape[2]
        result: FloatArray = (self.hidden.reshape(-1, d) @ rows.T).reshape(
            *self.hidden.shape[:2], len(rows)
        )
        result += self.bias
        return result

    def project(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return logits and readouts of all instances: (networks, queries, instances) each."""
        parts = [
            self.heads @ np.maximum(self.layer(rows[first : first + ROWS]), 0.0)
            for first in range(0, len(rows), ROWS)
        ]
        logits, seen = np.split(np.concatenate(parts, axis=2), 2, axis=1)
        return logits, seen


class Batch(NamedTuple):
    """Bags with labels −1 or +1, and the share of each in the loss."""

    rows: FloatArray  # (instances, d)
    bags: Ragged
    y: FloatArray
    share: FloatArray


def gradient(networks: Networks, batch: Batch, loss: Loss, kept: Any) -> Networks:
    """Return the derivative of Σ share ℓ(score, y), summed over networks.

    ``kept`` (networks, units, instances) says which units count, for twice what they are.
    """
    rows, bags, y, share = batch
    layer = networks.layer(rows)
    active = kept & (layer > 0.0)
    layer *= active
    logits, seen = np.split(2.0 * (networks.heads @ layer), 2, axis=1)
    a = bags.softmax(logits)
    score = bags.dot(a, seen)
    scores = score.sum(axis=1) + networks.constants
    slope = loss.derivative(scores.astype(float), np.broadcast_to(y, scores.shape)) * share
    slope = slope.astype(rows.dtype)
    along = np.empty((*a.shape[:1], 2 * a.shape[1], len(rows)), rows.dtype)
    in_q, in_w = np.split(along, 2, axis=1)
    token_coefficients(bags, a, seen, score, slope[:, None], out=(in_q, in_w))
    along *= 2.0
    back = networks.heads.transpose(0, 2, 1) @ along
    back *= active
    return Networks(
        (back.reshape(-1, len(rows)) @ rows).reshape(networks.hidden.shape),
        back.sum(axis=2, keepdims=True),
        along @ layer.transpose(0, 2, 1),
        slope.sum(axis=1, keepdims=True),
    )


def train(
    rows: FloatArray,
    bags: Ragged,
    y: FloatArray,
    weight: FloatArray,
    loss: Loss,
    random: np.random.RandomState,
    steps: int,
) -> Networks:
    """Return networks trained on the bags of a weight above 0; instances in single precision."""
    networks = Networks.drawn(rows.shape[1], random)
    adam, own = Adam(networks, RATE, steps), np.flatnonzero(weight > 0.0)
    count = min(BATCH, len(own))
    share, left = weight / weight[own].mean() / count, own[:0]
    for _ in range(steps):
        if len(left) < count:
            left = random.permutation(own)
        members, left = left[:count], left[count:]
        places, lengths = _instances(bags, members, random)
        batch = Batch(rows[places], Ragged.at(_starts(lengths)), y[members], share[members])
        shape = (NETWORKS, UNITS, len(places))
        adam.step(gradient(networks, batch, loss, _half(shape, random)))
    return Networks(*(item.astype(float) for item in networks))


def _instances(bags: Ragged, members: Any, random: np.random.RandomState) -> tuple[Any, Any]:
    """Return the places of the instances of some bags, not too many of each, and how many."""
    places = []
    for first, length in zip(bags.starts[members], bags.lengths[members], strict=True):
        own = np.arange(length)
        if length > MOST_INSTANCES:
            own = random.permutation(length)[:MOST_INSTANCES]
        places.append(first + own)
    return np.concatenate(places), np.array([len(item) for item in places])


def _starts(lengths: Any) -> Any:
    return np.concatenate([[0], np.cumsum(lengths)])


def _half(shape: tuple[int, ...], random: np.random.RandomState) -> Any:
    """Draw one in two."""
    count = int(np.prod(shape))
    drawn = np.frombuffer(random.bytes(-(-count // 8)), np.uint8)
    return np.unpackbits(drawn, count=count).view(bool).reshape(shape)
