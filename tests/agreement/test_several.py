"""Theory against simulation, several signals: a few points, and all of them slowly."""

from __future__ import annotations

import pytest

from tests.agreement.grid import SEVERAL, TRAINED
from tests.agreement.points import check_all, check_one, query_scores, scores

QUICK = (1, 3, 7, 14)  # attention with two to four signals and three losses, and pooling
IDS = [item.name for item in SEVERAL]


@pytest.fixture(scope="module")
def found():
    return {}


@pytest.mark.parametrize("index", QUICK, ids=[IDS[k] for k in QUICK])
def test_a_small_point_agrees(index):
    check_one(scores(SEVERAL[index]._replace(d=25), seed=[6, index]))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("index", [0, 4])
def test_a_small_trained_query_agrees(index):
    point = TRAINED[index]._replace(d=60)
    check_one(scores(point._replace(d=30), seed=[7, index]))
    check_one(query_scores(point, seed=[8, index]))


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(TRAINED)), ids=[item.name for item in TRAINED])
def test_trained_query_agrees(index):
    check_one(query_scores(TRAINED[index], seed=[8, index]))


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(SEVERAL)), ids=IDS)
def test_point_agrees(index, found):
    found[index] = scores(SEVERAL[index], seed=[6, index])
    check_one(found[index])


@pytest.mark.slow
def test_scores_look_like_a_unit_normal(found):
    check_all([found.get(k) or scores(SEVERAL[k], seed=[6, k]) for k in range(len(SEVERAL))])
