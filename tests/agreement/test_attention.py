"""Theory against simulation, attention: small points, each and together; larger ones slowly."""

from __future__ import annotations

import pytest

from tests.agreement.grid import ATTENTION
from tests.agreement.points import SMALL, check_all, check_one, scores

# Every loss, both samplers, trained and given queries of all kinds, another task to be tested on.
QUICK = (3, 8, 10, 12, 13, 14, 19, 25, 27, 29)
IDS = [item.name for item in ATTENTION]


@pytest.fixture(scope="module")
def found():
    return {}


def of(index, d, found):
    """The scores of a point, computed once, at no more than so many dimensions."""
    item = ATTENTION[index]
    key = index, min(d, item.d)
    if key not in found:
        found[key] = scores(item._replace(d=key[1]), seed=[3, index])
    return found[key]


@pytest.mark.parametrize("index", QUICK, ids=[IDS[k] for k in QUICK])
def test_a_small_point_agrees(index, found):
    check_one(of(index, SMALL, found))


def test_scores_of_small_points_look_like_a_unit_normal(found):
    check_all([of(index, SMALL, found) for index in QUICK])


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(ATTENTION)), ids=IDS)
def test_point_agrees(index, found):
    check_one(of(index, ATTENTION[index].d, found))


@pytest.mark.slow
def test_scores_look_like_a_unit_normal(found):
    check_all([of(index, item.d, found) for index, item in enumerate(ATTENTION)])
