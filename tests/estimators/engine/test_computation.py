"""Computations: each finds what it finds alone, and passes are those of the longest."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.errors import NotConverged
from needlescope.estimators.engine.computation import Computation, Fit, Group, compute, run
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.estimators.engine.prepared import PreparedBags
from needlescope.estimators.engine.requests import ProjectionStatistics
from tests.estimators.engine.fits import CONFIGURATIONS, WEIGHT, D, N, begin, fitted, prepared, same


class Steps(Computation):
    """A computation that takes some passes, waits for some rounds first, and may fail at its end.

    ``started`` counts how often one was begun.
    """

    def __init__(self, fold, passes=0, waits=0, required=(), fails=False):
        self.fold, self.left, self.waits = fold, passes, waits
        self.required, self.fails, self.started = required, fails, 0

    def ask(self):
        self.started += not hasattr(self, "answers")
        self.answers = getattr(self, "answers", [])
        if self.waits:
            self.waits -= 1
            return []
        if self.left:
            return [ProjectionStatistics(self.fold, (1.0 + len(self.answers)) * np.ones(D))]
        if self.fails:
            raise NotConverged("no", 1.0)
        return None

    def tell(self, answers):
        self.answers += answers
        self.left -= 1


class FailsWhenTold(Steps):
    def tell(self, answers):
        raise NotConverged("no", 1.0)


class InStages(Fit):
    """A fit whose stages are given."""

    def __init__(self, *stages):
        super().__init__()
        self.stages, self.results = stages, None
        self.required = [item for part in stages for one in part for item in one.required]

    def stage(self, number):
        if number < len(self.stages):
            return self.stages[number]
        self.results = [len(item.answers) for part in self.stages for item in part]
        return None


@pytest.fixture
def fold():
    return FoldData(prepared(), WEIGHT, means=np.zeros((N, D)))


def test_fits_find_together_what_they_find_alone(small_blocks):
    rows = prepared()
    assert len(list(rows.blocks())) > 5
    fits = [begin(FoldData(rows, WEIGHT), item) for item in CONFIGURATIONS]
    run(rows, fits)
    for item, fit in zip(CONFIGURATIONS, fits, strict=True):
        (result,) = fit.results
        same(result, fitted(FoldData(rows, WEIGHT), item))


def test_passes_are_those_of_the_longest(monkeypatch):
    monkeypatch.setattr("needlescope.estimators.engine.prepared.MAX_HELD", 10)
    rows = prepared()
    fold = FoldData(rows, WEIGHT, means=np.zeros((N, D)))
    items = [Steps(fold, k) for k in (0, 2, 5, 3)]
    run(rows, items)
    assert [len(item.answers) for item in items] == [0, 2, 5, 3]
    assert all(item.finished and item.error is None for item in items)
    assert isinstance(rows, PreparedBags) and rows.passes == 5


@pytest.mark.parametrize("kind", [Steps, FailsWhenTold])
def test_one_that_does_not_converge_leaves_the_others(fold, kind):
    failing, works = kind(fold, 1, fails=True), Steps(fold, 3, waits=2)
    run(fold.data, [failing, works])
    assert isinstance(failing.error, NotConverged) and failing.finished
    assert works.error is None and len(works.answers) == 3
    with pytest.raises(NotConverged):
        compute(fold.data, InStages([Steps(fold, waits=2), kind(fold, 1, fails=True)]))


def test_an_error_in_a_stage_is_raised_when_all_of_the_stage_have_ended(fold):
    failing, works, later = Steps(fold, 1, fails=True), Steps(fold, 4), Steps(fold)
    fit = InStages([failing, works], [later])
    run(fold.data, [fit])
    assert fit.error is failing.error is not None
    assert len(works.answers) == 4 and not later.started and fit.results is None


def test_what_several_require_is_computed_once(fold):
    shared = Steps(fold, 1)
    items = [Steps(fold, required=[shared]) for _ in range(3)]
    run(fold.data, items)
    assert shared.started == 1 and len(shared.answers) == 1
    assert all(item.finished for item in items)


def test_a_computation_asks_for_nothing_until_what_it_requires_is_finished(fold):
    """Also if that requires another; and what is finished already is not begun again."""
    first = Steps(fold, 2, waits=1)
    second = Steps(fold, 1, required=[first])
    last, beside = Steps(fold, 1, required=[second]), Steps(fold, 1)
    group, asked = Group([last, beside]), []
    while (requests := group.ask()) is not None:
        asked.append([item.started for item in (first, second, last, beside)])
        if not first.finished:
            assert not second.started and not last.started
        if not second.finished:
            assert not last.started
        answers = [np.zeros((4, N)) for _ in requests]
        group.tell(answers)
    assert len(group.parts) == 4 and all(item.finished for item in group.parts)
    assert [len(item.answers) for item in (first, second, last, beside)] == [2, 1, 1, 1]
    again = Group([Steps(fold, required=[first])])
    assert len(again.parts) == 1 and again.ask() is None and first.started == 1


def test_an_error_reaches_those_that_require_it_and_no_others(fold):
    """Through several levels, whether it comes before or when they are run; others go on."""
    failing = Steps(fold, 1, fails=True)
    needs = Steps(fold, 1, required=[failing])
    needs_too = InStages([Steps(fold, required=[needs])])
    works, fit = Steps(fold, 5), InStages([Steps(fold, 3)], [Steps(fold, 1)])
    run(fold.data, [needs_too, works, fit])
    assert failing.error is needs.error is needs_too.error is not None
    assert not needs.started and needs_too.results is None
    assert works.error is None and len(works.answers) == 5
    assert fit.error is None and fit.results == [3, 1]
    late = Steps(fold, required=[failing])
    with pytest.raises(NotConverged):
        compute(fold.data, late)
    assert not late.started


def test_each_part_is_told_its_own_answers(fold):
    """Some wait, some ask for several things, and some have ended."""
    items = [Steps(fold, 2), Steps(fold), Steps(fold, 1, waits=1), InStages([Steps(fold, 3)])]
    run(fold.data, items)
    inner = items[-1].stages[0][0]
    for item in (items[0], items[2], inner):
        for k, answer in enumerate(item.answers):
            np.testing.assert_allclose(answer[0], (1.0 + k) * inner.answers[0][0], atol=1e-12)


def test_errors_of_other_kinds_are_raised_at_once(fold):
    class Broken(Steps):
        def ask(self):
            raise ValueError("a mistake")

    with pytest.raises(ValueError, match="a mistake"):
        run(fold.data, [Steps(fold, 2), Broken(fold)])


def test_stages_without_passes_follow_each_other(fold):
    fit = InStages([], [Steps(fold)], [], [Steps(fold, 1)])
    assert len(fit.ask()) == 1
    compute(fold.data, fit)
    assert fit.results == [0, 1]
