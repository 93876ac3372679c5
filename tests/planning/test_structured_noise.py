"""The planner in noise with a spectrum: one level is white noise, and plans are met."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.planning.expected.classifier_errors import predict_error, squared_weights
from needlescope.planning.expected.protocol import alignment, protocol_training
from needlescope.planning.expected.ranking import predicted_auc

WHITE = ns.Task(L=8, R=1, theta=4.0, pi=0.4)
ONE_LEVEL = {"noise": ns.Noise(spectrum=[1.0, 1.0 + 1e-13]), "signal": "flat"}
SAME = WHITE.replace(**ONE_LEVEL)
TWO = ns.Noise(spectrum=ns.Spectrum.two_levels(high=4.0, low=0.25, share=0.2))
FLAT = WHITE.replace(noise=TWO, signal="flat")
TRAINING = ns.Training(alpha0=4.0, alpha1=4.0, ridge=0.1, balanced=True, eta_q=100.0)
EXACT = 1e-9


@pytest.mark.parametrize("model", ["attention", "pooled", "vectorized"])
def test_one_level_is_white_noise(model):
    white, same = (predict_error(item, 400, 50.0, model) for item in (WHITE, SAME))
    assert same == pytest.approx(white, abs=EXACT)
    aucs = [predicted_auc(item, 400, 50.0, model, white) for item in (WHITE, SAME)]
    assert aucs[1] == pytest.approx(aucs[0], abs=EXACT)
    each = [ns.sensitivity(item, TRAINING, model) for item in (WHITE, SAME)]
    for name in ("theta", "pi", "n", "alpha0", "alpha1", "ridge", "R"):
        assert getattr(each[1], name) == pytest.approx(getattr(each[0], name), abs=EXACT), name


@pytest.mark.slow
def test_plans_and_comparisons_with_one_level_are_those_of_white_noise():
    question = {"L": 8, "R": 1, "theta": 4.0, "pi": 0.4, "d": 60, "error": 0.25}
    question |= {"learner": "pooled", "interval": False, "others": False}
    white, same = ns.plan(**question), ns.plan(**question, **ONE_LEVEL)
    assert same.n == white.n
    assert same.limit_error == pytest.approx(white.limit_error, abs=EXACT)
    white, same = (ns.compare(item, 300, d=60) for item in (WHITE, SAME))
    for name in ("attention", "pooled", "vectorized", "bayes_optimal"):
        assert getattr(same, name) == pytest.approx(getattr(white, name), abs=1e-7), name


@pytest.mark.parametrize("direction", ["query", "readout"])
def test_the_alignment_is_that_of_simulated_steps(direction):
    loud = FLAT.replace(signal="loud")
    training = protocol_training(loud, 6.0, 1.0)
    result = ns.simulate_alignment(loud, training, d=200, trials=12, n_jobs=1)
    name = {"query": "q", "readout": "w"}[direction]
    here, se = getattr(result, f"cosine_{name}"), getattr(result, f"cosine_{name}_se")
    assert abs(here - alignment(loud, 6.0, direction)) < 4.0 * se + 0.01
    if direction == "query":
        assert result.kappa == pytest.approx(1.0, abs=0.1)


def test_an_error_is_that_of_the_steps_which_train_the_query():
    result = predict_error(FLAT, 320, 50.0, "attention")
    training = protocol_training(FLAT, 3.2, 3.2)
    training = training.replace(eta_q=training.eta_q * result.kappa, ridge=result.ridge)
    trained = ns.predict(FLAT, training).test_error
    assert result.error == pytest.approx(trained, abs=2e-3)
    white = predict_error(FLAT.whitened, 320, 50.0, "attention")
    assert white.error < 0.3 * result.error  # whitened features would be easier by far


def test_the_weights_of_attention_add_up_as_in_a_simulation():
    training = protocol_training(FLAT, 6.0, 1.0)
    query = ns.align(FLAT, training.replace(eta_q=2.0 * training.eta_q)).query
    g = np.random.default_rng(0).standard_normal((200_000, 8))
    g[:80_000, 0] += query.cosine * FLAT.whitened.theta
    a = np.exp(2.0 * g)
    a /= a.sum(axis=1, keepdims=True)
    share = squared_weights(FLAT, 480, 40.0, 2.0)
    assert share == pytest.approx((a**2).sum(axis=1).mean(), rel=0.02)


@pytest.mark.parametrize(
    ("place", "learner"),
    [("flat", "pooled"), pytest.param("loud", "attention", marks=pytest.mark.slow)],
)
def test_a_plan_is_met(place, learner):
    target = {"loud": 0.29, "flat": 0.15}[place]
    result = ns.plan(
        L=8, R=1, theta=4.0, pi=0.4, d=60, error=target, learner=learner, others=False,
        noise=TWO, signal=place,
    )  # fmt: skip
    task, training = result.question.task, result.training
    assert task == FLAT.replace(signal=place)
    limit = ns.predict(task, training, learner).test_error
    assert limit == pytest.approx(result.limit_error, abs=1e-3)
    many = ns.simulate(task, training, learner, d=60, trials=60, seed=5, n_jobs=1)
    apart = np.hypot(many.test_error_se, result.error_se)
    assert abs(many.test_error - target) < 4.0 * apart + 1e-3


@pytest.mark.parametrize("model", ["attention", "pooled"])
def test_derivatives_are_those_of_differences(model):
    result, step = ns.sensitivity(FLAT, TRAINING, model), 0.02

    def error(task=FLAT, **changes):
        return float(ns.predict(task, TRAINING.replace(**changes), model, tol=1e-4).test_error)

    def difference(at):
        return (at(step) - at(-step)) / (2.0 * step)

    theta = difference(lambda by: error(FLAT.replace(theta=4.0 * (1.0 + by)))) / 4.0
    assert result.theta == pytest.approx(theta, rel=0.02)
    for name in ("alpha0", "alpha1", "ridge"):
        start = getattr(TRAINING, name)
        slope = difference(lambda by, n=name, s=start: error(**{n: s * np.exp(by)}))
        assert getattr(result, name) == pytest.approx(slope, rel=0.02, abs=2e-4), name


def test_thresholds_are_those_of_whitened_tasks_in_its_own_unit():
    for model in ("pooled", "bayes"):
        theta = ns.oracle_threshold(FLAT, model, 0.1).theta
        assert theta == pytest.approx(
            ns.oracle_threshold(WHITE, model, 0.1).theta * 4.0 / FLAT.whitened.theta
        )
        here = ns.oracle(FLAT.replace(theta=theta), model)
        assert here.error == pytest.approx(0.1, abs=1e-3)
    theta = ns.training_threshold(FLAT, TRAINING, 0.2, "pooled").theta
    again = ns.predict(FLAT.replace(theta=theta), TRAINING, "pooled")
    assert again.test_error == pytest.approx(0.2, abs=1e-3)
    whitened = ns.crossover(FLAT.whitened, 1.0, tol=1e-2)
    assert ns.crossover(FLAT, 1.0, tol=1e-2).cosine == whitened.cosine


def test_noise_that_does_not_go_with_the_plan_is_refused():
    question = {"L": 8, "theta": 4.0, "error": 0.2, "learner": "attention", "others": False}
    with pytest.raises(ValueError, match="d must leave a dimension for each of the 10 eigenvalues"):
        ns.plan(**question, d=8, noise=ns.Noise(spectrum=ns.Spectrum.power_law(0.5, 10)))
    with pytest.raises(ValueError, match="covariance must be 8 × 8 to go with d=8"):
        ns.plan(**question, d=8, noise=ns.Noise(covariance=np.diag([1.0, 2.0, 3.0])))
    with pytest.raises(ValueError, match="signal says where in the noise's spectrum"):
        ns.plan(**question, d=8, signal="loud")
