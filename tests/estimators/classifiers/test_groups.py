"""Groups of bags, such as patients: never on both sides of a fold within the training bags."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.model_selection import GroupKFold, cross_validate

from needlescope.estimators import (
    AttentionClassifier,
    Bags,
    MILClassifier,
    PooledClassifier,
    VectorizedClassifier,
)
from needlescope.estimators.selection import cross_validation
from needlescope.estimators.selection import fit as fitting
from tests.estimators.hay import needles

ALL = (MILClassifier, PooledClassifier, VectorizedClassifier)


def patients(n=40, each=4, L=4, d=10, seed=0):
    """Bags that show which patient they are of, and nothing of the label, which is the patient's.

    What has seen another bag of a patient knows the label; of a new patient nobody knows it.
    """
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n), each)
    y = groups % 2
    X = 3.0 * rng.standard_normal((n, 1, d))[groups] + rng.standard_normal((n * each, L, d))
    return X, y, groups


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ALL)
def test_what_only_patients_show_is_not_mistaken_for_knowledge(kind):
    X, y, groups = patients(d=40)
    options = {"effort": "quick"} if kind is MILClassifier else {}
    apart = kind(random_state=0, **options).fit(X, y)
    together = kind(random_state=0, **options).fit(X, y, groups=groups)
    low, high = (-item.cv_results_["mean_test_score"][0] for item in (apart, together))
    assert low < 0.3 and high > 0.6  # 0.69 knows nothing
    new, labels, _ = patients(d=40, seed=1)
    low, high = (
        -np.log(item.predict_proba(new)[np.arange(len(labels)), labels]).mean() - np.log(2.0)
        for item in (together, apart)
    )
    assert low < 0.3 * high


def test_names_and_numbers_lists_and_series_are_the_same_groups():
    X, y, groups = patients(n=12)
    names = [f"patient {k}" for k in groups]
    result = [
        PooledClassifier(random_state=0).fit(X, y, groups=given).decision_function(X)
        for given in (groups, names, pd.Series(names), np.array(names, object), 0.5 * groups)
    ]
    for item in result[1:]:
        np.testing.assert_array_equal(item, result[0])


def test_routing_hands_groups_to_the_folds_outside_and_inside():
    X, y, groups = patients()
    with config_context(enable_metadata_routing=True):
        clf = PooledClassifier(random_state=0).set_fit_request(groups=True)
        result = cross_validate(
            clf, X, y, cv=GroupKFold(4), params={"groups": groups}, return_estimator=True
        )
    for item, (train, _) in zip(
        result["estimator"], GroupKFold(4).split(X, y, groups), strict=True
    ):
        same = PooledClassifier(random_state=0).fit(X[train], y[train], groups=groups[train])
        np.testing.assert_array_equal(item.decision_function(X), same.decision_function(X))
        assert item.cv_results_["mean_test_score"][0] < -0.5


def test_of_many_bags_those_drawn_keep_their_groups(monkeypatch):
    X, y, groups = patients(n=150)
    monkeypatch.setattr(fitting, "VALIDATION", 1)
    monkeypatch.setattr(fitting, "ENOUGH", 200)
    seen = []
    held_out = cross_validation.held_out

    def watched(labels, folds, random, own):
        places = held_out(labels, folds, random, own)
        seen.extend((own[known], own[test]) for known, test in places)
        return places

    monkeypatch.setattr(cross_validation, "held_out", watched)
    PooledClassifier(random_state=0).fit(X, y, groups=groups)
    assert len(seen) == 3 and sum(len(test) for _, test in seen) < 300
    assert not any(set(known) & set(test) for known, test in seen)


def test_bags_of_no_weight_have_no_part_in_the_groups():
    X, y, groups = patients(n=12)
    weight = (groups < 8).astype(float)
    some = weight > 0.0
    clf = PooledClassifier(random_state=0)
    left_out = clf.fit(X, y, weight, groups).decision_function(X)
    never = clf.fit(X[some], y[some], groups=groups[some]).decision_function(X)
    np.testing.assert_array_equal(left_out, never)
    assert not np.isnan(clf.cv_decision_function_).any()


def test_two_patients_of_a_class_make_two_folds():
    X, y, groups = patients(n=4)
    clf = MILClassifier("quick", random_state=0, cv=5).fit(X, y, groups=groups)
    assert not np.isnan(clf.cv_decision_function_).any()


def test_scores_of_one_patient_do_not_count_as_many():
    """Each bag twelve times over says no more of how ways differ than the bag does."""
    X, y = needles(n=60, theta=3.0)
    rows = np.repeat(np.arange(60), 12)
    once = MILClassifier("quick", random_state=0).fit(X, y, groups=np.arange(60))
    again = MILClassifier("quick", random_state=0).fit(X[rows], y[rows], groups=rows)
    errors = [
        np.median([se for se in item.cv_results_["difference_to_best_se"] if se > 0.0])
        for item in (once, again)
    ]
    assert errors[1] > 0.6 * errors[0]  # 0.29 of it, if each counted


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        (np.arange(7), "^groups must be one for each of the 48 bags, got 7$"),
        (np.zeros((48, 1)), r"^groups must be one for each of the 48 bags, got shape \(48, 1\)$"),
        ("Ada", r"^groups must be one for each of the 48 bags, got shape \(\)$"),
        ([None] * 48, "^groups must have one for each bag, got None for bag 0; "),
        (np.full(48, np.nan), "^groups must have one for each bag, got nan for bag 0; "),
        (np.ma.array(np.arange(48), mask=True), "^groups must not be masked"),
        (np.zeros(48), "^all bags of the positive class are in one group, and none are left"),
        (np.arange(48) % 2 * np.arange(48), "^all bags of the negative class are in one group"),
    ],
)
def test_groups_that_cannot_be_kept_are_refused(groups, sentence):
    X, _, _ = patients(n=12)
    with pytest.raises(ValueError, match=sentence):
        PooledClassifier().fit(X, np.arange(48) % 2, groups=groups)


def test_groups_in_another_order_are_refused():
    X, y, groups = patients(n=6)
    names = np.array([f"bag {k}" for k in range(len(X))])
    bags = Bags.from_table(X.reshape(-1, X.shape[2]), np.repeat(names, X.shape[1]))
    series = pd.Series(groups, index=names)
    PooledClassifier(random_state=0).fit(bags, y, groups=series[bags.ids])
    with pytest.raises(ValueError, match="the index of groups names the bags in another order"):
        PooledClassifier(random_state=0).fit(bags, y, groups=series[bags.ids[::-1]])


@pytest.mark.parametrize("split", ["split", "crossfit"])
def test_halves_do_not_know_groups(split):
    X, y, groups = patients(n=6)
    with pytest.raises(ValueError, match='groups are kept together by split="reuse" only'):
        AttentionClassifier(split=split).fit(X, y, groups=groups)
