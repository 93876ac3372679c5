"""Running units for a store: failures are kept, and only what is missing is run."""

from __future__ import annotations

import pytest

from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores.store import Store
from needlescope.experiments.units.unit import Unit
from tests.experiments.some_units import WRONG, cheap


def test_a_failing_unit_is_kept_and_the_others_go_on(store: Store) -> None:
    units = [*cheap(3), WRONG, *cheap(6)]
    assert run_units(units, store, engine=local(1))[:3] == (7, 0, 1)
    row = store.get(WRONG)
    assert (row.numbers, row.error) == (
        None,
        "ValueError: R must be an integer in 1..L, got 11 with L=10",
    )
    assert run_units(units, store, engine=local(1)) == (0, 7, 1, (row.error,))


def test_retry_runs_just_those_that_failed(store: Store) -> None:
    run_units([*cheap(5), WRONG], store, engine=local(1))
    ran: list[Unit] = []

    def engine(units, each, progress) -> None:
        ran.extend(units)
        local(1)(units, each, progress)

    assert run_units([*cheap(6), WRONG], store, engine=engine, retry=True)[:3] == (2, 5, 1)
    assert ran == [cheap(6)[5], WRONG]


def test_plain_lines_count_the_units_that_failed(
    store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    run_units([*cheap(3), WRONG], store, engine=local(1), progress=True)
    assert capfd.readouterr().err.endswith(" s left, 1 failed\n")
    run_units(cheap(5), store, engine=local(1), progress=True)
    assert capfd.readouterr().err.endswith("/s, 0 s left\n")


def test_workers_are_checked_before_any_work() -> None:
    with pytest.raises(ValueError, match=r"n_jobs must be an integer in 1\..*, got -1"):
        local(-1)
