"""The alignment that the protocol predicts against directions trained on bags."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.bags.bags import as_bags
from needlescope.estimators.bags.preprocessing import Preprocessor
from needlescope.estimators.bags.scaling import fit_scaling
from needlescope.estimators.candidates.shared.initial_queries import TwoSteps
from needlescope.estimators.engine.computation import compute
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.estimators.engine.prepared import PreparedBags
from needlescope.losses import Logistic
from needlescope.planning.expected.protocol import alignment
from needlescope.task import Task
from tests.estimators.draws import draw


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("task", "alpha0"),
    [
        (Task(L=10, R=1, theta=4.0, pi=0.5), 4.0),
        (Task(L=10, R=3, theta=2.5, pi=0.3), 4.0),
        (Task(L=20, R=2, theta=4.0, pi=0.2), 2.0),
        (Task(L=10, R=1, theta=4.0, pi=0.05), 6.0),
    ],
)
def test_alignment_is_that_of_trained_directions(task, alpha0):
    d, trials = 200, 8
    n = int(alpha0 * d)
    weight = np.full(n, 1.0 / n)
    cosines = []
    for seed in range(trials):
        X, y, xi = draw(task, d, n, seed)
        bags, signs = as_bags(X), np.where(y > 0, 1.0, -1.0)
        data = PreparedBags(
            bags, np.arange(n), signs, Preprocessor(fit_scaling(bags, np.arange(n), weight, 1.0))
        )
        fold = FoldData(data, weight)
        query = TwoSteps(fold, Logistic(), 1.0)
        compute(data, query)
        means = fold.means
        readout = means[y > 0].mean(axis=0) - means[y == 0].mean(axis=0)
        cosines.append([item @ xi / np.linalg.norm(item) for item in (query.q, readout)])
    mean, error = np.mean(cosines, axis=0), np.std(cosines, axis=0) / np.sqrt(trials - 1)
    for k, direction in enumerate(("query", "readout")):
        # 1/d beside the trials' own error: the formula is that of the limit.
        assert abs(mean[k] - alignment(task, alpha0, direction)) < 3.5 * error[k] + 1 / d
