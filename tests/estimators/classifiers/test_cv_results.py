"""What was compared, in the columns of scikit-learn's searches."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from needlescope.estimators import MILClassifier, PooledClassifier
from needlescope.estimators.candidates.attention import Attention
from needlescope.estimators.candidates.forest import Forest
from needlescope.estimators.candidates.mean import Mean
from needlescope.estimators.candidates.shared.candidate import Configuration
from needlescope.estimators.classifiers.cv_results import cv_results
from needlescope.estimators.selection.choice import Compared
from tests.estimators.hay import needles

COMPARED = [
    Compared(Configuration(Mean(), 0.1), 0.0, 0.0, 0.3, 1.0),
    Compared(Configuration(Mean(), 0.2), 0.1, 0.05, 0.4, 0.0),
    Compared(Configuration(Mean(), 0.3), 0.1, 0.06, 0.4, 0.0),
    Compared(Configuration(Forest()), 0.2, 0.1, np.nan, 0.0),
    Compared(Configuration(Attention(), 0.1), 0.3, 0.1, np.nan, 0.0),
]


def test_ranks_are_those_of_scores_ties_share_one_and_what_was_dropped_is_last():
    results = cv_results(COMPARED)
    assert results["rank_test_score"].tolist() == [1, 2, 2, 4, 4]
    np.testing.assert_array_equal(results["mean_test_score"], [-0.3, -0.4, -0.4, np.nan, np.nan])
    np.testing.assert_array_equal(results["difference_to_best"], [0.0, -0.1, -0.1, -0.2, -0.3])
    assert results["difference_to_best_se"].tolist() == [0.0, 0.05, 0.06, 0.1, 0.1]
    assert results["weight"].tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert results["selected"].tolist() == [True, False, False, False, False]


def test_parameters_that_do_not_apply_are_masked():
    results = cv_results(COMPARED)
    assert results["param_ridge"].tolist() == [0.1, 0.2, 0.3, None, 0.1]
    assert results["param_kappa"].mask.tolist() == [True, True, True, True, False]
    assert [set(item) for item in results["params"][3:]] == [
        {"pooling", "shrinkage", "random_features"},
        {"pooling", "shrinkage", "random_features", "ridge", "init", "max_refine_iter"}
        | {"kappa", "n_queries", "append_mean"},
    ]


def test_columns_are_those_of_a_search_of_scikit_learn_and_as_long():
    X, y = needles(n=60)
    results = MILClassifier("quick", random_state=0).fit(X, y).cv_results_
    search = GridSearchCV(PooledClassifier(ridge=0.1, cv=0), {"ridge": [0.1]}, cv=2).fit(X, y)
    assert {"params", "param_ridge", "mean_test_score", "rank_test_score"} <= (
        results.keys() & search.cv_results_.keys()
    )
    assert len({len(column) for column in results.values()}) == 1
    assert results["selected"].sum() == 1 and results["rank_test_score"][0] == 1


def test_differences_are_of_scores_on_the_same_bags():
    X, y = needles(n=60)
    results = PooledClassifier(random_state=0).fit(X, y).cv_results_
    score = results["mean_test_score"]
    assert results["difference_to_best"] == pytest.approx(score - score[0], abs=1e-12)
    assert (np.diff(score) <= 0.0).all() and (results["difference_to_best_se"][1:] > 0.0).all()


def test_nothing_compared_is_an_empty_table():
    X, y = needles(n=20)
    results = PooledClassifier(ridge=0.1, cv=0).fit(X, y).cv_results_
    assert results["params"] == [] and len(results["mean_test_score"]) == 0
