"""Every figure of the gallery is declared, and none of its units is refused."""

from __future__ import annotations

import pytest

from needlescope.experiments.engine import attempt
from needlescope.experiments.units.calls import SIMULATED
from needlescope.experiments.units.unit import Unit
from needlescope.gallery.registry import names, published

NAMES = names()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("full", [False, True])
def test_every_figure_is_declared(name, full):
    figure = published(name)
    units = figure.units(full)
    assert figure.name == name and figure.title and len(figure.caption) > 40
    assert len({unit.key for unit in units}) == len(units) > 3


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", NAMES)
def test_no_unit_of_the_full_size_is_refused(name):
    """What is too large for a worker is refused before its trials are counted: quick to see."""
    simulated = {}
    for unit in published(name).units(True):
        if unit.call in SIMULATED:
            arguments = {**unit.arguments, "seed": 0, "trials": 0}
            simulated[Unit(unit.call, arguments).key] = Unit(unit.call, arguments)
    for unit in simulated.values():
        assert "trials must be an integer in 1.." in attempt(unit).error
