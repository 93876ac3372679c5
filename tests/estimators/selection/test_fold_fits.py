"""Fits of candidates to folds: as if each were alone, and scores in the order of the bags."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from needlescope.errors import NotConverged
from needlescope.estimators import Bags
from needlescope.estimators.candidates.attention import Attention
from needlescope.estimators.candidates.log_mean_exp import LogMeanExp
from needlescope.estimators.candidates.mean import Mean
from needlescope.estimators.candidates.shared.candidate import Configuration
from needlescope.estimators.engine.shared_table import FitData
from needlescope.estimators.engine.threads import Threads
from needlescope.estimators.engine.workspace import Workspace
from needlescope.estimators.selection.fold_fits import FoldFit, fit_folds
from needlescope.losses import get_loss
from tests.estimators.draws import needles

N = 40
X, Y = needles(n=N)
TRAINED = [np.flatnonzero(np.arange(N) % 3 != k) for k in range(2)] + [np.arange(N)]
LOSS = get_loss("logistic")


def workspace(**more):
    bags = Bags.from_array(X)
    data = FitData(bags, np.arange(N), 2.0 * Y - 1.0, np.full(N, 1.0 / N), False, False, 0, **more)
    return Workspace(data, TRAINED)


def wanted():
    listed = [
        Mean(),
        Attention(),
        LogMeanExp(init="mean"),
        Mean(random_features=True),
        Attention(random_features=True),
    ]
    return [
        FoldFit(fold, item, [Configuration(item, 0.1, 3 * item.attends)], 5)
        for item in listed
        for fold in range(3)
    ]


def test_fits_side_by_side_are_those_of_each_alone():
    """Also those on a table of their own, whose bags are in another order."""
    for item, (result,) in zip(wanted(), fit_folds(workspace(), wanted(), LOSS), strict=True):
        ((alone,),) = fit_folds(workspace(), [item], LOSS)
        np.testing.assert_allclose(result.scores, alone.scores, rtol=1e-6, atol=1e-7)


def test_scores_are_those_of_the_model():
    own = workspace()
    for item, (result,) in zip(wanted(), fit_folds(own, wanted(), LOSS), strict=True):
        fold = own.fold(item.fold, item.candidate.preprocessing)
        preprocessor = own.preprocessor(item.fold, item.candidate.preprocessing)
        data = type(fold.data)(own.data.bags, np.arange(N), own.data.y, preprocessor)
        np.testing.assert_allclose(result.scores, result.model.scores(data), atol=1e-8)


def test_tables_in_threads_change_no_bit():
    with ThreadPoolExecutor(2) as pool:
        threaded = fit_folds(workspace(threads=Threads(pool, 2)), wanted(), LOSS)
    for (one,), (other,) in zip(fit_folds(workspace(), wanted(), LOSS), threaded, strict=True):
        np.testing.assert_array_equal(one.scores, other.scores)


def test_an_error_is_returned_in_place_of_what_failed(monkeypatch):
    def fails(*_):
        raise NotConverged("no", 1.0)

    monkeypatch.setattr("needlescope.estimators.candidates.mean.readouts", fails)
    result = fit_folds(workspace(), wanted()[:6], LOSS)
    assert all(isinstance(item, NotConverged) for item in result[:3])
    assert all(len(item) == 1 for item in result[3:])


@pytest.mark.parametrize("candidate", [Attention(), Attention(init="amp"), LogMeanExp(), Mean()])
def test_without_configurations_the_initial_query_is_computed_ahead(candidate):
    own = workspace()
    assert fit_folds(own, [FoldFit(0, candidate, [], 0)], LOSS) == [[]]
    initial = candidate.initial(own.fold(0, candidate.preprocessing), LOSS)
    assert len(initial) == candidate.attends and all(item.finished for item in initial)
    assert all(np.linalg.norm(item.q) > 0.0 for item in initial)
