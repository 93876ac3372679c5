"""Plans as results: what they print, and what becomes of them as data."""

from __future__ import annotations

import dataclasses

import numpy as np

from needlescope.results import Plan
from needlescope.results.planned import Interval, OtherLearner

FOUND = Plan(
    "n", "attention", 30.0, 10.0, 20.0, 15.0, 4, 1, 4.0, 0.5, 20, 0.12, 0.0, 0.02,
    interval=Interval(0.1, 0.15, 0.12, 0.01), others=(OtherLearner("pooled", np.inf, "cannot"),),
    verdict="Attention needs 30 bags.", provenance="made up",
)  # fmt: skip


def test_it_prints_its_verdict():
    assert "Attention needs 30 bags." in repr(FOUND)


def test_all_of_it_is_plain_data():
    plain = FOUND.to_dict()
    assert plain["others"] == [{"learner": "pooled", "value": np.inf, "sentence": "cannot"}]
    assert plain["interval"]["mean"] == 0.12
    assert FOUND.to_pandas()["n"].tolist() == [30.0]


def test_what_cannot_be_had_says_so():

    assert FOUND.reached
    assert not dataclasses.replace(FOUND, n=np.inf).reached
    assert not dataclasses.replace(FOUND, L=0).reached
