"""The iteration that reaches the limit of learning against state evolution, point by point."""

from __future__ import annotations

import pytest

from tests.agreement.limit import LIMIT, QUICK, limit_scores
from tests.agreement.points import check_all, check_one


@pytest.fixture(scope="module")
def found():
    return {}


@pytest.mark.parametrize("index", range(len(QUICK)), ids=[item.name for item in QUICK])
def test_a_small_point_agrees(index: int) -> None:
    check_one(limit_scores(QUICK[index], seed=[4, index]))


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(LIMIT)), ids=[item.name for item in LIMIT])
def test_point_agrees(index: int, found: dict[int, dict[str, float]]) -> None:
    found[index] = limit_scores(LIMIT[index], seed=[3, index])
    check_one(found[index])


@pytest.mark.slow
def test_scores_look_like_a_unit_normal(found: dict[int, dict[str, float]]) -> None:
    check_all([found.get(k) or limit_scores(LIMIT[k], seed=[3, k]) for k in range(len(LIMIT))])


def test_samples_are_whole_at_every_point() -> None:
    for point in (*LIMIT, *QUICK):
        samples = point.alpha * point.d
        assert round(samples) == pytest.approx(samples, abs=1e-9), point.name


@pytest.mark.slow
def test_a_wrong_limit_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the samples with a signal in state evolution, as if π were forgotten twice."""
    import needlescope as ns

    right, item = ns.state_evolution, QUICK[3]
    monkeypatch.setattr(
        ns, "state_evolution", lambda task, alpha, *more, **options: right(
            task, 0.5 * alpha, *more, **options)
    )  # fmt: skip
    with pytest.raises(AssertionError):
        check_one(limit_scores(item, seed=[4, 3]))
