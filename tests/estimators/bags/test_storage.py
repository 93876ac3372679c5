"""Bags on disk: what was saved comes back, whole or not at all, and without pickle."""

from __future__ import annotations

import json
import pickle
from copy import copy

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from needlescope.estimators import AttentionClassifier, Bags, PooledClassifier
from needlescope.estimators.bags import bags as bags_module
from needlescope.estimators.bags import saving, storage
from tests.estimators.draws import needles

RNG = np.random.default_rng(0)


def slides():
    return Bags(
        RNG.standard_normal((7, 3)).astype(np.float32),
        [0, 2, 3, 7],
        names=["u", "v", "w"],
        ids=np.array(["s1", "s2", "a longer one"], object),
        metadata={
            "coords": np.arange(14).reshape(7, 2),
            "kind/of tissue": np.array(["fat", "skin"] * 3 + ["fat"], object),
            "day": np.arange("2020-01-01", "2020-01-08", dtype="M8[D]"),
        },
    )


def same(one, other):
    assert one.instances.dtype == other.instances.dtype
    np.testing.assert_array_equal(one.instances, other.instances)
    np.testing.assert_array_equal(one.starts, other.starts)
    assert one.names == other.names and list(one.ids) == list(other.ids)
    assert list(one.metadata) == list(other.metadata)
    for name, values in one.metadata.items():
        np.testing.assert_array_equal(values, other.metadata[name])


@pytest.mark.parametrize("mapped", [True, False, "auto"])
def test_what_was_saved_comes_back(tmp_path, mapped):
    bags = slides()
    bags.save(tmp_path / "new" / "bags")
    result = Bags.load(tmp_path / "new" / "bags", mapped=mapped)
    same(result, bags)
    assert isinstance(result.instances, np.memmap) == (mapped is True)
    same(result[[2, 0]], bags[[2, 0]])
    same(result[[2, 0]][[1]], bags[[0]])
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["bags"]


def test_bags_without_names_ids_or_metadata(tmp_path):
    bags = Bags.from_array(np.zeros((4, 2, 1)))
    bags.save(tmp_path / "bags")
    result = Bags.load(tmp_path / "bags")
    assert result.names is None and result.ids is None and result.metadata == {}


def test_large_files_are_mapped(tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "MAPPED_FROM", 100)
    monkeypatch.setattr(bags_module, "CHUNK", 4)  # written in many blocks
    bags = slides()
    bags.save(tmp_path / "bags")
    result = Bags.load(tmp_path / "bags")
    same(result, bags)
    assert isinstance(result.instances, np.memmap) and not result.instances.flags.writeable
    assert np.shares_memory(result[1:].instances, result.instances)
    y = [0, 1, 1]
    for clf in (PooledClassifier(ridge=0.1, cv=0),):
        np.testing.assert_array_equal(
            clf.fit(result, y).decision_function(result), clf.fit(bags, y).decision_function(bags)
        )


def test_some_bags_of_a_map_stay_on_disk_until_they_are_needed(tmp_path):
    bags = slides()
    bags.save(tmp_path / "bags")
    result = Bags.load(tmp_path / "bags", mapped=True)
    some = result[[2, 0]][::-1][[0, 1, 1]]
    assert len(some) == 3 and some.d == 3 and some.dtype == np.float32
    assert repr(some) == "<3 bags of 2 to 4 instances, 3 features, float32>"
    for k, wanted in enumerate((0, 2, 2)):
        np.testing.assert_array_equal(some[k], bags[wanted])
        assert np.shares_memory(some[k], result.instances)
    np.testing.assert_array_equal(some.rows(np.array([1, 0])), bags[[2, 0]].instances)
    assert np.shares_memory(some._table, result.instances)  # nothing was read as a whole
    some.save(tmp_path / "some")
    assert np.shares_memory(some._table, result.instances)
    same(Bags.load(tmp_path / "some"), bags[[0, 2, 2]])
    same(copy(some), bags[[0, 2, 2]])
    same(some, bags[[0, 2, 2]])
    assert np.shares_memory(result[[1, 2]].instances, result.instances)


def test_a_fold_of_a_map_is_pickled_without_the_rest(tmp_path):
    large = Bags.from_array(np.zeros((1000, 10, 10)))
    large.save(tmp_path / "bags")
    result = Bags.load(tmp_path / "bags", mapped=True)
    assert len(pickle.dumps(result[[3, 7]])) < 10_000
    same_again = pickle.loads(pickle.dumps(result[[3, 7]]))
    assert same_again.lengths.tolist() == [10, 10] and same_again[1].shape == (10, 10)


def test_classifiers_fit_folds_of_a_map_as_those_in_memory(tmp_path):
    X, y = needles(60)
    Bags.from_array(X).save(tmp_path / "bags")
    result = Bags.load(tmp_path / "bags", mapped=True)
    clf = AttentionClassifier(kappa=1.0, ridge=0.1, max_refine_iter=2, cv=0)
    fold = np.random.default_rng(0).permutation(60)[:40]
    item, other = result[fold], Bags.from_array(X)[fold]
    np.testing.assert_array_equal(
        clone(clf).fit(item, y[fold]).decision_function(item),
        clone(clf).fit(other, y[fold]).decision_function(other),
    )
    assert np.shares_memory(item._table, result.instances)
    np.testing.assert_array_equal(
        cross_val_score(clf, result, y, cv=3), cross_val_score(clf, Bags.from_array(X), y, cv=3)
    )


