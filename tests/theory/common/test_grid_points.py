"""A point that cannot be solved is named; the others can be kept."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.paper import derived
from needlescope.theory import alignment
from needlescope.theory.law.attention import attention_limit
from needlescope.theory.law.ladder import LADDER, ROUGH
from needlescope.theory.law.limits import LAWS
from needlescope.theory.saddle.rare_separability import FIRST_POINTS

TASK = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
TRAINED = ns.Training(alpha0=2.0, alpha1=1.0)
QUERIES = ns.Query([1.0, 2.0], 0.9)
BARE = ns.Training(alpha1=[1.0, 2.0, 8.0], ridge=0.0)  # separable below 2.95


def test_a_grid_names_the_point_that_cannot_be_solved():
    with pytest.raises(ns.NoMinimiser, match=r"^at alpha1=[12]: at ridge = 0 the logistic"):
        ns.predict(TASK, BARE, "pooled")


def test_a_single_problem_needs_no_name():
    with pytest.raises(ns.NoMinimiser, match=r"^at ridge = 0 the logistic loss"):
        ns.predict(TASK, BARE.replace(alpha1=1.0), "pooled")


def test_the_others_are_kept_and_what_is_lost_is_counted():
    with pytest.warns(
        RuntimeWarning, match="2 of 3 points could not be .* the first of them: at alpha1=1:"
    ):
        result = ns.predict(TASK, BARE, "pooled", on_error="nan")
    assert np.isnan(result.test_error).tolist() == [True, True, False]
    alone = ns.predict(TASK, BARE.replace(alpha1=8.0), "pooled")
    assert result.test_error[2] == pytest.approx(alone.test_error, abs=1e-12)
    assert np.isnan(result.gamma[:2]).all() and np.isnan(result.test_error_se[:2]).all()
    assert result.model == "pooled" and result.provenance == derived("theorem 5")
    assert result.to_pandas()["test_error"].isna().sum() == 2


def test_nothing_is_said_where_nothing_is_lost():
    result = ns.predict(TASK, BARE.replace(ridge=0.1), "pooled", on_error="nan")
    assert np.isfinite(result.test_error).all()


def test_a_grid_of_which_nothing_is_left():
    with pytest.warns(RuntimeWarning, match="2 of 2 points"):
        result = ns.predict(TASK, BARE.replace(alpha1=[1.0, 2.0]), "pooled", on_error="nan")
    assert np.isnan(result.test_error).all() and result.shape == (2,)


@pytest.fixture
def short_ladder(monkeypatch):
    """Give up after the coarsest level, which is quick."""
    for name in ("asymptote", "capacity", "focus"):
        monkeypatch.setattr(f"needlescope.theory.{name}.ladder", lambda *_, **__: LADDER[:1])
    monkeypatch.setattr("needlescope.theory.learning.ladder", lambda *_, **__: LADDER[:1])
    monkeypatch.setattr("needlescope.theory.saddle.rare_separability.LAST_POINTS", FIRST_POINTS)


@pytest.mark.usefixtures("short_ladder")
def test_an_accuracy_out_of_reach_is_a_point_s_own():
    """The attention of a query of no strength is exact, of any other it is an integral."""
    query = ns.Query([0.0, 1.0], 0.9)
    with pytest.raises(
        ns.NotConverged, match=r"^at kappa=1: the uncertainty of the weight of signal"
    ):
        ns.focus(TASK, TRAINED, query=query, tol=1e-13)
    with pytest.warns(RuntimeWarning, match="1 of 2 points could not be solved and are NaN"):
        result = ns.focus(TASK, TRAINED, query=query, tol=1e-13, on_error="nan")
    assert result.signal[0] == 0.1 and np.isnan(result.signal[1])


@pytest.mark.sampled(12)
@pytest.mark.usefixtures("short_ladder")
@pytest.mark.parametrize(
    "call",
    [
        lambda **how: ns.predict(TASK, TRAINED.replace(alpha1=[1.0, 2.0]), tol=1e-9, **how),
        lambda **how: ns.focus(TASK, TRAINED, query=QUERIES, tol=1e-13, **how),
        lambda **how: ns.oracle(TASK.replace(theta=[2.0, 3.0]), "bayes", tol=1e-9, **how),
        lambda **how: ns.asymptote(TASK, query=QUERIES, tol=1e-12, **how),
        lambda **how: ns.capacity(TASK, query=QUERIES, tol=1e-9, **how),
        lambda **how: ns.crossover(TASK, [1.0, 2.0], tol=1e-12, **how),
        lambda **how: ns.bayes_optimal(TASK, [0.5, 2.0], tol=1e-9, **how),
        lambda **how: ns.bayes_threshold(TASK, [0.5, 2.0], 0.1, tol=1e-9, **how),
        lambda **how: ns.training_threshold(
            TASK, TRAINED.replace(alpha1=[1.0, 2.0]), 0.1, tol=1e-9, **how
        ),
        lambda **how: ns.oracle_threshold(TASK.replace(L=[5, 6]), "bayes", 0.1, tol=1e-9, **how),
    ],
)
def test_every_grid_of_the_theory_can_keep_the_others(call):
    with pytest.raises(ns.NotConverged, match=r"^at \w+=\d.*: "):
        call()
    with pytest.warns(RuntimeWarning, match="2 of 2 points could not be solved and are NaN"):
        result = call(on_error="nan")
    assert result.shape == (2,)


LONG = ns.Task(L=100, R=1, theta=4.265, pi=0.5), ns.Training(alpha1=100.0)


@pytest.mark.slow
def test_a_point_whose_law_is_too_coarse_is_solved(monkeypatch):
    """Not samples were missing, but cells: more of them took 44 s, and gave no answer."""
    seen = []

    def law(*given):
        seen.append(given[5])
        return attention_limit(*given)

    monkeypatch.setitem(LAWS, "attention", law)
    result = ns.predict(*LONG, query=ns.Query(2.0, 0.576), tol=2e-4)
    assert 2.0 * result.test_error_se <= 2e-4
    fine = [level for level in seen if level != ROUGH]
    assert len({level.points for level in fine}) == 1
    assert len({level.cells for level in fine}) == 2


@pytest.mark.slow
@pytest.mark.parametrize("kappa", [2.0, 3.0])
def test_it_is_solved_rightly(kappa):
    query = ns.Query(kappa, 0.576)
    result, fine = (ns.predict(*LONG, query=query, tol=item) for item in (1e-4, 3e-5))
    gap = abs(result.test_error - fine.test_error)
    assert gap < 3.0 * np.hypot(result.test_error_se, fine.test_error_se)


WILD = ns.Training([4.0, 1e-3], 1.0, loss="square", schedule=ns.Schedule.even(12, 5.0, 5.0, 50.0))


@pytest.mark.parametrize("call", [ns.predict, ns.focus])
def test_a_schedule_that_fails_is_a_point_s_own(call, monkeypatch):
    """One of two amounts of data leaves the path to chance."""
    right = alignment.after_schedule

    def after(task, training, target):
        if training.alpha0 < 1.0:
            raise ns.NotConverged("steps this long leave the path to chance")
        return right(task, training.replace(schedule=ns.Schedule.even(2)), target)

    monkeypatch.setattr(alignment, "after_schedule", after)
    with pytest.raises(ns.NotConverged, match=r"^at alpha0=0.001: steps this long"):
        call(TASK, WILD)
    with pytest.warns(RuntimeWarning, match="1 of 2 points .* at alpha0=0.001: steps this long"):
        result = call(TASK, WILD, on_error="nan")
    assert np.isfinite(result.kappa).tolist() == [True, False]
    assert np.isnan(result.cosine_q).tolist() == [False, True]
