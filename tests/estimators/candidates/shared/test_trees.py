"""What changes on the way to a leaf adds up, and trees are grown once in every fold."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import ExtraTreeRegressor

from needlescope.estimators import MILClassifier
from needlescope.estimators.bags.preprocessing import Preprocessing
from needlescope.estimators.candidates.boosted import Boosted
from needlescope.estimators.candidates.forest import Forest
from needlescope.estimators.candidates.shared.candidate import Configuration
from needlescope.estimators.candidates.shared.search_space import SearchSpace, SearchSpec
from needlescope.estimators.candidates.shared.trees import path_changes
from needlescope.estimators.engine.computation import compute
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.losses import Logistic
from needlescope.models.blocks import Arrays
from tests.estimators.candidates.spread import spread_bags

COVERS = ("trained",)
KINDS = pytest.mark.parametrize("kind", [Forest, Boosted])


def test_changes_on_the_way_to_a_leaf_add_up():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((50, 6)).astype(np.float32)
    tree = ExtraTreeRegressor(random_state=0).fit(rows, rng.standard_normal(50)).tree_
    values = rng.standard_normal(tree.node_count)
    changes = (tree.decision_path(rows) @ path_changes(tree, values, 6)).toarray()
    np.testing.assert_allclose(changes.sum(axis=1), values[tree.apply(rows)] - values[0])
    unasked = np.setdiff1d(np.arange(6), tree.feature[tree.children_left >= 0])
    assert not changes[:, unasked].any()


@KINDS
def test_they_are_offered_where_summaries_are_but_take_their_time(kind):
    def count(summaries=True, **fixed):
        space = SearchSpace(SearchSpec(**fixed), Preprocessing(), 10, summaries)
        return len(list(kind.offered(space)))

    assert count() == 1 and count(summaries=False) == 0
    assert count(effort="quick") == 0 and count(effort="quick", pooling=kind.pooling) == 1
    assert count(n_queries=3) == 0


@KINDS
def test_they_are_grown_once_in_a_fold(kind, monkeypatch):
    X, y = spread_bags()
    fold, grown, grow = FoldData(Arrays(X, y), np.full(len(y), 1.0 / len(y))), [], kind.grow

    def counted(*given):
        grown.append(given[-1])
        return grow(*given)

    monkeypatch.setattr(kind, "grow", staticmethod(counted))
    candidate = kind()
    models = []
    for seed in (0, 1):
        fit = candidate.fit(
            fold, [Configuration(candidate)], Logistic(), np.random.RandomState(seed)
        )
        compute(fold.data, fit)
        ((model, scores),) = fit.results
        np.testing.assert_array_equal(scores, model.scores(fold.data))
        models.append(model)
    assert len(grown) == 1 and models[0] is models[1]


@pytest.mark.parametrize("pooling", ["forest", "boosted"])
def test_instances_beyond_single_precision_are_moved_to_its_ends(pooling):
    X, y = spread_bags(60)
    clf = MILClassifier(pooling=pooling, shrinkage=1.0, random_features=False, random_state=0)
    clf.fit(X, y)
    far = X.copy()
    far[0] *= 1e45
    with np.errstate(over="raise"):
        scores = clf.decision_function(far)
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(scores[1:], clf.decision_function(X)[1:])
