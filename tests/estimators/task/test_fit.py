"""A task fitted to bags: right where there is a signal, doubted as far as it should be."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.bags.bags import as_bags
from needlescope.estimators.bags.datasets import load_musk1
from needlescope.estimators.task.fit import fit_task
from needlescope.estimators.task.mixture import fit_mixture
from needlescope.estimators.task.strength import strength
from needlescope.planning.expected.protocol import alignment
from needlescope.task import Task
from tests.estimators.draws import draw

COVERS = ("direction_fit",)


@pytest.fixture
def without_halves(monkeypatch):
    """The model's own errors alone."""
    monkeypatch.setattr("needlescope.estimators.task.halves.HALVINGS", 0)


def test_copies_of_the_same_projections_say_no_more_than_one():
    rng = np.random.default_rng(0)
    noise, seen = rng.standard_normal(2000), rng.standard_normal(2000)
    seen[:400] += 2.5
    item = fit_mixture(noise, seen, 0.01)
    four = fit_mixture(noise, np.tile(seen, 4), 0.01, copies=4)
    np.testing.assert_allclose(four, item, rtol=1e-9)
    alone = fit_mixture(noise, np.tile(seen, 4), 0.01)
    np.testing.assert_allclose(alone.share_se, 0.5 * item.share_se, rtol=1e-9)


def test_copies_count_as_one_where_the_share_is_known():
    rng = np.random.default_rng(0)
    noise, seen = rng.standard_normal(2000), rng.standard_normal(2000)
    seen[:400] += 2.5
    item = fit_mixture(noise, seen, 0.01, share=0.2)
    four = fit_mixture(noise, np.tile(seen, 4), 0.01, share=0.2, copies=4)
    np.testing.assert_allclose(four, item, rtol=1e-9)


def test_directions_that_vary_make_the_strength_less_sure(monkeypatch, without_halves):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 8, 20)), np.where(np.arange(200) % 2, 1.0, -1.0)
    X[y > 0.0, 0, 0] += 4.0

    def fit():
        result = fit_task(as_bags(X), y, np.random.RandomState(0), lambda: None)
        return result.task.theta, result.theta_se

    plain, plain_se = fit()
    assert 0.0 < plain_se < 0.1 * plain
    monkeypatch.setattr(
        "needlescope.estimators.task.direction_fit.cosine_deviation", lambda *_: 0.2
    )
    theta, theta_se = fit()
    assert theta == plain
    # The shift is θ s, and s grows with θ: in θ it is a little less.
    assert theta_se == pytest.approx(0.2 * theta, rel=0.25)


def _sizes(rng, y):
    """Positive bags are larger, and nothing else."""
    return [rng.standard_normal((rng.integers(16, 30) if item else 6, 20)) for item in y]


def _spread(rng, y):
    """Instances of positive bags vary more, in every direction."""
    return rng.standard_normal((len(y), 10, 20)) * np.where(y, 1.5, 1.0)[:, None, None]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("make", [_sizes, _spread])
def test_a_difference_that_is_no_direction_is_no_signal(make):
    claimed = 0
    for seed in range(6):
        y = np.arange(200) % 2
        bags = as_bags(make(np.random.default_rng(seed), y))
        random = np.random.RandomState(seed)
        result = fit_task(bags, np.where(y, 1.0, -1.0), random, lambda: None)
        claimed += result.task.theta > 0.0
    assert claimed <= 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("L", "R", "theta", "d"), [(5, 3, 4.0, 10), (20, 5, 3.0, 40)])
def test_few_bags_and_a_signal_in_one_feature(L, R, theta, d, without_halves):
    z = []
    for seed in range(12):
        rng, y = np.random.default_rng(seed), np.arange(60) % 2
        X = rng.standard_normal((60, L, d))
        X[y == 1, :R, 0] += theta
        random = np.random.RandomState(seed)
        result = fit_task(as_bags(X), np.where(y, 1.0, -1.0), random, lambda: None)
        z.append((result.task.theta - theta) / result.theta_se)
    assert np.sqrt(np.mean(np.square(z))) < 1.6


