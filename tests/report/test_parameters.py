"""Parameters are those that the units were asked, each side's own, in the paper's symbols."""

from __future__ import annotations

import pytest

from needlescope.experiments.comparison import trials
from needlescope.experiments.units.unit import Unit
from needlescope.figures.reading.dependence import SYMBOLS
from needlescope.gallery.registry import names, published
from needlescope.report.parameters import parameters

TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
TRAINING = {"alpha0": 4.0, "alpha1": 1.0}


def listed(units):
    return {
        parameter.symbol: (parameter.theory, parameter.simulation)
        for parameter in parameters(units)
    }


def asked(call="predict", training=(), **more):
    return Unit(call, {"task": TASK, "training": {**TRAINING, **dict(training)}, **more})


def test_defaults_are_shown():
    result = listed([asked(model="attention")])["fixed"][0]
    assert "β = 1, η_w = 1, η_b = 1, η_q = 10" in result and "(ridge) = 0.01" in result


def test_balance_is_shown_where_it_is_said_and_in_words():
    both = [asked(training={"balanced": item}, model="attention") for item in (False, True)]
    assert listed(both)["slopes balanced"] == ("no, yes", "")
    assert "slopes balanced yes" in listed(both[1:])["fixed"][0]
    assert "balanced" not in listed([asked(model="attention")])["fixed"][0]
    assert (
        "balanced" not in listed([asked(training={"balanced": True}, model="pooled")])["fixed"][0]
    )


def test_steps_are_not_shown_where_the_query_is_given():
    given = asked(model="attention", query={"kappa": 2.0, "cosine": 0.5})
    for unit in (given, asked(model="pooled")):
        result = listed([unit])["fixed"][0]
        assert "η" not in result and "β" not in result and "α0" not in result and "α1 = 1" in result
    assert "κ = 2, s = 0.5" in listed([given])["fixed"][0]


def test_pooling_that_gets_all_data_depends_on_those_of_the_query():
    assert "α0 = 4" in listed([asked(model="pooled", data="all")])["fixed"][0]


def test_theory_and_simulation_each_have_their_own():
    theory = [asked(training={"alpha1": value}, model="pooled") for value in range(1, 9)]
    drawn = trials("simulate", {**theory[0].arguments, "d": 50}, 3)
    drawn += trials("simulate", {**theory[1].arguments, "d": 100}, 5)
    result = listed([*theory, *drawn])
    assert result["α1"] == ("1 to 8 (8 values)", "1, 2")
    assert result["d"] == ("", "50, 100")
    assert result["trials"] == ("", "3, 5")
    assert result["fixed"][0] == result["fixed"][1]


def test_a_word_is_fixed_only_where_all_units_have_it():
    units = [asked(model="pooled"), asked(model="pooled", data="all")]
    assert listed(units)["baselines’ data"] == ("all", "")


def test_the_test_task_is_shown_where_it_differs():
    result = listed([asked(model="pooled", test_task={**TASK, "L": 40})])["fixed"][0]
    assert "L′ (test) = 40" in result and "R′" not in result


@pytest.mark.sampled(20)
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", names())
def test_every_experiment_has_its_parameters(name, full):
    units = published(name).units(full)
    result = listed(units)
    assert (
        "π = 0.5" in result["fixed"][0]
        or "π = 0.2" in result["fixed"][0]
        or name.endswith(("joint", "rare"))
    )
    simulated = any(unit.call.startswith("simulate") for unit in units)
    assert ("trials" in result) == simulated
    assert ("d" in result) == any("d" in unit.arguments for unit in units)


def test_every_way_the_noise_differs_is_shown():
    units = published("robustness").units(False)
    asked = {f"noise.{key}" for unit in units for key in unit.arguments.get("noise", {})}
    assert {"noise.entries", "noise.df"} <= asked <= set(SYMBOLS)
