"""``needlescope reproduce --deep``, in tiny sizes: figures, a page, and no work the second time."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from needlescope.cli.group import group
from needlescope.experiments.units.unit import Unit
from needlescope.gallery.registry import deep_names, modules, published

TINY = {"d": 6, "epochs": 2, "n_test": 50, "width": 8}


def tiny(units):
    """Of each figure some theory, and a few trainings that take no time."""
    result, seen = [], {}
    for unit in units:
        place = (unit.call, unit.arguments.get("architecture", unit.arguments.get("model")))
        seen[place] = seen.get(place, 0) + 1
        if seen[place] <= 2:
            small = TINY if unit.call == "simulate_deep" else {}
            result.append(Unit(unit.call, {**unit.arguments, **small}))
    return result


@pytest.fixture
def tiny_figures(monkeypatch):
    for name in deep_names():
        units = published(name).units
        small = lambda full, units=units: tiny(units(full))  # noqa: E731
        monkeypatch.setattr(f"{modules()[name]}.units", small)


@pytest.mark.usefixtures("tiny_figures")
def test_all_figures_of_fuller_attention(tmp_path):
    options = ["--deep", "--folder", str(tmp_path), "--n-jobs", "1", "--json"]
    done = CliRunner().invoke(group, ["reproduce", *options])
    assert done.exit_code == 0, (done.stderr, done.exception)
    assert [row["figure"] for row in json.loads(done.stdout)] == list(deep_names())
    for name in deep_names():
        assert (tmp_path / f"{name}.png").stat().st_size > 5000
        assert f"id='{name}'" in (tmp_path / "index.html").read_text("utf-8")
    again = CliRunner().invoke(group, ["reproduce", *options])
    assert "\n0 units run" in again.stderr
