"""A training that was stopped anywhere goes on as if it had not been, to the last bit."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from needlescope.deep.architectures.self_attention import SelfAttention
from needlescope.deep.training.checkpoint import ABANDONED, Checkpoint
from needlescope.deep.training.loop import Hyperparameters, LoopOptions
from needlescope.deep.training.selection import hold_out, select_setting
from tests.deep.training.toy import samples

OPTIONS = LoopOptions(epochs=5, patience=5, batch=16)
SETTINGS = [Hyperparameters(rate, 3.0) for rate in (0.01, 0.03)]


class Stopped(Exception):
    pass


def run(checkpoint, stop=None):
    """Train in two settings; end the training after so many epochs in all."""

    def report(epochs):
        if epochs == stop:
            raise Stopped

    some = samples()
    return select_setting(
        lambda: SelfAttention(4, 4, 2),
        some,
        hold_out(some.y.numpy()),
        OPTIONS,
        SETTINGS,
        7,
        checkpoint,
        lambda network: {"norm": float(network.token.detach().norm()), "map": [1.0]},
        report,
    )


@pytest.fixture(scope="module")
def whole():
    return run(None)


@pytest.mark.parametrize("stop", [0, 2, 5, 6, 9])
def test_it_goes_on_to_the_same_bits(whole, tmp_path, stop):
    path = tmp_path / "folder" / "one.npz"
    with pytest.raises(Stopped):
        run(Checkpoint(path, "this", pause=0.0), stop)
    checkpoint = Checkpoint(path, "this", pause=0.0)
    assert sum(run.epoch for run in checkpoint.runs) == stop
    again = run(checkpoint)
    assert [run.history for run in again.runs] == [run.history for run in whole.runs]
    assert [run.seen for run in again.runs] == [run.seen for run in whole.runs]
    for name, value in whole.network.state_dict().items():
        assert torch.equal(again.network.state_dict()[name], value)
    assert list(path.parent.iterdir()) == [path]


def test_what_has_ended_is_not_trained_again(whole, tmp_path):
    path = tmp_path / "one.npz"
    run(Checkpoint(path, "this", pause=0.0))
    report = []
    checkpoint = Checkpoint(path, "this", pause=0.0)
    some = samples()
    split = hold_out(some.y.numpy())
    given = (lambda: SelfAttention(4, 4, 2), some, split, OPTIONS, SETTINGS, 7, checkpoint)
    result = select_setting(*given, report=report.append)
    assert report == [] and result.run.history == whole.run.history
    assert torch.equal(result.network.token, whole.network.token)


def test_a_starting_run_leaves_the_file_that_another_is_writing(tmp_path):
    path, now = tmp_path / "one.npz", time.time()
    for name, age in (("one.abc.part", 0.0), ("one.old.part", 2 * ABANDONED), ("two.x.part", 1e6)):
        (tmp_path / name).write_bytes(b"half")
        os.utime(tmp_path / name, (now - age, now - age))
    Checkpoint(path, "this")
    assert sorted(item.name for item in tmp_path.iterdir()) == ["one.abc.part", "two.x.part"]


def test_a_run_goes_on_when_its_half_written_file_was_removed(tmp_path, monkeypatch):
    path, write = tmp_path / "one.npz", np.savez

    def write_and_lose(file, **arrays):
        write(file, **arrays)
        Path(file.name).unlink()

    monkeypatch.setattr("needlescope.deep.training.checkpoint.np.savez", write_and_lose)
    run(Checkpoint(path, "this", pause=0.0))
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_layout_is_refused(tmp_path):
    path = tmp_path / "one.npz"
    with pytest.raises(Stopped):
        run(Checkpoint(path, "this", pause=0.0), 2)
    with np.load(path) as file:
        arrays = {name.replace("model.token", "model.other"): file[name] for name in file.files}
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match="cannot be read; remove it to train from the start"):
        run(Checkpoint(path, "this", pause=0.0))
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_written_before_it_is_time(tmp_path):
    run(Checkpoint(tmp_path / "one.npz", "this", pause=1e9))
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_training_is_refused(tmp_path):
    path = tmp_path / "one.npz"
    run(Checkpoint(path, "this", pause=0.0))
    with pytest.raises(ValueError, match=r"is of another training, this; remove it, or give"):
        Checkpoint(path, "that")


def lies(path):
    """Files that are no checkpoints: cut short, empty, another kind, with objects in them."""
    good = path.read_bytes()
    yield good[: len(good) // 2]
    yield b""
    yield b"no arrays"
    np.savez(path, where=np.array({"what": "this"}, dtype=object))
    yield path.read_bytes()
    np.savez(path, where=np.array("{"))
    yield path.read_bytes()
    np.savez(path, where=np.array('{"what": "this", "runs": [{}]}'))
    yield path.read_bytes()


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    path = tmp_path / "one.npz"
    run(Checkpoint(path, "this", pause=0.0))
    for bad in list(lies(path)):
        path.write_bytes(bad)
        with pytest.raises(ValueError, match=r"cannot be read; remove it to train from the"):
            Checkpoint(path, "this")
