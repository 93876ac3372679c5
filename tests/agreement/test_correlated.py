"""Theory against simulation on tokens that are correlated: a few points, and all of them slowly."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from tests.agreement.correlated import CORRELATED, GIVEN
from tests.agreement.points import check_all, check_one, scores

QUICK = (0, 4, 8, 11)
IDS = [item.name for item in CORRELATED]


@pytest.fixture(scope="module")
def found():
    return {}


@pytest.mark.parametrize("index", QUICK, ids=[IDS[k] for k in QUICK])
def test_a_small_point_agrees(index):
    check_one(scores(CORRELATED[index]._replace(d=50, trials=30), seed=[16, index]))


@pytest.mark.parametrize("model", ["attention", "hard", "linear"])
def test_attention_on_the_signal_agrees(model):
    task = ns.Task(6, 2, 3.0, 0.5, noise=ns.Noise(token_correlation=0.6))
    training = ns.Training(alpha1=1.0)
    theory = ns.focus(task, training, model, query=GIVEN, tol=1e-3)
    found = ns.simulate_focus(task, training, model, 50, 20, 17, query=GIVEN, n_test=4000, n_jobs=1)
    for name in ("signal", "largest"):
        error = np.hypot(getattr(found, f"{name}_se"), 5e-4)
        assert abs(getattr(found, name) - getattr(theory, name)) < 4.5 * error


def test_data_are_separable_up_to_the_capacity():
    task = ns.Task(6, 1, 3.0, 0.4, noise=ns.Noise(token_correlation=0.7))
    edge = ns.capacity(task, query=GIVEN).alpha
    training = ns.Training(alpha1=[0.7 * edge, 1.4 * edge])
    result = ns.simulate_separability(task, training, d=100, trials=8, query=GIVEN, n_jobs=1)
    assert result.fraction.tolist() == [1.0, 0.0]


def test_much_data_reach_the_asymptote():
    task = ns.Task(6, 1, 3.0, 0.4, noise=ns.Noise(token_correlation=0.7))
    limit = ns.asymptote(task, query=GIVEN)
    training = ns.Training(alpha1=200.0, loss="square", ridge=0.0)
    result = ns.predict(task, training, query=GIVEN)
    assert result.test_error == pytest.approx(limit.limit + limit.rate / 200.0, abs=3e-4)


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(CORRELATED)), ids=IDS)
def test_point_agrees(index, found):
    found[index] = scores(CORRELATED[index], seed=[16, index])
    check_one(found[index])


@pytest.mark.slow
def test_scores_look_like_a_unit_normal(found):
    check_all([found.get(k) or scores(CORRELATED[k], seed=[16, k]) for k in range(len(CORRELATED))])
