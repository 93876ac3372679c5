"""Settings to choose among: ridges in units of features per bag."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import PooledClassifier, VectorizedClassifier
from needlescope.estimators.fitting.ways.catalogue import MEAN_RIDGES
from tests.estimators.draws import needles


def test_ridges_are_in_units_of_features_per_bag():
    X, y = needles(n=100)
    units = {PooledClassifier: 4 / 100, VectorizedClassifier: 24 / 100}
    for kind, unit in units.items():
        result = sorted(kind(random_state=0).fit(X, y).cv_results_["param_ridge"], reverse=True)
        assert result == pytest.approx([unit * ridge for ridge in MEAN_RIDGES])


def test_bags_of_no_weight_to_speak_of_do_not_count_in_the_unit():
    X, y = needles(n=200)
    weight = np.where(np.arange(200) < 100, 1.0, 1e-9)
    alone = PooledClassifier(random_state=0).fit(X[:100], y[:100])
    mixed = PooledClassifier(random_state=0).fit(X, y, weight)
    ridges = [sorted(item.cv_results_["param_ridge"]) for item in (mixed, alone)]
    assert ridges[0] == pytest.approx(ridges[1], rel=1e-3)
