"""A guided story: six states, each with two sentences."""

from __future__ import annotations

from typing import NamedTuple

from .state import State


class Chapter(NamedTuple):
    """A state of the controls, and what to see there."""

    name: str
    title: str
    text: str
    state: State


STORY = (
    Chapter(
        "learning",
        "Attention learns what pooling cannot",
        "One of ten tokens carries a signal of four deviations. With data for query and readout "
        "attention's error falls towards that of a known signal; mean pooling stays above 0.2.",
        State(L=10, R=1, theta=4.0, alpha0=4.0, alpha1=4.0, kappa=2.0),
    ),
    Chapter(
        "length",
        "log L against √L",
        "With a hundred tokens the mean drowns the signal: pooling needs θ of the order of √L, "
        "here 10. A query that knows the signal needs about log L: drag θ, and see where each line "
        "falls.",
        State(L=100, R=1, theta=5.0, alpha0=16.0, alpha1=8.0, kappa=3.0),
    ),
    Chapter(
        "losing",
        "Where attention loses",
        "When all tokens carry the signal the mean is the best that there is to read. Attention "
        "then spends data on a query that it does not need.",
        State(L=6, R=6, theta=1.0, alpha0=1.0, alpha1=1.0, kappa=2.0),
    ),
    Chapter(
        "aligning",
        "Two steps align the query",
        "The first gradient step finds the readout, the second the query. Drag α0, and see the "
        "query turn towards the signal in the live bag.",
        State(L=20, R=1, theta=4.5, alpha0=2.0, alpha1=4.0, kappa=2.0),
    ),
    Chapter(
        "learnable",
        "What can be learned at all",
        "The Bayes-optimal learner is the best of all, AMP the best known algorithm for it. The "
        "gap to attention is what two gradient steps leave unused.",
        State(L=10, R=1, theta=3.0, alpha0=2.0, alpha1=2.0, kappa=1.5),
    ),
    Chapter(
        "rare",
        "Rare positives",
        "With one positive in twenty the constant answer errs in 5 % of cases, and little data "
        "leads to nothing better. Positives teach, negatives only say what noise is.",
        State(L=10, R=1, theta=5.0, pi=0.05, alpha0=8.0, alpha1=8.0, kappa=2.0),
    ),
)
