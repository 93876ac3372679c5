"""The experiment on capacity: its units, and the half point that is held against α*."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from scipy.special import ndtr

import needlescope as ns
from needlescope.experiments.units.unit import canonical
from needlescope.gallery.paper import capacity as module
from needlescope.gallery.paper.capacity import QUERY, capacity

BASE = {f"task.{key}": value for key, value in module.TASK.items()}


def made(shift: float, finite: float = 1.5, reach: float = 0.9) -> pd.DataFrame:
    """A table of 200 trials at each ratio; fractions fall around 1 + shift + finite/d."""
    rows = [{"call": "capacity", "model": "pooled", "alpha": 2.95, **BASE}]
    for d in (60, 30):
        for ratio in np.linspace(1.0 - reach, 1.0 + reach, 19):
            share = ndtr((1.0 + shift + finite / d - ratio) * np.sqrt(d))
            for number in range(200):
                rows.append(
                    {"call": "simulate_separability", "model": "pooled", "d": d, **BASE}
                    | {
                        "training.alpha1": 2.95 * ratio,
                        "fraction": float(number + 0.5 < share * 200),
                    }
                )
    return pd.DataFrame(rows)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_every_trial_has_its_own_seed(full):
    units = module.units(full)
    assert len({unit.key for unit in units}) == len(units)
    seeds = {}
    for unit in units:
        if unit.call == "simulate_separability":
            seeds.setdefault(unit.arguments["model"], []).append(tuple(unit.arguments["seed"]))
    assert all(len(set(result)) == len(result) for result in seeds.values())


def test_dots_are_placed_around_the_capacity_that_is_predicted():
    task, query = ns.Task(**module.TASK), ns.Query(**module.QUERY)
    for model, near in module.CAPACITIES.items():
        result = ns.capacity(task, model, query=query if model == "attention" else None)
        assert result.alpha == pytest.approx(near, rel=5e-3)


@pytest.mark.parametrize("full", [False, True])
def test_trials_are_at_d_and_half_of_it_from_surely_separable_to_hopeless(full):
    wanted = {
        canonical(module._arguments(model)): (module.CAPACITIES[model], module.WIDTH[model])
        for model in module.PAPER_MODELS
    }
    for model, changed, near, width in module.OTHER_POINTS:
        wanted[canonical(module._arguments(model, **changed))] = near, width
    result = {key: {} for key in wanted}
    for unit in module.units(full):
        if unit.call == "simulate_separability":
            given = unit.arguments
            base = {key: given[key] for key in ("task", "model", "query") if key in given}
            place = result[canonical(base)].setdefault(given["d"], set())
            place.add(given["training"]["alpha1"])
            assert abs(given["training"]["alpha1"] * given["d"] % 1.0 - 0.5) > 0.499  # whole sets
    for key, sizes in result.items():
        near, width = wanted[key]
        small, large = sorted(sizes)
        assert large == 2 * small
        for d, alphas in sizes.items():
            assert max(alphas) / near > 1.0 + 5.5 * width / np.sqrt(d)
            assert min(alphas) <= max(1.0, near * (1.0 - 3.9 * width / np.sqrt(d)))


def test_right_theory_passes_whatever_finite_dimension_adds_and_wrong_theory_is_seen():
    for finite in (0.0, 1.5, 3.0):
        right = module.scores(made(0.0, finite)).iloc[0]
        assert right.simulation == pytest.approx(1.0, abs=0.01)
        assert abs(right.z) < 1.0
    wrong = module.scores(made(0.1)).iloc[0]
    assert wrong.simulation == pytest.approx(1.1, abs=0.01)
    assert wrong.z > 5.0
    assert wrong.theory_se == 0.0


def test_error_of_the_predicted_capacity_counts():
    table = made(0.1)
    sure = module.scores(table).iloc[0]
    table.loc[table.call == "capacity", "alpha_se"] = 0.295
    unsure = module.scores(table).iloc[0]
    assert unsure.theory_se == pytest.approx(0.1)
    assert unsure.z == pytest.approx(0.1 / np.hypot(0.1, sure.simulation_se), rel=0.1)


def test_error_of_the_extrapolated_half_point():
    table = made(0.0)
    parts = module.fractions(table).groupby("d")
    (_, small), (_, large) = (module.half_point(parts.get_group(d)) for d in (30, 60))
    result = module.scores(table).iloc[0]
    assert result.simulation_se == pytest.approx(np.hypot(2.0 * large, small), rel=1e-9)


def test_a_fall_that_is_not_covered_is_not_compared_and_said():
    result = module.scores(made(0.0, reach=0.3)).iloc[0]
    assert np.isnan(result.z)
    assert "do not cover the whole fall" in result.what


def test_half_point_error_is_the_spread_over_repetitions():
    rng = np.random.default_rng(0)
    ratio = np.linspace(0.4, 1.6, 13)
    share = ndtr((1.0 - ratio) * 10.0)
    result = [
        module.half_point(
            pd.DataFrame({"ratio": ratio, "fraction": rng.binomial(40, share) / 40, "trials": 40})
        )
        for _ in range(400)
    ]
    middle, error = np.array(result).T
    assert middle.std() == pytest.approx(error.mean(), rel=0.15)
    assert abs(middle.mean() - 1.0) < 4.0 * middle.std() / 20.0


def test_half_point_of_trials_that_all_agree_has_an_error():
    part = pd.DataFrame({"ratio": [0.9, 1.1], "fraction": [1.0, 0.0], "trials": [20, 20]})
    middle, error = module.half_point(part)
    assert middle == pytest.approx(1.0)
    assert error > 0.0


def test_nothing_to_compare():
    assert module.scores(pd.DataFrame()).empty
    assert module.scores(made(0.0).iloc[:1]).empty


HEAD = {f"query.{key}": value for key, value in QUERY.items()}


@pytest.fixture
def table():
    rows = [
        {"call": "capacity", "model": "pooled", "alpha": 3.0, **BASE},
        {"call": "capacity", "model": "pooled", "alpha": 2.2, **BASE, "task.L": 50},
        {"call": "capacity", "model": "attention", "alpha": 22.0, **BASE, **HEAD},
        {"call": "capacity", "model": "attention", "alpha": 5.0, **BASE, **HEAD}
        | {"query.cosine": 0.4},
    ]
    trial = {"call": "simulate_separability", "model": "pooled", **BASE}
    for d, alpha1, fraction in (
        (60, 2.4, 1.0), (60, 3.0, 1.0), (60, 3.0, 0.0), (60, 3.6, 0.0),
        (30, 1.8, 1.0), (30, 4.2, 0.0),
    ):  # fmt: skip
        rows.append({**trial, "d": d, "training.alpha1": alpha1, "fraction": fraction})
    yield pd.DataFrame(rows)
    plt.close("all")


def test_dots_are_fractions_over_the_stored_capacity(table):
    main = capacity(table).axes[0]
    dots = main.containers[0].lines[0]
    assert dots.get_xdata() == pytest.approx([0.8, 1.0, 1.2])
    assert list(dots.get_ydata()) == [1.0, 0.5, 0.0]


def test_the_smaller_dimension_is_drawn_too_and_lighter(table):
    main = capacity(table).axes[0]
    large, small = (container.lines[0] for container in main.containers)
    assert small.get_xdata() == pytest.approx([0.6, 1.4])
    assert sum(to_rgb(small.get_color())) > sum(to_rgb(large.get_color())) + 0.3
    labels = [text.get_text() for text in main.get_legend().get_texts()]
    assert labels[1:] == ["mean pooling, $d$ = 60, 30"]


def test_panels_take_only_rows_at_the_base_in_everything_else(table):
    tokens, alignment = (capacity(table).axes[place] for place in (1, 4))
    lines = {tuple(line.get_ydata()) for line in tokens.lines}
    assert {(22.0,), (3.0, 2.2)} <= lines
    assert (5.0, 22.0) in {tuple(line.get_ydata()) for line in alignment.lines}


def test_only_the_main_panel_on_given_axes(table):
    figure, ax = plt.subplots()
    assert capacity(table, ax=ax) is figure
    assert figure.axes == [ax]
    assert ax.get_ylabel()


def test_theory_alone_can_be_drawn(table):
    rows = table[table.call == "capacity"].drop(columns=["fraction", "training.alpha1", "d"])
    assert len(capacity(rows).axes) == 5
