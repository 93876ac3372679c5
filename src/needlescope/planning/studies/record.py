"""Finished studies in a file, a line of JSON each, so that a search can be resumed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from .study import Job, Study


def key_of(job: Job) -> str:
    """Return what tells a study from others: the classifier and its parameters, task and seed."""
    classifier = job.classifier
    given = getattr(classifier, "get_params", None)
    parameters = vars(classifier) if given is None else given(deep=True)
    words: Any = [
        f"{type(classifier).__module__}.{type(classifier).__qualname__}",
        sorted((name, repr(value)) for name, value in parameters.items()),
        repr(job.task), job.d, job.n, job.measure.name, round(job.measure.worst, 12),
        str(job.seed.entropy), list(job.seed.spawn_key),
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()


class Record:
    """The studies of a file; without a path nothing is kept."""

    def __init__(self, path: Any = None) -> None:
        self.path = None if path is None else Path(path)
        self._known: dict[str, Study] = {}
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def _read(self, path: Path) -> None:
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                self._known[str(row["key"])] = Study(
                    int(row["n"]), float(row["value"]), float(row["seconds"]), str(row["failure"])
                )
            except (ValueError, KeyError, TypeError):
                if number == len(lines):  # cut off while it was written
                    break
                raise ValueError(
                    f"store must be a file of studies, got {str(path)!r}, whose line {number} is "
                    "none; name another file"
                ) from None

    def get(self, job: Job) -> Study | None:
        """Return a study that is finished."""
        return self._known.get(key_of(job))

    def add(self, job: Job, study: Study) -> None:
        """Keep a study."""
        self._known[key_of(job)] = study
        if self.path is None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key_of(job), **study._asdict()}) + "\n")
