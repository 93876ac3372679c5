"""Theory against simulation with balanced slopes: the query after two steps, and what it is for."""

from __future__ import annotations

import pytest

from tests.agreement.grid import BALANCED
from tests.agreement.points import check_all, check_one, query_scores, scores

QUICK = (1, 4, 6, 7, 9, 12, 13, 15)  # every loss, both samplers, both first steps, rare to common
TRAINED = (1, 15)  # of those whose readout is trained too
NAMES = [item.name for item in BALANCED]


@pytest.fixture(scope="module")
def found():
    return {}


def of(index, found):
    """The scores of a query, computed once."""
    if index not in found:
        found[index] = query_scores(BALANCED[index], seed=[13, index])
    return found[index]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("index", QUICK, ids=[NAMES[k] for k in QUICK])
def test_the_query_agrees(index, found):
    check_one(of(index, found))


@pytest.mark.slow
def test_scores_of_queries_look_like_a_unit_normal(found):
    check_all([of(index, found) for index in QUICK])


@pytest.mark.slow
def test_queries_agree_everywhere(found):
    for index in range(len(BALANCED)):
        check_one(of(index, found))
    check_all([of(index, found) for index in range(len(BALANCED))])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("index", TRAINED, ids=[NAMES[k] for k in TRAINED])
def test_errors_after_training_agree(index):
    check_one(scores(BALANCED[index], seed=[14, index]))


@pytest.mark.slow
def test_errors_after_training_agree_everywhere():
    found = [scores(item, seed=[14, index]) for index, item in enumerate(BALANCED)]
    for item in found:
        check_one(item)
    check_all(found)
