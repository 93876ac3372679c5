"""Folds that share a table: how often bags are read, and that threads change nothing."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone

from needlescope.estimators import AttentionClassifier, Bags, MILClassifier, VectorizedClassifier
from needlescope.estimators.bags.preprocessing import Preprocessing
from needlescope.estimators.engine import prepared, workspace
from needlescope.estimators.engine.shared_table import FitData
from needlescope.estimators.engine.workspace import Workspace, Workspaces
from needlescope.estimators.selection import fit
from tests.estimators.draws import needles
from tests.memory import PEAK, needs_peak

MOST_READS = 60


def uneven(n=60, d=12):
    X, y = needles(n=n, L=12, d=d)
    lengths = np.random.default_rng(1).integers(4, 13, n)
    return Bags.from_list([bag[:k] for bag, k in zip(X, lengths, strict=True)]), y


@pytest.fixture
def on_disk(monkeypatch):
    """Let nothing be held, as if it were too large."""
    for module in (prepared, workspace, fit):
        monkeypatch.setattr(module, "MAX_HELD", 1000)
    monkeypatch.setattr("needlescope.estimators.classifiers.base.MAX_HELD", 1000)
    monkeypatch.setattr(prepared, "TOKEN_BLOCK", 500)


@pytest.fixture
def reads(monkeypatch):
    """Count the instances that are read, whoever does."""
    counted, own = [], Bags.rows

    def rows(self, bags):
        counted.append(int(self.lengths[bags].sum()))
        return own(self, bags)

    monkeypatch.setattr(Bags, "rows", rows)
    return counted


@pytest.mark.sampled(2)
@pytest.mark.parametrize("effort", ["quick", "standard"])
def test_a_fit_from_disk_reads_all_bags_a_few_dozen_times(effort, on_disk, reads):
    X, y = uneven()
    MILClassifier(effort=effort, random_state=0).fit(X, y)
    assert sum(reads) <= MOST_READS * int(X.starts[-1])


def test_a_fit_from_disk_finds_what_one_in_memory_finds(monkeypatch):
    X, y = uneven(n=80)
    fixed = {
        "kappa": 2.0,
        "ridge": 0.1,
        "max_refine_iter": 4,
        "init": "two_steps",
        "append_mean": True,
    }
    fixed |= {"random_features": False, "shrinkage": 0.1, "random_state": 0}
    held = AttentionClassifier(**fixed).fit(X, y)
    for module in (prepared, workspace, fit):
        monkeypatch.setattr(module, "MAX_HELD", 1000)
    monkeypatch.setattr(prepared, "TOKEN_BLOCK", 500)
    read = AttentionClassifier(**fixed).fit(X, y)
    np.testing.assert_allclose(read.query_, held.query_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(
        read.cv_decision_function_, held.cv_decision_function_, rtol=1e-5, atol=1e-8
    )


def same_bits(one, other):
    assert repr(one.cv_results_) == repr(other.cv_results_)  # some losses are NaN
    for a, b in zip(one.estimators_, other.estimators_, strict=True):
        assert a.configuration == b.configuration and a.calibration == b.calibration
        for part, twin in zip(a.model, b.model, strict=True):
            np.testing.assert_array_equal(part, twin)
    np.testing.assert_array_equal(one.cv_decision_function_, other.cv_decision_function_)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("n_jobs", [2, -1])
@pytest.mark.parametrize(
    "clf",
    [MILClassifier(random_state=0), AttentionClassifier("quick", split="crossfit", random_state=0)],
    ids=str,
)
def test_threads_do_not_change_a_bit(n_jobs, clf):
    X, y = uneven()
    item, other = (clone(clf).set_params(n_jobs=jobs).fit(X, y) for jobs in (None, n_jobs))
    same_bits(item, other)


def test_threads_do_not_change_a_bit_from_disk(on_disk):
    X, y = uneven()
    item, other = (
        MILClassifier(effort="quick", random_state=0, n_jobs=jobs).fit(X, y) for jobs in (1, 3)
    )
    same_bits(item, other)


def test_many_folds_have_workspaces_one_after_another(monkeypatch):
    X, y = needles(n=40)
    folds = [(np.delete(np.arange(40), [k, k + 1]), np.array([k, k + 1])) for k in range(0, 40, 2)]
    fixed = {
        "kappa": 1.0,
        "ridge": 0.1,
        "max_refine_iter": 2,
        "init": "contrastive_pca",
        "append_mean": False,
    }
    fixed |= {"random_features": False, "shrinkage": 0.5, "cv": folds}
    result = []
    for most in (40, 3):
        monkeypatch.setattr(workspace, "MAX_FOLDS", most)
        result.append(AttentionClassifier(**fixed).fit(X, y).cv_decision_function_)
    np.testing.assert_allclose(*result, rtol=1e-6, atol=1e-9)


def test_all_classifiers_take_threads():
    X, y = needles(n=40)
    item, other = (
        VectorizedClassifier(random_state=0, n_jobs=jobs).fit(X, y) for jobs in (None, 2)
    )
    np.testing.assert_array_equal(item.readout_, other.readout_)


FIT = """
import sys
import numpy as np
from needlescope.estimators import Bags, MILClassifier
bags = Bags.load(sys.argv[1], mapped=True)
y = np.arange(len(bags)) % 2
MILClassifier(effort="quick", random_state=0).fit(bags[:6], y[:6])  # what is loaded once
before = peak()
MILClassifier(random_state=0).fit(bags, y)
print(peak() - before)
"""


@needs_peak
@pytest.mark.slow
def test_memory_beyond_the_data_is_bounded(tmp_path):
    """Bags of 700 MB: what a fit takes beside the pages of their file is less than 500 MB."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(200, 2000, 150)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    X = rng.standard_normal((int(starts[-1]), 1024), dtype=np.float32)
    X[starts[1:-1:2], :20] += 1.0
    Bags(X, starts).save(tmp_path / "bags")
    size = X.nbytes
    del X
    command = [sys.executable, "-c", PEAK + FIT, str(tmp_path / "bags")]
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    result = subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout
    assert float(result) - size < 500e6


