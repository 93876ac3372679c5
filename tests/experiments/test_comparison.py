"""Scores of simulation against theory: unit normal where they agree, and red where they do not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from needlescope.experiments.comparison import compare, grid, trials, verdict

BY = ("model", "training.alpha1")


def table(rng, points=400, count=6, shift=0.0, slope=0.0):
    """Trials at d = 200 and 100 whose mean is the theory's plus slope/d, and the theory."""
    rows = []
    for k in range(points):
        place = {"model": "pooled", "training.alpha1": float(k)}
        rows.append({"call": "predict", **place, "test_error": 0.2, "test_error_se": 0.0})
        for d in (200, 100):
            for value in 0.2 + shift + slope / d + 0.01 * rng.standard_normal(count):
                rows.append({"call": "simulate", **place, "d": d, "test_error": value})
    return pd.DataFrame(rows)


def test_scores_are_centred_and_of_unit_size_in_spite_of_few_trials():
    z = compare(table(np.random.default_rng(0)), BY, ["test_error"]).z
    assert len(z) == 400
    assert abs(z.mean()) < 0.2
    assert 0.75 < z.std() < 1.15  # the errors of two dimensions have more freedom than of one
    assert (z.abs() > 4).sum() == 0


@pytest.mark.slow
def test_what_finite_dimension_adds_is_taken_off():
    z = compare(table(np.random.default_rng(1), slope=2.0), BY, ["test_error"]).z
    assert abs(z.mean()) < 0.2


def test_a_wrong_theory_is_noticed():
    rng = np.random.default_rng(2)
    right = compare(table(rng, points=40), BY, ["test_error"])
    wrong = compare(table(rng, points=40, shift=0.03), BY, ["test_error"])
    assert verdict(right) == "agree" and verdict(wrong) == "disagree"


@pytest.mark.parametrize(("signs", "expected"), [((1, 1), "disagree"), ((1, -1), "agree")])
def test_scores_that_lean_to_one_side_are_noticed(signs, expected):
    """Each for itself is small; that all of a group have one sign is not by chance."""
    z = 0.9 * np.tile(np.array(signs, float), 20)
    scores = pd.DataFrame({"z": z, "group": "test_error, pooled"})
    assert verdict(scores) == expected
    assert verdict(scores.assign(group=np.arange(40).astype(str))) == "agree"


def test_points_without_theory_or_spread_are_left_out():
    result = table(np.random.default_rng(3), points=3)
    assert len(compare(result[result.call == "simulate"], BY, ["test_error"])) == 0
    assert len(compare(pd.DataFrame(), BY, ["test_error"])) == 0
    assert verdict(compare(pd.DataFrame(), BY, ["test_error"])) == "nothing to compare"


@pytest.mark.filterwarnings("error")
def test_failed_trials_are_left_out_and_whole_points_if_a_size_is_gone():
    result = table(np.random.default_rng(4), points=4)
    here = (result.call == "simulate") & (result["training.alpha1"] == 0.0)
    item = result.copy()
    item.loc[item[here].index[0], "test_error"] = np.nan
    assert compare(item, BY, ["test_error"])["trials"].tolist() == [5, 6, 6, 6]
    for gone in (here & (result.d == 200), here, (result["training.alpha1"] == 0.0) & ~here):
        lost = result.assign(test_error=result.test_error.mask(gone))
        assert len(compare(lost, BY, ["test_error"])) == 3


def fitted_exactly(limit, noise):
    """A training loss that is zero but for rounding, in theory and in six trials at two sizes."""
    place = {"model": "pooled", "training.alpha1": 0.5}
    rows = [{"call": "predict", **place, "train_loss": limit, "train_loss_se": 0.0}]
    for d in (200, 100):
        rows += [{"call": "simulate", **place, "d": d, "train_loss": k * noise} for k in range(6)]
    return compare(pd.DataFrame(rows), BY, ["train_loss"])


@pytest.mark.parametrize("noise", [0.0, 1e-19, 1e-17])
def test_scores_do_not_rest_on_rounding(noise):
    for limit in (0.0, 3e-17):
        (row,) = fitted_exactly(limit, noise).itertuples()
        assert np.isnan(row.z) and row.what.endswith("(the same but for rounding)")
    assert fitted_exactly(1e-9, noise).z.tolist() == [-np.inf]
    assert verdict(fitted_exactly(1e-9, noise)) == "disagree"


def test_small_losses_that_are_known_have_a_score():
    """With a ridge of 1e-5 a square loss is 3e-14 ± 2e-15, and the theory's agrees with that."""
    assert abs(fitted_exactly(3e-14, 1e-14).z.item()) < 5.0
    assert fitted_exactly(9e-13, 1e-14).z.item() < -5.0


def test_trials_are_units_with_seeds_of_their_own():
    task = {"L": 4, "R": 1, "theta": 2.0, "pi": 0.5}
    training = {"alpha0": 1.0, "alpha1": 1.0}
    units = trials("simulate", {"task": task, "training": training, "model": "pooled", "d": 20}, 3)
    assert len({unit.key for unit in units}) == 3
    assert len({unit.run()["norm"] for unit in units}) == 3


def test_a_grid_combines_everything():
    assert len(list(grid(a=[1, 2], b=[3, 4, 5]))) == 6
