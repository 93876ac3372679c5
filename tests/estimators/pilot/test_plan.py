"""Plans from pilot data, end to end: three answers, refusals, and what they rest on."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.estimators import AttentionClassifier, Bags, PooledClassifier
from needlescope.estimators.pilot import gather, plan
from tests.estimators.draws import draw

COVERS = ("verdict", "gather")
TASK = ns.Task(L=4, R=2, theta=3.0, pi=0.5)
QUICK = {"studies": 6, "splits": 2, "n_jobs": 1, "others": False}


@pytest.fixture(scope="module", autouse=True)
def estimated_once():
    """The same bags have the same estimate: it is made once."""
    kept, fit = {}, gather.fit_task

    def fit_task(bags, signs, *rest):
        key = bags.instances.tobytes() + signs.tobytes()
        if key not in kept:
            kept[key] = fit(bags, signs, *rest)
        return kept[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gather, "fit_task", fit_task)
        yield


@pytest.fixture(scope="module")
def pilot():
    return draw(TASK, 8, 80, 3)[:2]


@pytest.fixture(scope="module")
def result(pilot):
    return ns.plan_from_pilot(*pilot, n=160, learner=PooledClassifier(), **QUICK)


def test_three_answers_stand_side_by_side(result):
    assert [answer.method for answer in result.answers] == ["task", "resampled", "curve"]
    for answer in result.answers:
        assert 0.0 < answer.low < answer.value < answer.high < 0.5
    chosen = next(answer for answer in result.answers if answer.method == result.believed)
    assert (result.error, result.low, result.high) == chosen[1:4]
    assert result.n == 160 and result.bags == 80 and result.unknown == "error"
    assert list(result.measured) == [28, 40, 56, 68]


def test_the_verdict_begins_with_the_answer_to_believe(result):
    assert result.verdict.startswith(
        f"PooledClassifier trained on 160 bags has a mean test error of {result.error:.3g}, "
        f"between {result.low:.3g} and {result.high:.3g} (nine of ten), by "
    )
    assert result.reason in result.verdict
    for label in ("the pilot's own learning curve", "bags made of the pilot's own"):
        assert label in result.verdict
    assert "The pilot is like a task with L = 4, R = " in result.notes[0]


def test_answers_of_the_task_are_right_where_the_bags_are_of_one(result):
    errors = []  # of classifiers trained on 160 fresh bags each, drawn here
    for k in range(12):
        X, y, _ = draw(TASK, 8, 800, 100 + k)
        fitted = PooledClassifier().fit(X[:160], y[:160])
        errors.append(float((fitted.predict(X[160:]) != y[160:]).mean()))
    for answer in result.answers:
        assert answer.low < np.mean(errors) < answer.high


def test_the_same_seed_gives_the_same_plan(pilot, result):
    again = ns.plan_from_pilot(*pilot, n=160, learner=PooledClassifier(), **QUICK)
    other = ns.plan_from_pilot(*pilot, n=160, learner=PooledClassifier(), seed=1, **QUICK)
    assert again.answers == result.answers != other.answers


def test_a_number_of_bags_is_planned_for(pilot):
    result = ns.plan_from_pilot(*pilot, error=0.1, learner=PooledClassifier(), **QUICK)
    assert result.unknown == "n" and result.error == 0.1
    assert result.low <= result.n <= result.high
    assert "PooledClassifier needs " in result.verdict and "of 0.1, by " in result.verdict
    easier = ns.plan_from_pilot(*pilot, error=0.12, learner=PooledClassifier(), **QUICK)
    for a, b in zip(easier.answers, result.answers, strict=True):
        assert a.value < b.value


def test_a_learner_with_a_theory_is_answered_by_it(pilot):
    result = ns.plan_from_pilot(*pilot, n=160, learner="pooled", interval=False, **QUICK)
    task = result.answers[0]
    given = result.question.task
    direct = ns.plan(
        L=given.L, R=given.R, theta=given.theta, pi=given.pi, d=8, n=160, learner="pooled",
        interval=False, others=False,
    )  # fmt: skip
    assert task.method == "task" and task.value == pytest.approx(direct.error, abs=1e-9)
    assert len(result.answers) == 3
    if result.believed == "task":
        assert result.ridge == direct.ridge


def test_learners_that_no_classifier_is_fitted_for_have_one_answer(pilot):
    result = ns.plan_from_pilot(*pilot, n=160, learner="amp", interval=False, **QUICK)
    assert [answer.method for answer in result.answers] == ["task"]
    assert "there is no classifier to check it with on the pilot" in result.verdict
    assert result.measured == {}


def test_with_costs_the_task_alone_answers(pilot):
    result = ns.plan_from_pilot(
        *pilot, spend=800.0, costs=(3.0, 1.0), learner="pooled", interval=False, **QUICK
    )
    assert [answer.method for answer in result.answers] == ["task"]
    assert result.low <= result.error <= result.high and result.spend <= 800.0


def test_bags_of_many_lengths_and_lists_will_do():
    rng = np.random.default_rng(5)
    y = np.arange(60) % 2
    bags = [rng.standard_normal((int(rng.integers(2, 6)), 5)) + 1.5 * label for label in y]
    options = QUICK | {"learner": PooledClassifier()}
    as_list = ns.plan_from_pilot(bags, y, n=120, **options)
    as_bags = ns.plan_from_pilot(Bags.from_list(bags), y, n=120, **options)
    assert as_list.answers == as_bags.answers


def test_a_target_below_an_estimated_bayes_error_is_not_refused(pilot):
    result = ns.plan_from_pilot(*pilot, error=0.001, learner=PooledClassifier(), **QUICK)
    assert result.n == np.inf and not result.reached and result.floor > 0.001
    assert "needs more bags than can be told" in result.verdict
    assert "Beyond 64 times the bags of the pilot nothing is told." in result.notes


def test_progress_counts_all_steps(pilot):
    seen = []
    ns.plan_from_pilot(
        *pilot, n=100, learner=PooledClassifier(),
        progress=lambda done, total: seen.append((done, total)), **QUICK,
    )  # fmt: skip
    assert seen == [(k, 21) for k in range(1, 22)]  # the estimate, 8 parts, 6 and 6 studies


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"error": 0.7}, "error must be below 0"),
        ({"n": True}, "n must be a single integer"),
        ({"error": "0.1"}, "error must be a finite number"),
        ({"error": 0.1, "learner": "oak"}, "learner must be one of"),
        ({"error": 0.1, "learner": 3}, "learner must be the name of a learner or a classifier"),
        ({"error": 0.1, "learner": AttentionClassifier}, "write AttentionClassifier()"),
        ({"error": 0.1, "loss": "hope"}, "loss"),
        ({"error": 0.1, "tol": 0.0}, "tol must be"),
        ({"error": 0.1, "studies": 2}, "studies must be"),
        ({"error": 0.1, "splits": 0}, "splits must be"),
        ({"error": 0.1, "n_jobs": 0}, "n_jobs must be"),
        ({"error": 0.1, "progress": "yes"}, "progress must be"),
        ({"error": 0.1, "costs": (2.0, 1.0)}, "positives, costs and spend go with a learner that"),
        ({"spend": 100.0}, "spend needs costs="),
    ],
)
def test_a_question_is_refused_before_the_task_is_read_off_the_bags(monkeypatch, asked, says):
    def never(*given, **named):
        raise AssertionError("work was done before the refusal")

    monkeypatch.setattr(plan, "gather", never)
    X, y, _ = draw(ns.Task(L=3, R=1, theta=5.0, pi=0.5), 4, 20, 1)
    with pytest.raises(ValueError, match=says):
        ns.plan_from_pilot(X, y, **asked)


def test_without_a_signal_there_is_nothing_to_plan_for():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 5, 8)), np.arange(40) % 2
    with pytest.raises(ValueError, match="no signal was found in the 40 bags of the pilot") as told:
        ns.plan_from_pilot(X, y, error=0.1, learner=PooledClassifier(), **QUICK)
    assert "a classifier fitted to 34 of them has a test error of 0." in str(told.value)
    with pytest.raises(ValueError, match=r"standard errors\), so there is nothing to plan for"):
        ns.plan_from_pilot(X, y, error=0.1, learner="amp", **QUICK)


def test_a_strength_that_is_not_known_is_no_answer(pilot, monkeypatch):
    fit = gather.fit_task

    def uncertain(*given):
        found = fit(*given)
        return found._replace(theta_se=1.5 * found.task.theta)

    monkeypatch.setattr(gather, "fit_task", uncertain)
    result = ns.plan_from_pilot(*pilot, n=160, learner=PooledClassifier(), **QUICK)
    assert [answer.method for answer in result.answers] == ["curve"]
    assert "The strength of the signal in the pilot is not known (θ = " in result.verdict
    with pytest.raises(ValueError, match="nothing is known of its strength"):
        ns.plan_from_pilot(*pilot, n=160, learner="amp", **QUICK)


def test_bags_that_are_too_large_to_be_drawn_leave_the_curve(pilot, monkeypatch):
    monkeypatch.setattr("needlescope.estimators.pilot.worlds.MOST_NUMBERS", 4 * 8 * 60)
    result = ns.plan_from_pilot(*pilot, n=160, learner=PooledClassifier(), **QUICK)
    assert [answer.method for answer in result.answers] == ["curve"]
    assert "Bags are too large for simulated studies of so many." in result.notes


class Parity:
    """Answers by what no task of the theory has: the sign of the product of the first features."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return (np.array([bag[0, 0] * bag[0, 1] for bag in X]) > 0.0).astype(int)


def test_a_classifier_that_finds_what_the_theory_does_not_has_its_own_curve():
    X = np.random.default_rng(1).standard_normal((60, 3, 6))
    y = (X[:, 0, 0] * X[:, 0, 1] > 0.0).astype(int)
    result = ns.plan_from_pilot(X, y, n=200, learner=Parity(), **QUICK)
    assert [answer.method for answer in result.answers] == ["curve"] and result.error < 0.05
    assert "No task of the theory was found in the pilot" in result.verdict
    assert np.isnan(result.theta) and result.others == ()


class Broken(Parity):
    def fit(self, X, y):
        raise RuntimeError("out of luck")


def test_a_classifier_that_fails_is_named(pilot):
    with pytest.raises(ValueError, match="failed on 8 of 8 parts of the pilot: RuntimeError: out"):
        ns.plan_from_pilot(*pilot, n=200, learner=Broken(), **QUICK)
