"""Labelled instances: estimates, bags drawn from them, learning curves, and refusals."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import needlescope as ns
from needlescope.estimators import task_from_instances
from needlescope.instances.bags import draw_bags, gaussian, sources
from needlescope.instances.sets import load_instances
from needlescope.instances.task import one_covariance

COVERS = ("bags", "curves", "from_bags", "sets", "task")


def instances(count: int = 400, d: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Background of mean 1 and variance 1, signal of mean 3 along the first axis and variance 4."""
    X = np.random.default_rng(seed).standard_normal((count, d))
    marks = np.arange(count) < count // 2
    X[marks] *= 2.0
    X[marks, 0] += 2.0
    return X + 1.0, marks


X, MARKS = instances()


def test_means_and_covariances_are_those_of_the_instances() -> None:
    result = task_from_instances(X, MARKS, L=5, R=2, pi=0.3, shrinkage=0.0)
    shift = X[MARKS].mean(axis=0) - X[~MARKS].mean(axis=0)
    task = result.task
    assert (task.L, task.R, task.pi) == (5, 2, 0.3)
    assert task.theta == pytest.approx(np.linalg.norm(shift))
    assert np.array(task.signal) == pytest.approx(shift)
    assert task.noise.covariance == pytest.approx(np.cov(X[~MARKS].T, bias=True))
    assert task.signal_noise.covariance == pytest.approx(np.cov(X[MARKS].T, bias=True))
    assert (result.background, result.signal, result.shrinkage) == (200, 200, (0.0, 0.0))
    assert result.mean == pytest.approx(X[~MARKS].mean(axis=0))


def test_theta_is_biased_by_what_is_reported() -> None:
    draws = [task_from_instances(*instances(80, 6, seed), L=4) for seed in range(200)]
    found = np.array([item.task.theta for item in draws])
    error = found.std() / np.sqrt(200.0)
    # the expansion in 1/n leaves terms of the next order, here some 0.01
    assert found.mean() - 2.0 == pytest.approx(
        np.mean([item.theta_bias for item in draws]), abs=4.0 * error + 0.01
    )


@pytest.mark.parametrize("rule", ["ledoit_wolf", "oas", 0.5])
def test_covariances_are_shrunk(rule: Any) -> None:
    bare = task_from_instances(X, MARKS, L=4, shrinkage=0.0).task.noise.covariance
    result = task_from_instances(X, MARKS, L=4, shrinkage=rule)
    share = result.shrinkage[0]
    assert 0.0 < share <= 1.0
    target = np.eye(4) * np.trace(bare) / 4.0
    assert result.task.noise.covariance == pytest.approx((1.0 - share) * bare + share * target)


def test_fewer_instances_than_features_still_make_a_task() -> None:
    few, marks = instances(24, 40)
    assert task_from_instances(few, marks, L=4).task.noise.root.shape == (40, 40)


def test_whitened_background_is_white() -> None:
    result = task_from_instances(X, MARKS, L=4, shrinkage=0.0)
    white = result.transform(X[~MARKS], whiten=True)
    assert np.cov(white.T, bias=True) == pytest.approx(np.eye(4), abs=1e-12)
    assert result.transform(X[~MARKS]).mean(axis=0) == pytest.approx(np.zeros(4), abs=1e-12)
    bags = X.reshape(100, 4, 4)
    assert result.transform(bags, whiten=True)[3, 2] == pytest.approx(
        result.transform(bags[3, 2], whiten=True)
    )


def test_gaussian_instances_have_the_means_and_covariances() -> None:
    whole = task_from_instances(X, MARKS, L=4)
    marks = np.arange(60_000) < 30_000
    drawn = gaussian(whole, marks, np.random.default_rng(0))
    # standard errors of 30,000 draws with variances up to 5: 0.013 and 0.04
    again = task_from_instances(drawn, marks, L=4, shrinkage=0.0)
    assert again.mean == pytest.approx(whole.mean, abs=0.05)
    assert np.array(again.task.signal) == pytest.approx(np.array(whole.task.signal), abs=0.08)
    for name in ("noise", "signal_noise"):
        old, new = (getattr(item.task, name).covariance for item in (whole, again))
        assert new == pytest.approx(old, abs=0.2)


