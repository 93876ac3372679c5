"""Plans for classifiers where training has a balance of classes of its own, beside simulations."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

import needlescope as ns
from needlescope.estimators import AttentionClassifier
from needlescope.planning.studies.drawn import Drawn
from tests.planning.studies.bags import Known

L, THETA, PI, D = 3, 5.0, 0.1, 10
ASK = {"L": L, "theta": THETA, "pi": PI, "d": D, "others": False, "n_jobs": 1}


def means(X):
    return X.mean(axis=1)


def pooled(last=None):
    return make_pipeline(FunctionTransformer(means), last or LogisticRegression(C=10.0))


def bags(positives, negatives, theta, xi, rng):
    """Draw bags by hand: noise, and the signal on one token of each positive."""
    X = rng.standard_normal((positives + negatives, L, D))
    X[np.arange(positives), rng.integers(0, L, positives)] += theta * xi
    return X, np.arange(positives + negatives) < positives


def simulated(positives, negatives, trials, theta=THETA, fresh=20_000):
    """Return the errors of pooled classifiers on bags with the share PI, odds moved by hand."""
    rng, errors = np.random.default_rng(0), []
    for _ in range(trials):
        xi = rng.standard_normal(D)
        xi /= np.linalg.norm(xi)
        clf = pooled().fit(*bags(positives, negatives, theta, xi, rng))
        X, y = bags(round(PI * fresh), fresh - round(PI * fresh), theta, xi, rng)
        odds = clf.predict_proba(X)[:, 1] / clf.predict_proba(X)[:, 0]
        moved = odds * (PI / (1.0 - PI)) / (positives / negatives)
        errors.append(((moved > 1.0) != y).mean())
    return np.mean(errors), np.std(errors, ddof=1) / np.sqrt(trials)


def agrees(result, target):
    """Whether classifiers at the answer have the target, within two standard errors."""
    positives = round(result.positives)
    mean, se = simulated(positives, round(result.n) - positives, 60, result.theta)
    return abs(mean - target) < 2.0 * np.hypot(se, result.error_se)


def test_a_number_of_positives_agrees_with_a_simulation_by_hand():
    result = ns.plan(**ASK, error=0.055, learner=pooled(), positives=40)
    assert result.positives == 40 and result.reached and agrees(result, 0.055)
    assert result.balance == pytest.approx(40 / result.n)
    assert result.verdict.startswith(f"Pipeline needs {result.n:,.0f} bags, 40 of them positive, b")
    given = ns.plan(**ASK, n=120, learner=pooled(), positives=60)
    mean, se = simulated(60, 60, 60)
    assert abs(given.error - mean) < 3.0 * np.hypot(se, given.error_se)
    moved = np.log(PI / (1.0 - PI))
    assert given.shift == pytest.approx(moved) and f"Log odds move by {moved:.3g}" in given.verdict


@pytest.mark.slow
def test_costs_are_met_and_the_answer_is_what_is_spent():
    result = ns.plan(**ASK, error=0.055, learner=pooled(), costs=(20, 1))
    assert result.spend == 20 * result.positives + (result.n - result.positives)
    assert result.low <= result.spend <= result.high and agrees(result, 0.055)
    assert {row.balance for row in result.studies} >= {PI, 0.5, result.balance}
    assert f"{result.balance:.3g} was the best at the same spend" in result.verdict
    assert result.to_dict()["studies"]  # those of the comparison among them
    given = ns.plan(**ASK, spend=result.spend, learner=pooled(), costs=(20, 1))
    assert given.unknown == "error" and given.spend <= result.spend
    assert given.error == pytest.approx(0.055, abs=4.0 * np.hypot(given.error_se, result.error_se))


@pytest.mark.slow
def test_a_positive_that_is_dear_is_cheaper_than_bags_as_they_come():
    """For attention at the story of screening hits: half of the molecules are hits."""
    given = {"L": 12, "theta": 4.0, "pi": 0.1, "d": 60, "error": 0.05, "others": False}
    given |= {"learner": AttentionClassifier(effort="quick"), "n_jobs": 1, "seconds": 60.0}
    plain, priced = ns.plan(**given), ns.plan(**given, costs=(20, 1))
    assert priced.high < 20 * plain.positives + plain.n - plain.positives
    assert priced.positives > 0.3 * priced.n


def test_what_is_spent_may_be_given_with_the_signal_left_out():
    given = {**ASK, "theta": None, "error": 0.055, "learner": pooled()}
    result = ns.plan(**given, spend=600, costs=(20, 1))
    assert result.unknown == "theta" and result.low < result.theta < result.high
    assert 560.0 < result.spend <= 600.0 and f"which cost {result.spend:,.4g}" in result.verdict
    assert agrees(result, 0.055)


@pytest.mark.slow
def test_what_is_spent_may_be_given_with_the_length_left_out():
    given = {**ASK, "L": None, "theta": 6.0, "error": 0.055, "learner": pooled()}
    result = ns.plan(**given, spend=600, costs=(20, 1))
    assert result.unknown == "L" and result.low <= result.L <= result.high
    errors = []
    for longer in (0, 2):
        task = {**ASK, "L": result.L + longer, "theta": 6.0, "learner": pooled()}
        errors.append(ns.plan(**task, spend=600, costs=(20, 1)).error)
    assert errors[0] < 0.06 and errors[1] > 0.055


def test_a_classifier_without_probabilities_is_refused_where_they_are_needed():
    for more in ({"positives": 20}, {"costs": (20, 1)}):
        for learner in (Known(), pooled(LinearSVC())):
            with pytest.raises(ValueError, match=r"learner must have predict_proba where training"):
                ns.plan(**ASK, error=0.05, learner=learner, **more)
    scored = ns.plan(**ASK, n=60, learner=pooled(LinearSVC()), measure="auc", positives=20)
    assert 0.5 < scored.error < 1.0  # ranks need no probabilities


def test_drawn_bags_have_the_number_of_positives():
    seen = []

    class Counting(Known):
        """A classifier that keeps the labels that it sees."""

        def fit(self, X, y):
            seen.append((len(y), int(y.sum())))
            return super().fit(X, y)

        def predict_proba(self, X):
            p = self.predict(X)
            return np.stack([1.0 - p, p], axis=1)

    ns.plan(**{**ASK, "theta": 40.0}, n=50, learner=Counting(), positives=7)
    assert set(seen) == {(50, 7)}
    seen.clear()
    ns.plan(**{**ASK, "theta": 40.0}, spend=300, learner=Counting(), costs=(20, 1), studies=20)
    drawn = [Drawn(PI, balance=k / n).bags(n) for n, k in seen]
    assert drawn == seen and all(20 * k + n - k <= 300 for n, k in seen)
