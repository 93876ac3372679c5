"""HDF5 files that lead elsewhere, or say that they hold more than there is."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import read_h5ad, read_hdf5
from needlescope.estimators.bags.readers.hdf5_file import open_hdf5

h5py = pytest.importorskip("h5py")
SECRET = np.arange(8.0).reshape(4, 2)


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret.bin"
    SECRET.tofile(path)
    with h5py.File(tmp_path / "other.hdf", "w") as file:
        file["features"] = SECRET
    return path


@pytest.fixture
def slides(tmp_path):
    (tmp_path / "slides").mkdir()
    return tmp_path / "slides"


def outside(how, path, secret):
    """Write a slide whose features are in another file, in one of many ways."""
    other = str(secret.parent / "other.hdf")
    with h5py.File(path, "w") as file:
        if how == "external storage":
            file.create_dataset("features", (4, 2), "f8", external=[(str(secret), 0, 64)])
        elif how == "an external link":
            file["features"] = h5py.ExternalLink(other, "/features")
        elif how == "a virtual dataset":
            layout = h5py.VirtualLayout((4, 2), "f8")
            layout[:] = h5py.VirtualSource(other, "features", (4, 2))
            file.create_virtual_dataset("features", layout)
        elif how == "a soft link to an external link":
            file["inside/away"] = h5py.ExternalLink(other, "/")
            file["features"] = h5py.SoftLink("/inside/away/features")
        elif how == "soft links through soft links":
            file["away"] = h5py.ExternalLink(other, "/")
            file["a/b"] = h5py.SoftLink("/away")
            file["features"] = h5py.SoftLink("a/b/features")


WAYS = {
    "external storage": "external storage",
    "an external link": "an external link",
    "a virtual dataset": "a virtual dataset",
    "a soft link to an external link": "an external link",
    "soft links through soft links": "an external link",
}


@pytest.mark.parametrize("how", WAYS)
def test_other_files_are_read_only_if_asked_for(slides, secret, how):
    outside(how, slides / "s.h5", secret)
    with pytest.raises(
        ValueError, match=rf"s.h5, .* is {WAYS[how]}, whose numbers are in .*external=True if you"
    ):
        read_hdf5(slides)
    result = read_hdf5(slides, external=True)
    np.testing.assert_array_equal(result[0], SECRET)
    for item in secret.parent.iterdir():
        if item.is_file():
            item.unlink()
    with pytest.raises(ValueError, match=r"s.h5, .* is .*, and there is no file"):
        read_hdf5(slides, external=True)  # HDF5 itself would read zeros of a virtual dataset
    with pytest.raises(ValueError, match="cache must go without external=True, as a change in an"):
        read_hdf5(slides, external=True, cache=slides / "cache")


@pytest.mark.parametrize("part", ["X", "obs/donor", "var/gene", "obs", "X/indices"])
def test_every_part_of_a_file_of_cells_is_checked(tmp_path, secret, part):
    path = tmp_path / "c.h5ad"
    with h5py.File(path, "w") as file:
        group = file.create_group("X")
        group.attrs["encoding-type"], group.attrs["shape"] = "csr_matrix", (4, 2)
        group["data"], group["indices"], group["indptr"] = np.ones(4), [0, 1, 0, 1], np.arange(5)
        file["obs/donor"] = [0, 0, 1, 1]
        file.create_group("var").attrs["_index"] = "gene"
        file["var/gene"] = ["u", "v"]
    assert read_h5ad(path, "donor").names == ["u", "v"]
    with h5py.File(path, "a") as file:
        del file[part]
        file[part] = h5py.ExternalLink(str(tmp_path / "other.hdf"), "/features")
    with pytest.raises(ValueError, match=r"c.h5ad, .* is an external link, whose numbers are in"):
        read_h5ad(path, "donor")


def test_soft_links_stay_in_the_file_and_end(slides):
    with h5py.File(slides / "s.h5", "w") as file:
        file["deep/down"] = SECRET
        file["deep/up"] = h5py.SoftLink("down")
        file["features"] = h5py.SoftLink("/deep/./up")
    np.testing.assert_array_equal(read_hdf5(slides)[0], SECRET)
    with h5py.File(slides / "s.h5", "w") as file:
        file["a"], file["features"] = h5py.SoftLink("/features"), h5py.SoftLink("/a")
    with pytest.raises(ValueError, match=r"s.h5, 'features' leads through too many links"):
        read_hdf5(slides)
    with h5py.File(slides / "s.h5", "w") as file:
        file["features"] = h5py.SoftLink("/nowhere")
    with pytest.raises(ValueError, match=r"s.h5 must have a dataset 'features', got 'features'"):
        read_hdf5(slides)


def bomb(path, kind):
    with h5py.File(path, "w") as file:
        if kind == "many rows":
            file.create_dataset("features", (1 << 40, 4), "f4", chunks=(8, 4))[:8] = 1.0
        elif kind == "one row":
            file.create_dataset("features", (1, 1 << 40), "f4", chunks=(1, 8))[:, :8] = 1.0
        elif kind == "a chunk":
            file.create_dataset("features", (2, 4), "f4", chunks=(1 << 27, 4), maxshape=(None, 4))
        elif kind == "coordinates":
            file["features"] = np.ones((4, 2))
            file.create_dataset("coords", (4, 1 << 40), "f4", chunks=(4, 8))[:, :8] = 1.0
        elif kind == "compressed twice":
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_chunk((4, 2))
            plist.set_deflate(9)
            plist.set_filter(h5py.h5z.FILTER_DEFLATE, 0, (9,))
            space = h5py.h5s.create_simple((4, 2))
            made = h5py.h5d.create(file.id, b"features", h5py.h5t.NATIVE_FLOAT, space, plist)
            h5py.Dataset(made)[:] = 1.0
        elif kind == "never written":
            file.create_dataset("features", (1 << 20, 4), "f4", chunks=(8, 4))


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("many rows", r"features needs 1.64e\+04 GiB, above memory=1073741824 .*pass cache="),
        ("one row", r"features needs 4.1e\+03 GiB, above memory="),
        ("a chunk", r"a chunk of .*s.h5, 'features' needs 2 GiB, above memory="),
        ("coordinates", r"s.h5, 'coords' needs 1.64e\+04 GiB, above memory="),
        ("compressed twice", r"s.h5, 'features' is compressed twice by the same filter"),
        ("never written", r"s.h5, 'features' has shape .*, but nothing was ever written to it"),
    ],
)
def test_sizes_are_checked_before_anything_is_made(slides, kind, sentence):
    bomb(slides / "s.h5", kind)
    assert (slides / "s.h5").stat().st_size < 10_000
    with pytest.raises(ValueError, match=sentence):
        read_hdf5(slides)
    if kind == "many rows":
        with pytest.raises(ValueError, match=r"features need \d+ bytes of disk, and .* free; name"):
            read_hdf5(slides, cache=slides / "cache")
        assert [path.name for path in slides.iterdir()] == ["s.h5"]
    if kind == "one row":
        with pytest.raises(ValueError, match=r"a row of features needs 8.19e\+03 GiB"):
            read_hdf5(slides, cache=slides / "cache")


def test_the_bound_can_be_moved(slides):
    with h5py.File(slides / "s.h5", "w") as file:
        file["features"] = np.ones((100, 4))
    with pytest.raises(
        ValueError, match=r"features needs 0.00305 MiB, above memory=3000 .*=3200 if"
    ):
        read_hdf5(slides, memory=3000)
    assert read_hdf5(slides, memory=3200).d == 4
    assert read_hdf5(slides, memory=3000, cache=slides / "c", coords=None).d == 4


@pytest.mark.parametrize("how", [{}, {"chunks": (7,)}, {"chunks": (7,), "compression": "gzip"}])
def test_long_words_are_counted_before_they_are_read(tmp_path, how, monkeypatch):
    monkeypatch.setattr("needlescope.estimators.bags.readers.hdf5_file.STRINGS_AT_ONCE", 3)
    path = tmp_path / "c.h5ad"
    words = {"donor": [*["y"] * 39, "ä" * 5_000], "fixed": [*["y"] * 39, "x" * 10_000]}
    with h5py.File(path, "w", userblock_size=512) as file:
        file["X"] = np.ones((40, 2))
        file.create_dataset("obs/donor", data=words["donor"], dtype=h5py.string_dtype(), **how)
        file.create_dataset("obs/fixed", data=np.array(words["fixed"], "S"), **how)
    for name, wanted in words.items():
        with pytest.raises(ValueError, match=rf"c.h5ad, 'obs/{name}' needs .* above memory=500000"):
            read_h5ad(path, name, memory=500_000)
        assert read_h5ad(path, name, memory=2_000_000).ids.tolist() == [wanted[0], wanted[-1]]


def test_one_long_word_in_many_places(tmp_path):
    """HDF5 lets rows share a string: here all do, once their records were copied."""
    path = tmp_path / "c.h5ad"
    with h5py.File(path, "w") as file:
        file["X"] = np.ones((40, 2))
        made = file.create_dataset("obs/donor", (40,), h5py.string_dtype())
        made[0] = "x" * 50_000
        offset = made.id.get_offset()
    whole = bytearray(path.read_bytes())
    whole[offset : offset + 640] = whole[offset : offset + 16] * 40
    path.write_bytes(whole)
    with pytest.raises(
        ValueError, match=r"c.h5ad, 'obs/donor' needs 7.63 MiB, above memory=100000"
    ):
        read_h5ad(path, "donor", memory=1_000_000)
    assert read_h5ad(path, "donor").ids.tolist() == ["x" * 50_000]


def test_attributes_and_objects_of_other_kinds(tmp_path):
    path = tmp_path / "c.h5ad"
    with h5py.File(path, "w") as file:
        group = file.create_group("X")
        group.attrs["encoding-type"] = ["csr_matrix"] * 50
        file["type"] = np.dtype("f8")  # a named type, neither group nor dataset
        file["ref"] = np.array([group.ref], h5py.ref_dtype)
    with open_hdf5(path, 1 << 20) as file:
        assert file.find("type") is None and file.find("X/nothing/at/all") is None
        assert file.attribute(file.find("X"), "none") is None
        for call in (
            lambda: file.attribute(file.find("X"), "encoding-type"),
            lambda: file.array("ref", file.find("ref")),
            lambda: file.array("X", file.find("X")),
        ):
            with pytest.raises(ValueError, match=r"c.h5ad"):
                call()
