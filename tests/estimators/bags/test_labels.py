"""Labels and weights of all kinds: a right answer, or a sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

from needlescope.estimators import Bags, PooledClassifier

SIGNS = np.arange(20) % 2 == 1
WORDS = np.where(SIGNS, "yes", "no")
X = np.random.default_rng(0).standard_normal((20, 3, 2)) + 4.0 * SIGNS[:, None, None]


def fit(y, weight=None, **options):
    return PooledClassifier(ridge=0.1, cv=0, **options).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (SIGNS, "b"),
        (SIGNS.tolist(), "b"),
        (SIGNS.astype(object), "b"),
        (pd.Series(SIGNS), "b"),
        (pd.Series(SIGNS, dtype="boolean"), "b"),
        (pd.Series(SIGNS, dtype="category"), "b"),
        (SIGNS.astype(int), "i"),
        (SIGNS.astype(int).astype(object), "i"),
        (pd.Series(SIGNS.astype(int), dtype="Int64"), "i"),
        (pd.array(SIGNS.astype(int), dtype="Int64"), "i"),
        (pd.Categorical(SIGNS.astype(int)), "i"),
        (SIGNS.astype(float), "f"),
        (pd.Series(SIGNS.astype(float), dtype="Float64"), "f"),
        (WORDS, "U"),
        (WORDS.tolist(), "U"),
        (WORDS.astype(object), "O"),
        (pd.Series(WORDS), "O"),
        (pd.Series(WORDS, dtype="string"), "O"),
        (pd.Series(WORDS, dtype="category"), "O"),
        (pd.Categorical(WORDS, categories=["yes", "no", "perhaps"]), "O"),
    ],
)
def test_labels_are_predicted_as_they_came(y, kind):
    wanted = np.asarray(y).tolist()
    for options in ({}, {"class_weight": "balanced"}):
        clf = fit(y, **options)
        result = clf.predict(X)
        assert clf.classes_.dtype.kind == result.dtype.kind == kind
        assert [type(item) for item in result.tolist()] == [type(item) for item in wanted]
        assert result.tolist() == wanted


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ([1, "a"] * 10, "labels in y must be of one kind, .* got int and str"),
        (np.array([1, "a"] * 10, object), "labels in y must be of one kind"),
        ([True, "a"] * 10, "labels in y must be of one kind, .* got bool and str"),
        ([0, 1, None, 1] * 5, "a label for each bag, got None for bag 2; drop the bag, or label"),
        (["a", "b", "b", None] * 5, "a label for each bag, got None for bag 3"),
        ([0.0, np.nan] * 10, "a label for each bag, got nan for bag 1"),
        (np.array(["a", np.nan] * 10, object), "a label for each bag, got nan for bag 1"),
        (pd.Series([0, None] * 10, dtype="Int64"), "a label for each bag, got .* for bag 1"),
        (pd.Series([True, None] * 10, dtype="boolean"), "a label for each bag, got <NA> for bag 1"),
        (pd.Series(["a", None] * 10, dtype="string"), "a label for each bag, got .* for bag 1"),
        (pd.Categorical(["a", None] * 10), "a label for each bag, got nan for bag 1"),
        (np.array(["2020", "NaT"] * 10, "M8[Y]"), "a label for each bag, got NaT for bag 1"),
        (WORDS.astype(bytes), "numbers or words, got bytes, as .*b'no'.*; pass words"),
        ([[0], [0, 1]] * 10, "numbers or words, got list"),
        (1, "y should be a 1d array"),
    ],
)
def test_labels_that_are_none_are_refused(y, sentence):
    with pytest.raises(ValueError, match=sentence):
        fit(y)


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_a_bad_weight_is_named_with_its_place(value):
    weight = np.ones(20)
    weight[7] = value
    with pytest.raises(ValueError, match=f"must be 20 finite numbers .*, got {value} for bag 7"):
        fit(SIGNS, weight)


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (np.ones(3), r"sample_weight must be 20 finite numbers of at least 0, got shape \(3,\)"),
        (np.ones((20, 1)), r"got shape \(20, 1\)"),
        (["heavy"] * 20, "got something else: could not convert string to float: 'heavy'"),
        (np.zeros(20), "sample_weight must not be zero for all bags"),
    ],
)
def test_weights_that_are_none_are_refused(weight, sentence):
    with pytest.raises(ValueError, match=sentence):
        fit(SIGNS, weight)


@pytest.mark.parametrize("size", [1e-320, 1e-9, 1e300, 1.7e308])
def test_only_the_proportion_of_weights_counts(size):
    plain = fit(SIGNS).decision_function(X)
    np.testing.assert_allclose(fit(SIGNS, np.full(20, size)).decision_function(X), plain)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("even", "class_weight must be a dict .*, \"balanced\" or None, got 'even'"),
        ([1.0, 2.0], r"class_weight must be a dict .*, got \[1.0, 2.0\]"),
        (2.0, "class_weight must be a dict"),
        (True, "class_weight must be a dict"),
        ({"yes": 1.0, "No": 2.0}, "class_weight must name labels of y, 'no' and 'yes', got 'No'"),
        ({"yes": 1.0, "no": 2.0, "so": 1.0}, "must name labels of y, 'no' and 'yes', got 'so'"),
        ({"yes": -1.0}, "finite numbers of at least 0, got -1.0 for 'yes'"),
        ({"yes": np.nan}, "finite numbers of at least 0, got nan for 'yes'"),
        ({"no": np.inf}, "finite numbers of at least 0, got inf for 'no'"),
        ({"no": "much"}, "finite numbers of at least 0, got 'much' for 'no'"),
        ({"no": None}, "finite numbers of at least 0, got None for 'no'"),
        ({"yes": 0.0, "no": 0.0}, "class_weight must not be zero for both labels"),
        ({"yes": 0.0}, "bags with a weight above zero have one class only: no"),
    ],
)
def test_class_weights_that_are_none_are_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        fit(WORDS, class_weight=given)


def test_weights_that_leave_no_bag_are_refused():
    with pytest.raises(ValueError, match="sample_weight and class_weight together are zero"):
        fit(WORDS, SIGNS, class_weight={"yes": 0.0})


def test_class_weights_are_weights_of_bags():
    for y, given in (
        (WORDS, {"yes": 3.0}),
        (WORDS, {"yes": 3, "no": 1}),
        (SIGNS, {True: 3.0, False: 1.0}),
        (SIGNS.astype(int), {np.int64(1): 6e300, 0.0: 2e300}),
    ):
        weighted = fit(y, np.where(SIGNS, 3.0, 1.0)).decision_function(X)
        np.testing.assert_allclose(fit(y, class_weight=given).decision_function(X), weighted)
    few = np.arange(20) < 3
    balanced = fit(few, class_weight="balanced").decision_function(X)
    np.testing.assert_allclose(fit(few, np.where(few, 17, 3)).decision_function(X), balanced)


def test_a_series_that_names_the_bags_must_have_their_order():
    names = [f"b{k}" for k in np.random.default_rng(0).permutation(20)]
    bags = Bags.from_table(X.reshape(60, 2), np.repeat(names, 3))
    y = pd.Series(SIGNS, index=bags.ids)
    clf = PooledClassifier(ridge=0.1, cv=0)
    assert clf.fit(bags, y).score(bags, y) == 1.0
    assert cross_val_score(clf, bags, y, error_score="raise").mean() == 1.0
    clf.fit(bags, y.reset_index(drop=True))  # by position
    sentence = r"the index of y names the bags in another order .* y.loc\[X.ids\] .* y.to_numpy"
    with pytest.raises(ValueError, match=sentence):
        clf.fit(bags, y.sort_index())
    with pytest.raises(ValueError, match=sentence):
        cross_val_score(clf, bags, y.sort_index(), error_score="raise")
    weight = pd.Series(1.0, index=y.index).sort_index()
    with pytest.raises(ValueError, match="the index of sample_weight names the bags in another"):
        clf.fit(bags, y, sample_weight=weight)
    clf.fit(bags, y, sample_weight=weight.loc[bags.ids])


def test_an_index_of_numbers_may_be_positions():
    table, y = X.reshape(60, 2), pd.Series(SIGNS)
    clf = PooledClassifier(ridge=0.1, cv=0)
    counted = Bags.from_table(table, np.repeat(np.arange(1, 21), 3))
    assert clf.fit(counted, y).score(counted, y) == 1.0
    backwards = Bags.from_table(table, np.repeat(np.arange(20)[::-1], 3))
    with pytest.raises(ValueError, match="the index of y names the bags in another order"):
        clf.fit(backwards, y)
    assert clf.fit(backwards, y.to_numpy()).score(backwards, SIGNS) == 1.0
