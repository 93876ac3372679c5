"""The scores themselves: what rests on rounding has none, and a wrong limit is seen even there."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import needlescope as ns
from tests.agreement.points import EASY, RARE, check_one, floor, point, score, scores


@pytest.mark.parametrize(("gap", "error"), [(0.0, 0.0), (1e-17, 0.0), (-3e-18, 4e-19)])
def test_what_is_rounding_has_no_score(gap, error):
    assert score(gap, error, 1e-15) is None


def test_a_deviation_without_scatter_is_infinite():
    assert score(1e-3, 0.0, 1e-15) == np.inf
    assert score(-1e-3, 1e-17, 1e-15) == -np.inf
    with pytest.raises(AssertionError):
        check_one({"train_loss": -np.inf})


def test_any_other_is_in_units_of_its_error():
    assert score(-0.3, 0.1, 1e-9) == pytest.approx(-3.0)


@pytest.mark.parametrize(
    "one",
    [
        point("vectorized", "reduced", EASY, "hinge", 1e-1, 1.0, d=20, trials=6),
        point("pooled", "reduced", RARE, "square", 0.0, 0.5, d=20, trials=6),
    ],
    ids=lambda item: item.training.loss,
)
def test_data_that_are_fitted_exactly(one, monkeypatch):
    """The training loss is zero, but for rounding that differs from processor to processor."""
    assert "train_loss" not in scores(one, seed=[7])
    right = ns.predict
    wrong = 2.0 * floor(one, right(one.task, one.training, one.model), "train_loss")

    def off(*arguments, **options):
        return dataclasses.replace(right(*arguments, **options), train_loss=wrong)

    monkeypatch.setattr(ns, "predict", off)
    assert scores(one, seed=[7])["train_loss"] == -np.inf
