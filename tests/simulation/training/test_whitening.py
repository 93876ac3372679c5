"""Whitening by the instances that train: the same data in other coordinates, shrunk as it says."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.models.blocks import hold
from needlescope.simulation.checks import specify
from needlescope.simulation.training.from_tokens import training_sets
from needlescope.simulation.training.specification import Trial
from needlescope.simulation.training.whitening import (
    covariance,
    inverse_root,
    oracle_approximating,
    whitened_trial,
)
from tests.covariances import spread

D = 24
TWO = ns.Spectrum.two_levels(high=4.0, low=0.25, share=0.25)
TASK = ns.Task(L=6, R=1, theta=4.0, pi=0.4, noise=ns.Noise(spectrum=TWO))
TRAINING = ns.Training(alpha0=4.0, alpha1=3.0, loss="square", ridge=0.1)
FULL = TASK.replace(noise=ns.Noise(covariance=spread(D)))
TIED = TASK.replace(noise=ns.Noise(spectrum=TWO, token_correlation=0.6))


def trial(task=TASK, training=TRAINING, model="attention", **options):
    spec = specify(task, training, model, D, whitening="estimated", **options)
    return Trial(spec.points()[0], np.random.SeedSequence(3))


def instances(trial):
    _, parts = training_sets(trial)
    return np.concatenate([hold(part).X.reshape(-1, D) for part in parts]).astype(float)


@pytest.mark.parametrize("task", [TASK, FULL, TASK.replace(noise=None, signal=None), TIED])
@pytest.mark.parametrize("shrinkage", [1e-9, 0.3])
def test_it_is_the_same_data_in_whitened_coordinates(task, shrinkage):
    before = trial(task, shrinkage=shrinkage)
    after = whitened_trial(before)
    X, Y = instances(before), instances(after)
    S = np.cov(X.T, bias=True)
    shrunk = (1.0 - shrinkage) * S + shrinkage * np.trace(S) / D * np.eye(D)
    inside = X @ np.linalg.solve(shrunk, X[:50].T)
    assert pytest.approx(inside, abs=2e-3) == Y @ Y[:50].T
    assert after.spec.task.theta > 0.0 and after.spec.whitening is None
    if shrinkage < 0.1:
        assert np.cov(Y.T, bias=True) == pytest.approx(np.eye(D), abs=1e-4)


def test_the_covariance_is_that_of_all_instances_that_train():
    X = instances(trial())
    S, count = covariance(training_sets(trial())[1])
    assert count == len(X) == 6 * 7 * D
    assert pytest.approx(np.cov(X.T, bias=True), abs=1e-4) == S
    assert len(instances(trial(model="pooled"))) == 6 * 3 * D  # D1 alone
    assert len(instances(trial(model="pooled", data="all"))) == 6 * 7 * D


def test_negatives_alone_have_no_signal_in_their_covariance():
    before = trial(TASK.replace(theta=20.0))
    _, parts = training_sets(before)
    data = [hold(part) for part in parts]
    rows = np.concatenate([part.X[part.y < 0.0].reshape(-1, D) for part in data]).astype(float)
    S, count = covariance(parts, negatives=True)
    assert count == len(rows)
    assert pytest.approx(np.cov(rows.T, bias=True), abs=1e-4) == S
    assert np.trace(covariance(parts)[0]) > np.trace(S) + 10.0  # π (R/L) θ² is 27


def test_the_shrinkage_is_near_the_best_for_few_instances():
    rng, sigma = np.random.default_rng(0), np.diag(TWO.s[TWO.at_dimension(D)])
    for n in (12, 100, 2000):
        X = rng.standard_normal((n, D)) @ np.sqrt(sigma)
        S = X.T @ X / n

        def distance(rho, S=S):
            shrunk = (1.0 - rho) * S + rho * np.trace(S) / D * np.eye(D)
            return float(((shrunk - sigma) ** 2).sum())

        best = min(map(distance, np.linspace(0.0, 1.0, 101)))
        assert distance(oracle_approximating(S, n)) < 1.15 * best


def test_auto_is_that_shrinkage():
    S = np.diag([4.0, 1.0, 0.5])
    rho = oracle_approximating(S, 40)
    assert inverse_root(S, 40, "auto") == pytest.approx(inverse_root(S, 40, rho))


def simulate(task=TASK, **options):
    return ns.simulate(task, TRAINING, d=40, trials=12, n_jobs=1, **options)


def test_shrunk_to_the_identity_nothing_is_whitened_but_the_scale():
    plain = simulate(TASK)
    shrunk = simulate(TASK, whitening="estimated", shrinkage=1.0)
    assert shrunk.trials["cosine_q"] == pytest.approx(plain.trials["cosine_q"], abs=0.05)


def test_known_is_the_whitened_task():
    known, white = simulate(whitening="known"), ns.simulate(
        TASK.whitened, TRAINING, d=40, trials=12, n_jobs=1
    )  # fmt: skip
    assert (known.trials["test_error"] == white.trials["test_error"]).all()
    assert known.test_error < simulate().test_error
    limit = ns.predict(TASK, TRAINING, whitening="known").test_error
    assert limit == ns.predict(TASK.whitened, TRAINING).test_error


def test_many_instances_are_as_good_as_a_known_covariance():
    """The signal is in the estimate too, and shortens itself: hardly, where positives are rare."""
    rare = TASK.replace(L=20, pi=0.2)
    kind = ns.Training(alpha0=20.0, alpha1=20.0, ridge=0.01, balanced=True)
    options = {"d": 40, "trials": 12, "n_jobs": 1}
    known, estimated, none = (
        ns.simulate(rare, kind, whitening=item, **options) for item in ("known", "estimated", None)
    )
    assert abs(estimated.cosine_q - known.cosine_q) < 0.05
    assert none.cosine_q < known.cosine_q - 0.2


def own_error(task, rng, negatives, n=96, fresh=2000, shrinkage=0.1):
    """Return the test error of pooling on whitened features, in a few lines of NumPy."""
    s = np.repeat([4.0, 0.25], [D // 4, D - D // 4])
    xi = rng.standard_normal(D)
    xi /= np.linalg.norm(xi)
    rho = task.token_correlation
    C = rho ** abs(np.subtract.outer(range(task.L), range(task.L))) if rho else np.eye(task.L)

    def draw(count):
        y = np.where(rng.random(count) < task.pi, 1.0, -1.0)
        X = np.linalg.cholesky(C) @ rng.standard_normal((count, task.L, D)) * np.sqrt(s)
        X[np.flatnonzero(y > 0.0), rng.integers(0, task.L, int((y > 0.0).sum()))] += task.theta * xi
        return X, y

    X, y = draw(n)
    rows = (X[y < 0.0] if negatives else X).reshape(-1, D)
    S = (1.0 - shrinkage) * np.cov(rows.T, bias=True)
    S += shrinkage * np.trace(S) / (1.0 - shrinkage) / D * np.eye(D)
    values, vectors = np.linalg.eigh(S)
    M = vectors / np.sqrt(values) @ vectors.T
    F = np.column_stack([X.mean(axis=1) @ M, np.ones(n)])
    ridge = 0.1 * n * np.diag([*np.ones(D), 0.0])
    w = np.linalg.solve(F.T @ F + ridge, F.T @ y)
    X, y = draw(fresh)
    return float(np.mean(y * (X.mean(axis=1) @ M @ w[:-1] + w[-1]) <= 0.0))


@pytest.mark.parametrize("kind", ["negatives", "estimated"])
@pytest.mark.parametrize("task", [TASK, TIED], ids=["independent", "correlated"])
def test_errors_are_those_of_a_plain_simulation(task, kind):
    training = ns.Training(alpha1=96 / D, loss="square", ridge=0.1)
    options = {"whitening": kind, "shrinkage": 0.1, "n_jobs": 1}
    found = ns.simulate(task, training, "pooled", D, 60, 5, **options)
    rng = np.random.default_rng(6)
    own = np.array([own_error(task, rng, kind == "negatives") for _ in range(60)])
    error = np.hypot(found.test_error_se, own.std(ddof=1) / np.sqrt(len(own)))
    assert abs(found.test_error - own.mean()) < 4.5 * error