def test_bags_to_test_on_share_no_instance_with_those_to_train_on() -> None:
    whole = task_from_instances(X, MARKS, L=4)
    given = sources(X, MARKS, whole, "real", np.random.default_rng(0))
    train, test = (
        {tuple(row) for row in draw_bags(whole, half, 300, rng).X.reshape(-1, 4)}
        for half, rng in zip(
            (given.train, given.test), map(np.random.default_rng, (1, 2)), strict=True
        )
    )
    assert train and test and not train & test
    assert train | test <= {tuple(row) for row in X}


def test_positives_have_r_signal_instances() -> None:
    whole = task_from_instances(X, MARKS, L=5, R=2, pi=0.3)
    bags = draw_bags(whole, (X[~MARKS], X[MARKS]), 400, np.random.default_rng(0))
    known = {tuple(row) for row in X[MARKS]}
    counts = np.array([sum(tuple(row) in known for row in bag) for bag in bags.X])
    assert counts.tolist() == np.where(bags.y > 0.0, 2, 0).tolist()
    assert abs((bags.y > 0.0).mean() - 0.3) < 0.1


@pytest.mark.parametrize("whitened", [False, True])
@pytest.mark.parametrize("model", ["pooled", "attention"])
def test_new_gaussian_instances_meet_the_theory(model: str, whitened: bool) -> None:
    options = {"bags": 1000, "model": model, "whitened": whitened}
    limit = ns.predict_instances("digits", **options)
    found = ns.simulate_instances("digits", source="gaussian", trials=6, n_jobs=1, **options)
    # finite d = 54 adds some 0.005 to what six trials scatter
    assert abs(found.test_error - limit.test_error) < 4.0 * found.test_error_se + 0.005


def test_signal_instances_of_their_own_covariance_matter() -> None:
    options = {"bags": 1000, "whitened": True}
    own = ns.predict_instances("breast_cancer", **options).test_error
    same = ns.predict_instances("breast_cancer", same_noise=True, **options).test_error
    real = ns.simulate_instances("breast_cancer", trials=4, n_jobs=1, seed=1, **options)
    assert same < 0.005 < 0.05 < own and real.test_error > 0.04


@pytest.mark.parametrize("source", ["real", "reused"])
def test_trials_do_not_depend_on_how_many_there_are(source: str) -> None:
    options = {"bags": 60, "L": 4, "source": source, "n_test": 100, "n_jobs": 1, "model": "pooled"}
    few, more = (ns.simulate_instances(X, MARKS, trials=k, **options) for k in (2, 3))
    assert more.trials[:2].tolist() == few.trials.tolist()
    assert np.isnan(ns.simulate_instances(X, MARKS, trials=1, **options).test_error_se)


def test_the_step_is_the_one_that_leads_to_kappa() -> None:
    for kappa in (1.0, 3.0):
        assert ns.predict_instances("digits", bags=300, kappa=kappa).kappa == pytest.approx(kappa)


def test_sets_are_standardised_and_cannot_be_changed() -> None:
    table, marks = load_instances("breast_cancer")
    assert table.shape == (569, 30) and marks.sum() == 212
    assert table.std(axis=0) == pytest.approx(np.ones(30))
    with pytest.raises(ValueError, match="read-only"):
        table[0, 0] = 1.0


def test_one_covariance_is_that_of_the_background() -> None:
    task = task_from_instances(X, MARKS, L=4).task
    assert one_covariance(task).noise == task.noise and one_covariance(task).signal_noise is None


BAD = X.copy()
BAD[7, 1] = np.nan
FLAT = X.copy()
FLAT[:, 2] = 1.0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("faces",), "instances must be one of 'digits', 'breast_cancer', got 'faces'"),
        (("digits", MARKS), "is_signal must be left out with the set 'digits', which has its own"),
        ((X, None), "is_signal must say for each of the 400 instances whether it is one, True or"),
        ((X, MARKS[:9]), "is_signal must say for each of the 400 instances"),
        ((X, np.arange(400)), "is_signal must be True or False for each instance, got np.int64(2)"),
        (
            (X, np.arange(400) < 3),
            "is_signal must leave at least 10 signal instances to estimate a",
        ),
        ((X, np.arange(400) >= 3), "is_signal must leave at least 10 background instances"),
        (
            (X[0], MARKS),
            "instances must be a table of numbers, a row for each instance, got an arr",
        ),
        (
            ([["a"]], MARKS),
            "instances must be a table of numbers, a row for each instance, got list",
        ),
        ((BAD, MARKS), "instances must be finite, got NaN or infinity in row 7; drop such rows"),
        ((FLAT, MARKS), "instances must have features that vary over the background, got the same"),
        ((np.tile(X[::2], (2, 1)), MARKS), "instances must differ in their means, got signal and"),
    ],
)
def test_what_makes_no_task_is_refused(given: tuple[Any, ...], words: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(words)}"):
        task_from_instances(*given, L=4)


