"""Bags put one after another."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import Bags


def some(sizes=(2, 1), d=3, seed=0, **given):
    table = np.random.default_rng(seed).standard_normal((sum(sizes), d))
    return Bags(table, np.concatenate([[0], np.cumsum(sizes)]), **given)


def test_all_that_bags_hold_is_put_together():
    item = some(
        names=list("uvw"), ids=["a", "b"], metadata={"t": [1, 2, 3], "at": np.zeros((3, 2))}
    )
    other = some((3,), 3, 1, ids=["long"], metadata={"t": [0.5, 6, 7], "at": np.ones((3, 2))})
    both = Bags.concatenate([item, other])
    assert both.names == ["u", "v", "w"] and both.ids.tolist() == ["a", "b", "long"]
    assert both.lengths.tolist() == [2, 1, 3]
    assert both.metadata["t"].tolist() == [1, 2, 3, 0.5, 6, 7]
    assert both.metadata["at"].shape == (6, 2)
    for mine, its in zip(both, [*item, *other], strict=True):
        np.testing.assert_array_equal(mine, its)
    assert len(Bags.concatenate([item])) == 2
    single = Bags.concatenate([np.zeros((2, 3, 4), np.float32)] * 2)
    assert single.instances.dtype == np.float32 and single.ids is None


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ([], "at least one of Bags to concatenate, got none"),
        (some(), "bags must be a list of Bags, got Bags"),
        ([some(), some(d=2)], "the same number of features, got 3 and, of number 1, 2"),
        ([some(ids=[1, 2]), some()], "all must have ids, or none: number 1 differs"),
        ([some(ids=[1, 2]), some(ids=["a", "b"])], "ids must be of one kind, .* int and str"),
        ([some(names=list("uvw")), some(), some(names=list("uwv"))], "same features .* number 2"),
        ([some(metadata={"t": [1, 2, 3]}), some()], r"same metadata, got \['t'\] and, of number 1"),
        (
            [some(metadata={"t": [1, 2, 3]}), some(metadata={"t": ["a", "b", "c"]})],
            "metadata 't' must be of one kind, got int64 of shape .* of number 1, <U1",
        ),
        (
            [some(metadata={"t": [1, 2, 3]}), some(metadata={"t": np.ones((3, 2))})],
            r"of number 1, float64 of shape \(3, 2\)",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(parts, sentence):
    with pytest.raises(ValueError, match=sentence):
        Bags.concatenate(parts)
