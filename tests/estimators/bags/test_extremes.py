"""Instances of extreme size: the answer of unit size, or a sentence; never chance, never NaN."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

from needlescope.estimators import (
    AttentionClassifier,
    Bags,
    MILClassifier,
    PooledClassifier,
    VectorizedClassifier,
)

KINDS = (MILClassifier, PooledClassifier, VectorizedClassifier)
SIZES = {
    np.float64: [1e-300, 1e-200, 1e-149, 1e-100, 1e-10, 1e10, 1e100, 1e148, 1e155, 1e200, 1e300],
    np.float32: [1e-42, 1e-37, 1e-34, 1e-20, 1e-10, 1e10, 1e16, 1e19, 1e30, 1e37],
}
FEW = [(np.float64, 1e-200), (np.float64, 1e155), (np.float32, 1e-37), (np.float32, 1e16)]
# Scaling is the same for all classifiers: every size for one of them, a few for each.
CASES = [(PooledClassifier, 1.0, dtype, size) for dtype in SIZES for size in SIZES[dtype]]
CASES += [(kind, s, *few) for kind, s, few in product(KINDS, (1.0, 0.5, None), FEW)]
CASES = list(dict.fromkeys(CASES))


def needles(seed=0, size=1.0, dtype=float):
    """Bags that no classifier separates, lest without a ridge their scores have no bound."""
    rng = np.random.default_rng(seed)
    y = np.arange(160) % 2
    X = rng.standard_normal((160, 6, 3))
    X[y == 1, 0, 0] += 4.0
    return (size * X).astype(dtype), y


def classifier(kind, shrinkage):
    quick = {"effort": "quick"} if kind is MILClassifier else {}
    return kind(ridge="auto", shrinkage=shrinkage, random_state=0, **quick)


@cache
def of_unit_size(kind, shrinkage):
    """The share that a classifier gets right where instances are of unit size."""
    return classifier(kind, shrinkage).fit(*needles()).score(*needles(1))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("kind", "shrinkage", "dtype", "size"), CASES)
def test_the_answer_of_unit_size_or_a_sentence(kind, shrinkage, dtype, size):
    clf, unit = classifier(kind, shrinkage), of_unit_size(kind, shrinkage)
    try:
        clf.fit(*needles(0, size, dtype))
    except ValueError as error:
        words = str(error)
        assert "divide all" in words or "multiply it" in words or "shrinkage=1" in words
        assert shrinkage is None or not 1e-34 <= size <= 1e16
        return
    test, y = needles(1, size, dtype)
    assert clf.score(test, y) > unit - 0.08
    assert np.isfinite(clf.decision_function(test)).all() and np.isfinite(clf.transform(test)).all()
    if kind is MILClassifier:
        model = clf.estimators_[0].model
        parts = (model.q, model.w, np.array(model.b), np.array(clf.attention_weights(test)))
        assert all(np.isfinite(part).all() for part in parts)


@pytest.mark.parametrize(("dtype", "size"), [(np.float64, 1e-200), (np.float32, 1e-42)])
def test_one_feature_too_thin_to_be_squared_is_named(dtype, size):
    X, y = needles(dtype=dtype)
    X[..., 1] *= size
    sentence = r"feature 'v' spreads over \de-.* only, .* multiply it by a constant, or drop it"
    bags = Bags.from_array(X)
    bags.names = ["u", "v", "w"]
    for estimator in (kind() for kind in KINDS):
        with pytest.raises(ValueError, match=sentence):
            estimator.fit(bags, y)
    X[..., 1] = dtype(3.0)  # what never changes has no spread to lose
    PooledClassifier(random_state=0).fit(X, y)


def test_a_tiny_bag_may_be_predicted():
    X, y = needles()
    clf = PooledClassifier(random_state=0).fit(X, y)
    assert np.isfinite(clf.decision_function(1e-300 * X[:2])).all()


def test_instances_that_are_not_scaled_must_suit_the_ridge():
    clf = PooledClassifier(shrinkage=None, random_state=0)
    with pytest.raises(ValueError, match=r"spread over .*e-0. only, too little .* or give a ridge"):
        clf.fit(*needles(size=1e-4))
    given = PooledClassifier(shrinkage=None, ridge=1e-10, random_state=0).fit(*needles(size=1e-4))
    assert given.score(*needles(1, 1e-4)) > 0.7
    with pytest.raises(
        ValueError, match=r"of size \de\+\d+, more than 1e\+09; bring them to about"
    ):
        clf.fit(*needles(size=1e12, dtype=np.float32))
    X = np.zeros((4, 2, 3))
    assert np.isfinite(clf.fit(X, [0, 1, 0, 1]).decision_function(X)).all()  # nothing to scale


@pytest.mark.parametrize("shrinkage", [1.0, 0.5])
def test_bags_in_other_units_than_the_fit_overflow_with_a_sentence(shrinkage):
    X, y = needles(size=1e-30, dtype=np.float32)
    clf = AttentionClassifier(
        kappa=1.0, ridge=0.1, max_refine_iter=0, cv=0, shrinkage=shrinkage
    ).fit(X, y)
    far = X.copy()
    far[3, 1, 0] = 1e10
    sentence = r"bag 3 is .*e\+\d\d deviations .* more than float32 holds; has it the same units"
    for ask in (clf.predict, clf.predict_proba, clf.transform, clf.attention_weights):
        with pytest.raises(ValueError, match=sentence):
            ask(far)
    assert np.isfinite(clf.decision_function(far.astype(float))).all()
