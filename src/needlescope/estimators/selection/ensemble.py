"""Several candidates put together: weights of their log odds, chosen greedily on held-out bags.

The sum begins with the best candidate. Whichever lowers the logarithmic loss of held-out bags most
is added, again and again, and a candidate may be added many times (Caruana et al. 2004): so many
times over the number of additions is its weight. Where one candidate is far better than all others
little else is added; where several err at different bags, their weighted mean is better than any.

Of some thirty rules this is a simple one of those with the least loss on the fourteen sets of bags
that it was chosen on, with all candidates compared on every fold:
0.285 on average, where the best candidate alone had 0.298, the mean of up to three near ones 0.297,
and the mean of all 0.332 (AUC 0.930, 0.927, 0.926 and 0.908).
"""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray

ADDITIONS = 10  # after the first


def greedy_weights(
    log_odds: FloatArray, y: FloatArray, share: FloatArray, most: int = 1
) -> FloatArray:
    """Return a weight for each candidate, with a sum of 1, at most ``most`` of them above 0.

    Parameters
    ----------
    log_odds : array (candidates, bags)
        Calibrated log odds of held-out bags, the best candidate first.
    y, share : array (bags,)
        Labels −1 or +1, and weights with a sum of 1.
    most : int, default 1
        The largest number of candidates that are put together.

    Examples
    --------
    Two that err at different bags are put together, and a third that knows less is not.

    >>> y = np.array([1.0, 1.0, -1.0, -1.0])
    >>> two = np.array([[2.0, -0.5, -2.0, -2.0], [-0.5, 2.0, -2.0, -2.0], [0.1, 0.1, 0.1, 0.1]])
    >>> greedy_weights(two, y, np.full(4, 0.25), most=3).round(2)
    array([0.55, 0.45, 0.  ])
    """
    counts = np.zeros(len(log_odds))
    counts[0], total = 1.0, log_odds[0].copy()
    for _ in range(ADDITIONS if most > 1 else 0):
        sums = (total + log_odds) / (counts.sum() + 1.0)
        losses = np.logaddexp(0.0, -y * sums) @ share
        if (counts > 0.0).sum() >= most:
            losses = np.where(counts > 0.0, losses, np.inf)
        added = int(np.argmin(losses))
        counts[added] += 1.0
        total += log_odds[added]
    return np.asarray(counts / counts.sum())
