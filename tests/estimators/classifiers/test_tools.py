"""The tools around scikit-learn's estimators, with bags in every form."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_validate,
    learning_curve,
    permutation_test_score,
    train_test_split,
)
from sklearn.pipeline import make_pipeline, make_union
from sklearn.utils import resample

from needlescope.estimators import AttentionClassifier, Bags, InstanceTransformer, PooledClassifier

Y = np.where(np.arange(36) % 2 == 1, "needle", "hay")


def array():
    X = np.random.default_rng(0).standard_normal((36, 4, 3))
    X[Y == "needle", 0, 0] += 8.0
    return X


def ragged():
    return [bag[: 2 + k % 3] for k, bag in enumerate(array())]


def objects():
    result = np.empty(36, object)
    result[:] = ragged()
    return result


FORMS = {
    "array": array,
    "list": ragged,
    "objects": objects,
    "bags": lambda: Bags.from_list(ragged()),
}
REDUCE = PCA(random_state=0)
attention = AttentionClassifier(kappa=1.0, ridge=0.1, max_refine_iter=0, cv=0)
pooled = PooledClassifier(ridge=0.1, cv=0)
pipe = make_pipeline(InstanceTransformer(REDUCE), attention)


@pytest.fixture(params=FORMS)
def X(request):
    return FORMS[request.param]()


def test_a_search_over_a_pipeline(X):
    grid = {
        "instancetransformer__transformer__n_components": [2, 3],
        "attentionclassifier__ridge": [0.1, 1.0],
    }
    search = GridSearchCV(clone(pipe), grid, cv=3, error_score="raise").fit(X, Y)
    assert search.best_score_ > 0.8 and search.predict(X).shape == (36,)
    assert search.n_features_in_ == 3


def test_predictions_out_of_fold(X):
    p = cross_val_predict(attention, X, Y, cv=3, method="predict_proba")
    assert p.shape == (36, 2) and ((p[:, 1] > 0.5) == (Y == "needle")).mean() > 0.8


def test_scores_permutations_and_curves(X):
    scores = cross_validate(attention, X, Y, cv=3, scoring=["roc_auc"], error_score="raise")
    assert scores["test_roc_auc"].mean() > 0.9
    assert permutation_test_score(attention, X, Y, cv=3, n_permutations=5, random_state=0)[0] > 0.8
    sizes = learning_curve(attention, X, Y, cv=3, train_sizes=[0.5, 1.0], error_score="raise")[0]
    assert len(sizes) == 2


@pytest.mark.parametrize("ensemble", [True, False])
def test_calibration(X, ensemble):
    clf = CalibratedClassifierCV(attention, cv=3, ensemble=ensemble)
    assert clf.fit(X, Y, sample_weight=np.ones(36)).score(X, Y) > 0.8


def test_committees(X):
    both = [("attention", attention), ("pooled", pooled)]
    assert StackingClassifier(both, cv=3).fit(X, Y).score(X, Y) > 0.8
    assert VotingClassifier(both, voting="soft").fit(X, Y).score(X, Y) > 0.8
    assert make_union(attention, pooled).fit(X, Y).transform(X).shape == (36, 6)


def test_splits_and_draws(X):
    known, _, y, _ = train_test_split(X, Y, stratify=Y, random_state=0)
    assert type(known) is type(X) and len(known) == len(y) == 27
    drawn, y = resample(X, Y, random_state=0)
    assert clone(attention).fit(drawn, y).score(drawn, y) > 0.8


def test_weights_find_their_way_through_a_pipeline(X):
    weight = np.where(Y == "needle", 3.0, 1.0)
    wanted = clone(pipe).fit(X, Y, attentionclassifier__sample_weight=weight).decision_function(X)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(attention).set_fit_request(sample_weight=True)
        asking = asking.set_score_request(sample_weight=True)
        routed = make_pipeline(InstanceTransformer(REDUCE), asking)
        result = routed.fit(X, Y, sample_weight=weight).decision_function(X)
        given = {"sample_weight": weight}
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        assert routed.score(X, Y, **given) == scorer(routed, X, Y, **given)
        options = {"scoring": scorer, "params": given, "error_score": "raise"}
        scores = cross_validate(routed, X, Y, cv=3, **options)
        assert scores["test_score"].mean() > 0.7
    np.testing.assert_allclose(result, wanted)


def test_what_is_shown_of_them():
    assert repr(clone(pipe)[0]) == "InstanceTransformer(transformer=PCA(random_state=0))"
    for item in (attention, pooled, InstanceTransformer(REDUCE), pipe):
        assert type(item).__name__ in clone(item)._repr_html_()
        assert type(item).__name__ in clone(item).fit(array(), Y)._repr_html_()
