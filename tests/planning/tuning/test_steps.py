"""The best steps, in closed form, beside the exact formula."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.noise import Noise
from needlescope.planning.tuning.steps import best_steps, polished, with_strength
from needlescope.task import Task
from needlescope.theory.alignment import align_one
from needlescope.training import Training

RARE = Task(L=10, R=1, theta=4.0, pi=0.1)


@pytest.mark.parametrize("loss", ["logistic", "square", "hinge", "squared_hinge"])
@pytest.mark.parametrize(
    ("task", "alpha0"),
    [
        (RARE, 4.0),
        (Task(L=30, R=3, theta=2.5, pi=0.3), 3.0),
        (Task(L=100, R=1, theta=5.0, pi=0.2), 10.0),
        (Task(L=10, R=1, theta=4.0, pi=0.8), 4.0),
        (Task(L=10, R=1, theta=4.0, pi=0.5), 2.0),
        (RARE.replace(noise=Noise(spectrum=[5.0, 1.0, 0.2]), signal=(0.2, 0.3, 0.5)), 4.0),
    ],
)
def test_short_steps_align_as_the_closed_form_says(task, alpha0, loss):
    result = best_steps(task, loss, alpha0)
    exact = align_one(task, result.steps.training(alpha0, 1.0, loss=loss))["cosine_q"]
    assert exact == pytest.approx(result.cosine, abs=2e-3)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("pi", [0.05, 0.3, 0.5, 0.8])
def test_no_step_that_was_tried_aligns_better(pi):
    rng, task = np.random.default_rng(0), RARE.replace(pi=pi)
    best = max(best_steps(task, "logistic", 4.0).cosine, polished(task, "logistic", 4.0).cosine)
    for _ in range(40):
        training = Training(
            alpha0=4.0,
            alpha1=1.0,
            eta_w=float(10 ** rng.uniform(-2, 1.5)),
            eta_b=float(10 ** rng.uniform(-1, 2)),
            first_step=str(rng.choice(["joint", "sequential"])),
            balanced=bool(rng.random() < 0.3),
        )
        assert align_one(task, training)["cosine_q"] < best + 2e-3


def test_steps_that_rest_on_chance_are_passed_over_at_finite_d():
    task = Task(L=100, R=1, theta=5.0, pi=0.2)
    assert not best_steps(task, "logistic", 10.0).steps.balanced
    assert best_steps(task, "logistic", 10.0, d=100).steps.balanced


@pytest.mark.parametrize(
    ("task", "alpha0"),
    [(Task(L=10, R=1, theta=1e6, pi=0.1), 2.0), (Task(L=10, R=1, theta=5.0, pi=0.5), 2e-6)],
)
def test_steps_are_short_for_strong_signals_and_few_data(task, alpha0):
    result = best_steps(task, "logistic", alpha0)
    exact = align_one(task, result.steps.training(alpha0, 1.0))["cosine_q"]
    assert exact == pytest.approx(result.cosine, rel=1e-6)
    training = with_strength(task, result.steps.training(alpha0, 1.0), 0.5)
    assert align_one(task, training)["kappa"] == pytest.approx(0.5)


def test_a_single_token_leaves_nothing_to_attend_to():
    start = Training(alpha0=1.0, alpha1=1.0)
    assert with_strength(Task(L=1, R=1, theta=3.0, pi=0.5), start, 2.0) is start


def test_a_strength_beyond_the_longest_step_takes_another_beta():
    task, start = Task(L=1000, R=1, theta=5.0, pi=0.5), Training(alpha0=1.0, alpha1=1.0, eta_w=0.01)
    result = with_strength(task, start, 20.0)
    assert result.beta > 1.0
    assert align_one(task, result)["kappa"] == pytest.approx(20.0)
