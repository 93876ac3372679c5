"""Theory against simulation in noise with a spectrum: a few points, and all of them slowly."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.simulation.error import estimated
from tests.agreement.limit import limit_scores
from tests.agreement.points import check_all, check_one, query_scores, scores
from tests.agreement.spectra import AMP, ATTENDING, LINEAR, TRAINED, TWO, WIDE

GIVEN = [*LINEAR, *ATTENDING]
QUICK = (1, 5, 17, 21, 24, 26)  # both kinds of models, four losses, and no ridge
IDS = [item.name for item in GIVEN]


@pytest.fixture(scope="module")
def found():
    return {}


@pytest.mark.parametrize("index", QUICK, ids=[IDS[k] for k in QUICK])
def test_a_small_point_agrees(index):
    check_one(scores(GIVEN[index]._replace(d=50, trials=30), seed=[11, index]))


@pytest.mark.parametrize("index", [3, 5])
def test_a_small_trained_query_agrees(index):
    point = TRAINED[index]._replace(trials=30)
    check_one(query_scores(point._replace(d=100), seed=[12, index]))


@pytest.mark.parametrize("index", [1, 5])
def test_amp_agrees(index, monkeypatch):
    monkeypatch.setattr(estimated, "ESTIMATE_TOL", 1.0)
    check_one(limit_scores(AMP[index]._replace(d=60), seed=[13, index]))


@pytest.mark.parametrize("signal", ["flat", "loud"])
def test_data_are_separable_up_to_the_capacity(signal):
    task = ns.Task(6, 1, 3.0, 0.4, noise=ns.Noise(spectrum=TWO), signal=signal)
    edge = ns.capacity(task, "pooled").alpha
    training = ns.Training(alpha1=[0.7 * edge, 1.4 * edge])
    result = ns.simulate_separability(task, training, "pooled", d=100, trials=8, n_jobs=1)
    assert result.fraction.tolist() == [1.0, 0.0]


def test_the_oracle_is_that_of_the_best_direction():
    task = ns.Task(6, 1, 3.0, 0.4, noise=ns.Noise(spectrum=WIDE), signal=-0.5)
    g = np.random.default_rng(0).standard_normal((2, 200_000))
    shift = 3.0 * float(np.sqrt(task.levels.weight @ (1.0 / task.levels.s))) / np.sqrt(6.0)
    least = min(
        0.4 * np.mean(g[0] + shift <= cut) + 0.6 * np.mean(g[1] > cut)
        for cut in np.linspace(0.0, 2.0 * shift, 400)
    )
    # 4 standard errors of 200,000 draws
    assert ns.oracle(task, "pooled").error == pytest.approx(least, abs=3e-3)


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(GIVEN)), ids=IDS)
def test_point_agrees(index, found):
    found[index] = scores(GIVEN[index], seed=[11, index])
    check_one(found[index])


@pytest.mark.slow
def test_scores_look_like_a_unit_normal(found):
    check_all([found.get(k) or scores(GIVEN[k], seed=[11, k]) for k in range(len(GIVEN))])


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(TRAINED)), ids=[item.name for item in TRAINED])
def test_a_trained_query_agrees(index):
    check_one(query_scores(TRAINED[index], seed=[12, index]))
    check_one(scores(TRAINED[index], seed=[14, index]))


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(AMP)), ids=[item.name for item in AMP])
def test_every_amp_point_agrees(index, monkeypatch):
    monkeypatch.setattr(estimated, "ESTIMATE_TOL", 1.0)
    check_one(limit_scores(AMP[index], seed=[13, index]))
