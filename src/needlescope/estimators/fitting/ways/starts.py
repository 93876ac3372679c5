"""Where a query may start, besides the two gradient steps.

* `contrast`: the direction along which positives vary more within their bags than negatives do.
  A gain or an offset of each bag, which the mean of a bag carries, has no part in it.
* `iterated`: attention iterated on the positives: attend to the instances, take what is attended as
  the next query, shrunk by what it rests on. On white noise with a signal in one instance of each
  positive this is expectation–maximisation, and reaches the limit of learning.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from ....arrays import FloatArray, project
from ....simulation.samples.data import Data

ROUNDS = 12
# A strength that is assumed too large costs little, one too small misses the needle (see
# `simulation.limit.iteration`).
FIRST_STRENGTH = 5.0
STRENGTHS = (0.1, 50.0)


def contrast(data: Data, weight: FloatArray) -> FloatArray:
    """Return a unit vector: the top eigenvector of the covariances' difference within bags.

    It points to where the farthest instances of positives are farther than those of negatives.

    Examples
    --------
    >>> from needlescope.simulation.samples.data import Arrays
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((200, 10, 3)), np.repeat([1.0, -1.0], 100)
    >>> X[:100, 0, 2] -= 5.0
    >>> found = contrast(Arrays(X, y), np.full(200, 1 / 200))
    >>> int(np.argmax(np.abs(found))), bool(found[2] < -0.99)
    (2, True)
    """
    d = data.tokens[1]
    within = np.zeros((d, d))
    sides = {sign: float(weight[data.y == sign].sum()) for sign in (-1.0, 1.0)}
    each = weight * data.y / np.where(data.y > 0.0, sides[1.0], sides[-1.0])
    for block in data.blocks():
        rows, segments = block.table, block.segments
        shares, means = each[block.rows], segments.mean(rows)
        share = segments.spread(shares) * segments.uniform(len(rows))
        within += (rows * share[:, None].astype(rows.dtype)).T @ rows
        within -= (means * shares[:, None]).T @ means
    _, vectors = eigh(within, subset_by_index=(d - 1, d - 1))
    along: FloatArray = vectors[:, 0]
    farthest = np.empty((2, len(data.y)))
    for block in data.blocks():
        seen = project(block.table, along)
        segments = block.segments
        middle = segments.dot(segments.uniform(len(seen)), seen)
        for side, sign in enumerate((1.0, -1.0)):
            top = segments.dot(segments.peak(sign * seen), seen)
            farthest[side, block.rows] = sign * (top - middle)
    gain = farthest @ each
    return along if gain[0] >= gain[1] else -along


def iterated(data: Data, weight: FloatArray, rounds: int = ROUNDS) -> FloatArray:
    """Return θ ξ̂: the signal that attention, iterated on the positives, settles on.

    Instances are counted from the mean of the negatives'. The strength is learned on the way.

    Examples
    --------
    >>> from needlescope.simulation.samples.data import Arrays
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((400, 10, 20)), np.repeat([1.0, -1.0], 200)
    >>> X[:200, 0, 2] += 4.0
    >>> found = iterated(Arrays(X, y), np.full(400, 1 / 400))
    >>> int(np.argmax(found)), bool(abs(found[2] - 4.0) < 0.4)
    (2, True)
    """
    d, positive = data.tokens[1], data.y > 0.0
    share = np.where(positive, weight, 0.0) / float(weight[positive].sum())
    count = 1.0 / float(share @ share)  # positives of equal weight that say as much
    other = np.where(positive, 0.0, weight) / float(weight[~positive].sum())
    middle, attended, xi, strength = np.zeros(d), np.zeros(d), np.zeros(d), FIRST_STRENGTH
    for number in range(rounds):
        attended[:], squares = 0.0, 0.0
        for block in data.blocks():
            rows, segments, own = block.table, block.segments, share[block.rows]
            if number == 0:
                even = segments.uniform(len(rows))
                middle += (segments.spread(other[block.rows]) * even).astype(rows.dtype) @ rows
            if not own.any():
                continue
            p = segments.softmax(project(rows, strength * xi))
            squares += float(own @ segments.dot(p, p))
            attended += (segments.spread(own) * p).astype(rows.dtype) @ rows
        field = count / d * strength**2
        xi = (attended - middle) * (count * strength / d / (1.0 + field))
        believed = field * squares / (1.0 + field * squares)
        longer = float(np.sqrt(np.clip(xi @ xi / max(believed, 1e-300), 0.25, 4.0)))
        strength = float(np.clip(strength * longer, *STRENGTHS))
    return strength * xi
