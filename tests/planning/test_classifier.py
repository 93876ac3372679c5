"""Plans for classifiers whose error is known, and for those of the package."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import needlescope as ns
from needlescope.estimators import PooledClassifier
from needlescope.planning import USUAL
from needlescope.planning.learning_curves import learning_curves
from needlescope.results.planned import ClassifierPlan
from tests.planning.studies.bags import AT, E_AT, Constant, Failing, Known

ASK = {"L": 2, "theta": 40.0, "d": 1, "others": False, "n_jobs": 1}


def plan(classifier, **more):
    return ns.plan(**{**ASK, "learner": classifier, **more})


def test_the_number_of_bags_of_a_known_classifier():
    result = plan(Known(0.05), error=E_AT)
    assert isinstance(result, ClassifierPlan) and result.unknown == "n" and result.reached
    assert result.low < AT < result.high and result.low < result.n < result.high
    assert result.error == pytest.approx(E_AT, abs=1e-3) and result.target == E_AT
    assert result.positives == round(0.5 * result.n) and np.isnan(result.n0)
    assert result.interval.low < E_AT < result.interval.high
    assert result.verdict.startswith(f"Known needs {result.n:,.0f} bags, between")
    assert all(row.n == pytest.approx(row.at) for row in result.studies)
    assert result.to_dict()["interval"]["trials"] == len(result.studies)


def test_an_assured_study():
    mean, assured = plan(Known(0.1), error=E_AT), plan(Known(0.1), error=E_AT, assurance=0.9)
    assert assured.n > mean.n and assured.error < E_AT
    assert assured.assured == pytest.approx(E_AT, abs=1e-3) and np.isnan(mean.assured)
    assert assured.scatter == pytest.approx(0.1, rel=0.5)
    assert "for 90% of studies to have a test error of 0.2 or better" in assured.verdict


def test_the_error_of_a_number_of_bags():
    result = plan(Known(0.05), n=200, assurance=0.8)
    assert result.unknown == "error" and result.n == 200.0
    assert abs(result.error - E_AT) < 4.0 * result.error_se
    assert result.assured > result.error and "80% of studies have 0.2" in result.verdict


@pytest.mark.slow
def test_the_strength_of_a_signal():
    class Weak(Known):
        """A classifier that is better where the signal is stronger."""

        def fit(self, X, y):
            super().fit(X, y)
            self.error_ = float(np.clip(0.8 / np.abs(X).max(axis=(1, 2)).mean(), 0.0, 0.5))
            return self

        def predict(self, X):
            top = np.abs(X).max(axis=(1, 2))
            return (top > np.median(top)).astype(int) ^ (self.rng.random(len(X)) < self.error_)

    result = plan(Weak(), theta=None, n=100, error=0.15)
    assert result.unknown == "theta" and result.low < result.theta < result.high
    check = plan(Weak(), theta=result.theta, n=100)
    assert abs(check.error - 0.15) < 4.0 * np.hypot(check.error_se, result.error_se) + 2e-3


@pytest.mark.slow
def test_the_length_of_a_bag():
    class Crowded(Known):
        """A classifier that is worse in longer bags."""

        def fit(self, X, y):
            super().fit(X, y)
            self.error_ = 0.5 - 0.5 / (1.0 + X.shape[1] / 20.0)
            return self

    result = plan(Crowded(), L=None, n=100, error=0.2)  # 0.2 at L = 13.3
    assert result.unknown == "L" and 11 <= result.L <= 15
    assert result.verdict.startswith(f"Crowded allows at most {result.L} instances")


def test_what_is_not_reached_is_said():
    result = plan(Constant(0.3), error=0.1)
    assert not result.reached and result.n == np.inf
    assert "Constant was not seen to reach a mean test error of 0.1" in result.verdict


def test_notes_of_failures_of_budgets_and_of_the_low_end():
    result = plan(Constant(0.05), error=0.1)
    assert (
        result.n == result.low == result.high == 20.0
        and "Fewer than 20 bags, 10 of the rarer class" in result.notes[0]
    )
    result = plan(Known(1.0), error=E_AT, studies=12)
    assert "ended with its 12 studies" in result.notes[0]
    result = plan(Failing(0.05), n=150, error=None)
    assert result.notes == ()
    with pytest.raises(ValueError, match="the classifier failed on 4 of 4 simulated studies"):
        plan(Failing(0.05), n=151)


def test_a_pipeline_and_another_measure():
    pooled = make_pipeline(
        FunctionTransformer(lambda X: X.mean(axis=1)), LogisticRegression(random_state=0)
    )
    result = plan(pooled, L=3, theta=3.0, d=10, measure="auc", target=0.85, store=None)
    assert result.reached and result.error == pytest.approx(0.85, abs=2e-3)
    check = plan(pooled, L=3, theta=3.0, d=10, measure="auc", n=int(result.n), seed=1)
    assert abs(check.error - 0.85) < 4.0 * np.hypot(check.error_se, result.error_se)
    assert result.measure == "auc" and "a mean AUC of 0.85" in result.verdict


def test_a_classifier_of_the_package_beside_the_theory_and_in_a_spectrum():
    noise = ns.Noise(spectrum=ns.Spectrum.spiked(4.0, 0.1))
    result = ns.plan(
        L=4, theta=4.0, d=20, error=0.2, learner=PooledClassifier(), noise=noise,
        others=["pooled"], n_jobs=1,
    )  # fmt: skip
    theory = {other.learner: other.value for other in result.others}["pooled"]
    assert theory / 3.0 < result.n < 3.0 * theory  # the limit of large d, at d = 20


def test_bags_of_several_lengths_and_several_signals_beside_the_theory_of_the_like():
    class Largest(Known):
        """The largest instance against a threshold, of lists of bags."""

        def fit(self, X, y):
            assert isinstance(X, list) and {len(bag) for bag in X} == {2, 6}
            super().fit(np.zeros((len(X), 1, 1)), y)
            return self

        def predict(self, X):
            truth = np.array([np.linalg.norm(bag, axis=1).max() > 20.0 for bag in X])
            return np.where(self.rng.random(len(X)) < self.error_, ~truth, truth).astype(int)

    given = {"L": None, "d": 3, "lengths": [2, 6, 6], "signals": 2, "error": E_AT}
    result = plan(Largest(0.05), **given, others=["pooled"])
    assert result.low < AT < result.high and result.L == 5
    assert result.notes == (
        "A positive bag carries one of 2 signals; lines of the theory are for a single one.",
        "Bags have 2 to 6 instances; lines of the theory are for bags of the mean, 5.",
    )
    assert result.floor < 1e-3 and result.others[0].learner == "pooled"


def test_the_theory_answers_before_the_first_study():
    events = []

    class Listener:
        def __call__(self, done, total):
            events.append(done)

        def message(self, sentence):
            events.append(sentence)

    plan(Known(0.05), error=E_AT, progress=Listener())
    first = events.index(0)
    assert events[0].startswith("In theory the Bayes-optimal learner needs")
    assert events[first - 2].startswith("In theory attention")
    assert events[first - 1] == "Studies of Known follow." and 4 in events[first:]


def test_a_store_and_progress(tmp_path):
    seen = []
    given = {"error": E_AT, "store": tmp_path / "s.jsonl", "studies": 40}
    first = plan(Known(0.05), progress=lambda done, total: seen.append((done, total)), **given)
    assert seen[-1] == (len(first.studies), 40)
    again = plan(Known(0.05), **given)
    assert again.n == first.n and again.studies == first.studies


def test_curves_around_it_are_of_the_theory_alone():
    result = plan(Constant(0.05), error=0.1, d=2, signals=2)
    assert set(learning_curves(result, points=1).errors) == set(USUAL)
