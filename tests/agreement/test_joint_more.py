"""Joint training beyond the plain task: each point on its own, then all together."""

from __future__ import annotations

import pytest

from tests.agreement.joint_more import MORE, QUICK, MorePoint, more_scores
from tests.agreement.points import check_all, check_one


@pytest.fixture(scope="module")
def found() -> dict[int, dict[str, float]]:
    return {}


@pytest.mark.parametrize("one", QUICK, ids=lambda one: one.name)
def test_a_small_point_agrees(one: MorePoint) -> None:
    check_one(more_scores(one, seed=[6, one.task.L]))


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(MORE)), ids=[item.name for item in MORE])
def test_point_agrees(index: int, found: dict[int, dict[str, float]]) -> None:
    found[index] = more_scores(MORE[index], seed=[7, index])
    check_one(found[index])


@pytest.mark.slow
def test_scores_look_like_a_unit_normal(found: dict[int, dict[str, float]]) -> None:
    check_all([found.get(k) or more_scores(MORE[k], seed=[7, k]) for k in range(len(MORE))])
