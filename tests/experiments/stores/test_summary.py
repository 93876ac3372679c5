"""A summary over trials: means and standard errors by the book, a row for each point."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

import pytest

from needlescope.experiments.stores.store import Store
from needlescope.experiments.units.unit import Unit

TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}


def trial(number: int, theta: float = 5.0, **more: object) -> Unit:
    training = {"alpha0": 2.0, "alpha1": 2.0}
    task = TASK | {"theta": theta}
    return Unit("simulate", {"task": task, "training": training, "d": 20, "trials": 1,
                             "seed": [0, number], **more})  # fmt: skip


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "a.sqlite") as result:
        yield result


def test_trials_are_pooled_and_points_are_told_apart(store: Store) -> None:
    errors = [0.1, 0.2, 0.4]
    for number, error in enumerate(errors):
        store.put(trial(number), {"test_error": error, "provenance": "simulation"}, seconds=1.0)
    store.put(trial(3), None, seconds=2.0, error="ValueError: no")
    store.put(trial(0, theta=6.0), {"test_error": 0.3, "test_error_se": 0.07}, seconds=1.0)
    store.put(trial(0, theta=7.0), None, seconds=1.0, error="ValueError: no")
    theory = Unit("oracle", {"task": TASK, "model": "pooled"})
    store.put(theory, {"error": 0.25}, seconds=1.0)
    result = store.to_pandas(summary=True).set_index(["call", "task.theta"]).sort_index()
    row = result.loc[("simulate", 5.0)]
    assert row.test_error == pytest.approx(statistics.mean(errors), rel=1e-14)
    assert row.test_error_se == pytest.approx(statistics.stdev(errors) / math.sqrt(3), rel=1e-14)
    assert (row.trials, row.failed, row.seconds, row.provenance) == (3, 1, 5.0, "simulation")
    row = result.loc[("simulate", 6.0)]
    assert (row.test_error, row.test_error_se, row.trials) == (0.3, 0.07, 1)  # its own
    row = result.loc[("simulate", 7.0)]
    assert (math.isnan(row.test_error), row.trials, row.failed) == (True, 0, 1)
    row = result.loc[("oracle", 5.0)]
    assert (row.error, row.trials, row.failed) == (0.25, 0, 0)
    assert "seed" not in result and len(result) == 4


def test_units_of_several_trials_count_all_of_them(store: Store) -> None:
    for number, error in enumerate([0.1, 0.3]):
        numbers = {"test_error": error, "test_error_se": 0.5}
        store.put(trial(number, trials=8), numbers, seconds=1.0)
    [row] = store.to_pandas(summary=True).to_dict("records")
    assert (row["trials"], row["test_error"]) == (16, pytest.approx(0.2))
    assert row["test_error_se"] == pytest.approx(0.1)


def test_words_are_listed_and_some_units_may_be_chosen(store: Store) -> None:
    for number, word in enumerate(["easy", "hard", "easy"]):
        store.put(trial(number), {"phase": word}, seconds=1.0)
    assert store.to_pandas(summary=True)["phase"].tolist() == ["easy, hard"]
    assert store.to_pandas([trial(0)], summary=True)["phase"].tolist() == ["easy"]
    assert len(store.to_pandas([], summary=True)) == 0
    with pytest.raises(ValueError, match="summary must be True or False, got 'yes'"):
        store.to_pandas(summary="yes")  # type: ignore[arg-type]
