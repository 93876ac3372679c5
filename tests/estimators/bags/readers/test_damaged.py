"""Bytes of files changed at random: what is read is of the right shape, or the error names it.

Each format runs in a process of its own, as the libraries below may crash or hang. A flipped bit
in the numbers themselves is another number, which no format here would notice; all else must be.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from needlescope.estimators import Bags, read_h5ad, read_hdf5, read_parquet, read_pt
from tests.estimators.bags.children import in_child, needs_fork
from tests.estimators.bags.readers.torch_files import torch_file

h5py = pytest.importorskip("h5py")
pytest.importorskip("pyarrow")
FLIPS = 25
RNG = np.random.default_rng(0)
ROWS = RNG.standard_normal((30, 4)).astype(np.float32)
BAG = np.repeat(["a", "b", "c"], 10)


def hdf5(folder):
    with h5py.File(folder / "s.h5", "w") as file:
        file["coords"] = np.arange(60).reshape(30, 2)
        file.create_dataset("features", data=ROWS, chunks=(7, 2), compression="gzip")
    return folder / "s.h5", lambda: read_hdf5(folder)


def anndata(kind):
    def write(folder):
        path, words = folder / "c.h5ad", h5py.string_dtype()
        make = sparse.csr_matrix if kind == "csr_matrix" else sparse.csc_matrix
        held = make(np.where(ROWS > 0.5, ROWS, 0))
        with h5py.File(path, "w") as file:
            group = file.create_group("X")
            group.attrs["encoding-type"], group.attrs["shape"] = kind, ROWS.shape
            group["data"], group["indices"], group["indptr"] = held.data, held.indices, held.indptr
            file.create_dataset("obs/donor", data=BAG.tolist(), dtype=words)
            file["obs/sick/codes"] = np.repeat([0, 1, 0], 10)
            file.create_dataset("obs/sick/categories", data=["n", "y"], dtype=words)
        return path, lambda: read_h5ad(path, "donor", "sick")[0]

    return write


def parquet(folder):
    path = folder / "t.parquet"
    frame = pd.DataFrame(ROWS, columns=[*"uvwx"]).assign(bag=BAG, sick=np.repeat([0, 1, 0], 10))
    frame.to_parquet(path)
    return path, lambda: read_parquet(path, "bag", "sick")[0]


def pt(folder):
    (folder / "s.pt").write_bytes(torch_file("dict"))
    return folder / "s.pt", lambda: read_pt(folder)


def saved(part):
    def write(folder):
        bags = Bags(ROWS, [0, 10, 20, 30], names=[*"uvwx"], ids=[*"abc"], metadata={"t": BAG})
        bags.save(folder / "bags")
        return next((folder / "bags").glob(f"{part}*")), lambda: Bags.load(folder / "bags")

    return write


def shape(bags):
    return bags.instances.shape, bags.starts.tolist(), str(bags.dtype)


def outcomes(path, read):
    """Return what came of each change but for what may come: the same shape, or a named error."""
    whole, wanted, odd, refused = path.read_bytes(), shape(read()), [], 0
    for seed in range(FLIPS):
        rng, changed = np.random.default_rng(seed), bytearray(whole)
        for place in rng.integers(len(whole), size=rng.integers(1, 5)):
            changed[place] ^= int(rng.integers(1, 256))
        path.write_bytes(changed)
        try:
            result = shape(read())
            odd += [] if result == wanted else [f"{seed}: {result}"]
        except (ValueError, OSError) as problem:
            refused += 1
            named = str(path) in str(problem) or str(path.parent) in str(problem)
            odd += [] if named else [f"{seed}: {problem!r}"]
        except Exception as problem:
            odd += [f"{seed}: {problem!r}"]
    path.write_bytes(whole[: len(whole) // 2])
    try:
        read()
        odd += ["a cut file was read"]
    except (ValueError, OSError) as problem:
        odd += [] if path.name in str(problem) else [f"cut: {problem!r}"]
    return odd, refused


@pytest.mark.sampled(3)
@needs_fork
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "make",
    [
        hdf5,
        *(anndata(kind) for kind in ("csr_matrix", "csc_matrix")),
        parquet,
        pt,
        *(saved(part) for part in ("bags.json", "instances", "starts", "ids")),
    ],
    ids=["hdf5", "csr", "csc", "parquet", "pt", "json", "instances", "starts", "ids"],
)
def test_damaged_files_are_read_whole_or_refused_by_name(tmp_path, make):
    path, read = make(tmp_path)
    told, ended = in_child(lambda: outcomes(path, read))
    assert ended == 0, f"the library that reads {path.name} crashed or hung, with signal {ended}"
    odd, refused = told
    assert odd == [] and refused > 0
