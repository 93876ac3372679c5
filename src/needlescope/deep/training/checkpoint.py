"""What a training has done so far, in a file: plain arrays, and a line of JSON. Nothing is pickled.

A file is written whole or not at all, so that a training that is killed goes on from the last one.
It says what it is of, and is refused by a training of something else.
"""

from __future__ import annotations

import json
import secrets
import time
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .loop import Hyperparameters, Model, Run

SECONDS_BETWEEN_FILES = 10.0  # seconds between two files
ABANDONED = 3600.0  # seconds after its last byte at which a half-written file has no writer: far
# more than a checkpoint takes, and process numbers, which other machines share, are not used


class Checkpoint:
    """Saves the runs of a training, and the unfinished one, in a file.

    Parameters
    ----------
    path
        The file; None keeps nothing.
    what
        What the training is of, as text.
    pause
        Seconds between two files.

    Examples
    --------
    >>> Checkpoint(None, "nothing").runs is None
    True
    """

    def __init__(self, path: Path | None, what: str, pause: float = SECONDS_BETWEEN_FILES) -> None:
        self.path, self.what, self.pause = path, what, pause
        self.written = time.monotonic()
        self.arrays: dict[str, Any] = {}
        self.runs: list[Run] | None = None
        if path is not None:
            _remove_abandoned(path)
            if path.exists():
                self.arrays, self.runs = _read(path, what)

    def restore(self, number: int, model: Model) -> None:
        """Bring a model to where a run was left: its best weights, or the latest."""
        assert self.runs is not None and self.path is not None
        if number < len(self.runs) - 1:
            return  # ended: its best weights are known, and nothing else is needed
        try:
            model.network.load_state_dict(_tensors(self.arrays, "model."))
            state = model.adam.state_dict()
            for key, tensor in _tensors(self.arrays, "adam.").items():
                place, _, name = key.partition(".")
                state["state"].setdefault(int(place), {})[name] = tensor
            model.adam.load_state_dict(state)
        except (RuntimeError, ValueError, KeyError) as problem:
            raise _unreadable(self.path) from problem

    def keep(self, runs: list[Run], model: Model) -> None:
        """Write all to the file, if it is time."""
        if self.path is None or time.monotonic() - self.written < self.pause:
            return
        arrays: dict[str, Any] = {}
        for number, run in enumerate(runs):
            arrays |= {f"best.{number}.{name}": value for name, value in run.best.items()}
        arrays |= {f"model.{name}": value for name, value in model.network.state_dict().items()}
        for place, state in model.adam.state_dict()["state"].items():
            arrays |= {f"adam.{place}.{name}": value for name, value in state.items()}
        kept = [{"setting": run.setting, "history": run.history, "seen": run.seen} for run in runs]
        where = json.dumps({"what": self.what, "runs": kept})
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(f".{secrets.token_hex(8)}.part")
        with part.open("xb") as file:
            np.savez(file, where=np.array(where), **{k: v.numpy() for k, v in arrays.items()})
        with suppress(FileNotFoundError):  # removed while this process was stopped for an hour
            part.replace(self.path)
        self.written = time.monotonic()


def _remove_abandoned(path: Path) -> None:
    """Remove the half-written files of trainings that were killed; another may be writing one."""
    for part in path.parent.glob(f"{path.stem}.*.part"):
        with suppress(FileNotFoundError):
            if time.time() - part.stat().st_mtime > ABANDONED:
                part.unlink()


def _unreadable(path: Path) -> ValueError:
    return ValueError(f"the checkpoint {path} cannot be read; remove it to train from the start")


def _read(path: Path, what: str) -> tuple[dict[str, Any], list[Run]]:
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        where = json.loads(str(arrays.pop("where")))
        runs = [
            Run(
                Hyperparameters(*map(float, item["setting"])),
                [float(loss) for loss in item["history"]],
                _tensors(arrays, f"best.{number}."),
                {int(epoch): seen for epoch, seen in item["seen"].items()},
            )
            for number, item in enumerate(where["runs"])
        ]
        known = str(where["what"])
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as problem:
        raise _unreadable(path) from problem
    if known != what:
        raise ValueError(
            f"the checkpoint {path} is of another training, {known:.200}; remove it, or give "
            "another folder"
        )
    return arrays, runs


def _tensors(arrays: dict[str, Any], before: str) -> dict[str, torch.Tensor]:
    return {
        name.removeprefix(before): torch.from_numpy(np.array(array))
        for name, array in arrays.items()
        if name.startswith(before)
    }
