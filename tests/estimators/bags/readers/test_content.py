"""Files read once: the cache that remembers what it was made from, and memory that stays small."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from needlescope.estimators import Bags, read_h5ad, read_hdf5, read_parquet
from needlescope.estimators.bags.readers import content

h5py = pytest.importorskip("h5py")


def write(folder, sizes=(3, 5, 2), d=4, seed=0):
    rng = np.random.default_rng(seed)
    for k, size in enumerate(sizes):
        with h5py.File(folder / f"s{k}.h5", "w") as file:
            file["features"] = rng.standard_normal((size, d)).astype(np.float32)
            file["coords"] = rng.integers(1000, size=(size, 2))


@pytest.fixture
def looks(monkeypatch):
    """Count how often blocks of rows were checked, that is read from files."""
    calls, real = [], content.check_block

    def counted(*given):
        calls.append(given[2])
        return real(*given)

    for name in ("bag_files", "anndata", "parquet"):
        module = f"needlescope.estimators.bags.readers.{name}"
        monkeypatch.setattr(sys.modules[module], "check_block", counted)
    return calls


def test_the_cache_is_used_until_a_file_changes(tmp_path, looks):
    write(tmp_path)
    plain = read_hdf5(tmp_path)
    assert len(looks) == 3
    for _ in range(2):
        result = read_hdf5(tmp_path, cache=tmp_path / "cache")
        np.testing.assert_array_equal(result.instances, plain.instances)
        np.testing.assert_array_equal(result.metadata["coords"], plain.metadata["coords"])
        assert result.ids.tolist() == ["s0", "s1", "s2"] and len(looks) == 6
    write(tmp_path, seed=1)
    stat = (tmp_path / "s0.h5").stat()
    os.utime(tmp_path / "s0.h5", ns=(stat.st_atime_ns, stat.st_mtime_ns + 10**9))
    changed = read_hdf5(tmp_path, cache=tmp_path / "cache")
    assert len(looks) == 9 and not (changed.instances == plain.instances).all()
    without = read_hdf5(tmp_path, cache=tmp_path / "cache", coords=None)
    assert len(looks) == 12 and without.metadata == {}
    (tmp_path / "s1.h5").unlink()
    assert len(read_hdf5(tmp_path, cache=tmp_path / "cache")) == 2


def test_large_bags_stay_on_disk(tmp_path, monkeypatch):
    write(tmp_path)
    monkeypatch.setattr("needlescope.estimators.bags.storage.MAPPED_FROM", 10)
    monkeypatch.setattr(content, "CHUNK", 8)  # two rows at a time
    result = read_hdf5(tmp_path, cache=tmp_path / "cache")
    assert isinstance(result.instances, np.memmap)
    np.testing.assert_array_equal(result.instances, read_hdf5(tmp_path).instances)


def test_a_cache_is_never_put_over_something_else(tmp_path):
    write(tmp_path)
    Bags.from_array(np.zeros((2, 3, 4))).save(tmp_path / "mine")
    with pytest.raises(ValueError, match=r"mine holds bags that were saved there; name another"):
        read_hdf5(tmp_path, cache=tmp_path / "mine")
    with pytest.raises(ValueError, match="holds no bags, so it is not replaced"):
        read_hdf5(tmp_path, cache=tmp_path)


def test_a_cache_that_is_made_anew_leaves_other_files_alone(tmp_path):
    write(tmp_path)
    cache = tmp_path / "cache"
    read_hdf5(tmp_path, cache=cache)
    (cache / "notes.txt").write_text("mine")
    write(tmp_path, seed=1)
    stat = (tmp_path / "s0.h5").stat()
    os.utime(tmp_path / "s0.h5", ns=(stat.st_atime_ns, stat.st_mtime_ns + 10**9))
    changed = read_hdf5(tmp_path, cache=cache)
    np.testing.assert_array_equal(changed.instances, read_hdf5(tmp_path).instances)
    assert (cache / "notes.txt").read_text() == "mine"
    assert len([*cache.glob("instances-*")]) == 1


def test_a_link_that_leads_elsewhere_makes_the_cache_anew(tmp_path):
    for name, seed in (("one", 0), ("two", 1)):
        (tmp_path / name).mkdir()
        write(tmp_path / name, sizes=(3,), seed=seed)
    times = (tmp_path / "one" / "s0.h5").stat()
    os.utime(tmp_path / "two" / "s0.h5", ns=(times.st_atime_ns, times.st_mtime_ns))
    (tmp_path / "slides").mkdir()
    link = tmp_path / "slides" / "s0.h5"
    link.symlink_to(tmp_path / "one" / "s0.h5")
    first = read_hdf5(tmp_path / "slides", cache=tmp_path / "cache")
    link.unlink()
    link.symlink_to(tmp_path / "two" / "s0.h5")  # of the same size and time
    second = read_hdf5(tmp_path / "slides", cache=tmp_path / "cache")
    np.testing.assert_array_equal(second.instances, read_hdf5(tmp_path / "slides").instances)
    assert not (first.instances == second.instances).all()
    with h5py.File(link, "a") as file:
        file["features"][0, 0] = 7.0
    os.utime(link, ns=(times.st_atime_ns, times.st_mtime_ns))  # its time is put back
    assert read_hdf5(tmp_path / "slides", cache=tmp_path / "cache")[0][0, 0] == 7.0


def test_no_cache_is_left_if_a_file_is_bad(tmp_path):
    write(tmp_path)
    with h5py.File(tmp_path / "s2.h5", "a") as file:
        file["features"][1, 1] = np.nan
    with pytest.raises(ValueError, match=r"s2.h5, 'features' has a nan in row 1, column 1, where"):
        read_hdf5(tmp_path, cache=tmp_path / "cache")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s0.h5", "s1.h5", "s2.h5"]
    with h5py.File(tmp_path / "s2.h5", "a") as file:
        file["features"][1, 1] = 1e30
    with pytest.raises(ValueError, match=r"s2.h5, 'features' has a number of size 1e\+30 in row 1"):
        read_hdf5(tmp_path)


@pytest.mark.parametrize(
    ("call", "package", "sentence"),
    [
        (lambda: read_hdf5("x"), "h5py", r"^HDF5 needs h5py: pip install 'needlescope\[h5\]'$"),
        (
            lambda: read_h5ad("x", "donor"),
            "h5py",
            r"^AnnData needs h5py: pip install 'needlescope\[anndata\]'$",
        ),
        (
            lambda: read_parquet("x", "slide"),
            "pyarrow",
            r"^Parquet needs pyarrow: pip install 'needlescope\[parquet\]'$",
        ),
    ],
)
def test_a_package_that_is_missing_is_named_with_its_extra(call, package, sentence, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, f"{package}.parquet", None)
    with pytest.raises(ImportError, match=sentence):
        call()


@pytest.mark.slow
def test_the_package_does_not_import_what_only_readers_need():
    code = "import needlescope.estimators, sys; print({'h5py', 'pyarrow.parquet'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


def test_paths_that_are_none():
    for path in (3, "", None):
        with pytest.raises(ValueError, match="path must be that of a file or folder, got"):
            read_hdf5(path)
    with pytest.raises(FileNotFoundError, match=r"there is no file nowhere.parquet"):
        read_parquet("nowhere.parquet", "slide")


def test_tables_are_read_into_the_cache_too(tmp_path, looks):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((50, 3)), columns=list("uvw"))
    frame.assign(bag=rng.integers(5, size=50)).to_parquet(tmp_path / "t.parquet")
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file["X"] = frame.to_numpy()
        file["obs/bag"] = rng.integers(5, size=50)
    for read, name in ((read_parquet, "t.parquet"), (read_h5ad, "t.h5ad")):
        looks.clear()
        plain = read(tmp_path / name, "bag")
        result = [read(tmp_path / name, "bag", cache=tmp_path / f"{name}-cache") for _ in range(2)]
        assert len(looks) == 2
        for item in result:
            np.testing.assert_array_equal(item.instances, plain.instances)
            np.testing.assert_array_equal(item.ids, plain.ids)
            assert item.names == plain.names
