"""L-BFGS: it goes down at every step, and to where a general optimiser goes."""

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from needlescope.solvers.smooth.lbfgs import LBFGS, Point


def go_on(minimisation, objective, iterations):
    """Answer a minimisation until it has done this many iterations; return how many points."""
    count = 0
    while (at := minimisation.ask(iterations)) is not None:
        minimisation.tell(Point(at, *objective(at)))
        count += 1
    return count


def descend(objective, start, iterations):
    """The points of a minimisation, in one go."""
    minimisation = LBFGS(start)
    go_on(minimisation, objective, iterations)
    return [point.at for point in minimisation.path]


def bowl(seed=0, d=30):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((2 * d, d)) * np.logspace(0, 1, d)
    H, g = A.T @ A / d, rng.standard_normal(d)
    return (lambda x: (0.5 * float(x @ H @ x) - float(g @ x), H @ x - g)), np.linalg.solve(H, g)


def banana(x):
    return float(rosen(x)), rosen_der(x)


@pytest.mark.parametrize("seed", range(3))
def test_the_least_point_of_a_bowl_is_found(seed):
    objective, least = bowl(seed)
    path = descend(objective, np.zeros(30), 500)
    assert objective(path[-1])[0] == pytest.approx(objective(least)[0], rel=1e-9)


def test_every_iteration_goes_down_and_counts():
    path = descend(banana, np.array([-1.2, 1.0, 0.5]), 15)
    assert len(path) == 16
    values = [banana(x)[0] for x in path]
    assert (np.diff(values) < 0.0).all()


def test_it_goes_as_far_as_a_general_optimiser():
    for seed in range(5):
        start = np.random.default_rng(seed).standard_normal(8)
        ours = banana(descend(banana, start, 60)[-1])[0]
        theirs = minimize(rosen, start, jac=rosen_der, method="L-BFGS-B", options={"maxiter": 60})
        assert ours < 1.5 * theirs.fun + 1e-6


def test_a_minimisation_is_continued_where_it_was_left():
    start = np.array([-1.2, 1.0, 0.5])
    whole, parts = LBFGS(start), LBFGS(start)
    go_on(whole, banana, 25)
    for count in (3, 3, 10, 25):
        go_on(parts, banana, count)
    for item, other in zip(whole.path, parts.path, strict=True):
        np.testing.assert_array_equal(item.at, other.at)
    assert parts.after(100) is parts.path[-1] and parts.after(3) is parts.path[3]


def test_a_long_slope_is_descended_in_growing_steps():
    path = descend(
        lambda x: (float(np.hypot(1.0, x[0] - 1e4)), (x - 1e4) / np.hypot(1.0, x - 1e4)),
        np.zeros(1),
        40,
    )
    assert path[-1][0] == pytest.approx(1e4, abs=1e-3)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_where_nothing_is_finite_it_stays(bad):
    path = descend(lambda x: (0.0, np.ones(2)) if not x.any() else (bad, x), np.zeros(2), 5)
    assert len(path) == 1


def test_it_stops_where_nothing_is_to_be_gained():
    assert len(descend(lambda x: (1.0, np.zeros(3)), np.zeros(3), 5)) == 1
    objective, least = bowl()
    assert len(descend(objective, least, 50)) < 10


def test_the_same_point_is_asked_for_until_it_is_told():
    minimisation = LBFGS(np.array([-1.2, 1.0]))
    for _ in range(6):
        at = minimisation.ask(10)
        np.testing.assert_array_equal(at, minimisation.ask(10))
        minimisation.tell(Point(at, *banana(at), info=float(at[0])))
    assert all(point.info == point.at[0] for point in minimisation.path)
    assert len(minimisation.path) > 1


def test_no_iterations_take_the_first_point_only():
    minimisation = LBFGS(np.array([-1.2, 1.0]))
    assert go_on(minimisation, banana, 0) == 1
    assert len(minimisation.path) == 1 and not minimisation.ended
    assert minimisation.ask(0) is None and minimisation.ask(1) is not None


@pytest.mark.parametrize("spare", [0, 2, 5])
def test_few_points_are_spared_in_all(spare):
    """One point in each iteration, and this many more."""
    start = np.array([-1.2, 1.0, 0.5])
    bounded = LBFGS(start, spare=spare)
    points = go_on(bounded, banana, 25)
    assert points <= 1 + 25 + spare and points <= len(bounded.path) + spare + 1
    values = [point.value for point in bounded.path]
    assert (np.diff(values) < 0.0).all()


def test_a_tolerance_ends_it_early():
    objective, _ = bowl()
    coarse, fine = LBFGS(np.zeros(30), tol=1e-3), LBFGS(np.zeros(30))
    assert go_on(coarse, objective, 500) < go_on(fine, objective, 500)
    assert coarse.ended and coarse.ask(1000) is None
    gains = -np.diff([point.value for point in coarse.path])
    assert (gains[:-1] > 1e-3).all() and gains[-1] >= 0.0
