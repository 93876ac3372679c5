"""An entry and its page come from a table alone: nothing is run, and no folder is needed."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import pytest

from needlescope.report.entry import entry
from needlescope.report.page import page
from tests.gallery.tables import complete


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    """Nothing may be computed."""

    def refuse(*_):
        raise AssertionError("the report computed")

    monkeypatch.setattr("needlescope.experiments.units.calls.run_call", refuse)
    monkeypatch.setattr("needlescope.experiments.units.unit.run_call", refuse)


@pytest.fixture
def table():
    return complete("alignment").assign(seconds=0.5, error_message=None)


def test_an_entry_is_a_picture_scores_and_parameters(table):
    before = plt.get_fignums()
    result = entry("alignment", table)
    assert result.png.startswith(b"\x89PNG") and plt.get_fignums() == before
    assert (result.units, result.seconds, result.failed) == (len(table), 0.5 * len(table), 0)
    assert len(result.scores) == result.line["comparisons"] > 0
    assert result.parameters[0].symbol == "fixed"


def test_its_page_needs_no_files(table):
    text = page([entry("alignment", table)])
    assert "<section id='alignment'" in text and "src='data:image/png;base64," in text
    assert not re.search(r"href='(?!#)", text)


def test_units_that_failed_are_said_in_the_picture_and_beside_it(table):
    failed = table.assign(cosine_w=None, cosine_q=None, error_message="NotConverged: 1 < 2")
    result = entry("alignment", failed)
    assert result.failed == len(table) and result.kind == "bad"
    assert result.png.startswith(b"\x89PNG")
    assert result.errors == {"NotConverged: 1 < 2": len(table)}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "error", ["ValueError: costs 5$ or $\\frac", "x" * 2_000_000, "\x00 \ufffe $"]
)
def test_the_page_survives_any_error_of_a_unit(table, error):
    failed = table.assign(cosine_w=None, cosine_q=None, error_message=error)
    text = page([entry("alignment", failed)])
    assert len(text) < 400_000 and f"{len(table)} units failed" in text
