"""What makes an estimate less sure counts in its standard error."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.bags.bags import as_bags
from needlescope.estimators.task.fit import fit_task
from needlescope.estimators.task.mixture import fit_mixture


def test_copies_of_the_same_projections_say_no_more_than_one():
    rng = np.random.default_rng(0)
    noise, seen = rng.standard_normal(2000), rng.standard_normal(2000)
    seen[:400] += 2.5
    one = fit_mixture(noise, seen, 0.01)
    four = fit_mixture(noise, np.tile(seen, 4), 0.01, copies=4)
    np.testing.assert_allclose(four, one, rtol=1e-9)
    alone = fit_mixture(noise, np.tile(seen, 4), 0.01)
    np.testing.assert_allclose(alone.share_se, 0.5 * one.share_se, rtol=1e-9)


def test_copies_count_as_one_where_the_share_is_known():
    rng = np.random.default_rng(0)
    noise, seen = rng.standard_normal(2000), rng.standard_normal(2000)
    seen[:400] += 2.5
    one = fit_mixture(noise, seen, 0.01, share=0.2)
    four = fit_mixture(noise, np.tile(seen, 4), 0.01, share=0.2, copies=4)
    np.testing.assert_allclose(four, one, rtol=1e-9)


def test_directions_that_vary_make_the_strength_less_sure(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 8, 20)), np.where(np.arange(200) % 2, 1.0, -1.0)
    X[y > 0.0, 0, 0] += 4.0

    def fit():
        found = fit_task(as_bags(X), y, np.random.RandomState(0), 5, lambda: None)
        return found.task.theta, found.theta_se

    plain, plain_se = fit()
    assert 0.0 < plain_se < 0.1 * plain
    monkeypatch.setattr("needlescope.estimators.task.fit.cosine_deviation", lambda *_: 0.2)
    theta, theta_se = fit()
    assert theta == plain
    # The shift is θ s, and s grows with θ: in θ it is a little less.
    assert theta_se == pytest.approx(0.2 * theta, rel=0.25)
