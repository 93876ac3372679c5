"""Finished studies in a file, a line of JSON each, so that a search can be resumed.

A study that failed is not kept: the next search tries it again.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from .study import Job, Study, has_random_axes

OPENING = '{"key": "'  # of every line
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # in the repr of an object, another in each process


def key_of(job: Job) -> str:
    """Return what tells a study from others: the classifier and its parameters, task and seed."""
    words: Any = [
        _described(job.classifier), repr(job.task), job.d, job.n, job.measure.name,
        round(job.measure.worst, 12), str(job.seed.entropy), list(job.seed.spawn_key),
    ]  # fmt: skip
    if has_random_axes(job.task):
        words.append("random axes")
    if job.lengths is not None:
        words.append(list(job.lengths))
    if job.positives is not None:
        words += [job.positives, round(job.shift, 12)]
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()


def _described(value: Any) -> str:
    """Return a description of an estimator or a parameter that is the same in each process."""
    if isinstance(value, np.ndarray):
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"array {value.dtype} {value.shape} {digest}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_described, value))}]"
    given = getattr(value, "get_params", None)
    own = getattr(type(value), "__repr__", None) != object.__repr__
    if isinstance(value, type) or (given is None and own):
        return ADDRESS.sub("", repr(value))
    parameters = vars(value) if given is None else given(deep=False)
    words = [f"{name}={_described(item)}" for name, item in sorted(parameters.items())]
    return f"{type(value).__module__}.{type(value).__qualname__}({', '.join(words)})"


class Record:
    """The studies of a file; without a path nothing is kept."""

    def __init__(self, path: Any = None) -> None:
        self._known: dict[str, Study] = {}
        self.path: Path | None = None
        if path is None:
            return
        try:
            self.path = Path(path)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8"):  # or it cannot be written
                pass
            text = self.path.read_text(encoding="utf-8")
        except (OSError, TypeError, UnicodeError) as problem:
            raise ValueError(
                f"store must be the path of a file of studies, new or old, got {path!r}: {problem}"
            ) from None
        self._read(text)

    def _read(self, text: str) -> None:
        for number, line in enumerate(text.splitlines(), 1):
            try:
                row = json.loads(line)
                self._known[str(row["key"])] = Study(
                    int(row["n"]), float(row["value"]), float(row["seconds"]),
                    str(row["failure"]), float(row["noise"]),
                )  # fmt: skip
            except (ValueError, KeyError, TypeError):
                if line.startswith(OPENING):  # cut off while it was written
                    continue
                raise ValueError(
                    f"store must be a file of studies, got {str(self.path)!r}, whose line {number} "
                    "is none; name another file"
                ) from None
        if self.path is not None and text and not text.endswith("\n"):
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n")

    def get(self, job: Job) -> Study | None:
        """Return a study that is finished."""
        return self._known.get(key_of(job))

    def add(self, job: Job, study: Study) -> None:
        """Keep a study, unless it failed."""
        if np.isnan(study.value):
            return
        key = key_of(job)
        self._known[key] = study
        if self.path is None:
            return
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, **study._asdict()}) + "\n")
