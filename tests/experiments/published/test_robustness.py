"""The experiment "robustness": its units, and Gaussian noise against theory on a small run."""

from __future__ import annotations

import pytest

from needlescope.experiments.engine import local, run_units
from needlescope.experiments.published.robustness import EXPERIMENT, GAUSSIAN, OTHERS
from needlescope.experiments.stores.store import Store
from needlescope.experiments.units.unit import canonical


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_every_law_has_the_same_dots(full):
    units = EXPERIMENT.units(full)
    assert len({unit.key for unit in units}) == len(units)
    dots = {}
    for unit in units:
        if unit.call == "simulate":
            found = unit.arguments
            law = canonical(found["noise"])
            dots.setdefault(law, set()).add((found["model"], found["training"]["alpha1"]))
    assert len(dots) == 1 + len(OTHERS)
    assert len({frozenset(one) for one in dots.values()}) == 1


def test_only_gaussian_noise_is_compared(tmp_path):
    correlated = [law for law in OTHERS if law["entries"] == "gaussian"]
    assert len(correlated) == 2
    kept = (None, GAUSSIAN, *correlated)
    units = [
        unit
        for unit in EXPERIMENT.units(False)
        if unit.arguments["training"]["alpha1"] == 2.0 and unit.arguments.get("noise") in kept
    ]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        table = store.to_pandas(units)
    scores = EXPERIMENT.compare(table)
    plain = table["noise.token_correlation"].fillna(0.0) == 0.0
    plain &= table["noise.covariance_decay"].isna()
    alone = EXPERIMENT.compare(table[plain])
    assert len(scores) and scores["z"].tolist() == alone["z"].tolist()
    assert scores["z"].abs().max() < 5.0


def test_nothing_to_compare_in_an_empty_store(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        assert len(EXPERIMENT.compare(store.to_pandas([]))) == 0
