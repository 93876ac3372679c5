"""A figure drawn, with its tables and its verdict."""

from __future__ import annotations

import dataclasses

import pandas as pd

from needlescope.experiments.engine import local
from needlescope.experiments.stores.store import Store
from needlescope.gallery.registry import published
from needlescope.report.drawing import draw


def test_scores_that_had_to_be_left_out_are_not_compared(tmp_path, monkeypatch):
    item = published("alignment")
    left_out = item.scores(pd.DataFrame({"call": []}))
    left_out.loc[0] = ("a point", 1.0, 0.0, *[float("nan")] * 2, 9, float("nan"), "points")
    changed = dataclasses.replace(item, units=lambda _: item.units(False)[:1])
    changed = dataclasses.replace(changed, scores=lambda _: left_out)
    monkeypatch.setattr("needlescope.report.drawing.published", lambda _: changed)
    with Store(tmp_path / "results.sqlite") as store:
        entry, _ = draw("alignment", False, tmp_path, store, local(1))
    assert entry.verdict == "not compared" and entry.kind == "none"
    assert entry.line["comparisons"] == 0
    assert "a point" in (tmp_path / "alignment_scores.csv").read_text()
