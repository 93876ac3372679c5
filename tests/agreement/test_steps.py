"""Schedules of steps against steps that are taken: each point on its own, then all together."""

from __future__ import annotations

from typing import Any

import pytest

import needlescope as ns
from tests.agreement.points import check_all, check_one
from tests.agreement.steps import QUICK, STEPS, steps_scores


@pytest.fixture(scope="module")
def found() -> dict[int, dict[str, float]]:
    return {}


@pytest.mark.parametrize("index", range(len(QUICK)), ids=[item.name for item in QUICK])
def test_a_small_point_agrees(index: int) -> None:
    check_one(steps_scores(QUICK[index], seed=[4, index]))


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(STEPS)), ids=[step.name for step in STEPS])
def test_point_agrees(index: int, found: dict[int, dict[str, float]]) -> None:
    found[index] = steps_scores(STEPS[index], seed=[3, index])
    check_one(found[index])


@pytest.mark.slow
def test_scores_look_like_a_unit_normal(found: dict[int, dict[str, float]]) -> None:
    check_all([found.get(k) or steps_scores(STEPS[k], seed=[3, k]) for k in range(len(STEPS))])


def test_batches_are_whole_at_every_point() -> None:
    for point in (*STEPS, *QUICK):
        assert point.training.schedule is not None
        for share in point.training.schedule.shares:
            batch = share * point.training.alpha0 * point.d
            assert round(batch) == pytest.approx(batch, abs=1e-9), point.name


def test_batches_that_are_not_fresh_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that share all of D0 in theory, as if every batch were the whole."""
    right, item = ns.align, QUICK[0]

    def wrong(task: ns.Task, training: ns.Training) -> Any:
        assert training.schedule is not None
        return right(task, training.replace(alpha0=training.schedule.steps * training.alpha0))

    monkeypatch.setattr(ns, "align", wrong)
    with pytest.raises(AssertionError):
        check_one(steps_scores(item, seed=[4, 0]))
