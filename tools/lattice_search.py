"""Search the Korobov multiplier of `needlescope.theory.lattice`.

The figure of merit is the weighted P2 criterion (the worst-case squared error in a weighted
Korobov space), ``mean_i Π_j (1 + γ_j 2π² B2(u_ij)) − 1`` with ``γ_j = 1/j²``: coordinates are
used in the order of their importance. A candidate is judged by its worst ratio to the best over
all N.

Run: ``python tools/lattice_search.py``
"""

from __future__ import annotations

import numpy as np

SIZES = [2**k for k in range(9, 17)]
DIMS = 48
CANDIDATES = 400


def merit(a: int, points: int) -> float:
    """Weighted P2 of the lattice with multiplier ``a`` and ``points`` points."""
    product = np.ones(points)
    steps = np.arange(points, dtype=np.int64)
    z = 1
    for j in range(DIMS):
        u = (steps * z % points) / points
        product *= 1.0 + 2.0 * np.pi**2 * (u * u - u + 1.0 / 6.0) / (j + 1) ** 2
        z = z * a % points
    return float(product.mean() - 1.0)


def main() -> None:
    """Print the best multipliers."""
    rng = np.random.default_rng(0)
    candidates = [int(c) for c in 2 * rng.integers(2**9, 2**16, CANDIDATES) + 1]
    scores = np.array([[merit(a, n) for n in SIZES] for a in candidates])
    worst = (scores / scores.min(axis=0)).max(axis=1)
    for k in np.argsort(worst)[:5]:
        print(candidates[k], f"worst ratio to the best {worst[k]:.3f}")


if __name__ == "__main__":
    main()
