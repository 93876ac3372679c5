"""Prepared bags: the blocks are those of the bags, held or read again in every pass."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.bags.preprocessing import Preprocessor
from needlescope.estimators.bags.scaling import Scaling
from needlescope.estimators.engine.prepared import PreparedBags
from tests.estimators.engine.fits import BAGS, D, N, Y

PREPROCESSOR = Preprocessor(Scaling(np.full(D, 0.5), np.arange(1.0, 1.0 + D)))


def whole(blocks):
    """Put blocks together: labels, and the bags that they hold."""
    y, bags = [], []
    for block in blocks:
        y.append(block.y)
        starts = block.segments.ragged(len(block.table)).starts
        bags += np.split(block.table, starts[1:-1])
    return np.concatenate(y), bags


@pytest.mark.parametrize("held", [True, False])
def test_blocks_have_all_bags_in_their_order(held, small_blocks, monkeypatch):
    if not held:
        monkeypatch.setattr("needlescope.estimators.engine.prepared.MAX_HELD", 10)
    used = np.random.default_rng(0).permutation(N)[:30]
    data = PreparedBags(BAGS, used, Y[used], PREPROCESSOR)
    for _ in range(2):
        y, bags = whole(data.blocks())
        np.testing.assert_array_equal(y, Y[used])
        for bag, place in zip(bags, used, strict=True):
            np.testing.assert_allclose(bag, PREPROCESSOR.apply(BAGS[int(place)]))
    assert data.passes == (0 if held else 2)
    assert data.size == int(BAGS.lengths[used].sum()) * D


@pytest.mark.parametrize("held", [True, False])
def test_only_wanted_blocks_are_handed_out(held, small_blocks, monkeypatch):
    if not held:
        monkeypatch.setattr("needlescope.estimators.engine.prepared.MAX_HELD", 10)
    data = PreparedBags(BAGS, np.arange(N), Y, PREPROCESSOR)
    places = [block.rows for block in data.blocks()]
    wanted = [block.rows for block in data.blocks(lambda place: place.start >= 10)]
    assert wanted == [place for place in places if place.start >= 10] != []


@pytest.mark.parametrize("border", [0, 1, 17, N])
def test_no_block_is_on_both_sides_of_the_border(border, small_blocks):
    data = PreparedBags(BAGS, np.arange(N), Y, PREPROCESSOR, border=border)
    places = [block.rows for block in data.blocks()]
    assert [place.start for place in places[1:]] == [place.stop for place in places[:-1]]
    assert places[0].start == 0 and places[-1].stop == N
    assert not any(place.start < border < place.stop for place in places)


def test_bags_of_one_length_say_so():
    same = np.flatnonzero(BAGS.lengths == BAGS.lengths[0])
    assert PreparedBags(BAGS, same, Y[same], PREPROCESSOR).tokens == (BAGS.lengths[0], D)
    assert PreparedBags(BAGS, np.arange(N), Y, PREPROCESSOR).tokens == (0, D)
