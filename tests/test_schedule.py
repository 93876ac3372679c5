"""Schedule: shares of D0 and step sizes, validated, printed and compared."""

from __future__ import annotations

import pytest

import needlescope as ns


def test_step_sizes_are_the_training_s_own_unless_given() -> None:
    schedule = ns.Schedule((0.5, 0.25, 0.25), eta_b=4.0, eta_q=[0.0, 1.0, 2.0])
    assert schedule.sizes("eta_w", 0.5) == (0.5, 0.5, 0.5)
    assert schedule.sizes("eta_b", 0.5) == (4.0, 4.0, 4.0)
    assert schedule.sizes("eta_q", 0.5) == (0.0, 1.0, 2.0)


def test_it_prints_as_it_is_made() -> None:
    schedules = [
        ns.Schedule.even(4),
        ns.Schedule.even(3, eta_q=(1.0, 2.0, 3.0)),
        ns.Schedule((0.75, 0.25), eta_w=0.5),
    ]
    for schedule in schedules:
        assert eval(f"ns.{schedule!r}") == schedule


def test_equal_schedules_make_equal_trainings() -> None:
    item, two = (ns.Training(2.0, 1.0, schedule=ns.Schedule.even(3)) for _ in range(2))
    assert item == two and hash(item) == hash(two)
    assert item != ns.Training(2.0, 1.0) != ns.Training(2.0, 1.0, schedule=ns.Schedule.even(2))


def test_a_grid_of_trainings_shares_its_schedule() -> None:
    grid = ns.Training([2.0, 4.0], 1.0, schedule=ns.Schedule.even(2))
    assert grid.shape == (2,)
    assert all(scalar.schedule == ns.Schedule.even(2) for scalar in grid.scalars((2,)))


def test_even_shares_of_any_number_sum_to_one() -> None:
    for steps in (3, 7, 49, 10_000):
        assert ns.Schedule.even(steps).steps == steps


@pytest.mark.sampled(3)
@pytest.mark.parametrize("call", [ns.align, ns.predict, ns.focus])
def test_every_call_that_trains_a_query_follows_it(call) -> None:
    task, two = ns.Task(L=4, R=1, theta=4.0, pi=0.5), ns.Training(4.0, 1.0)
    result = [call(task, item) for item in (two, two.replace(schedule=ns.Schedule.even(3)))]
    assert result[0].kappa != result[1].kappa


def test_models_without_a_query_do_not_look_at_it() -> None:
    task, two = ns.Task(L=4, R=1, theta=4.0, pi=0.5), ns.Training(4.0, 1.0)
    many = two.replace(schedule=ns.Schedule.even(3))
    for model in ("pooled", "vectorized"):
        item, other = (ns.predict(task, training, model) for training in (two, many))
        assert item.test_error == other.test_error and item.provenance == other.provenance
    result = ns.simulate(task, many, "pooled", d=20, trials=2, n_jobs=1)
    assert result.options["sampler"] == "reduced"
