"""Bags as people have them, and what is refused at the door."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingClassifier
from sklearn.inspection import permutation_importance
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler

from needlescope.estimators import AttentionClassifier, Bags, InstanceTransformer
from needlescope.estimators.bags.bags import as_bags

RNG = np.random.default_rng(0)
RAGGED = [RNG.standard_normal((size, 3)) for size in (2, 1, 4)]


def same(one, other):
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


def test_all_ways_to_say_the_same_bags():
    table, groups = np.concatenate(RAGGED), ["a", "a", "b", "c", "c", "c", "c"]
    padded, mask = np.full((3, 4, 3), 9.0), np.zeros((3, 4), bool)
    for k, bag in enumerate(RAGGED):
        padded[k, : len(bag)], mask[k, : len(bag)] = bag, True
    objects = np.empty(3, object)
    objects[:] = RAGGED
    frame = pd.DataFrame(table, columns=["u", "v", "w"]).assign(bag=groups)
    for bags in (
        as_bags(RAGGED),
        as_bags(tuple(RAGGED)),
        as_bags(objects),
        as_bags([bag.tolist() for bag in RAGGED]),
        Bags.from_array(padded, mask),
        Bags.from_table(table, groups),
        Bags.from_table(frame, "bag"),
        Bags.from_table(frame.drop(columns="bag"), frame["bag"]),
    ):
        same(bags, RAGGED)
    assert Bags.from_table(frame, "bag").names == ["u", "v", "w"]
    assert Bags.from_table(frame, "bag").ids.tolist() == ["a", "b", "c"]


def test_rows_of_a_bag_need_not_be_together():
    table, groups = np.arange(10.0).reshape(5, 2), [7, 3, 7, 9, 3]
    bags = Bags.from_table(table, groups)
    assert bags.ids.tolist() == [7, 3, 9]
    same(bags, [table[[0, 2]], table[[1, 4]], table[[3]]])


def test_single_precision_is_kept_and_whole_numbers_become_double():
    assert as_bags(np.zeros((2, 3, 4), np.float32)).instances.dtype == np.float32
    assert as_bags([np.zeros((2, 3), np.float32)] * 2).instances.dtype == np.float32
    assert as_bags(np.zeros((2, 3, 4), int)).instances.dtype == np.float64


def test_an_array_is_not_copied(tmp_path):
    X = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float32, (6, 3, 4))
    X[:] = 1.0
    assert np.shares_memory(as_bags(X).instances, X)
    assert np.shares_memory(as_bags(X)[1:4].instances, X)


def test_indexing_is_that_of_a_list():
    bags = as_bags(RAGGED)
    np.testing.assert_array_equal(bags[-1], RAGGED[2])
    same(bags[[2, 0]], [RAGGED[2], RAGGED[0]])
    same(bags[np.array([True, False, True])], [RAGGED[0], RAGGED[2]])
    same(bags[1:], RAGGED[1:])
    same(bags[np.array([0, 0]), ...], [RAGGED[0], RAGGED[0]])
    assert len(bags[[]]) == 0
    with pytest.raises(IndexError):
        bags[3]
    assert repr(bags) == "<3 bags of 1 to 4 instances, 3 features, float64>"
    assert repr(as_bags(np.zeros((2, 5, 1)))) == "<2 bags of 5 instances, 1 features, float64>"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (np.zeros((4, 3)), r"got shape \(4, 3\); a table .* Bags.from_table\(X, bag\)"),
        (np.zeros(4), r"got shape \(4,\)"),
        (np.zeros((0, 3, 2)), r"at least one bag, instance and feature, got shape \(0, 3, 2\)"),
        (np.zeros((2, 3, 0)), r"got shape \(2, 3, 0\)"),
        ([], "at least one bag, got an empty list"),
        ([np.zeros((2, 3)), np.zeros((0, 3))], "bag 1 is empty; .* drop it and its label"),
        ([np.zeros((2, 3)), np.zeros((1, 4))], "got 3 in bag 0 and 4 in bag 1"),
        ([np.zeros((2, 3)), np.zeros(3)], r"bag 1 must be an array .* of shape \(3,\)"),
        ([np.array([["a"]])], "bag 0 must be an array .* of numbers"),
        ([sparse.eye_array(3)], "sparse instances .* are not taken"),
        (sparse.eye_array(3), "sparse instances .* pass X.toarray"),
        (pd.DataFrame({"u": [1.0]}), r"does not say which rows make a bag.*from_table"),
        (np.ma.masked_array(np.zeros((2, 3, 4))), r"getmaskarray"),
        ([np.ones((2, 2)), np.array([[1.0, 2.0], [np.nan, 1.0]])], "bag 1 .* in instance 1"),
        (np.full((2, 3, 4), np.inf), "bag 0 has a NaN or infinity in instance 0"),
        (np.full((2, 3, 4), "x"), "instances must be a table of numbers"),
    ],
)
def test_refused_with_a_sentence(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        as_bags(given)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Bags.from_array(np.zeros((2, 3, 1)), np.ones((2, 2))), "mask must be 2 × 3"),
        (
            lambda: Bags.from_array(np.zeros((2, 3, 1)), np.full((2, 3), 5)),
            "mask must be true .* got 5",
        ),
        (
            lambda: Bags.from_array(np.zeros((2, 3, 1)), [[1, 1, 1], [0, 0, 0]]),
            "bag 1 is empty",
        ),
        (lambda: Bags.from_table(np.zeros((3, 2)), [1, 2]), "bag must name the bag of each"),
        (lambda: Bags.from_table(np.zeros((2, 2)), [1.0, np.nan]), "got none in row 1"),
        (lambda: Bags.from_table(pd.DataFrame({"u": [1.0]}), "bag"), "must name a column"),
        (lambda: Bags(np.zeros((3, 2)), [0, 2]), "starts must be whole numbers"),
        (lambda: Bags(np.zeros((3, 2)), [0, 2, 2, 3]), "bag 1 is empty"),
    ],
)
def test_refused_by_their_makers(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize(("dtype", "largest"), [(np.float32, 1e18), (np.float64, 1e150)])
def test_numbers_too_large_for_squares_are_not_taken_for_infinity(dtype, largest):
    X = np.full((2, 3, 4), 0.9 * largest, dtype)
    assert len(as_bags(X)) == 2
    X[1, 2] = -2.0 * largest
    with pytest.raises(
        ValueError, match=r"bag 1 has a number of size 2e.* in instance 2, feature 0, more than"
    ):
        as_bags(X)


def test_slices_of_a_subclass_are_of_it_and_keep_what_it_holds():
    class Slides(Bags):
        hospital = None

    slides = Slides.from_list(RAGGED)
    slides.hospital, slides.names = "north", ["u", "v", "w"]
    for some in (slides[1:], slides[[2, 0]], slides[np.array([True, False, True])]):
        assert type(some) is Slides
        assert some.hospital == "north" and some.names == ["u", "v", "w"]
    assert len(slides) == 3


def forms(tmp_path):
    """The same array, laid out in all ways."""
    X = np.random.default_rng(0).standard_normal((6, 3, 4)).astype(np.float32)
    fixed = X.copy()
    fixed.flags.writeable = False
    np.save(tmp_path / "X.npy", X)
    yield from (X, X.astype(">f4"), X.astype("<f4"), np.asfortranarray(X), fixed)
    yield np.repeat(X, 2, axis=2)[:, :, ::2]
    yield np.ascontiguousarray(X[::-1])[::-1]
    yield np.load(tmp_path / "X.npy", mmap_mode="r")
    yield np.load(tmp_path / "X.npy", mmap_mode="c")


def test_any_layout_is_read_as_it_is_and_never_written(tmp_path):
    wanted = as_bags(next(forms(tmp_path)))
    y = np.arange(6) % 2
    for X in forms(tmp_path):
        before = np.array(X)
        for bags in (
            as_bags(X),
            as_bags(list(X)),
            Bags.from_table(X.reshape(18, 4), np.repeat(np.arange(6), 3)),
        ):
            same(bags, wanted)
            assert bags.instances.dtype == np.float32 and bags.instances.dtype.isnative
        for shrinkage in (1.0, 0.5, None):
            clf = AttentionClassifier(
                kappa=1.0, ridge=0.1, max_refine_iter=2, shrinkage=shrinkage, cv=0
            )
            clf.fit(X, y).predict_proba(X)
            clf.transform(X), clf.attention_weights(X)
        InstanceTransformer(StandardScaler()).fit(X).transform(X)
        np.testing.assert_array_equal(X, before)


def test_big_endian_doubles_and_halves_become_plain_doubles():
    for dtype in (">f8", ">f2", "f2", ">i4", "g"):
        bags = as_bags(np.ones((2, 3, 4), dtype))
        assert bags.instances.dtype == np.float64 and bags.instances.dtype.isnative


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_matrices_are_tables():
    assert type(as_bags([np.matrix(np.ones((2, 3)))] * 2).instances) is np.ndarray
    assert type(Bags.from_table(np.matrix(np.ones((2, 3))), [0, 1]).instances) is np.ndarray


def test_a_series_of_arrays_is_a_list_of_bags():
    same(as_bags(pd.Series(RAGGED, index=[5, 3, 1])), RAGGED)


@pytest.mark.parametrize("key", [(1, 0), None, True, np.array([[0, 1]])])
def test_an_index_that_would_be_taken_in_part_is_refused(key):
    with pytest.raises(IndexError, match=r"instance j of bag i is bags\[i\]\[j\]"):
        as_bags(RAGGED)[key]


def test_a_number_in_an_array_is_a_number():
    np.testing.assert_array_equal(as_bags(RAGGED)[np.array(1)], RAGGED[1])


def test_names_and_ids_must_fit():
    bags = as_bags(RAGGED)
    with pytest.raises(ValueError, match="names must be one for each of the 3 features, got 2"):
        bags.names = ["u", "v"]
    with pytest.raises(ValueError, match="names must be one for each of the 3 features, got 1"):
        Bags(np.zeros((2, 3)), [0, 2], names=["u"])
    with pytest.raises(ValueError, match=r"ids must name each of the 1 bags, got shape \(2,\)"):
        Bags(np.zeros((2, 3)), [0, 2], ids=["a", "b"])


def test_no_bags_are_refused_by_all_who_take_bags():
    none = as_bags(RAGGED)[:0]
    assert len(none) == 0 and repr(none) == "<0 bags, 3 features, float64>"
    with pytest.raises(ValueError, match="there must be at least one bag, got none"):
        as_bags(none)


@pytest.mark.parametrize("starts", [np.array([0, 3, 1, 4], np.uint64), [[0, 4]], 4, None, [0]])
def test_starts_that_are_none_are_refused(starts):
    with pytest.raises(ValueError, match=r"starts must be whole numbers|bag 1 is empty"):
        Bags(np.zeros((4, 1)), starts)


@pytest.mark.parametrize("given", [None, {"a": 1}, (np.zeros((2, 2)) for _ in range(2)), 3.0])
def test_what_is_neither_array_nor_list_is_named(given):
    with pytest.raises(ValueError, match=f"or Bags, got {type(given).__name__}"):
        as_bags(given)


def test_places_and_names_that_are_not_there():
    bags = Bags.from_array(np.zeros((3, 2, 1)))
    with pytest.raises(IndexError, match="there are 3 bags, got number 3"):
        bags[3]
    with pytest.raises(IndexError, match="got 'm1'; ids has their names"):
        bags["m1"]
    assert bags[-1].shape == (2, 1)


def placed():
    """Bags whose instances have coordinates and times."""
    bags = as_bags(RAGGED)
    bags.ids, bags.names = np.array(["a", "b", "c"]), ["u", "v", "w"]
    bags.metadata = {"coords": np.arange(14).reshape(7, 2), "time": list("tuvwxyz")}
    return bags


def test_metadata_follow_their_instances():
    bags = placed()
    chosen = bags[[2, 0]]
    assert chosen.metadata["coords"][:, 0].tolist() == [6, 8, 10, 12, 0, 2]
    assert chosen.metadata["time"].tolist() == list("wxyztu")
    assert bags[[1]].metadata["time"].tolist() == ["v"]
    assert np.shares_memory(bags[1:].metadata["coords"], bags.metadata["coords"])
    assert len(bags[:0].metadata["coords"]) == 0
    other = bags.map(lambda bag: bag)
    other.metadata["more"] = np.zeros(7)
    with pytest.raises(ValueError, match="metadata 'more' must have a row for each of the 4 in"):
        bags[[2]].metadata["more"] = np.zeros(7)
    assert bags.metadata.keys() == {"coords", "time"}
    assert bags.metadata["coords"].shape == (7, 2)
    assert as_bags(RAGGED).metadata == {}
    made = InstanceTransformer(StandardScaler()).fit(bags).transform(bags)
    assert made.metadata["time"].tolist() == list("tuvwxyz") and made.ids.tolist() == list("abc")


@pytest.mark.parametrize(
    ("metadata", "sentence"),
    [
        ([1, 2], "metadata must be a dict from names to arrays .* got list"),
        ({"time": [1, 2]}, r"metadata 'time' must have a row for each of the 7 instances, got sha"),
        ({"time": 3}, r"'time' must have a row for each of the 7 instances, got shape \(\)"),
        ({3: range(7)}, "metadata must have words for names, got 3"),
        ({"time": [None, *range(6)]}, "metadata 'time' must have no gaps, got none in row 0"),
        ({"time": np.array([{}] * 7)}, "metadata 'time' must be numbers, words or dates, got dict"),
        ({"time": np.array([1, "a"] * 3 + [1], object)}, "metadata 'time' must be of one kind"),
        ({"time": np.ma.array(range(7))}, "metadata 'time' must not be masked"),
    ],
)
def test_metadata_that_do_not_fit_are_refused(metadata, sentence):
    bags = as_bags(RAGGED)
    with pytest.raises(ValueError, match=sentence):
        bags.metadata = metadata
    with pytest.raises(ValueError, match=sentence):
        Bags(bags.instances, bags.starts, metadata=metadata)
    assert bags.metadata == {}


def test_a_function_of_bags_keeps_what_they_are_called():
    bags = placed()
    centred = bags.map(lambda bag: bag - bag.mean(axis=0), names=bags.names)
    same(centred, [bag - bag.mean(axis=0) for bag in RAGGED])
    narrow = bags.map(lambda bag: bag[:, :1].astype(np.float32))
    assert narrow.d == 1 and narrow.names is None and narrow.instances.dtype == np.float32
    for made in (centred, narrow):
        assert made.ids.tolist() == ["a", "b", "c"] and made.metadata.keys() == {"coords", "time"}
    assert bags.d == 3 and bags.names == ["u", "v", "w"]
    same(bags.with_instances(bags.instances * 2.0), [2.0 * bag for bag in RAGGED])


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (3, "function must take the instances of a bag, got int; for a fitted transformer pass"),
        (lambda bag: bag[:1], r"for bag 0 with 2 instances it returned shape \(1, 3\)"),
        (lambda bag: bag[:, : len(bag)], r"for bag 1 with 1 .* \(1, 1\), for bag 0 \(2, 2\)"),
        (lambda bag: bag.sum(axis=0), r"instances must be a table of numbers, .* shape \(3,\)"),
        (lambda bag: bag / 0.0, "bag 0 has a NaN or infinity in instance 0"),
        (lambda bag: sparse.csr_array(bag), "sparse instances"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_functions_that_make_no_instances_are_refused(function, sentence):
    with pytest.raises(ValueError, match=sentence):
        as_bags(RAGGED).map(function)


def test_bags_of_equal_size_are_an_array_and_others_are_not():
    X = RNG.standard_normal((5, 4, 3)).astype(np.float32)
    bags = as_bags(X)
    np.testing.assert_array_equal(np.asarray(bags), X)
    assert np.shares_memory(np.asarray(bags), X) and not np.shares_memory(np.array(bags), X)
    assert np.asarray(bags, float).dtype == np.float64
    assert np.asarray(bags[:0]).shape == (0, 0, 3)
    with pytest.raises(
        ValueError, match=r"^bags of 1 to 4 instances .* InstanceTransformer\(PCA\(\)\)"
    ):
        np.asarray(as_bags(RAGGED))
    for some in (bags, as_bags(RAGGED)):
        boxed = np.asarray(some, dtype=object)
        assert boxed.shape == (len(some),)
        same(as_bags(boxed), some)


def told(call):
    with pytest.raises(ValueError, match=r"^bags of 2 to 4 instances are not one array.") as raised:
        call()
    assert "inhomogeneous" not in str(raised.value) and "clf.transform(bags)" in str(raised.value)


def test_what_takes_tables_only_says_what_to_do():
    sizes = np.arange(20) % 3 + 2
    bags, y = as_bags([RNG.standard_normal((size, 3)) for size in sizes]), np.arange(20) % 2
    clf = AttentionClassifier(kappa=1.0, ridge=0.1, max_refine_iter=0, cv=0).fit(bags, y)
    told(lambda: PCA(2).fit(bags))
    told(lambda: StandardScaler().fit_transform(bags))
    told(lambda: BaggingClassifier(clf, n_estimators=2).fit(bags, y))
    told(lambda: permutation_importance(clf, bags, y, n_repeats=1))
    table = clf.transform(bags)  # as the sentence says
    BaggingClassifier(n_estimators=2).fit(table, y)
    assert cross_val_score(clf, bags, y, cv=2).shape == (2,)
