"""Hard attention: the largest token along the query, and what softmax tends to."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import needlescope as ns
from needlescope.models import ATTENTION, HARD
from needlescope.models.segments import Even, Ragged

TASK = ns.Task(L=6, R=2, theta=3.0, pi=0.4)
TRAINING = ns.Training(alpha0=3.0, alpha1=2.0, ridge=0.05)


@pytest.mark.parametrize("segments", [Even(5), Ragged.at(np.array([0, 3, 4, 20]))])
def test_it_returns_the_largest_token(segments):
    rows, q = np.random.default_rng(0).standard_normal((20, 3)), np.array([1.0, -2.0, 0.5])
    ends = np.arange(0, 21, 5) if isinstance(segments, Even) else segments.starts
    parts = [rows[a:b] for a, b in pairwise(ends)]
    wanted = [part[np.argmax(part @ q)] for part in parts]
    for beta in (1e-3, 1.0, np.inf):
        assert np.array_equal(HARD.features(rows, segments, q, beta), wanted)
    soft = ATTENTION.features(rows, segments, q, 1e4)
    assert soft == pytest.approx(np.array(wanted), abs=1e-9)


def test_a_query_of_zero_is_pooling():
    rows = np.random.default_rng(0).standard_normal((20, 3))
    assert HARD.features(rows, Even(5), np.zeros(3), 1.0) == pytest.approx(
        rows.reshape(4, 5, 3).mean(axis=1)
    )


def told(model, kappa, cosine=0.8):
    return ns.predict(TASK, TRAINING, model, query=ns.Query(kappa, cosine), tol=1e-3)


def test_softmax_tends_to_it_as_kappa_grows():
    limit = told("hard", 1.0)
    gaps = [abs(told("attention", kappa).test_error - limit.test_error) for kappa in (4, 16, 64)]
    assert gaps[0] > 2.0 * gaps[1] > 4.0 * gaps[2]
    sharp = told("attention", 1e5)
    assert sharp.test_error == pytest.approx(limit.test_error, abs=1e-4)
    assert sharp.norm == pytest.approx(limit.norm, rel=1e-3)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kappa", [1e-3, 1.0, np.inf])
def test_the_norm_of_its_query_does_not_matter(kappa):
    assert told("hard", kappa).test_error == told("attention", np.inf).test_error
    assert told("hard", kappa).kappa == kappa
    of_limit, same = (
        ns.capacity(TASK, model, query=ns.Query(k, 0.8), tol=0.05).alpha
        for model, k in (("hard", kappa), ("attention", np.inf))
    )
    assert of_limit == same
    asymptotes = [
        ns.asymptote(TASK, model, query=ns.Query(k, 0.8), tol=1e-3).limit
        for model, k in (("hard", kappa), ("attention", np.inf))
    ]
    assert asymptotes[0] == asymptotes[1]


def test_at_kappa_zero_it_is_pooling():
    pooled = ns.predict(TASK, TRAINING, "pooled").test_error
    assert told("hard", 0.0).test_error == pytest.approx(pooled, abs=1e-9)
    result = [
        ns.simulate(TASK, TRAINING, model, 20, 2, 1, n_jobs=1, sampler="tokens", **more).test_error
        for model, more in (("hard", {"query": ns.Query(0.0, 0.5)}), ("pooled", {}))
    ]
    assert result[0] == pytest.approx(result[1], abs=1e-3)


def test_its_query_is_trained_as_softmax_trains_it():
    result = {
        model: ns.simulate(TASK, TRAINING.replace(query_steps=3), model, 20, 2, 1, n_jobs=1)
        for model in ("attention", "hard")
    }
    for name in ("cosine_q", "kappa"):
        item, other = (getattr(result[model].alignment, name) for model in result)
        assert item == other


@pytest.mark.parametrize("sampler", ["tokens", "reduced"])
def test_counted_mistakes_are_those_of_the_integral(sampler):
    asked = {"d": 20, "trials": 2, "seed": 3, "n_jobs": 1, "sampler": sampler}
    exact, counted = (
        ns.simulate(TASK, TRAINING, "hard", **asked, test=test, n_test=200_000).test_error
        for test in ("exact", "sampled")
    )
    assert counted == pytest.approx(exact, abs=5.0 * np.sqrt(0.25 / 400_000) + 5 * 2e-4)


def test_end_to_end_training_is_refused():
    with pytest.raises(ValueError, match="starts=2 trains a softmax end to end, got model='hard'"):
        ns.simulate(TASK, TRAINING, "hard", 10, starts=2)
