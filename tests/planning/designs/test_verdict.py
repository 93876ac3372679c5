"""Sentences about the cheapest bags and instances."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from needlescope.planning.designs.search import Designs, Prices
from needlescope.planning.designs.verdict import money, notes_of, sentences
from needlescope.planning.learners import get_learner
from needlescope.planning.spec import plan_spec
from needlescope.results.planned import Design


def search(error=0.1, spend=None):
    spec = plan_spec(10, 1, 4.0, 0.5, 50, None if error else 4, error, "pooled", estimated=True)
    return Designs(spec, get_learner("pooled"), 0.1, Prices(20.0, 1.0), spend)


def design(R, n, error=0.1, low=np.nan, high=np.nan):
    return Design(10 * R, R, n, n * (20.0 + 10 * R), error, low, high)


@pytest.mark.parametrize(
    ("found", "at", "most", "says"),
    [
        (search(), design(5, 20.0), 9, "fewer than 20 bags, 10 of the rarer class"),
        (search(), design(9, 40.0), 9, "90 instances are the most that are looked at"),
        (search(None, 1400.0), design(5, 20.0), 5, "50 instances are the most that the money"),
        (search(None, 9e4), design(5, 1285.0), 5, "50 instances are the most that are looked at"),
        (search(None, 9e4), design(5, 1285.0, 1e-5), 9, "More instances are not needed"),
    ],
)
def test_an_end_is_said(found, at, most, says):
    assert says in notes_of(found, {at.R: at}, at.R, most)[0]


def test_inside_there_is_nothing_to_say():
    at = design(5, 40.0)
    assert notes_of(search(), {5: at}, 5, 9) == ()


def test_lengths_whose_intervals_meet_are_not_told_apart():
    planned = {
        2: design(2, 90.0, 0.1, 3500.0, 3700.0),
        4: design(4, 50.0, 0.1, 2800.0, 3200.0),
        8: design(8, 31.0, 0.1, 2900.0, 3300.0),
    }
    (note,) = notes_of(search(), planned, 4, 16)
    assert note == "Bags of 80 instances are not told apart from it by these studies."


def test_the_given_length_is_compared_with():
    answer = SimpleNamespace(
        reached=True, n=40.0, L=50, R=5, spend=2800.0, error=0.1,
        designs=(design(1, 900.0), design(5, 40.0)),
    )  # fmt: skip
    first, second = sentences(answer, "mean pooling", search().spec)
    assert first.endswith("with 40 bags of 50 instances, 5 with the signal, for 2,800.")
    assert second == "With 10 instances it takes 900 bags, for 27,000."
    assert money(999.4) == "999.4" and money(1e5) == "100,000"
