"""Theory against simulation, hard and linear attention: a few points, and all of them slowly."""

from __future__ import annotations

import pytest

from tests.agreement.grid import KINDS
from tests.agreement.points import check_all, check_one, scores

QUICK = (0, 3, 5, 8, 9, 12)  # both models, trained and given queries, both samplers
IDS = [kind.name for kind in KINDS]


@pytest.fixture(scope="module")
def found():
    return {}


@pytest.mark.parametrize("index", QUICK, ids=[IDS[k] for k in QUICK])
def test_a_small_point_agrees(index):
    check_one(scores(KINDS[index]._replace(d=50), seed=[3, index]))


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(KINDS)), ids=IDS)
def test_point_agrees(index, found):
    found[index] = scores(KINDS[index], seed=[3, index])
    check_one(found[index])


@pytest.mark.slow
def test_scores_look_like_a_unit_normal(found):
    check_all([found.get(k) or scores(KINDS[k], seed=[3, k]) for k in range(len(KINDS))])