def fit_data(X, y, **more):
    weight = np.full(len(y), 1.0 / len(y))
    return FitData(X, np.arange(len(y)), 2.0 * y - 1.0, weight, False, False, 0, **more)


def test_a_fold_trains_on_its_own_bags_and_is_made_once():
    X, y = uneven(30)
    known = np.arange(30) % 3 != 1
    own = Workspace(fit_data(X, y), [np.flatnonzero(known), np.arange(30)])
    fold, every = (own.fold(k, Preprocessing()) for k in (0, own.everything))
    assert fold is own.fold(0, Preprocessing()) and fold.data is every.data
    np.testing.assert_allclose(fold.weight, known / known.sum())
    np.testing.assert_allclose(every.weight, 1.0 / 30)
    assert fold.fold_id is None and not fold.streamed


def test_random_features_have_a_table_for_each_fold_with_held_out_bags_last():
    X, y = uneven(30)
    known = np.arange(30) % 3 != 1
    own, expanded = Workspace(fit_data(X, y), [np.flatnonzero(known)]), Preprocessing(1.0, True)
    fold = own.fold(0, expanded)
    assert fold.in_training.tolist() == sorted(known, reverse=True) and fold.d > X.d
    np.testing.assert_array_equal(fold.in_order(fold.y), 2.0 * y - 1.0)
    np.testing.assert_array_equal(fold.in_order(fold.in_training), known)
    wanted = [(0, expanded), (0, Preprocessing()), (1, expanded), (2, Preprocessing(0.3))]
    assert own.tables(wanted) == [[0], [1, 3], [2]]


def test_larger_bags_are_streamed_and_folds_leave_out_held_out_bags(on_disk):
    X, y = uneven()
    own = Workspace(fit_data(X, y), [np.arange(40), np.arange(60)])
    fold, every = own.fold(0, Preprocessing()), own.fold(1, Preprocessing())
    assert fold.streamed and fold.fold_id != every.fold_id and own.large(Preprocessing())


@pytest.mark.parametrize(("count", "each"), [(3, [3]), (10, [10]), (12, [10, 2])])
def test_folds_share_workspaces_as_far_as_there_is_room(count, each):
    X, y = uneven(30)
    parts = [np.flatnonzero(np.arange(30) % count == k) for k in range(count)]
    folds = [(np.setdiff1d(np.arange(30), part), part) for part in parts]
    result, seen = Workspaces(fit_data(X, y), folds), []
    for own, some in result.of(folds):
        seen.append(len(some))
        for number, (known, _) in some:
            np.testing.assert_array_equal(own.trained[number], known)
    assert seen == each
    whole = result.whole
    np.testing.assert_array_equal(whole.trained[whole.everything], np.arange(30))
    assert len(whole.trained) == (count + 1 if len(each) == 1 else 1)
