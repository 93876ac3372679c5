"""The race between shares of positives, for classifiers whose best share is known."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from needlescope.planning.studies import search as module
from needlescope.planning.studies.balance import candidates, compare
from needlescope.planning.studies.measures import get_measure
from needlescope.planning.studies.record import Record
from needlescope.planning.studies.search import Limits, Place, Search
from needlescope.planning.studies.study import Study
from tests.planning.studies.bags import PLAIN, Known, known_t

SHARES = (0.5, 0.1, 0.7)
PENALTY = {0.5: 0.0, 0.1: 0.4, 0.7: 0.15}  # of t
TARGET = float(ndtri(0.1))  # an error of 0.1, of 0.5 at the most


def make(share: float, record: Any = None) -> Search:
    def place(x: float) -> Place:
        n = round(float(np.exp(x)))
        return Place(PLAIN, n, float(np.log(n)), round(share * n))

    return Search(
        Known(0.05), get_measure("error", 0.5), 1, place, np.random.SeedSequence(0),
        Limits(100.0, 100), Record(), 1,
    )  # fmt: skip


@pytest.fixture
def studied(monkeypatch):
    """Studies without bags, whose t is that of the share's penalty and of scatter by the seed."""

    def run(job):
        rng = np.random.default_rng(job.seed)
        share = min(PENALTY, key=lambda one: abs(one - job.positives / job.n))
        t = known_t(job.n) + PENALTY[share] + 0.05 * rng.standard_normal()
        return Study(job.n, float(ndtr(t)), 1e-3)

    monkeypatch.setattr(module, "run_study", run)


def test_the_best_share_wins_and_the_spend_moves_to_the_target(studied):
    race = compare(SHARES, make, np.log(200.0), -0.35, TARGET, (3.0, 9.0), 48)
    assert race.balance == 0.5
    n = 200.0 * np.exp((TARGET + 0.8416212) / -0.4)  # where `known_t` has it
    assert race.x == pytest.approx(np.log(n), abs=0.3)
    counts = {share: len(search.studies) for share, search in race.searches.items()}
    assert counts[0.1] == 4 and race.studies == sum(counts.values()) <= 48


def test_too_few_studies_or_a_single_share_leave_the_first(studied):
    race = compare(SHARES, make, 5.0, -0.35, TARGET, (3.0, 9.0), 11)
    assert race.balance == 0.5 and race.studies == 0 and race.x == 5.0
    assert compare((0.7,), make, 5.0, -0.35, TARGET, (3.0, 9.0), 99).studies == 0


def test_without_a_target_the_spend_stays(studied):
    race = compare(SHARES, make, 5.0, -0.35, None, (3.0, 9.0), 48)
    assert race.x == 5.0 and race.balance == 0.5


def test_a_share_that_fails_is_left_out(monkeypatch):
    def run(job):
        failed = job.positives / job.n < 0.3
        return Study(job.n, np.nan if failed else 0.2, 1e-3, "too few" if failed else "")

    monkeypatch.setattr(module, "run_study", run)
    race = compare((0.1, 0.5), make, 5.0, -0.35, None, (3.0, 9.0), 48)
    assert race.balance == 0.5
    monkeypatch.setattr(module, "run_study", partial(Study, value=np.nan, seconds=1e-3))
    with pytest.raises(ValueError, match="the classifier failed on 4 of 4"):
        compare((0.1, 0.5), make, 5.0, -0.35, None, (3.0, 9.0), 48)


def test_shares_that_are_about_the_same_are_one():
    assert candidates(0.48, 0.2, 0.5) == (0.48, 0.2)
    assert candidates(0.3, 0.1, 0.5) == (0.3, 0.1, 0.5)