@pytest.mark.slow
def test_what_depends_on_the_folds_is_doubted():
    bags, y = load_musk1()
    signs = np.where(y > 0, 1.0, -1.0)
    result = [fit_task(bags, signs, np.random.RandomState(seed), lambda: None) for seed in range(4)]
    thetas = [item.task.theta for item in result]
    assert np.std(thetas, ddof=1) < np.mean([item.theta_se for item in result])


def test_directions_are_those_of_four_fifths_of_the_bags(monkeypatch, without_halves):
    asked = set()

    def recorded(task, shift, alpha0, *rest):
        asked.add(alpha0)
        return strength(task, shift, alpha0, *rest)

    monkeypatch.setattr("needlescope.estimators.task.direction_fit.strength", recorded)
    X, y, _ = draw(Task(L=10, R=1, theta=4.0, pi=0.5), 50, 400)
    signs = np.where(y, 1.0, -1.0)
    result = fit_task(as_bags(X), signs, np.random.RandomState(0), lambda: None)
    assert list(asked) == [pytest.approx(0.8 * len(y) / result.dimension)]


@pytest.mark.slow
def test_the_strength_is_right_on_average(without_halves):
    task, d, n = Task(L=10, R=2, theta=3.0, pi=0.5), 40, 100
    z = []
    for seed in range(16):
        X, y, _ = draw(task, d, n, seed)
        random = np.random.RandomState(seed)
        result = fit_task(as_bags(X), np.where(y, 1.0, -1.0), random, lambda: None)
        z.append(result.task.theta - task.theta)
        expected = alignment(result.task, n / (2.0 * result.dimension), "query")
        others = alignment(result.task, n / (2.0 * result.dimension), "readout")
        assert result.alignment["predicted"] in (pytest.approx(expected), pytest.approx(others))
    assert abs(np.mean(z)) < 3.5 * np.std(z) / np.sqrt(16)


@pytest.mark.slow
def test_a_count_between_two_whole_numbers_makes_the_strength_less_sure(without_halves):
    """Of three instances in nine, in few bags, four of a weaker signal are as likely."""
    z, alone = [], []
    task = Task(L=9, R=3, theta=2.8, pi=0.2)
    for seed in range(6):
        X, y, _ = draw(task, 40, 100, seed)
        signs = np.where(y, 1.0, -1.0)
        with pytest.MonkeyPatch.context() as patch:
            sure = fit_task(as_bags(X), signs, np.random.RandomState(seed), lambda: None)
            patch.setattr(
                "needlescope.estimators.task.direction_fit._theta_error_of_R", lambda *_: 0.0
            )
            less = fit_task(as_bags(X), signs, np.random.RandomState(seed), lambda: None)
        assert less.task == sure.task and less.theta_se <= sure.theta_se
        z.append((sure.task.theta - task.theta) / sure.theta_se)
        alone.append((sure.task.theta - task.theta) / less.theta_se)
    assert np.sqrt(np.mean(np.square(z))) < min(1.6, np.sqrt(np.mean(np.square(alone))))


@pytest.mark.slow
def test_nine_in_ten_intervals_of_the_strength_cover_it():
    rng, covered = np.random.default_rng(0), []
    for seed in range(100):
        L, R = int(rng.integers(5, 50)), int(rng.integers(1, 4))
        task = Task(L=L, R=R, theta=rng.uniform(2.5, 6.0), pi=rng.uniform(0.1, 0.5))
        d, n = int(rng.integers(20, 100)), int(rng.integers(150, 600))
        X, y, _ = draw(task, d, n, seed)
        random = np.random.RandomState(seed)
        result = fit_task(as_bags(X), np.where(y, 1.0, -1.0), random, lambda: None)
        if result.task.theta > 0.0:
            covered.append(abs(result.task.theta - task.theta) < 1.645 * result.theta_se)
    assert len(covered) > 80
    # 0.9, and three standard errors of so many trials.
    assert abs(np.mean(covered) - 0.9) < 3.0 * np.sqrt(0.9 * 0.1 / len(covered))
