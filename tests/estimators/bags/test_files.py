"""Files from elsewhere: what is read at all, how much of it, and how errors name it."""

from __future__ import annotations

import os

import numpy as np
import pytest

from needlescope.estimators import Bags, read_h5ad, read_hdf5, read_parquet, read_pt
from needlescope.estimators.bags.files import check_fits, reading, regular_file


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="makes a pipe")
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("s.h5", lambda folder: read_hdf5(folder)),
        ("s.pt", lambda folder: read_pt(folder)),
        ("c.h5ad", lambda folder: read_h5ad(folder / "c.h5ad", "donor")),
        ("t.parquet", lambda folder: read_parquet(folder / "t.parquet", "bag")),
        ("t.parquet", lambda folder: read_parquet(folder, "bag")),
        ("bags.json", Bags.load),
        ("labels.csv", lambda folder: read_hdf5(folder, folder / "labels.csv")),
    ],
)
def test_a_pipe_is_not_waited_for(tmp_path, name, call):
    for package in ("h5py", "pyarrow"):
        pytest.importorskip(package)
    if name == "labels.csv":
        (tmp_path / "s.h5").write_bytes(b"")
    os.mkfifo(tmp_path / name)
    with pytest.raises(ValueError, match=rf"{name} is not a regular file, and is not read"):
        call(tmp_path)


def test_an_array_that_is_a_pipe_is_not_waited_for(tmp_path):
    Bags.from_array(np.zeros((2, 3, 4))).save(tmp_path)
    starts = next(tmp_path.glob("starts-*"))
    starts.unlink()
    os.mkfifo(starts)
    with pytest.raises(ValueError, match=r"starts-.*npy is not a regular file"):
        Bags.load(tmp_path)


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (KeyError("X"), "^a/b.h5 cannot be read as HDF5: KeyError: 'X'$"),
        (RuntimeError("bad flags"), "^a/b.h5 cannot be read as HDF5: RuntimeError: bad flags$"),
        (ValueError("no such filter"), "^a/b.h5 cannot be read as HDF5: no such filter$"),
        (ValueError("a/b.h5 has a nan"), "^a/b.h5 has a nan$"),
        (MemoryError(), "^a/b.h5 cannot be read as HDF5: it asks for more memory than there is$"),
        (OSError("truncated file 'a/b.h5'"), "^a/b.h5 cannot be read as HDF5: truncated file"),
    ],
)
def test_every_error_names_the_file(problem, sentence):
    from pathlib import Path

    with pytest.raises(ValueError, match=sentence), reading(Path("a/b.h5"), "HDF5"):
        raise problem


def test_bounds_and_paths():
    check_fits("x", 10, 10)
    with pytest.raises(ValueError, match=r"^x needs .*, above memory=10 .*; pass memory=11 if"):
        check_fits("x", 11, 10)
    with pytest.raises(FileNotFoundError, match=r"^there is no file nowhere$"):
        regular_file("nowhere")
    for memory in (0, -1, 1.5, "1", None, True):
        with pytest.raises(ValueError, match=r"^memory must be"):
            Bags.load("nowhere", memory=memory)


def test_saved_arrays_that_say_more_than_they_hold(tmp_path):
    Bags.from_array(np.zeros((2, 3, 4))).save(tmp_path)
    with pytest.raises(
        ValueError, match=r"instances-.*npy needs .*, above memory=100 .* pass mapped"
    ):
        Bags.load(tmp_path, memory=100)
    assert len(Bags.load(tmp_path, mapped=True, memory=100)) == 2
    file = next(tmp_path.glob("instances-*"))
    with file.open("wb") as out:
        header = {"descr": "<f8", "fortran_order": False, "shape": (1 << 40, 1 << 10)}
        np.lib.format.write_array_header_2_0(out, header)
    for mapped in (True, False, "auto"):
        with pytest.raises(
            ValueError, match=r"instances-.*: its header says 9\d* bytes, and there"
        ):
            Bags.load(tmp_path, mapped=mapped)
