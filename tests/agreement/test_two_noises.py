"""Theory against simulation where signal tokens have a noise of their own."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from tests.agreement.points import check_all, check_one, query_scores, scores
from tests.agreement.two_noises import ATTENDING, LINEAR, TRAINED
from tests.covariances import spread

GIVEN = [*LINEAR, *ATTENDING]
QUICK = (0, 1, 6, 8)  # both models, three losses
IDS = [item.name for item in GIVEN]


@pytest.fixture(scope="module")
def found():
    return {}


@pytest.mark.parametrize("index", QUICK, ids=[IDS[k] for k in QUICK])
def test_a_small_point_agrees(index):
    check_one(scores(GIVEN[index]._replace(d=50, trials=30), seed=[21, index]))


@pytest.mark.parametrize("index", [1, 4])
def test_a_small_trained_query_agrees(index):
    check_one(query_scores(TRAINED[index]._replace(d=100, trials=30), seed=[22, index]))


def matrices(d: int) -> ns.Task:
    """A task of dimension d whose covariances do not commute."""
    noise, other = (ns.Noise(covariance=spread(d, seed) + 0.3 * np.eye(d)) for seed in (1, 2))
    xi = tuple(noise.covariance @ np.random.default_rng(3).standard_normal(d))
    return ns.Task(6, 1, 5.0, 0.4, noise=noise, signal_noise=other, signal=xi)


@pytest.mark.parametrize("whitened", [False, True])
def test_covariances_that_do_not_commute_agree(whitened):
    """At each d the theory has that d's matrices; what is left at both d is of order 1/d."""
    training, gaps = ns.Training(4.0, 3.0, loss="square", ridge=0.1, eta_q=20.0), {}
    for d in (60, 120):
        task = matrices(d).whitened if whitened else matrices(d)
        limit = ns.predict(task, training, tol=1e-3)
        result = ns.simulate(task, training, d=d, trials=30, seed=[23, d], n_jobs=1)
        for name in ("test_error", "train_loss", "signal", "norm"):
            gap = getattr(result, name) - getattr(limit, name)
            error = np.hypot(getattr(result, f"{name}_se"), getattr(limit, f"{name}_se"))
            gaps.setdefault(name, []).append((gap, error))
    check_one(
        {
            name: (2.0 * large[0] - small[0]) / np.hypot(2.0 * large[1], small[1])
            for name, (small, large) in gaps.items()
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(GIVEN)), ids=IDS)
def test_point_agrees(index, found):
    found[index] = scores(GIVEN[index], seed=[21, index])
    check_one(found[index])


@pytest.mark.slow
def test_scores_look_like_a_unit_normal(found):
    check_all([found.get(k) or scores(GIVEN[k], seed=[21, k]) for k in range(len(GIVEN))])


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(TRAINED)), ids=[item.name for item in TRAINED])
def test_a_trained_query_agrees(index):
    check_one(query_scores(TRAINED[index], seed=[22, index]))
    check_one(scores(TRAINED[index], seed=[24, index]))
