"""Many signal tokens: against polynomials that are multiplied out, draw by draw and on average."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.theory.bayes.posterior_mass import _log_ratio, many_signal_mass
from needlescope.theory.oracle.saddle_point import SaddlePointFormula
from needlescope.theory.oracle.symmetric import draw, token_groups


def log_polynomials(logits, R):
    """log e_k of e^y, k = 0..R, token by token."""
    result = np.full((len(logits), R + 1), -np.inf)
    result[:, 0] = 0.0
    for y in logits.T:
        result[:, 1:] = np.logaddexp(result[:, 1:], result[:, :-1] + y[:, None])
    return result


@pytest.mark.parametrize(("L", "R"), [(40, 13), (100, 50)])
@pytest.mark.parametrize("kappa", [0.2, 2.0, 5.0])
def test_the_contour_is_exact_where_all_tokens_are_kept(L, R, kappa):
    groups = token_groups(L - 1, R - 1, kappa, positive=True)
    drawn = draw(groups, 64, 0)
    at = SaddlePointFormula(kappa, R - 0.5, groups).tilt(drawn)
    tokens = np.concatenate(
        [item.g + group.lift for item, group in zip(drawn, groups, strict=True)], axis=1
    )
    logs = log_polynomials(kappa * tokens, R)
    assert at.u + _log_ratio(at, R) == pytest.approx(logs[:, R - 1] - logs[:, R], abs=1e-10)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("L", "R", "count"), [(60, 14, 2000), (400, 60, 300)])
@pytest.mark.parametrize("kappa", [0.6, 2.4, 4.5])
def test_on_average_as_many_are_recognised(L, R, count, kappa):
    """The share of the signal's tokens in the posterior, over tokens that are all drawn."""
    g = np.random.default_rng(1).standard_normal((count, L))
    logs = log_polynomials(kappa * (g[:, :R] + kappa), R)
    logs += log_polynomials(kappa * g[:, R:], R)[:, ::-1]
    share = np.exp(logs - logs.max(axis=1, keepdims=True))
    exact = share @ np.arange(R + 1) / share.sum(axis=1)
    result = many_signal_mass(L, R, 256, kappa)
    error = np.hypot(exact.std() / np.sqrt(count), result.std(ddof=1) / np.sqrt(len(result)))
    assert abs(result.mean() - exact.mean()) < 4.0 * error


def test_it_ends_where_all_are_recognised():
    result = np.array(
        [many_signal_mass(2000, 300, 32, kappa) for kappa in np.arange(0.0, 12.0, 1.0)]
    )
    mean = result.mean(axis=1)
    assert (np.diff(mean) > -1e-9).all() and mean[0] == 45.0
    assert mean[-1] == pytest.approx(300.0, abs=1e-6) and mean.max() <= 300.0
