"""One study: what is fitted, what is measured, and what of it is the noise of its fresh bags."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

import needlescope as ns
from needlescope.planning.studies.measures import get_measure
from needlescope.planning.studies.study import (
    SINGLE_CLASS,
    TEST_BAGS,
    Job,
    check_classifier,
    copy_of,
    direction_of,
    draw_bags,
    run_study,
)
from tests.planning.studies.bags import E_AT, Failing, Known, job


def largest(X):
    return np.abs(X).max(axis=1)


def test_a_known_error_is_measured_and_its_noise_is_that_of_the_binomial_law():
    studies = [run_study(job(Known(), seed=seed)) for seed in range(30)]
    values, noise = np.array([(study.value, study.noise) for study in studies]).T
    binomial = np.sqrt(E_AT * (1.0 - E_AT) / TEST_BAGS)
    assert abs(values.mean() - E_AT) < 4.0 * binomial / np.sqrt(30)
    assert np.sqrt((noise**2).mean()) == pytest.approx(binomial, rel=0.15)  # 450 degrees of freedom
    assert values.std(ddof=1) < 1.5 * binomial


def test_a_study_is_a_function_of_its_job():
    given = job(Known(0.1), seed=4)
    assert run_study(given).value == run_study(given).value
    assert run_study(job(Known(0.1), seed=5)).value != run_study(given).value


def test_the_classifier_itself_is_left_alone():
    classifier = Known()
    run_study(job(classifier))
    assert not hasattr(classifier, "error_") and classifier.random_state is None


def test_pipelines_and_their_nested_random_states():
    pipeline = make_pipeline(FunctionTransformer(largest), LogisticRegression(random_state=3))
    assert run_study(job(pipeline)).value == 0.0
    made = [
        copy_of(pipeline, np.random.SeedSequence(k))[-1].get_params()["random_state"]
        for k in (0, 1)
    ]
    assert made[0] != made[1] and pipeline[-1].random_state == 3


def test_answers_are_those_of_predict():
    class Contrary(Known):
        def predict_proba(self, X):
            truth = np.abs(X).max(axis=(1, 2)) > 20.0
            return np.array([truth, ~truth], float).T  # the other way round

    assert run_study(job(Contrary())).value == pytest.approx(E_AT, abs=0.03)
    assert run_study(job(Contrary(), measure="auc")).value == 0.0
    assert run_study(job(Contrary(), measure="log_loss")).value > 20.0


def test_scores_may_be_decision_values():
    pipeline = make_pipeline(FunctionTransformer(largest), SVC(kernel="linear"))
    assert run_study(job(pipeline, measure="auc")).value == 1.0


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        (lambda X: np.full(len(X), np.nan), "ValueError: scores must be finite numbers"),
        (lambda X: np.zeros(3), "ValueError: got scores of shape (3,) for 4000 bags"),
    ],
)
def test_what_cannot_be_measured_is_a_failure(scores, says):
    class Odd(Known):
        decision_function = staticmethod(scores)

    study = run_study(job(Odd(), measure="auc"))
    assert np.isnan(study.value) and study.failure == says


def test_a_failure_says_why():
    study = run_study(job(Failing()))
    assert np.isnan(study.value) and study.failure == "RuntimeError: out of ideas"


def test_an_interrupt_is_no_failure():
    class Stopped(Known):
        def fit(self, X, y):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study(job(Stopped()))


def test_a_single_class_teaches_nothing():
    study = run_study(job(Known(), n=2, pi=0.01))
    assert study.failure == SINGLE_CLASS and study.value == 0.01


def test_rare_positives_are_measured_on_more_bags():
    study = run_study(job(Known(), n=2000, pi=0.004))
    assert 0.0 < study.noise < np.sqrt(0.25 / 12_000)


@pytest.mark.parametrize(
    ("classifier", "measure", "says"),
    [
        (Known, "error", r"learner must be a classifier, got the class Known; write Known\(\)"),
        (3, "error", "learner must be the name of a learner or a classifier of bags with fit"),
        (Known(), "log_loss", "learner must have predict_proba for measure='log_loss'"),
        (Known(), "auc", "learner must have decision_function or predict_proba for measure='auc'"),
    ],
)
def test_what_does_not_score_is_refused(classifier, measure, says):
    with pytest.raises(ValueError, match=says):
        check_classifier(classifier, get_measure(measure, 0.5))


def test_several_signals_are_orthogonal_and_each_positive_carries_one():
    given = job(Known(), signals=(0.25, 0.75))._replace(d=4)
    xi = direction_of(given.task, 4, np.random.default_rng(0))
    assert xi @ xi.T == pytest.approx(np.eye(2), abs=1e-12)
    X, sign = draw_bags(given.task, 2000, xi, np.random.SeedSequence(0))
    carries = (X @ xi.T > 20.0).any(axis=1)
    assert (carries.sum(axis=1) == (sign > 0.0)).all()
    share = carries[sign > 0.0, 0].mean()
    assert abs(share - 0.25) < 4.0 * np.sqrt(0.25 * 0.75 / (sign > 0.0).sum())


class Keeper:
    """Keeps the covariance of what it is trained on and of what it answers."""

    seen: ClassVar[list] = []

    def fit(self, X, y):
        self.seen.append(np.cov(X.reshape(-1, X.shape[-1]).T))
        return self

    def predict(self, X):
        self.seen.append(np.cov(X.reshape(-1, X.shape[-1]).T))
        return np.zeros(len(X), int)


@pytest.mark.parametrize("turned", [True, False])
def test_a_spectrum_lies_along_random_axes_and_a_covariance_where_it_says(turned):
    covariance = np.diag([9.0, 1.0, 1.0, 1.0, 1.0])
    noise = ns.Noise(spectrum=np.diag(covariance)) if turned else ns.Noise(covariance=covariance)
    task = ns.Task(L=8, R=1, theta=0.1, pi=0.5, noise=noise)
    Keeper.seen.clear()
    run_study(Job(Keeper(), task, 5, 600, get_measure("error", 0.5), np.random.SeedSequence(5)))
    trained, tested = Keeper.seen
    assert trained == pytest.approx(tested, abs=0.8)  # the same axes: 5 standard errors of 9
    assert np.linalg.eigvalsh(trained)[-1] == pytest.approx(9.0, abs=0.9)
    assert (np.diag(trained).max() < 7.5) == turned  # no feature is the loud axis
