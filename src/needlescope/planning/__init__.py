"""The theory inverted: how much data an error needs, and the learners that can be planned for."""

from __future__ import annotations

LEARNERS = {
    "attention": "attention",
    "joint": "attention trained end to end",
    "pooled": "mean pooling",
    "vectorized": "the flat linear classifier",
    "bayes_optimal": "the Bayes-optimal learner",
    "amp": "AMP",
}
"""Their names, and what sentences call them."""

TUNED = ("attention", "pooled", "vectorized")
"""Those with settings to choose, for which a search takes a fraction of a second."""

TUNABLE = (*TUNED, "joint")
"""Those with settings to choose."""

USUAL = tuple(name for name in LEARNERS if name != "joint")
"""Those that are compared with a plan unless it is asked otherwise: a search for joint training
takes seconds."""
