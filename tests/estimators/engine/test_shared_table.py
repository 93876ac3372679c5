"""One table for all folds: its statistics are those of the fold's own instances."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.bags.preprocessing import Preprocessing
from needlescope.estimators.bags.scaling import fit_scaling
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.estimators.engine.prepared import PreparedBags
from needlescope.estimators.engine.shared_table import FitData, SharedTable
from tests.estimators.engine.fits import BAGS, LENGTHS, N, Y

USED = np.flatnonzero(np.arange(N) % 5 != 2)
LABELS, BAG_WEIGHTS = Y[USED], np.random.default_rng(0).random(len(USED))
TRAINED = [np.flatnonzero(np.arange(len(USED)) % 3 != k) for k in range(3)]


def table(*, contrasts=True):
    data = FitData(BAGS, USED, LABELS, BAG_WEIGHTS, True, contrasts, 0)
    return SharedTable(data, [*TRAINED, np.arange(len(USED))])


@pytest.mark.parametrize("shrinkage", [1.0, 0.3])
@pytest.mark.parametrize("fold", [0, 2, 3])
def test_statistics_of_a_fold_are_those_of_its_own_instances(fold, shrinkage):
    shared = table()
    known = shared.trained[fold]
    preprocessor = shared.preprocessor(fold, Preprocessing(shrinkage))
    weight = np.zeros(len(USED))
    weight[known] = BAG_WEIGHTS[known] / BAG_WEIGHTS[known].sum()
    wanted = fit_scaling(BAGS, USED[known], BAG_WEIGHTS[known], shrinkage)
    own = FoldData(PreparedBags(BAGS, USED, LABELS, preprocessor), weight)
    statistics = shared.statistics(preprocessor.scaling)
    rows = BAGS.rows(USED)
    np.testing.assert_allclose(preprocessor.apply(rows), wanted.apply(rows), atol=1e-9)
    seen = statistics.view.apply(np.concatenate([item.table for item in shared.prepared.blocks()]))
    np.testing.assert_allclose(seen, preprocessor.apply(rows), atol=1e-9)
    np.testing.assert_allclose(statistics.means(), own.means, atol=1e-9)
    np.testing.assert_allclose(statistics.summaries(), own.summaries, atol=1e-6)
    share = weight * np.where(LABELS > 0.0, 2.0, -0.5)
    np.testing.assert_allclose(statistics.within(share), own.within(share), atol=1e-9)


def test_covariances_are_not_known_unless_they_are_compared():
    shared = table(contrasts=False)
    statistics = shared.statistics(shared.preprocessor(0, Preprocessing()).scaling)
    assert statistics.within(np.ones(len(USED))) is None


def test_the_table_is_kept_from_the_middle_bag_and_of_unit_size():
    kept = table().prepared
    weights = np.repeat(BAG_WEIGHTS / LENGTHS[USED], LENGTHS[USED])
    rows = np.concatenate([item.table for item in kept.blocks()])
    mean = np.average(rows, axis=0, weights=weights)
    deviation = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=weights))
    np.testing.assert_allclose(deviation, 1.0, rtol=1e-9)
    means = np.stack([item.mean(axis=0) for item in np.split(rows, np.cumsum(LENGTHS[USED])[:-1])])
    np.testing.assert_allclose(np.median(means, axis=0), 0.0, atol=1e-9)
