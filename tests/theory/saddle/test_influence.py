"""Dependence on rare samples: influences by retraining, and a case of slow convergence."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import LOGISTIC, Loss
from needlescope.models import pooled
from needlescope.models.nodes import LimitLaw
from needlescope.theory.saddle.influence import influence, rare_event_shift
from needlescope.theory.saddle.measures import test_error as error_on
from needlescope.theory.saddle.problem import Saddle
from needlescope.theory.saddle.readout import Readout, train_readout
from needlescope.theory.saddle.solver import solve
from tests.theory.saddle.laws import random_law, random_point

TIES = ns.Task(L=2, R=1, theta=5.0, pi=0.5)  # half of the limit hangs on 2 in 10,000 positives
SHARP = ns.Query(100.0, 0.9)
USUAL = ns.Task(L=10, R=1, theta=5.0, pi=0.5)


def trained(loss: Loss) -> Readout:
    rng = np.random.default_rng(3)
    problem = Saddle(random_law(rng, 12, 2), loss, 2.0, 0.05)
    return Readout(problem, *solve(problem, random_point(rng, 2)))


def test_influence_is_what_retraining_gives(loss: Loss) -> None:
    readout, step = trained(loss), 1e-4
    law = readout.problem.law
    result = influence(readout, law)
    assert law.weight @ result == pytest.approx(0.0, abs=1e-12)
    for node in (0, len(law.weight) // 2, len(law.weight) - 1):
        errors = []
        for by in (step, -step):
            weight = (1.0 - by) * law.weight
            weight[node] += by
            moved = Saddle(law._replace(weight=weight), loss, 2.0, readout.problem.ridge)
            errors.append(error_on(law, solve(moved, readout.point)[0]))
        slope = (errors[0] - errors[1]) / (2.0 * step)
        assert result[node] == pytest.approx(slope, rel=1e-3, abs=1e-5)


def test_a_class_that_never_occurs_leaves_the_other_answer() -> None:
    limit: LimitLaw = pooled.limit(USUAL)
    readout = train_readout(limit, LOGISTIC, 0.01, 2.0, 0.05)
    law = limit.law(0.01)
    result = rare_event_shift(readout, law, n=20.0)  # one positive in 100
    assert error_on(law, readout.point) + result == pytest.approx(0.01)


def test_ties_are_rare_and_matter() -> None:
    with pytest.warns(RuntimeWarning, match=r"rarer than one in n1: without them .* not 0\.188"):
        result = ns.predict(TIES, ns.Training(alpha1=1.0), "linear", query=SHARP, d=200, tol=1e-3)
    assert result.rare_event_shift < -0.3 * result.test_error
    assert result.notes[0] in repr(result)
    far = ns.simulate(
        TIES, ns.Training(alpha1=1.0), "linear", d=200, trials=16, query=SHARP, n_jobs=1
    )
    assert far.test_error + 3.0 * far.test_error_se < result.test_error  # as the note says


def test_the_limit_does_not_depend_on_d_and_is_near_as_a_rule() -> None:
    training = ns.Training(4.0, [1.0, 3.0])
    plain, result = (ns.predict(USUAL, training, d=d) for d in (None, 200))
    assert (plain.test_error == result.test_error).all()
    assert plain.rare_event_shift is None and plain.notes == result.notes == ()
    assert np.abs(result.rare_event_shift).max() < 0.1 * result.test_error.min()


def test_notes_count_the_points_of_a_grid() -> None:
    with pytest.warns(RuntimeWarning, match="at 1 of 2 points"):
        ns.predict(
            TIES.replace(theta=[1.0, 5.0]),
            ns.Training(alpha1=1.0),
            "linear",
            query=SHARP,
            d=100,
            tol=1e-3,
        )
