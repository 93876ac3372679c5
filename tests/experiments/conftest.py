"""What the tests of experiments share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from needlescope.experiments.stores.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "new" / "folder" / "results.sqlite") as made:
        yield made