@pytest.mark.parametrize(
    ("call", "options", "words"),
    [
        (ns.predict_instances, {"bags": 2}, "bags must be a whole number of at least 4, got 2"),
        (
            ns.predict_instances,
            {"bags": 300, "model": "hard"},
            "model must be one of 'attention', 'p",
        ),
        (ns.predict_instances, {"bags": 300, "kappa": -1.0}, "kappa must be"),
        (ns.predict_instances, {"bags": 300, "whitened": 2}, "whitened must be"),
        (
            ns.predict_instances,
            {"bags": 300, "ridge": 0.0},
            "ridge must be above 0 with signal_noise",
        ),
        (
            ns.simulate_instances,
            {"bags": 300, "source": "fake"},
            "source must be one of 'real', 're",
        ),
        (ns.simulate_instances, {"bags": 300, "trials": 0}, "trials must be an integer"),
    ],
)
def test_bad_arguments_of_a_curve_are_refused(
    call: Any, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(words)}"):
        call("digits", **options)


def test_shrinkage_is_a_rule_or_a_share() -> None:
    with pytest.raises(
        ValueError, match="shrinkage must be one of 'ledoit_wolf', 'oas', got 'mle'"
    ):
        task_from_instances(X, MARKS, L=4, shrinkage="mle")
    with pytest.raises(ValueError, match="shrinkage must be a"):
        task_from_instances(X, MARKS, L=4, shrinkage=2.0)


def test_bags_alone_give_background_and_signal() -> None:
    rng = np.random.default_rng(0)
    shapes = rng.integers(3, 7, 3000)
    y, root = np.arange(3000) % 3 == 0, np.array([[2.0, 0.0], [1.0, 0.5]])
    bags = [rng.standard_normal((size, 2)) @ root.T + 5.0 for size in shapes]
    for bag in (bag for bag, sign in zip(bags, y, strict=True) if sign):
        bag[:2] += [1.0, 2.0]
    result = ns.task_from_bags(bags, y, R=2, shrinkage=0.0)
    assert (result.task.L, result.task.R, result.task.pi) == (round(shapes.mean()), 2, 1.0 / 3.0)
    # standard errors: 0.1 for a sum of 4.5 instances over 1000 bags, halved, and 0.02 for Σ
    assert np.array(result.task.signal) == pytest.approx([1.0, 2.0], abs=0.3)
    assert result.task.noise.covariance == pytest.approx(root @ root.T, abs=0.15)
    assert result.task.signal_noise is None and result.mean == pytest.approx([5.0, 5.0], abs=0.1)


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        (
            (X.reshape(100, 4, 4), np.ones(100)),
            {},
            "y must have positive and negative bags, got 100",
        ),
        ((X.reshape(100, 4, 4), np.ones(9)), {}, "y must be a number or True or False for each of"),
        (
            (X.reshape(100, 4, 4), np.arange(100) % 2),
            {"R": 5},
            "R must be at most the size of a po",
        ),
        (
            ([X[:3], X[:3, :2]], [0, 1]),
            {},
            "X must have the same features in every bag, got [2, 4]",
        ),
        (([X[:3], X[:3]], [0, 1]), {}, "X must have at least 10 instances in negative bags, got 3"),
        (([BAD, X], [0, 1]), {}, "instances must be finite"),
        ((3, [1]), {}, "X must be bags of instances, a table each, got 3"),
        ((X.reshape(100, 4, 4), [1, np.nan] * 50), {}, "y must be finite, got nan for bag 1"),
        (
            (np.tile(X[:4], (40, 1, 1)), np.arange(40) % 2),
            {},
            "instances must differ in their means",
        ),
    ],
)
def test_bags_that_make_no_task_are_refused(
    given: tuple[Any, Any], options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(words)}"):
        ns.task_from_bags(*given, **options)
