"""A trial: its sizes, its streams, and the text by which a checkpoint knows it."""

from __future__ import annotations

import numpy as np

import needlescope as ns
from needlescope.deep.catalogue import ARCHITECTURES
from needlescope.deep.trial import Job, _directions, watched_epochs
from needlescope.noise import STANDARD

TASK = ns.Task(L=4, R=1, theta=3.0, pi=0.5)
JOB = Job(TASK, 2.5, "cls", 10, None, 8, (), False, (0.01,), (3.0,), 5, 100, STANDARD, None)


def test_samples_are_alpha_times_d():
    assert JOB.n == 25 and JOB._replace(alpha=1e-9).n == 1 and JOB.architecture in ARCHITECTURES


def test_what_is_trained_says_all_but_where_and_how_it_is_tested():
    assert JOB._replace(n_test=5, lengths=(3,), checkpoints="there").what == JOB.what
    for other in (
        JOB._replace(alpha=2.0),
        JOB._replace(task=TASK.replace(theta=4.0)),
        JOB._replace(watch=True),
        JOB._replace(rates=(0.02,)),
        JOB._replace(decays=(0.0,)),
        JOB._replace(noise=ns.Noise(covariance=np.eye(10))),
        JOB._replace(seed=np.random.SeedSequence(1)),
        JOB._replace(seed=np.random.SeedSequence(0, spawn_key=(1,))),
    ):
        assert other.what != JOB.what


def test_noises_of_one_size_are_told_apart():
    item, other = (ns.Noise(covariance=scale * np.eye(10)) for scale in (1.0, 2.0))
    assert JOB._replace(noise=item).what != JOB._replace(noise=other).what


def test_directions_are_orthogonal():
    rng = np.random.default_rng(0)
    result = _directions(rng, 3, 8)
    np.testing.assert_allclose(result @ result.T, np.eye(3), atol=1e-12)
    assert np.isclose(np.linalg.norm(_directions(rng, 1, 8)), 1.0)


def test_moments_are_powers_of_two():
    assert (
        watched_epochs(1) == [0, 1]
        and watched_epochs(256)[-1] == 256
        and watched_epochs(300)[-1] == 256
    )
