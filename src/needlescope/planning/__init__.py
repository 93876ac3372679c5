"""The theory inverted: how much data an error needs, and the learners that can be planned for."""

from __future__ import annotations

LEARNERS = {
    "attention": "attention",
    "pooled": "mean pooling",
    "vectorized": "the flat linear classifier",
    "bayes_optimal": "the Bayes-optimal learner",
    "amp": "AMP",
}
"""Their names, and what sentences call them."""

TUNED = ("attention", "pooled", "vectorized")
"""Those with settings to choose."""
