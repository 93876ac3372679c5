"""State evolution: closed forms, the fixed point, and the uncertainty of the path."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

import needlescope as ns
from needlescope.theory.bayes import alpha_grid

HUNDRED = ns.Task(L=100, R=1, theta=4.0, pi=0.5)


def test_a_signal_in_all_tokens_is_found_in_one_round() -> None:
    result = ns.state_evolution(ns.Task(L=5, R=5, theta=1.5, pi=0.4), 2.0, iterations=3)
    field = 2.0 * 0.4 * 1.5**2 * 5
    assert result.path == pytest.approx([0.0] + 3 * [field / (1.0 + field)], rel=1e-12)
    assert result.path_se.max() < 1e-15


def test_one_of_two_tokens_by_quadrature() -> None:
    """The signal token's share is a logistic function of one Gaussian number."""
    theta, alpha, pi, q = 2.5, 1.3, 0.6, 0.0
    result = ns.state_evolution(ns.Task(L=2, R=1, theta=theta, pi=pi), alpha, iterations=4)
    for number in range(1, 5):
        kappa = theta * np.sqrt(q)

        def share(z: float, kappa: float = kappa) -> float:
            return float(expit(kappa * (kappa + np.sqrt(2.0) * z)) * norm.pdf(z))

        field = alpha * pi * theta**2 * quad(share, -10.0, 10.0, epsabs=1e-11)[0]
        q = field / (1.0 + field)
        assert abs(result.path[number] - q) < 4.0 * result.path_se[number] + 2e-5  # of the spline


def test_the_first_round_pools() -> None:
    result = ns.state_evolution(ns.Task(L=30, R=3, theta=2.0, pi=0.5), 1.0, iterations=1)
    field = 0.5 * 4.0 * 9.0 / 30.0
    assert result.path == pytest.approx([0.0, field / (1.0 + field)], rel=1e-9)


@pytest.mark.parametrize("alpha", [0.2, 0.45, 2.0])
def test_it_ends_at_the_amp_overlap(alpha: float) -> None:
    result = ns.state_evolution(HUNDRED, alpha, iterations=100, tol=1e-2)
    limit = ns.bayes_optimal(HUNDRED, alpha, tol=1e-2)
    near = 4.0 * np.hypot(result.path_se[-1], limit.amp_overlap_se)
    assert abs(result.path[-1] - limit.amp_overlap) < near + 1e-9


def test_a_grid_is_its_points() -> None:
    task = ns.Task(L=[[4], [9]], R=2, theta=[2.0, 3.0, 3.0], pi=[0.3, 0.3, 0.6])
    result = ns.state_evolution(task, 1.5, iterations=5)
    assert result.shape == (2, 3) and result.path.shape == result.path_se.shape == (2, 3, 6)
    alone = ns.state_evolution(ns.Task(L=9, R=2, theta=3.0, pi=0.6), 1.5, iterations=5)
    assert alone.shape == () and alone.path == pytest.approx(result.path[1, 2], rel=1e-12)
    table = result.to_pandas()
    assert len(table) == 36 and table["iteration"].max() == 5
    last = table.query("`task.L` == 9 and `task.pi` == 0.6")
    assert last["path"].to_list() == result.path[1, 2].tolist()


def test_no_signal_teaches_nothing() -> None:
    assert not ns.state_evolution(ns.Task(L=10, R=2, theta=0.0, pi=0.3), 5.0).path.any()


def test_its_error_covers_a_finer_table() -> None:
    rough = ns.state_evolution(HUNDRED, 0.4, tol=5e-2)
    fine = ns.state_evolution(HUNDRED, 0.4, tol=5e-3)
    assert rough.path_se.max() > 2.0 * fine.path_se.max() > 0.0
    assert (abs(rough.path - fine.path) <= 4.5 * np.hypot(rough.path_se, fine.path_se)).all()


def test_a_path_that_is_not_known_is_refused_or_nan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it lingers, replicates of a rough table escape in different iterations."""
    monkeypatch.setattr(alpha_grid, "LADDER", (2**6,))
    at = [0.34, 0.1]
    with pytest.raises(ns.NotConverged, match=r"at alpha=0\.34: .* of the path is .* errors grow"):
        ns.state_evolution(HUNDRED, at, iterations=40, tol=5e-2)
    with pytest.warns(RuntimeWarning, match="1 of 2 points could not be solved"):
        result = ns.state_evolution(HUNDRED, at, iterations=40, tol=5e-2, on_error="nan")
    assert result.path.shape == (2, 41) and np.isnan(result.path[0]).all()
    assert 0.0 < result.path[1, -1] < 0.1
