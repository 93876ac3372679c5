"""Names beside lines."""

from __future__ import annotations

import numpy as np

from needlescope.figures.render.legends import spread


def test_labels_move_apart_and_keep_their_order():
    moved = spread([10.0, 3.0, 9.0, 50.0], 9.5)
    gaps = np.diff(np.sort(moved))
    assert (gaps >= 9.5 - 1e-9).all() and np.argsort(moved).tolist() == [1, 2, 0, 3]
    assert moved[3] == 50.0 and spread([], 9.0) == []
