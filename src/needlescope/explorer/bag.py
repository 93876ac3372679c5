"""A live bag: tokens along the signal, attention over them, and the query that makes it.

A token x has the projection s = ⟨x, ξ⟩ on the signal, which is N(0, 1), and θ more where it carries
the signal; and the projection r on the rest of the query. A query of strength κ and alignment c
gives it the weight softmax κ (c s + √(1 − c²) r). The same draw of s and r serves all states, so
that a bag changes smoothly with the controls. In noise with a spectrum s has the variance ξᵀΣξ, and
r the mean of the eigenvalues.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import softmax

from ..errors import NotConverged
from ..theory.alignment import align
from .state import State

SHOWN = 120  # tokens


def live_bag(state: State, seed: int) -> dict[str, Any]:
    """Return a positive bag and the attention over it.

    Examples
    --------
    >>> bag = live_bag(State(kappa=50.0, alpha0=50.0, theta=8.0), 0)
    >>> bag["needle"], round(sum(bag["attention"]), 6), max(bag["attention"]) > 0.99
    ([0], 1.0, True)
    """
    rng = np.random.default_rng([17, seed])
    shown = min(state.L, SHOWN)
    s, r = rng.standard_normal((2, SHOWN))[:, :shown]  # the same tokens for any L
    order = rng.permutation(SHOWN)
    needle = np.sort(order[order < shown][: state.R])
    cosine, kappa = query_of(state)
    along, across = _deviations(state)
    s = along * s
    s[needle] += state.theta
    logits = kappa * (cosine * s + np.sqrt(1.0 - cosine**2) * across * r)
    return {
        "tokens": s.round(4).tolist(),
        "needle": needle.tolist(),
        "attention": softmax(logits).round(6).tolist(),
        "cosine": float(cosine),
        "kappa": float(kappa),
        "shown": shown,
        "of": state.L,
    }


def query_of(state: State) -> tuple[float, float]:
    """Return the alignment and the strength of the trained query.

    In joint training they are those of the theory's solution, which takes long: two steps on the
    same data stand in for it.
    """
    if state.kind == "joint":
        state = state.replace(kind="two_steps", alpha0=state.alpha1, query="kappa")
    try:
        found = align(state.task(), state.training())
    except (NotConverged, ValueError):
        return 0.0, state.kappa
    return float(np.asarray(found.cosine_q)), float(np.asarray(found.kappa))


def _deviations(state: State) -> tuple[float, float]:
    """Return the deviations of the noise along the signal, and on average."""
    levels = state.task().levels
    if levels is None:
        return 1.0, 1.0
    return float(np.sqrt(levels.weight @ levels.s)), float(np.sqrt(levels.share @ levels.s))
