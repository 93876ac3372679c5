"""Theory against simulation, a random number of signal tokens and label noise."""

from __future__ import annotations

import pytest

import needlescope as ns
from tests.agreement.grid import BAGS, BOTH, EVERYTHING, FLIPPED, GIVEN
from tests.agreement.points import check_all, check_one, point, query_scores, scores
from tests.agreement.steps import StepsPoint, steps_scores

QUICK = (0, 1, 2, 6, 15)  # trained attention with three losses, several signals too, and pooling
STEPS = [
    point("attention", "reduced", GIVEN, "square", 1e-2, 1.0, alpha0=3.0),
    point("attention", "tokens", FLIPPED, "logistic", 1e-2, 1.0, alpha0=2.0),
    point("attention", "reduced", BOTH, "hinge", 1e-2, 1.0, steps={"balanced": True}),
]
IDS = [bag.name for bag in BAGS]


@pytest.fixture(scope="module")
def found():
    return {}


@pytest.mark.parametrize("index", QUICK, ids=[IDS[k] for k in QUICK])
def test_a_small_point_agrees(index):
    check_one(scores(BAGS[index]._replace(d=25), seed=[11, index]))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("one", STEPS, ids=[step.name for step in STEPS])
def test_the_query_after_two_steps_agrees(one):
    check_one(query_scores(one._replace(d=60, trials=100), seed=[14]))


@pytest.mark.slow
@pytest.mark.parametrize("task", [BOTH, EVERYTHING], ids=["one signal", "two signals"])
def test_a_schedule_of_steps_agrees(task):
    training = ns.Training(6.0, 2.0, ridge=1e-1, schedule=ns.Schedule.even(3, 0.5, 1.0, 5.0))
    check_one(steps_scores(StepsPoint(task, training, 40, 40), seed=[15]))


def test_where_a_query_looks_agrees():
    training = ns.Training(3.0, 1.0)
    limit = ns.focus(BOTH, training, query=ns.Query(1.5, 0.9))
    found = ns.simulate_focus(
        BOTH, training, d=20, trials=8, seed=13, query=ns.Query(1.5, 0.9), n_test=4000, n_jobs=1
    )
    for name in ("signal", "noise", "largest"):
        gap = getattr(found, name) - getattr(limit, name)
        assert abs(gap) < 4.0 * getattr(found, f"{name}_se"), name


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(BAGS)), ids=IDS)
def test_point_agrees(index, found):
    found[index] = scores(BAGS[index], seed=[11, index])
    check_one(found[index])


@pytest.mark.slow
def test_scores_look_like_a_unit_normal(found):
    check_all([found.get(k) or scores(BAGS[k], seed=[11, k]) for k in range(len(BAGS))])
