"""Theory against simulation, vectorized: small points, each and together; larger ones slowly."""

from __future__ import annotations

import pytest

from tests.agreement.grid import VECTORIZED
from tests.agreement.points import SMALL, check_all, check_one, scores

IDS = [item.name for item in VECTORIZED]
# Every loss, both samplers, given positions, no ridge, all data.
QUICK = (0, 3, 4, 5, 7, 11, 13, 18, 20)
# That some positions are likelier than others is not seen in fewer dimensions.
ALMOST = [SMALL if item.task.positions == "uniform" else item.d for item in VECTORIZED]


@pytest.fixture(scope="module")
def found():
    return {}


def of(index, d, found):
    """The scores of a point, computed once, at no more than so many dimensions."""
    item = VECTORIZED[index]
    key = index, min(d, item.d)
    if key not in found:
        found[key] = scores(item._replace(d=key[1]), seed=[3, index])
    return found[key]


@pytest.mark.parametrize("index", QUICK, ids=[IDS[k] for k in QUICK])
def test_a_small_point_agrees(index, found):
    check_one(of(index, ALMOST[index], found))


def test_scores_of_small_points_look_like_a_unit_normal(found):
    check_all([of(index, ALMOST[index], found) for index in QUICK])


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(VECTORIZED)), ids=IDS)
def test_point_agrees(index, found):
    check_one(of(index, VECTORIZED[index].d, found))


@pytest.mark.slow
def test_scores_look_like_a_unit_normal(found):
    check_all([of(index, item.d, found) for index, item in enumerate(VECTORIZED)])
