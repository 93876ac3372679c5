"""How far an answer is open because its query is."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.theory import alignment
from needlescope.theory.learned_query import LearnedQuery, learn_query

# Where signal and noise tokens win by turns: the test error changes nine times as much as s.
STEEP = ns.Task(L=100, R=1, theta=50.0, pi=0.5)
TRAINING = ns.Training(4.0, 4.0, schedule=ns.Schedule.even(2))
QUERY = ns.Query(50.0, 0.06)


@pytest.fixture
def query_known_to(monkeypatch):
    """A schedule that ends at QUERY, known to 2e-4 of s, or to 1e-6 if followed finely."""
    targets = []

    def after(task, training, target):
        targets.append(target)
        error = 2e-4 if len(targets) == 1 else 1e-6
        row = {"kappa": 50.0, "cosine_q": 0.06, "kappa_se": 0.0, "cosine_q_se": error}
        return row | {"finest": 1e-6}

    monkeypatch.setattr(alignment, "after_schedule", after)
    return targets


def test_what_is_open_about_a_query_is_open_about_the_test_error(query_known_to):
    result = ns.predict(STEEP, TRAINING, tol=1e-2)
    here, near = (
        ns.predict(STEEP, TRAINING, query=ns.Query(50.0, 0.06 + by), tol=1e-2) for by in (0.0, 2e-3)
    )
    moved = 0.1 * abs(near.test_error - here.test_error)
    assert len(query_known_to) == 1 and moved > 5 * 2e-4
    assert result.test_error_se > 0.8 * moved
    assert 2.0 * result.test_error_se <= 1e-2


@pytest.mark.slow
def test_a_schedule_is_followed_as_finely_as_the_answer_needs(query_known_to):
    result = ns.predict(STEEP, TRAINING, tol=1e-3)
    assert len(query_known_to) == 2 and query_known_to[1] < 0.2 * query_known_to[0]
    assert 2.0 * result.test_error_se <= 1e-3


def test_a_query_that_is_given_leaves_nothing_open():
    assert LearnedQuery(QUERY).exact and LearnedQuery(QUERY).uncertainty == 0.0
    known, errors = learn_query(STEEP, ns.Training(4.0, 4.0), 1e-4, lambda _: np.ones(1), "it")
    assert known.exact and not errors.any()


@pytest.mark.parametrize("cosine", [-1.0, 1.0, 0.0])
def test_a_query_is_not_moved_beyond_full_alignment(cosine):
    known = LearnedQuery(ns.Query(2.0, cosine), 0.02, 0.005)
    seen = []

    def numbers(query):
        seen.append(query)
        return np.array([3.0 * query.cosine, 5.0 * np.log(query.kappa)])

    assert known.errors(numbers) == pytest.approx([0.015, 0.05], rel=0.02)
    assert all(abs(query.cosine) <= 1.0 for query in seen)


def test_what_cannot_be_known_well_enough_says_so(monkeypatch):
    row = {"kappa": 50.0, "cosine_q": 0.06, "kappa_se": 0.0, "cosine_q_se": 1e-3}
    monkeypatch.setattr(alignment, "after_schedule", lambda *_: row)
    for call, what in (
        (ns.predict, "the test error"),
        (ns.focus, "the weight of signal tokens"),
    ):
        with pytest.raises(
            ns.NotConverged,
            match=rf"at least 1.0e-03, which leaves {what} an uncertainty of 0?\.?\d",
        ) as refusal:
            call(STEEP, TRAINING)
        remedy = float(str(refusal.value).split("pass tol=")[1].split()[0])
        call(STEEP, TRAINING, tol=remedy)


def test_linear_attention_says_where_a_query_is_too_long():
    task = ns.Task(L=514, R=514, theta=29.0, pi=0.999)
    training = ns.Training(10.0, 200.0, loss="square", eta_q=1e5)
    assert ns.align(task, training).kappa > 1e6
    with pytest.raises(ns.NotConverged, match=r"kappa above 1e\+06, where model='linear'"):
        ns.predict(task, training, "linear")


def test_each_cosine_with_several_signals_is_moved_on_its_own():
    known = LearnedQuery(ns.Query(2.0, cosines=(0.6, -0.8)), 0.01, (0.001, 0.002))
    result = known.errors(lambda query: np.array([query.kappa, *query.cosines]))
    assert result == pytest.approx([0.01, 0.001, 0.002]) and not known.exact
    assert known.uncertainty == pytest.approx(0.005)
