"""The page shows figures, scores and verdicts, in one file that runs nothing."""

from __future__ import annotations

import re
import time
from importlib.metadata import version

import pandas as pd
import pytest

from needlescope.experiments.comparison import COMPARED, verdict
from needlescope.report.entry import Entry
from needlescope.report.page import page, section
from needlescope.report.parameters import Parameter

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360"
    "0000000200015e6f3d1a0000000049454e44ae426082"
)

COVERS = ("filters", "templating")


@pytest.fixture
def entry(tmp_path):
    picture = tmp_path / "one.png"
    picture.write_bytes(PIXEL)
    (tmp_path / "one.csv").touch()

    def make(z, failed=0, name="one", parameters=(), errors=()):
        rows = [
            (f"test_error <{k}>", 0.1, 0.0, 0.11, 0.01, 8, item, "test_error")
            for k, item in enumerate(z)
        ]
        scores = pd.DataFrame(rows, columns=list(COMPARED))
        result = verdict(scores)
        return Entry(name, "A & B", "x < y", picture, scores, result, failed, parameters, 30, 90.0,
                     dict(errors))  # fmt: skip

    return make


def test_agreement_is_green(entry):
    text = page([entry([0.5, -1.2, 0.1])])
    assert "<body class='good'>" in text and "class='bad'" not in text
    assert "Theory and simulation agree in 1 figure." in text
    assert "3 comparisons" in text
    assert "our own derivation" in text and "arXiv 2509.25153 v1" in text


def test_a_wrong_theory_turns_the_page_red(entry):
    text = page([entry([0.5, 9.0], name="wrong"), entry([0.1], name="right")])
    assert "<body class='bad'>" in text and "<title>✗ " in text
    assert "1 of 2 figures to look at: wrong (disagree)." in text
    assert "<a href='#wrong' class='bad'>" in text and "<a href='#right' class='good'>" in text
    assert "<section id='wrong' class='bad'>" in text and "<section id='right' class='good'" in text
    assert "<td class='far'>+9.00</td>" in text
    assert text.index("figures to look at") < text.index("<nav>")


def test_failed_units_turn_it_red_too(entry):
    text = page([entry([0.1], failed=3)])
    assert "<body class='bad'>" in text
    assert "1 of 1 figures to look at: one (3 units failed)." in text
    assert "<span class='verdict'>3 units failed</span>" in text


def test_why_units_failed_is_said(entry):
    errors = {f"ValueError: {k} < 0": k for k in range(1, 8)}
    text = page([entry([0.1], failed=28, errors=errors)])
    listed = re.search(
        r"<section id='one' class='bad'>.*?<ul class='errors'>(.*?)</ul>", text, re.DOTALL
    )
    result = re.findall("<li>(.*?)</li>", listed[1])
    assert result[:2] == ["ValueError: 7 &lt; 0 (7 units)", "ValueError: 6 &lt; 0 (6 units)"]
    assert len(result) == 6 and result[-1] == "and 2 other errors"
    assert "<ul" not in page([entry([0.1])])


def test_nothing_to_compare_is_said(entry):
    text = page([entry([]), entry([0.1])])
    assert "<section id='one' class='none'>" in text
    assert "<span class='verdict'>nothing to compare</span>" in text
    assert "agree in 1 figure. 1 other is not compared." in text
    assert "Nothing here compares theory with simulation." in page([entry([])])


def test_parameters_of_both_sides_are_joined_where_they_are_the_same(entry):
    given = [Parameter("fixed", "α0 = 4", "α0 = 4"), Parameter("d", "", "100, 200")]
    text = page([entry([0.1], parameters=given)])
    assert "<td colspan='2'>α<sub>0</sub>&nbsp;=&nbsp;4</td>" in text
    assert "<tr><th>d</th><td>–</td><td>100, 200</td></tr>" in text
    alone = page([entry([], parameters=[Parameter("L", "10", "")])])
    assert "<tr><th>L</th><td>10</td></tr>" in alone and "<th>simulation</th>" not in alone


def test_where_it_is_from_is_said(entry):
    text = page([entry([0.1]), entry([0.2])], "quick sizes")
    assert f"needlescope {version('needlescope')} · {time.strftime('%Y-')}" in text
    assert "quick sizes · 60 units, 3 min of computing" in text
    assert "30 units, 90 s of computing" in text


def test_links_lead_to_the_files_that_are_there(entry):
    text = page([entry([0.1])])
    assert "<a href='one.png'>" in text and "<a href='one.csv'>" in text
    assert "one.pdf" not in text and "one_scores.csv" not in text


def test_scores_beyond_the_axis_stay_on_it(entry):
    text = page([entry([40.0, float("inf"), 0.0])])
    assert text.count("<path d='M60.00 -8v16' class='far'>") == 2
    assert "<path d='M0.00 -8v16'>" in text


def test_a_score_that_is_missing_is_listed_as_not_compared(entry):
    text = page([entry([0.1, float("nan")])])
    assert "1 comparison: z has mean +0.10" in text and "largest +0.10; 1 not compared" in text
    assert re.search(r"<td>test_error &lt;1&gt;</td>.*<td>–</td></tr>", text)
    assert "<span>1 not compared <u>list</u></span>" in page([entry([float("nan")])])


def test_the_page_is_self_contained_and_escaped(entry):
    text = page([entry([1.0])])
    assert "A &amp; B" in text and "x &lt; y" in text and "test_error &lt;0&gt;" in text
    assert not re.search(r"<script|https?://|src='(?!data:)|href='(?!#|one\.)", text)


HOSTILE = "'><script>alert(1)</script>{{ 7 * 7 }}"


@pytest.mark.parametrize("field", ["name", "title", "caption", "verdict", "parameter", "error"])
def test_a_hostile_text_is_escaped_wherever_it_stands(entry, field):
    changes = {
        "parameter": {"parameters": [Parameter(HOSTILE, HOSTILE, HOSTILE + " too")]},
        "error": {"errors": {HOSTILE: 1}, "failed": 1},
    }
    text = page([entry([0.1])._replace(**changes.get(field, {field: HOSTILE}))])
    assert "<script" not in text and "&#39;&gt;&lt;script&gt;" in text
    assert "{{ 7 * 7 }}" in text


def test_a_hostile_file_name_is_escaped(entry, tmp_path):
    (tmp_path / "a'><b>.png").write_bytes(PIXEL)
    text = page([entry([0.1])._replace(picture=tmp_path / "a'><b>.png")])
    assert "<a href='a&#39;&gt;&lt;b&gt;.png'>" in text and "<b>" not in text


def test_a_section_stands_alone(entry):
    text = section(entry([0.1]))
    assert text.startswith("<section id='one'") and text in page([entry([0.1])])


def test_a_megabyte_of_error_does_not_fill_the_page(entry):
    text = page([entry([], 1, errors={"ValueError: " + "<$x^$>" * 200_000: 1})])
    assert len(text) < 20_000 and "ValueError: &lt;$x^$&gt;" in text
