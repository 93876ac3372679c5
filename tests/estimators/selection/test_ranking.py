"""Candidates are ranked by their losses on held-out bags."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.candidates.attention import Attention
from needlescope.estimators.candidates.mean import Mean
from needlescope.estimators.candidates.shared.candidate import Configuration
from needlescope.estimators.selection.ranking import rank

ATTENTION, MEAN = Configuration(Attention(), 0.1), Configuration(Mean(), 0.1)


def test_the_best_configuration_of_every_candidate_is_ranked():
    rng = np.random.default_rng(0)
    weak, strong = ATTENTION, ATTENTION._replace(ridge=0.3)
    whitened = Configuration(Attention(shrinkage=0.02), 0.1)
    configurations = [MEAN, weak, strong, whitened]
    noise = rng.standard_normal((4, 200))
    losses = 1.0 + 0.1 * noise + np.array([0.01, 0.5, 0.0, 0.001])[:, None]
    result = rank(configurations, losses, np.full(200, 1.0 / 200))
    means = losses.mean(axis=1)
    assert [item.place for item in result] == sorted((0, 2, 3), key=lambda k: means[k])
    assert result[0].behind == 0.0 and all(item.error > 0.0 for item in result[1:])


def test_bags_of_one_source_do_not_count_as_independent():
    """What is told apart by forty copies of five bags is not by the five."""
    rng = np.random.default_rng(1)
    few = np.stack([np.zeros(5), 0.3 + 0.5 * rng.standard_normal(5)])
    losses, weight = np.repeat(few, 40, axis=1), np.full(200, 1.0 / 200)
    apart = rank([ATTENTION, MEAN], losses, weight)[1]
    together = rank([ATTENTION, MEAN], losses, weight, np.repeat(np.arange(5), 40))[1]
    assert together.behind == pytest.approx(apart.behind)
    assert together.error > 5.0 * apart.error
