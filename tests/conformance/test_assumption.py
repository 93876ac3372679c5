"""Who keeps to the standard assumption: positive because something is there, never because missing.

The algorithmic unit tests of Raff and Holt (arXiv 2310.17867), on the bags of
``benchmarks/bags/assumption.py``: what tempts in training is turned round in the test, and an AUC
below 1/2 says that the temptation was learned.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.bags.assumption import POISON, TESTS, aucs, bags_of
from needlescope.estimators import MILClassifier, PooledClassifier

SEEDS = range(2)
MODES = {
    "evidence": lambda seed: MILClassifier("quick", pooling="log_mean_exp", random_state=seed),
    "attended": lambda seed: MILClassifier("quick", pooling="attention", random_state=seed),
    "mean": lambda seed: PooledClassifier(random_state=seed),
}
PASSES = {  # and who falls for the temptation; the others do neither in every draw
    "single concept": (["evidence"], ["attended"]),
    "frequency": (["evidence", "attended", "mean"], []),
    "false frequency": (["evidence"], ["mean"]),
    "both concepts, poisoned": (["evidence"], ["attended", "mean"]),
    "both concepts, false frequency": ([], ["mean"]),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("test", TESTS)
def test_who_passes_and_who_falls(test):
    passing, falling = PASSES[test]
    for seed in SEEDS:
        result = aucs(test, seed, MODES)
        assert all(result[name] > 0.6 for name in passing), result
        assert all(result[name] < 0.4 for name in falling), result
        if TESTS[test][1] == 1:  # the rule behind the labels has 0.94 to 1
            assert result["evidence"] > 0.85, result


def drop(clf, X, instance):
    """Return how far one instance more lowers the log odds of each bag."""
    more = [np.vstack([bag, instance]) for bag in X]
    return clf.decision_function(X) - clf.decision_function(more)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("options", [{"effort": "quick"}, {}, {"random_features": True}])
def test_one_instance_more_lowers_evidence_by_its_dilution_at_most(options):
    X, y = bags_of("single concept", 200, True, np.random.default_rng(0))
    clf = MILClassifier(pooling="log_mean_exp", random_state=0, **options).fit(X, y)
    slope = sum(member.weight * member.calibration.slope for member in clf.estimators_)
    slope *= clf.blend_.slope if len(clf.estimators_) > 1 else 1.0
    most = slope * np.log1p(1.0 / X.lengths)
    for seed in range(5):
        instance = 10.0 * np.random.default_rng(seed).standard_normal(X.d)
        assert (drop(clf, X, instance) <= most + 1e-9).all()
    poison = POISON * np.eye(X.d)[2]
    assert (drop(clf, X, poison) <= most + 1e-9).all()
    if "random_features" not in options:  # in which poison is no direction
        inside = np.abs(drop(clf, X, poison) - most) < 1e-3 * most
        assert inside.any()  # the bound is reached


def test_attention_has_no_such_bound():
    X, y = bags_of("single concept", 200, True, np.random.default_rng(0))
    clf = MODES["attended"](0).fit(X, y)
    positive = X[np.flatnonzero(y)]
    [slope] = [member.calibration.slope for member in clf.estimators_]
    fell = drop(clf, positive, POISON * np.eye(X.d)[2])
    assert np.median(fell / np.log1p(1.0 / positive.lengths)) > 3.0 * slope
