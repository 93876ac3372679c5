"""Diagnostics of attention: what it looks at, and how sharply, by class and by weight."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import AttentionClassifier
from needlescope.estimators.candidates.shared.readout import AttentionModel
from needlescope.estimators.classifiers.diagnostics import describe
from needlescope.models.blocks import Arrays
from tests.estimators.draws import needles


def test_diagnostics_of_one_positive_among_many():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((4, 5, 2)), np.array([1.0, -1.0, -1.0, -1.0])
    q = np.array([1.5, -0.5])
    model = AttentionModel(q[None], np.ones((1, 2)), 0.0)
    result = describe(Arrays(X, y), model, np.full(4, 0.25))
    a = np.exp(X @ q)
    a /= a.sum(axis=1, keepdims=True)
    number = 1.0 / (a**2).sum(axis=1)
    assert result["attended_positive"][0] == pytest.approx(number[0])
    assert result["attended_negative"][0] == pytest.approx(number[1:].mean())
    assert result["kappa"][0] == pytest.approx(np.sqrt((X @ q).var(axis=1).mean()))


FIXED = {"kappa": 2.0, "ridge": 0.1, "max_refine_iter": 0, "cv": 0}


def test_diagnostics_of_weighted_bags_are_those_of_repeated_bags():
    X, y = needles(n=60)
    X[:20, 1] *= 3.0
    weight = np.where(np.arange(60) < 20, 4.0, 1.0)
    rows = np.repeat(np.arange(60), weight.astype(int))
    weighted = AttentionClassifier(**FIXED).fit(X, y, weight).alignment_
    repeated = AttentionClassifier(**FIXED).fit(X[rows], y[rows]).alignment_
    assert weighted.keys() == repeated.keys()
    for name, value in repeated.items():
        np.testing.assert_allclose(weighted[name], value, rtol=1e-4, err_msg=name)
