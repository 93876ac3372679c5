"""The benchmark of bag classifiers: its data, its folds, its arithmetic, its memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.bags import contest, fresh, honest, located, report, slides, stamp, summary
from benchmarks.bags.__main__ import arguments, main
from benchmarks.bags.data import DataSet, load_all, load_npz
from benchmarks.bags.entrants import ENTRANTS, MeanLogistic, available
from benchmarks.bags.summary import Mean
from needlescope.deep import torch_needed
from needlescope.deep.classifier import DeepClassifier
from needlescope.estimators.bags.bags import Bags, as_bags
from needlescope.experiments.units import code
from tests.memory import needs_peak


@pytest.fixture
def easy() -> DataSet:
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    return DataSet("easy", as_bags(rng.standard_normal((30, 4, 3)) + 2.0 * y[:, None, None]), y)


class Constant:
    """A classifier that counts how often it was fitted."""

    fitted = 0

    def fit(self, X: Any, y: Any) -> Constant:
        type(self).fitted += 1
        return self

    def decision_function(self, X: Any) -> Any:
        return np.arange(len(X)) - 0.5


def test_a_folder_is_read_in_the_order_of_its_bags(tmp_path):
    X = np.arange(8, dtype=np.float32)[:, None]
    np.savez(tmp_path / "few.npz", X=X, bag=[2, 2, 1, 1, 1, 3, 3, 3], y=[5, 7, 7])
    result = load_npz(tmp_path / "few.npz")
    assert result.name == "few"
    assert result.X[0].ravel().tolist() == [2.0, 3.0, 4.0]
    assert result.y.tolist() == [0, 1, 1]


def test_a_file_without_labels_is_refused(tmp_path):
    np.savez(tmp_path / "few.npz", X=np.zeros((2, 1)), bag=[0, 1])
    with pytest.raises(ValueError, match="must hold the arrays X, bag and y"):
        load_npz(tmp_path / "few.npz")


def test_labels_must_be_as_many_as_bags_and_of_two_kinds(tmp_path):
    for y, words in (([0, 1, 1], "a label for each"), ([1, 1], "two labels")):
        np.savez(tmp_path / "few.npz", X=np.zeros((2, 1)), bag=[0, 1], y=y)
        with pytest.raises(ValueError, match=words):
            load_npz(tmp_path / "few.npz")


def test_musk_is_there_once(tmp_path):
    assert [item.name for item in load_all(None)] == ["musk1", "digits", "digits-noisy", "theory"]
    np.savez(tmp_path / "musk1.npz", X=np.zeros((2, 1)), bag=[0, 1], y=[0, 1])
    names = [item.name for item in load_all(tmp_path)]
    assert names == ["musk1", "digits", "digits-noisy", "theory"]


def test_a_set_of_the_folder_comes_before_one_of_the_same_name(tmp_path):
    np.savez(tmp_path / "theory.npz", X=np.zeros((2, 1)), bag=[0, 1], y=[0, 1])
    result = load_all(tmp_path)
    assert sorted(item.name for item in result) == ["digits", "digits-noisy", "musk1", "theory"]
    assert len(result[0].X) == 2


def test_classifiers_that_are_not_installed_are_said_to_be(monkeypatch, capsys):
    lacking = {"ABMIL": "torch"}
    monkeypatch.setattr("benchmarks.bags.__main__.available", lambda weight: ({}, lacking))
    assert main(["--only", "ABMIL"]) == 2
    assert "none of the classifiers asked for is installed" in capsys.readouterr().out


def test_more_repeats_keep_the_folds_of_fewer(easy):
    first = [test.tolist() for _, _, test in contest.folds(easy, 3, 0)]
    again = [test.tolist() for _, _, test in contest.folds(easy, 3, 0)]
    other = [test.tolist() for _, _, test in contest.folds(easy, 3, 1)]
    assert first == again != other
    assert sorted(np.concatenate(first)) == list(range(30))


def test_finished_folds_are_not_run_again(easy, tmp_path, monkeypatch):
    monkeypatch.setattr(stamp, "of_entrant", lambda classifier: "the same")
    path, Constant.fitted = tmp_path / "folds.csv", 0
    rows = contest.run([easy], {"constant": Constant}, 3, 1, path)
    assert Constant.fitted == 3
    assert contest.run([easy], {"constant": Constant}, 3, 2, path).items() >= rows.items()
    assert Constant.fitted == 6
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:20])  # killed while writing
    contest.run([easy], {"constant": Constant}, 3, 2, path)
    assert Constant.fitted == 7


def test_other_bags_or_other_parameters_are_run_anew(easy):
    other = easy._replace(y=1 - easy.y)
    assert stamp.of_data(easy) != stamp.of_data(other)
    make = available()[0]["MIL"]
    assert stamp.of_entrant(make()) == stamp.of_entrant(make())
    assert stamp.of_entrant(make()) != stamp.of_entrant(make().set_params(max_refine_iter=0))


def test_without_torch_the_deep_ones_are_left_out(monkeypatch):
    monkeypatch.setattr(torch_needed, "find_spec", lambda name: None)
    result, lacking = available()
    deep = [name for name in ENTRANTS if name.startswith("deep, ")]
    assert len(deep) == 3 and not set(deep) & set(result)
    assert {lacking[name] for name in deep} == {"torch"}


def test_a_change_of_the_deep_code_is_seen():
    rests_on = code.rests_on("deep.classifier")
    for name in ("fitting", "training.defaults", "training.loop", "architectures.gated"):
        assert f"deep.{name}" in rests_on
    assert "deep.simulate" not in rests_on  # what is trained on the theory's task is another matter
    item, other = (stamp.of_entrant(DeepClassifier(name)) for name in ("block", "gated"))
    assert item != other and item == stamp.of_entrant(DeepClassifier("block"))


def test_ours_and_the_mean_are_always_there(easy):
    result, lacking = available()
    assert {"MIL", "pooled", "mean logistic"} <= set(result)
    assert set(result) | set(lacking) == set(ENTRANTS)
    score = contest.judge(MeanLogistic, easy, np.arange(20), np.arange(20, 30))
    assert score.accuracy == score.auc == 1.0
    assert score.error == 0.0
    assert score.seconds > 0.0


@pytest.mark.parametrize("weight", ["balanced", None])
def test_all_have_the_same_class_weight(weight):
    for make in available(weight)[0].values():
        told = {k: v for k, v in make().get_params().items() if k.endswith("class_weight")}
        assert set(told.values()) == {weight}


def test_milwrap_is_told_what_bags_promise():
    counted = pytest.importorskip("benchmarks.bags.counted", reason="milwrap is not installed")
    fewest, most = counted.thresholds([3, 4], [0, 1])
    assert fewest.tolist() == [[3, 0], [0, 1]]
    assert most.tolist() == [[3, 0], [3, 4]]
    assert counted.best_level([3.0, 1.0, 2.0, 4.0], [1, 0, 0, 1]) == 2.5


def test_differences_are_paired():
    rows = {}
    for fold, (ours, theirs) in enumerate([(0.9, 0.8), (0.5, 0.4), (0.7, 0.6)]):
        for name, value in (("MIL", ours), ("pooled", theirs)):
            key = contest.Key("some", 3, 0, fold, name, "")
            seconds = 2.0 if name == "pooled" else 1.0
            rows[key] = contest.Score(value, 1.0 - value, value, seconds, 0.5)
    (pair,) = summary.pairs(rows, 3)
    assert pair.accuracy.value == pytest.approx(0.1)
    assert pair.accuracy.se == pytest.approx(0.0, abs=1e-12)
    assert pair.error.value == pytest.approx(-0.1)
    assert pair.slower == pytest.approx(2.0)
    table = {sheet.title: sheet for sheet in report.sheets(rows, 3)}
    assert table["balanced accuracy"].rows[0] == ["some", "0.700 ± 0.115", "0.600 ± 0.115"]
    assert table["MIL less pooling"].rows[0][3] == "better"


def test_the_rival_is_the_best_of_the_cheap_ones():
    rows = {}
    aucs = {"MIL": (0.7, 0.8), "mean logistic": (0.6, 0.9), "boosted summaries": (0.8, 0.9)}
    for name, values in {**aucs, "ABMIL": (1.0, 1.0)}.items():
        for fold, auc in enumerate(values):
            key = contest.Key("some", 2, 0, fold, name, "")
            rows[key] = contest.Score(0.5, 0.5, auc, 1.0, 0.5)
    (rival,) = summary.rivals(rows, 2)
    assert (rival.other, rival.auc) == ("boosted summaries", pytest.approx(0.85))
    assert rival.ahead.value == pytest.approx(-0.1) and rival.errors < 0.0
    table = {sheet.title: sheet for sheet in report.sheets(rows, 2)}
    (row,) = table["MIL beside the best of what takes a dozen lines"].rows
    assert row[:3] == ["some", "boosted summaries", "0.850"]


def test_papers_count_ten_folds_five_times():
    result = arguments(["--published"])
    assert (result.splits, result.repeats, result.class_weight) == (10, 5, "none")


def test_the_corrected_error_is_the_larger():
    result = summary.mean([0.1, 0.4, 0.2, 0.5], splits=2)
    assert result == Mean(pytest.approx(0.3), pytest.approx(0.0913, abs=1e-4), result.corrected)
    assert result.corrected == pytest.approx(result.se * np.sqrt(1 + 4))


@pytest.mark.slow
def test_the_command_writes_its_tables(tmp_path, capsys):
    rng = np.random.default_rng(1)
    y, bag = np.arange(20) % 2, np.repeat(np.arange(20), 3)
    X = rng.standard_normal((60, 2)) + y[bag, None]
    np.savez(tmp_path / "small.npz", X=X, bag=bag, y=y)
    words = [str(tmp_path), "--data", "small", "--splits", "2", "--repeats", "1"]
    out = tmp_path / "out"
    assert main([*words, "--only", "MIL", "pooled", "--out", str(out)]) == 0
    assert "MIL less pooling" in capsys.readouterr().out
    assert "### balanced accuracy" in (out / "table.md").read_text()
    assert len((out / "table.csv").read_text().splitlines()) == 3
    assert main([*words[:2], "nothing"]) == 2


def test_no_cell_is_in_two_bags():
    rows = fresh.cells().X.instances
    assert len(np.unique(rows, axis=0)) == len(rows)


def test_fresh_sets_are_read_as_they_were_written(tmp_path, capsys):
    assert fresh.main([str(tmp_path)]) == 0
    assert "theory-all: <300 bags of 5 instances" in capsys.readouterr().out
    for item in fresh.fresh():
        back = load_npz(tmp_path / f"{item.name}.npz")
        assert np.array_equal(back.y, item.y)
        assert np.array_equal(back.X.instances, item.X.instances)
    assert fresh.main([]) == 2


@pytest.mark.slow
def test_probabilities_are_binned_and_are_those_of_fresh_bags(monkeypatch):
    monkeypatch.setattr(honest, "FRESH", 500)
    bags, draw = honest.CASES["the theory's, half positive, 300 bags"]
    p, y = honest.probabilities(bags, draw, classifiers=2)
    assert p.shape == y.shape == (1000,) and 0.02 < ((p > 0.5) != y).mean() < 0.3
    result = honest.bins(p, y)
    assert sum(item.share for item in result) == pytest.approx(1.0)
    for item in result:
        if item.share > 0.05:
            assert 0.0 <= item.found <= 1.0
            assert item.found == pytest.approx(item.given, abs=0.25)


def test_one_entrant_is_compared_with_nobody(easy, tmp_path):
    entrants = {"pooled": available()[0]["pooled"]}
    rows = contest.run([easy], entrants, 2, 1, tmp_path / "folds.csv")
    assert [sheet.title for sheet in report.sheets(rows, 2)] == list(report.TITLES.values())


def test_signals_are_read_in_the_order_of_bags_and_located_in_bags_held_out(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    bag, y = rng.permutation(np.repeat(np.arange(20), 4)), np.arange(20) % 2
    signal = (y[bag] == 1) & (rng.random(80) < 0.5)
    np.savez(tmp_path / "odd.npz", X=signal[:, None] + 0.0, bag=bag, y=y, signal=signal)
    np.savez(tmp_path / "unknown.npz", X=np.ones((80, 1)), bag=bag, y=y)
    *own, odd = located.located_sets(tmp_path)
    assert [item.name for item in own] == ["digits", "digits-noisy", "theory"] and odd.name == "odd"
    np.testing.assert_array_equal(odd.instances, odd.X.instances[:, 0] == 1.0)
    seen = []

    def by_feature(X, y, fresh):
        seen.append((len(X), len(fresh)))
        return {"right": [item[:, 0] for item in fresh], "wrong": [-item[:, 0] for item in fresh]}

    monkeypatch.setattr(located, "locators", lambda: [by_feature])
    assert located.located(odd) == {"right": (1.0, 0.0), "wrong": (0.0, 0.0)}
    assert seen == [(16, 2)] * 5


@pytest.mark.slow
@needs_peak
def test_slides_are_fitted_and_the_table_says_what_it_took(tmp_path, capsys):
    words = ["--bags", "12", "--least", "5", "--most", "40", "--features", "6", "--jobs", "1"]
    assert slides.main([*words, "--efforts", "quick", "--folder", str(tmp_path / "bags")]) == 0
    size, _, head, _, row = capsys.readouterr().out.strip().splitlines()
    assert size.startswith("<12 bags of ") and "6 features" in size and "reads" in head
    effort, threads, _, memory, reads = (word.strip() for word in row.strip("|").split("|"))
    assert (effort, threads) == ("quick", "1") and memory.endswith(" MB")
    assert 3.0 <= float(reads) <= 60.0


def test_reads_count_all_that_is_read(monkeypatch):
    monkeypatch.setattr(Bags, "rows", Bags.rows)  # what is counted is taken back
    bags, reads = Bags.from_array(np.zeros((4, 3, 2))), slides.Reads()
    for some in ([0, 1], [3], [0, 1, 2, 3]):
        bags.rows(np.array(some))
    assert reads.count == 3 * (2 + 1 + 4)
