"""Pickles of torch are gone through and not run: tensors come out, anything else is refused."""

from __future__ import annotations

import io
import os
import pickle
import zipfile

import numpy as np
import pytest

from needlescope.estimators.bags.readers import tensors
from needlescope.estimators.bags.readers.tensors import Tensor, read_numbers, read_tensors
from tests.estimators.bags.readers.torch_files import torch_file, with_program

WANTED = np.arange(12.0).reshape(4, 3)


def put(tmp_path, whole):
    (tmp_path / "s.pt").write_bytes(whole)
    return tmp_path / "s.pt"


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("tensor", "f4"), ("half", "f2"), ("bfloat16", "f4"), ("parameter", "f4")],
)
def test_tensors_are_read_as_torch_wrote_them(tmp_path, name, dtype):
    path = put(tmp_path, torch_file(name))
    result = read_numbers(path, read_tensors(path), 1 << 20)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, WANTED)


def test_views_and_dicts(tmp_path):
    path = put(tmp_path, torch_file("view"))
    result = read_numbers(path, read_tensors(path), 1 << 20)
    np.testing.assert_array_equal(result, np.arange(24.0).reshape(4, 6)[1:, ::2])
    path = put(tmp_path, torch_file("dict"))
    held = read_tensors(path)
    np.testing.assert_array_equal(read_numbers(path, held["features"], 1 << 20), WANTED)
    places = read_numbers(path, held["coords"], 1 << 20)
    np.testing.assert_array_equal(places, np.arange(8).reshape(4, 2))


class Evil:
    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize(
    "evil",
    [
        Evil(os.system, ("touch owned",)),
        Evil(eval, ("open('owned', 'w')",)),
        {"features": Evil(getattr, ("x", "upper"))},
        Evil(os.mkdir, ("owned",)),
        Evil,
        np.zeros(3),
        1 + 2j,
        {3},
    ],
    ids=["system", "eval", "getattr", "mkdir", "class", "numpy", "complex", "set"],
)
def test_no_code_is_run_and_nothing_but_tensors_is_taken(tmp_path, monkeypatch, evil, protocol):
    monkeypatch.chdir(tmp_path)
    path = put(tmp_path, with_program(pickle.dumps(evil, protocol)))
    with pytest.raises(
        ValueError, match=r"s.pt cannot be read as tensors of torch: its? .*not read"
    ):
        read_tensors(path)
    assert [item.name for item in tmp_path.iterdir()] == ["s.pt"]


def tensor(offset=0, shape=(4, 3), steps=(3, 1), size=12):
    return Tensor(tensors.Storage("torch FloatStorage", "0", size), offset, shape, steps)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (tensor(offset=1), "a tensor of 13 numbers in an array of 12"),
        (tensor(shape=(5, 3)), "a tensor of 15 numbers in an array of 12"),
        (tensor(size=13), "a tensor of 12 numbers in an array of 12"),
        (tensor(steps=(3,)), r"a tensor of shape \(4, 3\) and steps \(3,\)"),
        (tensor(shape=(1 << 20, 1 << 20), steps=(0, 0)), "a tensor needs 8.19e.03 GiB, above mem"),
    ],
)
def test_tensors_beyond_their_numbers_are_refused(tmp_path, given, sentence):
    path = put(tmp_path, with_program(b""))
    assert read_numbers(path, tensor(), 1 << 20).shape == (4, 3)
    with pytest.raises(ValueError, match=rf"s.pt.*{sentence}"):
        read_numbers(path, given, 1 << 20)


def archive(*members, how=zipfile.ZIP_STORED):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", how) as made:
        for name, text in members:
            made.writestr(name, text)
    return whole.getvalue()


@pytest.mark.parametrize(
    ("whole", "sentence"),
    [
        (b"\x80\x02}.", "it is no ZIP archive; load it with torch, and save it anew"),
        (archive(("a/b", b"")), "it has 0 members 'data.pkl', not one"),
        (archive(("a/data.pkl", b"."), ("b/data.pkl", b".")), "it has 2 members 'data.pkl'"),
        (archive(("a/data.pkl", b"N."), how=zipfile.ZIP_DEFLATED), "'a/data.pkl' is compressed"),
        (archive(("a/data.pkl", b"N" * (2 << 20))), "'a/data.pkl' needs 2 MiB, above memory="),
        (archive(("a/data.pkl", b"N."), ("a/byteorder", b"big")), "not in little-endian order"),
        (with_program(b"N"), "pickle exhausted before seeing STOP"),
        (with_program(b"NN."), "its instructions end too early"),
        (with_program(b"\x85."), "its instructions take more than there is"),
        (with_program(b"Nu."), "its instructions take more than there is"),
        (with_program(b"(Nu."), "its instructions take more than there is"),
        (with_program(b"N(NNu."), "neither a list nor a dict"),
        (with_program(b"}(NNu."), "its dict must have words for names"),
        (with_program(b"NQ."), "numbers of a kind that is not read"),
        (with_program(b"N)R."), "make something that is no tensor"),
        (with_program(b"h\x05."), "KeyError: 5"),
    ],
)
def test_files_that_torch_did_not_write_are_refused(tmp_path, whole, sentence):
    with pytest.raises(ValueError, match=rf"s.pt.*{sentence}"):
        read_tensors(put(tmp_path, whole))
