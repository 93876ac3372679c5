"""Folders of .pt files, one for each bag."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from needlescope.estimators import read_pt
from tests.estimators.bags.readers.torch_files import torch_file, with_program

WANTED = np.arange(12.0).reshape(4, 3)


def test_slides_are_labelled_by_a_table(tmp_path):
    for name, kind in (("a", "tensor"), ("b", "bfloat16"), ("c", "parameter")):
        (tmp_path / f"{name}.pt").write_bytes(torch_file(kind))
    table = pd.DataFrame({"slide_id": ["c.svs", "a.svs", "b.svs"], "label": [1, 0, 1]})
    for cache in (None, tmp_path / "cache", tmp_path / "cache"):
        bags, y = read_pt(tmp_path, table, cache)
        assert bags.ids.tolist() == ["c.svs", "a.svs", "b.svs"] and y.tolist() == [1, 0, 1]
        assert bags.dtype == np.float32 and bags.metadata == {}
        for bag in bags:
            np.testing.assert_array_equal(bag, WANTED)


def test_a_dict_has_coordinates(tmp_path):
    (tmp_path / "a.pt").write_bytes(torch_file("dict"))
    bags = read_pt(tmp_path)
    np.testing.assert_array_equal(bags[0], WANTED)
    np.testing.assert_array_equal(bags.metadata["coords"], np.arange(8).reshape(4, 2))
    assert read_pt(tmp_path, coords=None).metadata == {}
    assert read_pt(tmp_path, features="coords", coords=None).d == 2
    with pytest.raises(ValueError, match=r"a.pt must hold a tensor, or .* got a dict of features,"):
        read_pt(tmp_path, features="z")


def test_what_is_no_tensor_is_named(tmp_path):
    (tmp_path / "a.pt").write_bytes(with_program(b"]."))
    with pytest.raises(ValueError, match=r"a.pt must hold a tensor, or a dict with .*, got list"):
        read_pt(tmp_path)
    (tmp_path / "a.pt").write_bytes(torch_file("tensor"))
    with pytest.raises(ValueError, match=r"a.pt: a tensor needs .*, above memory=50 .*"):
        read_pt(tmp_path, memory=50)


def test_what_torch_writes_here_is_read(tmp_path):
    torch = pytest.importorskip("torch")
    torch.save({"features": torch.ones(1, 5, 2), "coords": torch.ones(5, 2)}, tmp_path / "a.pt")
    assert read_pt(tmp_path).lengths.tolist() == [5]
