"""Parquet files with a row for each instance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from needlescope.estimators import Bags, read_parquet
from needlescope.estimators.bags.readers import content, parquet

COVERS = ("parquet_files",)
pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

RNG = np.random.default_rng(0)
BAG = RNG.permutation(np.arange(90) % 6)
FRAME = pd.DataFrame(RNG.standard_normal((90, 3)), columns=["u", "v", "w"]).assign(
    slide=[f"s{k}" for k in BAG], sick=BAG % 2, case=BAG // 2, x=np.arange(90)
)


@pytest.fixture
def path(tmp_path):
    FRAME.to_parquet(tmp_path / "t.parquet", row_group_size=40)
    return tmp_path / "t.parquet"


@pytest.mark.parametrize("size", [1 << 22, 3 * 7])
def test_it_is_the_table_that_it_is(path, tmp_path, size, monkeypatch):
    monkeypatch.setattr(content, "CHUNK", size)
    wanted, labels = Bags.from_table(
        FRAME.drop(columns=["w", "case"]), "slide", label="sick", metadata=["x"]
    )
    for cache in (None, tmp_path / "cache"):
        bags, y, cases = read_parquet(
            path, "slide", "sick", cache, drop="w", metadata="x", groups="case"
        )
        np.testing.assert_array_equal(bags.instances, wanted.instances)
        np.testing.assert_array_equal(bags.metadata["x"], wanted.metadata["x"])
        np.testing.assert_array_equal(bags.starts, wanted.starts)
        assert bags.names == wanted.names == ["u", "v"]
        assert bags.ids.tolist() == wanted.ids.tolist()
        np.testing.assert_array_equal(y, labels)
        assert cases.tolist() == [int(item[1:]) // 2 for item in bags.ids]


def test_features_may_be_named_and_nothing_else_is_one(path):
    bags, _ = read_parquet(path, "slide", "sick", features=["w", "u"])
    assert bags.names == ["w", "u"]
    first = FRAME[FRAME["slide"] == bags.ids[0]]
    np.testing.assert_array_equal(bags[0], first[["w", "u"]])


def test_several_files_are_one_table(tmp_path, path):
    (tmp_path / "parts").mkdir()
    FRAME[:50].to_parquet(tmp_path / "parts" / "a.parquet")
    FRAME[50:].to_parquet(tmp_path / "parts" / "b.parquet")
    for name in ("parts", "t.parquet"):
        bags, y = read_parquet(tmp_path / name, "slide", "sick", features=["u", "v"])
        wanted, labels = Bags.from_table(FRAME[["u", "v"]], FRAME["slide"], label=FRAME["sick"])
        np.testing.assert_array_equal(bags.instances, wanted.instances)
        np.testing.assert_array_equal(y, labels)


def embeddings(kind, values=None):
    rows = RNG.standard_normal((90, 4)).astype(np.float32).tolist() if values is None else values
    return rows, pa.table({"slide": FRAME["slide"].tolist(), "z": pa.array(rows, kind)})


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.float32()), pa.list_(pa.float32(), 4), pa.large_list(pa.float32())]
)
def test_a_column_of_lists_is_an_embedding(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(content, "CHUNK", 4 * 7)
    rows, table = embeddings(kind)
    pq.write_table(table, tmp_path / "t.parquet")
    bags = read_parquet(tmp_path / "t.parquet", "slide")
    assert bags.d == 4 and bags.names is None and bags.instances.dtype == np.float32
    wanted = Bags.from_table(np.array(rows), FRAME["slide"].tolist())
    np.testing.assert_array_equal(bags.instances, wanted.instances)


def test_lists_that_are_no_embeddings_are_refused(tmp_path):
    rows, _ = embeddings(pa.list_(pa.float32()))
    for spoilt, sentence in (
        ([*rows[:60], [1.0, 2.0], *rows[61:]], "must have 4 numbers in every list of 'z', got 2"),
        ([*rows[:60], None, *rows[61:]], "must have 4 numbers in every list of 'z', got nan"),
        ([*rows[:60], [1.0, None, 2.0, 3.0], *rows[61:]], "t.parquet has a nan in row 60"),
    ):
        pq.write_table(embeddings(pa.list_(pa.float32()), spoilt)[1], tmp_path / "t.parquet")
        with pytest.raises(ValueError, match=sentence):
            read_parquet(tmp_path / "t.parquet", "slide")
    table = embeddings(pa.list_(pa.float32()))[1].append_column("u", pa.array(np.zeros(90)))
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"column 'z' of .* holds lists, .* pass features='z'"):
        read_parquet(tmp_path / "t.parquet", "slide")


def test_wide_tables_are_read_some_columns_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(content, "CHUNK", 17 * 11)
    monkeypatch.setattr(parquet, "COLUMNS_AT_ONCE", 5)
    wide = pd.DataFrame(RNG.standard_normal((90, 17)), columns=[f"x{k}" for k in range(17)])
    (tmp_path / "parts").mkdir()
    for k, part in enumerate((wide[:40], wide[40:])):
        part.assign(slide=BAG[part.index]).to_parquet(tmp_path / "parts" / f"{k}.parquet")
    bags = read_parquet(tmp_path / "parts", "slide", cache=tmp_path / "cache")
    wanted = Bags.from_table(wide, BAG)
    np.testing.assert_array_equal(bags.instances, wanted.instances)
    assert bags.names == wanted.names
    assert not list((tmp_path / "cache").glob("columns*"))


def test_numbers_of_all_kinds(tmp_path):
    frame = pd.DataFrame({"b": [0, 0], "u": [True, False], "v": [1, 2], "h": np.float16([1, 2])})
    frame.to_parquet(tmp_path / "t.parquet")
    bags = read_parquet(tmp_path / "t.parquet", "b")
    np.testing.assert_array_equal(bags[0], [[1, 1, 1], [0, 2, 2]])
    assert bags.instances.dtype == np.float64
    half = read_parquet(tmp_path / "t.parquet", "b", features="h")
    assert half.instances.dtype == np.float32


def test_the_index_of_a_frame_is_no_feature(tmp_path):
    some = FRAME[FRAME["x"] % 7 != 0][["u", "v", "slide"]]
    some.to_parquet(tmp_path / "t.parquet")
    assert read_parquet(tmp_path / "t.parquet", "slide").names == ["u", "v"]
    some.rename_axis("patch").to_parquet(tmp_path / "t.parquet")
    assert read_parquet(tmp_path / "t.parquet", "slide").names == ["u", "v"]
    kept = read_parquet(tmp_path / "t.parquet", "slide", metadata="patch")
    assert sorted(kept.metadata["patch"].tolist()) == some.index.tolist()
    by_slide = some.set_index("slide")
    by_slide.to_parquet(tmp_path / "t.parquet")
    assert read_parquet(tmp_path / "t.parquet", "slide").names == ["u", "v"]
    some[:0].to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="at least one row, got none in"):
        read_parquet(tmp_path / "t.parquet", "slide")


def test_a_label_left_among_the_features_is_warned_of(path):
    with pytest.warns(UserWarning, match="column 'sick' takes two values"):
        read_parquet(path, "slide", drop=["case", "x"])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"bag": "Slide"}, "t.parquet has no column 'Slide'; there are u, v, w, slide, sick, case"),
        ({"bag": "slide", "drop": "q"}, "t.parquet has no column 'q'"),
        ({"bag": "slide", "features": ["q"]}, "t.parquet has no column 'q'"),
        ({"bag": "slide", "label": "x"}, "t.parquet, 'x' must be the same for all rows of a bag"),
        (
            {"bag": "sick"},
            "t.parquet: column 'slide' must hold numbers, got .*; leave it out by drop='slide', or "
            "encode it as numbers first; a label goes by label='slide'",
        ),
        ({"bag": "slide", "drop": [*"uvwx", "sick", "case"]}, "no column left for features"),
    ],
)
def test_columns_that_are_not_there_or_no_numbers(path, given, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_parquet(path, **given)


def test_files_that_do_not_fit_are_named(tmp_path, path):
    FRAME.drop(columns="v").to_parquet(tmp_path / "u.parquet")
    with pytest.raises(ValueError, match=r"u.parquet must have the columns of .*t.parquet.* in v"):
        read_parquet(tmp_path, "slide")
    (tmp_path / "u.parquet").write_bytes(b"PAR1")
    with pytest.raises(ValueError, match=r"u.parquet cannot be read as Parquet"):
        read_parquet(tmp_path, "slide")
    (tmp_path / "none").mkdir()
    with pytest.raises(ValueError, match=r"none has no files that end in .parquet"):
        read_parquet(tmp_path / "none", "slide")
    FRAME.assign(u=np.where(BAG == 3, np.nan, 0.0)).to_parquet(path)
    with pytest.raises(ValueError, match=r"t.parquet has a nan in row \d"):
        read_parquet(path, "slide", "sick")


def test_features_are_read_once_and_never_none(path):
    kept = {"drop": ["case", "x"]}
    for wanted in (("u", "w"), iter(["u", "w"]), np.array(["u", "w"]), pd.Index(["u", "w"])):
        assert read_parquet(path, "slide", "sick", features=wanted, **kept)[0].names == ["u", "w"]
    for given, sentence in (
        ({"features": []}, "^features must name at least one column, got none; leave it out"),
        ({"features": iter([])}, "^features must name at least one column, got none"),
        ({"features": ["u", "sick"]}, "^features must be columns that are named nowhere else, got"),
        ({"features": ["u", "u"]}, "^features must name each column once, got 'u' twice"),
        ({"features": [3]}, "^features must be names of columns, got 3"),
        ({"features": 3}, "^features must be names of columns, got 3"),
        ({"features": b"u"}, "^features must be names of columns, got b'u'"),
        ({"features": ["u"], "drop": iter(["u"])}, "^features must be columns that are named now"),
    ):
        with pytest.raises(ValueError, match=sentence):
            read_parquet(path, "slide", "sick", **given)
    dropped = read_parquet(path, "slide", "sick", drop=iter(["case", "x"]), metadata=iter(["w"]))[0]
    assert dropped.names == ["u", "v"] and list(dropped.metadata) == ["w"]


def test_what_would_not_fit_is_refused_before_it_is_read(tmp_path, path):
    with pytest.raises(ValueError, match=r"features needs 0.00206 MiB, above memory=2000 .*cache="):
        read_parquet(path, "slide", features=["u", "v", "w"], memory=2000)
    assert len(read_parquet(path, "slide", features=["u"], memory=2000, cache=tmp_path / "c")) == 6
    with pytest.raises(ValueError, match=r"the places of 90 rows needs .*, above memory=1000"):
        read_parquet(path, "slide", features=["u"], memory=1000)
    rows = pa.table({"b": pa.array(np.zeros(10**6, np.int8)), "u": pa.array(np.zeros(10**6))})
    pq.write_table(rows, tmp_path / "bomb.parquet")
    assert (tmp_path / "bomb.parquet").stat().st_size < 10_000
    with pytest.raises(ValueError, match=r"bomb.parquet: .* needs 15.3 MiB, above memory=4000000"):
        read_parquet(tmp_path / "bomb.parquet", "b", memory=4_000_000)


def test_a_long_word_or_list_in_a_small_file(tmp_path):
    words = pa.array(["x" * 10_000] * 5000)
    pq.write_table(pa.table({"b": words, "u": pa.array(np.zeros(5000))}), tmp_path / "t.parquet")
    assert (tmp_path / "t.parquet").stat().st_size < 10_000
    with pytest.raises(ValueError, match=r"t.parquet, 'b' needs 191 MiB, above memory=10000000"):
        read_parquet(tmp_path / "t.parquet", "b", memory=10_000_000)
    lists = pa.array([[0.0] * 100_000, [0.0]])
    pq.write_table(pa.table({"b": pa.array([0, 1]), "z": lists}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"a row group of .*t.parquet, 'z' needs 0.763 MiB, above"):
        read_parquet(tmp_path / "t.parquet", "b", memory=100_000)
    with pytest.raises(ValueError, match=r"t.parquet has list<.* in column 'z', got no single val"):
        read_parquet(tmp_path / "t.parquet", "z")


def test_words_of_all_kinds(tmp_path):
    words = [f"s{k}" for k in BAG]
    for kind in (pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())):
        table = pa.table({"b": pa.array(words, kind), "u": pa.array(np.zeros(90))})
        pq.write_table(table, tmp_path / "t.parquet", row_group_size=40, use_dictionary=False)
        bags = read_parquet(tmp_path / "t.parquet", "b")
        assert bags.ids.tolist() == list(dict.fromkeys(words))
    codes = pd.DataFrame({"b": pd.Categorical(BAG), "u": np.zeros(90)})
    codes.to_parquet(tmp_path / "t.parquet")
    assert read_parquet(tmp_path / "t.parquet", "b").ids.tolist() == list(dict.fromkeys(BAG))
    table = pa.table({"b": pa.array([*words[1:], None]), "u": pa.array(np.zeros(90))})
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(
        ValueError, match=r"t.parquet, 'b' must name the bag of each row, got none i"
    ):
        read_parquet(tmp_path / "t.parquet", "b")
