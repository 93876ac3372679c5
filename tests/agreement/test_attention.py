"""Theory against simulation, attention: each point on its own, then the scores of all together."""

from __future__ import annotations

import pytest

from tests.agreement.grid import ATTENTION
from tests.agreement.points import check_all, check_one, scores

# Others share their loss and sampler, and their task or the way to their query.
LATER = (2, 4, 9, 11, 16, 20, 24, 26)
QUICK = [k for k in range(len(ATTENTION)) if k not in LATER]


@pytest.fixture(scope="module")
def found():
    return {}


@pytest.mark.parametrize(
    "index",
    [pytest.param(k, marks=pytest.mark.slow) if k in LATER else k for k in range(len(ATTENTION))],
    ids=[one.name for one in ATTENTION],
)
def test_point_agrees(index, found):
    found[index] = scores(ATTENTION[index], seed=[3, index])
    check_one(found[index])


def together(indices, found):
    check_all([found.get(k) or scores(ATTENTION[k], seed=[3, k]) for k in indices])


def test_scores_look_like_a_unit_normal(found):
    together(QUICK, found)


@pytest.mark.slow
def test_all_scores_look_like_a_unit_normal(found):
    together(range(len(ATTENTION)), found)
