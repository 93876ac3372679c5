"""A classifier that is trained in a blink, on bags of a few instances."""

from __future__ import annotations

from needlescope.deep.classifier import DeepClassifier
from tests.estimators.hay import needles

TINY = {"width": 4, "rates": (0.03,), "epochs": 8, "random_state": 0}


def deep(architecture="gated_hidden", **parameters):
    """Return a classifier of a few epochs: what it learns is not the point."""
    return DeepClassifier(architecture, **{**TINY, "cv": 2, **parameters})


def hay(n=40, L=5, d=6, theta=6.0, **more):
    """Return few bags with a signal that is hard to miss."""
    return needles(n=n, L=L, d=d, theta=theta, **more)
