"""Saving replaces what the package wrote and nothing else; a kill at any moment loses nothing."""

from __future__ import annotations

import json
import os
import signal
import sys

import numpy as np
import pytest

from needlescope.estimators import Bags
from needlescope.estimators.bags import saving, storage
from tests.estimators.bags.children import in_child, needs_fork


def bags(value, n=3):
    return Bags(
        np.full((2 * n, 2), float(value)),
        np.arange(0, 2 * n + 1, 2),
        ids=np.arange(n),
        metadata={"t": np.full(2 * n, value)},
    )


def test_other_files_of_the_folder_stay(tmp_path):
    folder = tmp_path / "bags"
    bags(1).save(folder)
    kept = {"notes.txt": "mine", "instances.npy": "mine too", f"ids-{'0' * 32}.npy": "another's"}
    for name, text in kept.items():
        (folder / name).write_text(text)
    (folder / "figures").mkdir()
    bags(2, 4).save(folder, overwrite=True)
    assert Bags.load(folder)[0].tolist() == [[2.0, 2.0]] * 2
    assert {name: (folder / name).read_text() for name in kept} == kept
    assert (folder / "figures").is_dir()
    assert len(list(folder.iterdir())) == len(kept) + 1 + 5  # what was there, and five of ours


def test_a_link_to_a_folder_stays_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "bags").symlink_to(tmp_path / "disk", target_is_directory=True)
    for value in (1, 2):
        bags(value).save(tmp_path / "bags", overwrite=True)
        assert (tmp_path / "bags").is_symlink()
        assert Bags.load(tmp_path / "disk").metadata["t"].tolist() == [value] * 6


def test_a_file_that_is_not_ours_is_not_replaced(tmp_path):
    (tmp_path / "bags.json").write_text('{"marbles": 3}')
    with pytest.raises(ValueError, match=r"bags.json is not what Bags.save writes"):
        bags(1).save(tmp_path, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["bags.json"]


@pytest.mark.parametrize(
    "name", ["../secret.npy", "/etc/passwd", "secret.npy", "instances.npy", 3, None]
)
def test_a_folder_cannot_have_other_files_read_or_deleted(tmp_path, name):
    folder = tmp_path / "bags"
    bags(1).save(folder)
    for secret in (tmp_path / "secret.npy", folder / "secret.npy"):
        np.save(secret, np.zeros((6, 2)))
    about = json.loads((folder / "bags.json").read_text())
    about["files"]["instances"] = name
    (folder / "bags.json").write_text(json.dumps(about))
    for call in (lambda: Bags.load(folder), lambda: bags(2).save(folder, overwrite=True)):
        with pytest.raises(ValueError, match=r"bags.json is not what Bags.save writes"):
            call()
    assert (tmp_path / "secret.npy").is_file() and (folder / "secret.npy").is_file()


def test_the_first_version_of_the_format_is_read_and_replaced(tmp_path):
    arrays = {"instances": np.ones((3, 2)), "starts": np.array([0, 1, 3]), "metadata0": [1, 2, 3]}
    for name, values in arrays.items():
        np.save(tmp_path / f"{name}.npy", values)
    np.save(tmp_path / "ids.npy", [5, 6])  # which the file does not name
    about = {"format": storage.FORMAT, "version": 1, "shape": [2, 3, 2], "names": ["u", "v"]}
    about |= {"ids": False, "metadata": ["t"], "source": None}
    (tmp_path / "bags.json").write_text(json.dumps(about))
    result = Bags.load(tmp_path)
    assert result.lengths.tolist() == [1, 2] and result.metadata["t"].tolist() == [1, 2, 3]
    bags(2).save(tmp_path, overwrite=True)
    assert not (tmp_path / "instances.npy").exists() and (tmp_path / "ids.npy").is_file()


def test_bags_that_are_replaced_while_they_are_read_are_those_of_after(tmp_path, monkeypatch):
    bags(1).save(tmp_path / "bags")
    real, calls = storage.read_array, []

    def slow(*given):
        calls.append(given)
        if len(calls) == 2:
            bags(2).save(tmp_path / "bags", overwrite=True)
        return real(*given)

    monkeypatch.setattr(storage, "read_array", slow)
    assert Bags.load(tmp_path / "bags")[0].tolist() == [[2.0, 2.0]] * 2


def killed_at(line, folder, inside=""):
    """Save bags, and die after so many lines of `saving`; return how many there were, if not."""
    left = line

    def trace(frame, event, _):
        nonlocal left
        if frame.f_code.co_filename != saving.__file__:
            return None
        left -= event == "line" and frame.f_code.co_name.endswith(inside)
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    def work():
        sys.settrace(trace)
        bags(2, 5).save(folder, overwrite=True)
        sys.settrace(None)
        return line - left

    return in_child(work)


def kill(tmp_path, there, inside, every):
    """Save over bags that are there or not, kill it here and there, and look what is left."""

    def start(name):
        folder = tmp_path / name
        folder.mkdir()
        if there:
            bags(1).save(folder / "bags")
        return folder / "bags"

    lines, ended = killed_at(10**6, start("whole"), inside)
    assert ended == 0 and lines > 5
    values = set()
    for line in range(0, lines, every):
        folder = start(str(line))
        if killed_at(line, folder, inside)[1] != signal.SIGKILL:
            assert line > lines - 5  # a line or two less than before
            break
        if there:
            result = Bags.load(folder)
            assert len(result) == (3 if result[0][0, 0] == 1.0 else 5)
            values.add(float(result[0][0, 0]))
        bags(3).save(folder, overwrite=True)  # what was left is no hindrance
        assert Bags.load(folder)[0][0, 0] == 3.0
    return values


@needs_fork
def test_a_kill_loses_nothing(tmp_path):
    assert kill(tmp_path, True, "publish", every=3) == {1.0, 2.0}
    (tmp_path / "new").mkdir()
    kill(tmp_path / "new", False, "", every=100)


@needs_fork
@pytest.mark.slow
@pytest.mark.parametrize("there", [True, False])
def test_a_kill_at_any_line_loses_nothing(tmp_path, there):
    assert kill(tmp_path, there, "", every=1) == ({1.0, 2.0} if there else set())
