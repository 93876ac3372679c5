"""Ends of ranges, extreme values, long sequences, losses of one's own: an answer or a sentence."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import needlescope as ns
from tests.memory import PEAK, needs_peak

TRAINING = ns.Training(alpha0=4.0, alpha1=2.0)


@pytest.mark.parametrize("model", ["attention", "pooled", "vectorized"])
def test_without_a_signal_the_limit_is_the_rarer_class(model):
    query = ns.Query(1.0, 0.5) if model == "attention" else None
    result = ns.asymptote(ns.Task(10, 1, [0.0, 0.0], [0.5, 0.2]), model, query=query)
    assert result.limit.tolist() == [0.5, 0.2]
    assert result.rate.tolist() == [0.0, 0.0]


def test_without_a_signal_attention_and_pooling_are_tied():
    assert ns.crossover(ns.Task(10, 1, 0.0, 0.5), 1.0, tol=1e-2).verdict == "tied"


@pytest.mark.parametrize("model", ["attention", "bayes", "pooled"])
def test_a_threshold_is_where_the_oracle_reaches_the_error(model):
    task = ns.Task(20, 1, 1.0, 0.5)
    result = ns.oracle_threshold(task, model, 0.05, tol=1e-3)
    at_root = ns.oracle(task.replace(theta=result.theta), model, tol=1e-3)
    steeper = ns.oracle(task.replace(theta=result.theta + 0.1), model, tol=1e-3)
    slope = (at_root.error - steeper.error) / 0.1
    allowed = 4.0 * (slope * result.theta_se + at_root.error_se) + 1e-4
    assert at_root.error == pytest.approx(0.05, abs=allowed)


LONG = """
import needlescope as ns
task = ns.Task(L=100_000, R=100, theta=5.0, pi=0.3)
ns.predict(task, ns.Training(4.0, 2.0), query=ns.Query(3.0, 0.9), tol=1e-3)
ns.oracle(task, "attention", tol=1e-2)
ns.oracle(task, "bayes", tol=1e-2)
print(peak())
"""


@pytest.mark.slow
@needs_peak
def test_memory_stays_below_one_gibibyte_at_a_hundred_thousand_tokens():
    code = [sys.executable, "-c", PEAK + LONG]
    run = subprocess.run(code, capture_output=True, text=True, check=True)
    assert int(run.stdout) < 2**30  # the whole process


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ns.Task(10, 1, 1e20, 0.5), "theta must be between 0 and 1e.06 in size"),
        (lambda: ns.Task(10, 1, 1.0, 1e-300), "pi must be between 1e-06 and"),
        (lambda: ns.Training(1.0, 1e300), "alpha1 must be between 1e-15 and"),
        (lambda: ns.Training(1.0, 1.0, ridge=1e300), "ridge must be between"),
        (lambda: ns.Query(1e300, 0.5), "kappa must be between"),
    ],
)
def test_what_floating_point_cannot_serve_is_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize("loss", ["logistic", "square", "hinge", "squared_hinge"])
@pytest.mark.parametrize(
    "change",
    [{"theta": 1e6}, {"pi": 1e-6}, {"alpha1": 1e6}, {"alpha1": 1e-9}, {"ridge": 1e6}, {"L": 1}],
)
def test_extremes_get_an_answer_or_one_of_our_sentences(loss, change):
    values = {"L": 10, "theta": 3.0, "pi": 0.4, "alpha1": 2.0, "ridge": 1e-3, **change}
    task = ns.Task(values["L"], 1, values["theta"], values["pi"])
    training = ns.Training(1.0, values["alpha1"], loss=loss, ridge=values["ridge"])
    try:
        result = ns.predict(task, training, "pooled")
    except (ns.NotConverged, ns.NoMinimiser) as refusal:
        assert "; " in str(refusal)
    else:
        assert 0.0 <= result.test_error <= 1.0


@dataclass
class Tilted(ns.Loss):
    """A logistic loss with a parameter, written as a theorist would."""

    scale: float = 1.0
    name = "tilted"

    def value(self, z, y):
        return np.logaddexp(0.0, -self.scale * y * z)

    def derivative(self, z, y):
        return -self.scale * y * np.exp(-np.logaddexp(0.0, self.scale * y * z))

    def second(self, z, y):
        p = np.exp(-np.logaddexp(0.0, self.scale * np.abs(z)))
        return self.scale**2 * p * (1.0 - p)


def test_a_dataclass_may_be_a_loss():
    task = ns.Task(10, 1, 5.0, 0.5)
    own = ns.predict(task, TRAINING.replace(loss=Tilted()), "pooled")
    assert own.test_error == pytest.approx(ns.predict(task, TRAINING, "pooled").test_error)


def test_a_loss_that_contradicts_itself_is_refused():
    class Wrong(Tilted):
        def value(self, z, y):
            return 3.0 * super().value(z, y)

    class NoMargin(Tilted):
        of_margin = True

        def value(self, z, y):
            return super().value(z, y) + 0.01 * z

        def derivative(self, z, y):
            return super().derivative(z, y) + 0.01

    with pytest.raises(ValueError, match="is not that of its value"):
        ns.Training(1.0, 1.0, loss=Wrong())
    with pytest.raises(ValueError, match="of_margin = True"):
        ns.Training(1.0, 1.0, loss=NoMargin())


def test_a_wrong_loss_is_refused_where_a_good_one_stood():
    """Memory is used again: a loss is not known by its address alone."""

    class Wrong(Tilted):
        def value(self, z, y):
            return 3.0 * super().value(z, y)

    for _ in range(50):
        address = id(ns.Training(1.0, 1.0, loss=Tilted()).loss)
        wrong = Wrong()
        with pytest.raises(ValueError, match="is not that of its value"):
            ns.Training(1.0, 1.0, loss=wrong)
        if id(wrong) == address:
            return
    pytest.skip("this interpreter never used the address again")


def test_the_square_loss_by_another_name_is_the_square_loss():
    twin = ns.PiecewiseQuadratic([], [(1.0, -1.0, 0.5)], name="twin")
    task = ns.Task(10, 1, 5.0, 0.5)
    errors = [
        ns.predict(task, ns.Training(1.0, 0.5, loss=loss, ridge=0.0), "pooled").test_error
        for loss in ("square", twin)
    ]
    assert errors[0] == errors[1]


@pytest.mark.parametrize(
    "call",
    [
        lambda: ns.oracle("task"),
        lambda: ns.oracle_threshold(TRAINING, "pooled", 0.1),
        lambda: ns.capacity(TRAINING, "pooled"),
        lambda: ns.align(TRAINING, TRAINING),
    ],
)
def test_arguments_of_the_wrong_kind_are_refused(call):
    with pytest.raises(ValueError, match="task must be a needlescope"):
        call()


def test_sets_of_tokens_may_be_sets():
    assert ns.Positions([{1, 0}]) == ns.Positions([(0, 1)])


def test_a_query_that_grew_beyond_bounds_is_hard():
    """A strong signal and a long step make κ of 10⁸: nobody who trains so has to know that."""
    task = ns.Task(6, 4, 20.0, 0.3)
    training = ns.Training(alpha0=1.0, alpha1=1.0, eta_q=[1e2, 1e5], loss="square", ridge=0.5)
    aligned = ns.align(task, training)
    assert aligned.kappa[0] < 1e6 < aligned.kappa[1]
    assert aligned.query.kappa.tolist() == [aligned.kappa[0], np.inf]
    result = ns.predict(task, training, tol=1e-3)
    hard = ns.predict(task, training, query=ns.Query(np.inf, aligned.cosine_q), tol=1e-3)
    assert result.test_error[1] == hard.test_error[1]
