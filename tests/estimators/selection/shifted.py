"""Bags in all of whose instances the label shows, and their loss when they are held out."""

from __future__ import annotations

import numpy as np

from needlescope.estimators import PooledClassifier


def shifted(n, d=3, L=4, shift=3.0, seed=0):
    """Bags in all of whose instances the label shows."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, L, d)), np.arange(n) % 2
    X[y == 1, :, 0] += shift
    return X, y


def loss_held_out(X, y, weight=None, seed=0, folds=3):
    clf = PooledClassifier(ridge=0.1, cv=folds, random_state=seed).fit(X, y, weight)
    return -clf.cv_results_["mean_test_score"].item()
