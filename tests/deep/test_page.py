"""The page on fuller attention: its examples run, its pictures are there."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "deep.md"
TEXT = PAGE.read_text("utf-8")


def test_its_examples_run():
    space: dict = {}
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "docs/deep.md", "exec"), space)


def test_nothing_is_left_to_be_filled_in():
    assert not re.search(r"@[A-Z]+@", TEXT)


def test_its_pictures_are_there():
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", TEXT)
    assert len(pictures) == 6
    for path in pictures:
        assert (PAGE.parent / path).stat().st_size > 10_000