def test_bags_can_be_saved_where_they_are_mapped_from(tmp_path):
    bags = slides()
    bags.save(tmp_path / "bags")
    mapped = Bags.load(tmp_path / "bags", mapped=True)
    mapped[[2, 1]].save(tmp_path / "bags", overwrite=True)
    same(Bags.load(tmp_path / "bags"), bags[[2, 1]])
    same(mapped, bags)  # what is open stays
    assert [path.name for path in tmp_path.iterdir()] == ["bags"]


def test_nothing_is_there_if_writing_fails(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    bags = slides()
    bags.save(tmp_path / "kept")
    monkeypatch.setattr(saving.RowWriter, "put", full)
    with pytest.raises(ValueError, match=r"^bags cannot be written to .*/bags: No space left on"):
        bags.save(tmp_path / "bags")
    with pytest.raises(ValueError, match="No space left"):
        bags[:1].save(tmp_path / "kept", overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    same(Bags.load(tmp_path / "kept"), bags)


def test_an_interrupt_leaves_nothing_either(tmp_path, monkeypatch):
    monkeypatch.setattr(
        saving.Draft, "describe", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
    )
    with pytest.raises(KeyboardInterrupt):
        slides().save(tmp_path / "bags")
    assert list(tmp_path.iterdir()) == []


def test_rows_are_written_in_any_order(tmp_path):
    wanted = RNG.standard_normal((50, 3))
    order = RNG.permutation(50)
    with saving.RowWriter(tmp_path / "a.npy", (50, 3), np.float32) as rows:
        for part in np.array_split(order, 7):
            rows.put(part, wanted[part])
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), wanted.astype(np.float32))


def test_what_is_there_is_not_replaced_unless_asked_and_never_if_it_is_something_else(tmp_path):
    bags = slides()
    (tmp_path / "empty").mkdir()
    bags.save(tmp_path / "empty")
    with pytest.raises(ValueError, match="already; pass overwrite=True to replace them"):
        bags.save(tmp_path / "empty")
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("")
    for path in (tmp_path / "thesis", tmp_path / "thesis" / "chapter.tex"):
        with pytest.raises(ValueError, match="holds no bags, so it is not replaced"):
            bags.save(path, overwrite=True)
    assert (tmp_path / "thesis" / "chapter.tex").is_file()


def array_file(folder, part):
    return next(folder.glob(f"{part}-*.npy"))


def broken(folder, name):
    if name == "cut":
        with array_file(folder, "instances").open("r+b") as file:
            file.truncate(150)
    elif name == "gone":
        array_file(folder, "starts").unlink()
    elif name == "pickled":
        np.save(array_file(folder, "ids"), np.array([{}, 1, 2], object), allow_pickle=True)
    elif name == "other":
        np.save(array_file(folder, "instances"), np.zeros((6, 3)))
    elif name == "json":
        (folder / "bags.json").write_text("{")
    elif name == "list":
        (folder / "bags.json").write_text("[]")
    elif name == "newer":
        about = json.loads((folder / "bags.json").read_text())
        (folder / "bags.json").write_text(json.dumps({**about, "version": 3}))


@pytest.mark.parametrize("mapped", [True, False])
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("cut", "instances-.*.npy cannot be read as .*: its header says 84 bytes, and there"),
        ("gone", "starts-.*.npy is missing; save the bags again"),
        ("pickled", "ids-.*.npy cannot be read as .*: it holds pickled objects, which are"),
        ("other", r"holds 7 instances of 3 features in 3 bags by its bags.json, but .* \(6, 3\)"),
        ("json", "bags.json is not what Bags.save writes"),
        ("list", "bags.json is not what Bags.save writes"),
        ("newer", "as version 3 of the format; this one reads versions 1 to 2"),
    ],
)
def test_what_is_broken_is_named(tmp_path, name, sentence, mapped):
    slides().save(tmp_path / "bags")
    broken(tmp_path / "bags", name)
    with pytest.raises(ValueError, match=sentence):
        Bags.load(tmp_path / "bags", mapped=mapped)


def test_numbers_that_were_spoilt_are_seen_where_they_are_read(tmp_path):
    slides().save(tmp_path / "bags")
    file = array_file(tmp_path / "bags", "instances")
    spoilt = np.load(file)
    spoilt[2, 1] = np.nan
    np.save(file, spoilt)
    with pytest.raises(ValueError, match=r"bag 1 \('s2'\) has a NaN .* instance 0, feature 'v'"):
        Bags.load(tmp_path / "bags")


def test_bags_go_through_pickle_with_all_they_hold():
    bags = slides()
    same(pickle.loads(pickle.dumps(bags)), bags)
