"""The search on classifiers whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import binom

from needlescope.planning.studies import search as module
from needlescope.planning.studies.measures import get_measure
from needlescope.planning.studies.record import Record
from needlescope.planning.studies.search import Limits, Place, Search, find, measure_at
from needlescope.planning.studies.study import Study
from tests.planning.studies.bags import (
    AT,
    E_AT,
    PLAIN,
    SLOPE,
    Constant,
    Failing,
    Known,
    quick_study,
)

LIMITS = (float(np.log(20.0)), float(np.log(5000.0)))
SEARCHES = 100


def at_n(x):
    n = round(float(np.exp(x)))
    return Place(PLAIN, n, float(np.log(n)))


def make(classifier, seed=0, studies=120, seconds=100.0, **more):
    return Search(
        classifier, get_measure("error", 0.5), 1, at_n, np.random.SeedSequence(seed),
        Limits(seconds, studies), more.pop("record", Record()), n_jobs=1, **more,
    )  # fmt: skip


def run(search, guess=AT, target=E_AT, assurance=None):
    return find(search, float(np.log(guess)), -0.35, target, LIMITS, assurance)


@pytest.fixture
def quick(monkeypatch):
    """Studies that measure very many bags at once."""
    monkeypatch.setattr(module, "run_study", quick_study)


@pytest.mark.parametrize("guess", [60.0, AT, 900.0])
def test_a_known_number_is_recovered(guess):
    found = run(make(Known(0.05)), guess)
    assert abs(found.crossing.x - np.log(AT)) < 3.0 * found.crossing.deviation
    assert found.crossing.deviation < module.DEVIATION_TOL and found.spent == ""


def truth(scatter, assurance):
    """Return log n where the mean, or the assured study, has the error E_AT."""
    t = ndtri(E_AT) * np.sqrt(1.0 + scatter**2) if assurance is None else (
        ndtri(E_AT) - scatter * ndtri(assurance)
    )  # fmt: skip
    return np.log(AT) + (t - ndtri(E_AT)) / SLOPE


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("assurance", [None, 0.8])
def test_intervals_cover_nine_of_ten(assurance):
    """Right intervals fail this test with a probability of 0.2 %, for other seeds than these."""
    covered = 0
    for seed in range(SEARCHES):
        at = run(make(Known(0.15), seed), guess=120.0, assurance=assurance).crossing
        covered += at.low <= truth(0.15, assurance) <= at.high
    assert binom.cdf(covered, SEARCHES, 0.9) > 1e-3 and binom.sf(covered - 1, SEARCHES, 0.9) > 1e-3


@pytest.mark.usefixtures("quick")
def test_an_assured_study_takes_more_bags_than_the_mean():
    mean, assured = (run(make(Known(0.15)), assurance=share).crossing for share in (None, 0.9))
    more = 0.15 * ndtri(0.9) / -SLOPE  # in log n, but for the mean's own √(1 + σ²)
    assert assured.x - mean.x == pytest.approx(more, abs=4.0 * assured.deviation)


@pytest.mark.usefixtures("quick")
def test_studies_are_spent_near_the_answer():
    search = make(Known(0.2))
    found = run(search, guess=40.0)
    late = found.x[len(found.x) // 2 :]
    assert abs(late - np.log(AT)).max() < 0.8


@pytest.mark.usefixtures("quick")
def test_budgets_are_kept():
    found = run(make(Known(0.5), studies=14))
    assert found.spent == "studies" and 11 <= len(found.studies) <= 14
    found = run(make(Known(0.5), seconds=0.0))
    assert found.spent == "seconds" and len(found.studies) == 4


def test_targets_at_either_end():
    low = run(make(Constant(0.1)))
    assert low.at_low_end and low.crossing.x == LIMITS[0] and low.spent == ""
    high = run(make(Constant(0.3)))
    assert high.crossing.beyond > 0.5 and high.spent == "" and not high.at_low_end


@pytest.mark.usefixtures("quick")
def test_an_answer_far_from_the_guess_is_walked_to():
    target, limits = 0.003, (LIMITS[0], float(np.log(1e6)))  # at some 23,000 bags
    found = find(make(Known(0.02)), float(np.log(25.0)), -0.35, target, limits, None)
    away = ndtri(target) * np.sqrt(1.0 + 0.02**2) - ndtri(E_AT)
    truth_x = np.log(AT) + away / SLOPE
    assert abs(found.crossing.x - truth_x) < 4.0 * found.crossing.deviation + 0.01


def test_a_store_is_gone_on_from(tmp_path):
    path, fitted = tmp_path / "studies.jsonl", []

    class Counting(Known):
        def fit(self, X, y):
            fitted.append(len(y))
            return super().fit(X, y)

    first = run(make(Counting(0.05), record=Record(path)))
    count = len(fitted)
    again = run(make(Counting(0.05), record=Record(path)))
    assert len(fitted) == count == len(first.studies)
    assert again.crossing == first.crossing and again.studies == first.studies


def test_an_interrupt_leaves_the_finished_studies(tmp_path):
    path, left = tmp_path / "studies.jsonl", [7]

    class Stopped(Known):
        def fit(self, X, y):
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt
            return super().fit(X, y)

    with pytest.raises(KeyboardInterrupt):
        run(make(Stopped(0.05), record=Record(path)))
    assert len(path.read_text().splitlines()) == 6
    left[0] = -1
    resumed = run(make(Stopped(0.05), record=Record(path)))
    assert -left[0] - 1 == len(resumed.studies) - 6


def test_failures_are_left_out_until_they_are_most():
    found = run(make(Failing(0.05)), guess=110.0, target=0.24)  # at 122 bags
    failed = [study for study in found.studies if np.isnan(study.value)]
    assert failed and {study.failure for study in failed} == {"RuntimeError: out of ideas"}
    assert abs(found.crossing.x - np.log(122.0)) < 0.4
    with pytest.raises(ValueError, match=r"failed on 4 of 4 simulated studies: .*out of ideas"):
        run(make(Failing(0.05)), guess=3000.0)


def test_a_classifier_of_a_notebook_runs_in_other_processes():
    class Local(Known):
        pass

    search = make(Local(0.05))
    search.n_jobs = 2
    search.run(np.log([100.0, 200.0, 300.0, 400.0]))
    assert [study.n for study in search.studies] == [100, 200, 300, 400]
    alone = make(Local(0.05))
    alone.run(np.log([100.0, 200.0, 300.0, 400.0]))
    assert [s.value for s in search.studies] == [s.value for s in alone.studies]


@pytest.mark.usefixtures("quick")
def test_one_place_is_measured_until_its_mean_is_known():
    calls = []
    search = make(Known(0.2), report=lambda done, failed: calls.append((done, failed)))
    found = measure_at(search, float(np.log(AT)))
    values = np.array([study.value for study in found.studies])
    assert found.crossing is None and len(values) >= 12
    assert values.std(ddof=1) / np.sqrt(len(values)) < 0.005
    assert calls[-1] == (len(values), 0) and [done for done, _ in calls] == sorted(
        done for done, _ in calls
    )


def test_fresh_bags_do_not_count_as_scatter(monkeypatch):
    def noisy(job):
        rng = np.random.default_rng(job.seed.spawn_key[-1])
        noise = 0.01
        return Study(job.n, E_AT + noise * float(rng.standard_normal()), 1e-3, "", noise)

    monkeypatch.setattr(module, "run_study", noisy)
    search = make(Known(), studies=120)
    search.run(np.full(100, np.log(AT)))
    curve, at = search.curve(0.0), search.x[:1]
    assert curve.scatter(at)[0, 0] < 0.6 * curve.total(at)[0, 0]
