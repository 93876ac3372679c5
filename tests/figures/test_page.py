"""The page shows figures, scores and verdicts, in one file that runs nothing."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from needlescope.experiments.experiment import COMPARED, verdict
from needlescope.figures.page import Entry, page

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360"
    "0000000200015e6f3d1a0000000049454e44ae426082"
)


@pytest.fixture
def entry(tmp_path):
    picture = tmp_path / "one.png"
    picture.write_bytes(PIXEL)

    def make(z, failed=0):
        rows = [(f"test_error <{k}>", 0.1, 0.0, 0.11, 0.01, 8, one) for k, one in enumerate(z)]
        scores = pd.DataFrame(rows, columns=list(COMPARED))
        return Entry("one", "A & B", "x < y", picture, scores, verdict(scores), failed)

    return make


def test_agreement_is_green(entry):
    text = page([entry([0.5, -1.2, 0.1])])
    assert "class='verdict agree'" in text and "Theory and simulation agree." in text
    assert "3 comparisons" in text


def test_a_wrong_theory_turns_the_page_red(entry):
    text = page([entry([0.5, 9.0]), entry([0.1])])
    assert "class='verdict disagree'" in text and "1 of 2 figures need a look." in text
    assert "<td class=far>+9.00</td>" in text


def test_failed_units_are_not_hidden(entry):
    text = page([entry([0.1], failed=3)])
    assert "3 units failed." in text and "1 of 1 figures need a look." in text


def test_nothing_to_compare_is_said(entry):
    assert "class='verdict none'>nothing to compare" in page([entry([])])


def test_the_page_is_self_contained_and_escaped(entry):
    text = page([entry([1.0])])
    assert "A &amp; B" in text and "x &lt; y" in text and "test_error &lt;0&gt;" in text
    assert not re.search(r"<script|https?://|src='(?!data:)", text)
