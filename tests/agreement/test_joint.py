"""Joint training by equations against L-BFGS: each point on its own, then all together."""

from __future__ import annotations

import pytest

import needlescope as ns
from tests.agreement.joint import BEYOND, QUICK, WITHIN, JointPoint, joint_gaps, joint_scores
from tests.agreement.points import check_all, check_one
from tools.valleys import STARTS, valleys

CLOSE = 0.1  # of a quantity, that broken replica symmetry may change: see docs/joint.md


@pytest.fixture(scope="module")
def found() -> dict[int, dict[str, float]]:
    return {}


@pytest.mark.parametrize("one", QUICK, ids=lambda one: one.name)
def test_a_small_point_agrees(one: JointPoint) -> None:
    check_one(joint_scores(one, seed=[4, one.task.L]))


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(WITHIN)), ids=[item.name for item in WITHIN])
def test_point_agrees(index: int, found: dict[int, dict[str, float]]) -> None:
    found[index] = joint_scores(WITHIN[index], seed=[3, index])
    check_one(found[index])


@pytest.mark.slow
def test_scores_look_like_a_unit_normal(found: dict[int, dict[str, float]]) -> None:
    check_all([found.get(k) or joint_scores(WITHIN[k], seed=[3, k]) for k in range(len(WITHIN))])


@pytest.mark.slow
@pytest.mark.parametrize("one", BEYOND, ids=lambda one: one.name)
def test_a_point_beyond_is_close(one: JointPoint) -> None:
    gaps = joint_gaps(one, seed=[5, one.task.L])
    for name, (gap, error, limit) in gaps.items():
        assert abs(gap) < 4.3 * error + CLOSE * abs(limit), (name, gaps)


def test_one_ridge_for_both_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Theory with the ridge of the readout on the query too."""
    right, one = ns.predict, QUICK[0]
    training = one.training.replace(ridge_q=4.0 * one.training.ridge)
    one = one._replace(training=training)

    def wrong(task: ns.Task, training: ns.Training) -> ns.Outcome:
        return right(task, training.replace(ridge_q=training.ridge))

    monkeypatch.setattr(ns, "predict", wrong)
    with pytest.raises(AssertionError):
        check_one(joint_scores(one, seed=[4, 0]))


def test_one_valley_where_symmetry_holds_and_many_where_it_does_not() -> None:
    one = next(item for item in WITHIN if item.task.L == 4 and item.training.ridge_q == 0.35)
    many = next(item for item in BEYOND if item.task.L == 6 and item.training.alpha1 == 0.5)
    single, several = valleys(one, 60, seed=0), valleys(many, 60, seed=0)
    assert single.distinct == 1 and single.query > 0.999
    assert several.distinct > STARTS / 2 and several.query < 0.8
