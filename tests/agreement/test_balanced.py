"""Theory against simulation with balanced slopes: the query after two steps, and what it is for."""

from __future__ import annotations

import pytest

from tests.agreement.grid import BALANCED
from tests.agreement.points import check_all, check_one, query_scores, scores

QUICK = (1, 4, 15)  # of those whose readout is trained too
NAMES = [item.name for item in BALANCED]


@pytest.fixture(scope="module")
def found():
    return {}


@pytest.mark.parametrize("index", range(len(BALANCED)), ids=NAMES)
def test_the_query_agrees(index, found):
    found[index] = query_scores(BALANCED[index], seed=[13, index])
    check_one(found[index])


def test_scores_of_queries_look_like_a_unit_normal(found):
    rest = range(len(BALANCED))
    check_all([found.get(k) or query_scores(BALANCED[k], seed=[13, k]) for k in rest])


@pytest.mark.parametrize("index", QUICK, ids=[NAMES[k] for k in QUICK])
def test_errors_after_training_agree(index):
    check_one(scores(BALANCED[index], seed=[14, index]))


@pytest.mark.slow
def test_errors_after_training_agree_everywhere():
    found = [scores(item, seed=[14, index]) for index, item in enumerate(BALANCED)]
    for item in found:
        check_one(item)
    check_all(found)
