"""The steps of a fit: where it starts, and in what units its query is measured."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import Bags
from needlescope.estimators.bags.preprocessing import Preprocessor
from needlescope.estimators.bags.scaling import no_scaling
from needlescope.estimators.fitting import steps
from needlescope.estimators.fitting.lockstep.conductor import alone
from needlescope.estimators.fitting.lockstep.sight import Sight
from needlescope.estimators.fitting.prepared import Prepared
from needlescope.estimators.fitting.steps import no_query
from needlescope.losses import get_loss
from needlescope.models.blocks import Arrays

COVERS = ("prepared", "families")


def test_deviations_count_bags_not_instances():
    rng = np.random.default_rng(0)
    X = [rng.standard_normal((size, 3)) * scale for size, scale in ((2, 1.0), (50, 9.0), (3, 2.0))]
    bags = Bags.from_list(X)
    data = Prepared(bags, np.arange(3), np.array([1.0, -1.0, 1.0]), Preprocessor(no_scaling(3)))
    direction, weight = np.array([1.0, -2.0, 0.5]), np.array([0.5, 0.2, 0.3])
    along = [item @ direction for item in X]
    mean = sum(w * item.mean() for w, item in zip(weight, along, strict=True))
    square = sum(w * (item**2).mean() for w, item in zip(weight, along, strict=True))
    result = alone(data, steps.of_strength(Sight(data, weight), direction, 3.0))
    np.testing.assert_allclose(result, 3.0 * direction / np.sqrt(square - mean**2))


def test_the_first_bias_is_the_odds_by_weight():
    y = np.array([1.0, -1.0, -1.0])
    weight = np.array([0.6, 0.3, 0.1])
    bias = no_query(Sight(Arrays(np.zeros((3, 2, 1)), y), weight), get_loss("logistic"))
    assert bias == pytest.approx(np.log(0.6 / 0.4), rel=1e-6)
