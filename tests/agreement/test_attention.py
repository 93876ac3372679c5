"""Theory against simulation, attention: each point on its own, then the scores of all together."""

from __future__ import annotations

import pytest

from tests.agreement.grid import ATTENTION
from tests.agreement.points import check_all, check_one, scores


@pytest.fixture(scope="module")
def found():
    return {}


@pytest.mark.parametrize("index", range(len(ATTENTION)), ids=[one.name for one in ATTENTION])
def test_point_agrees(index, found):
    found[index] = scores(ATTENTION[index], seed=[3, index])
    check_one(found[index])


def test_scores_look_like_a_unit_normal(found):
    check_all([found.get(k) or scores(ATTENTION[k], seed=[3, k]) for k in range(len(ATTENTION))])
