"""Lists of arrays with names for the bags."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import Bags
from needlescope.estimators.bags.bags import as_bags


@pytest.mark.parametrize(
    "ids", [["s1", "s2"], ("s1", "s2"), np.array(["s1", "s2"]), iter(["s1", "s2"])]
)
def test_bags_of_a_list_have_names(ids):
    bags = Bags.from_list([np.zeros((2, 3)), np.ones((1, 3))], ids=ids)
    assert bags.ids.tolist() == ["s1", "s2"] and bags[[1]].ids.tolist() == ["s2"]


def test_names_must_be_one_for_each_bag():
    with pytest.raises(ValueError, match=r"^ids must name each of the 2 bags, got shape \(1,\)"):
        Bags.from_list([np.zeros((2, 3)), np.ones((1, 3))], ids=["s1"])
    with pytest.raises(ValueError, match=r"^ids must name each bag once, got 's1' more than once$"):
        Bags.from_list([np.zeros((2, 3)), np.ones((1, 3))], ids=["s1", "s1"])
    with pytest.raises(ValueError, match=r"^bag 1 .'s2'. has a NaN .* in instance 0, feature 2; "):
        as_bags(Bags.from_list([np.zeros((2, 3)), [[0.0, 0.0, np.nan]]], ids=["s1", "s2"]))
