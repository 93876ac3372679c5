"""The learned strength: at rest where an estimate has its own length, bounded elsewhere."""

from __future__ import annotations

import pytest

from needlescope.models.strength import learned_strength


@pytest.mark.parametrize("field", [0.1, 1.0, 30.0])
def test_an_estimate_of_the_right_length_keeps_its_strength(field: float) -> None:
    assert learned_strength(field / (1.0 + field), field, 3.0) == pytest.approx(3.0)


def test_a_longer_estimate_has_a_stronger_signal() -> None:
    assert learned_strength(0.5 * 1.21, 1.0, 3.0) == pytest.approx(3.3)
    assert learned_strength(0.5 * 0.81, 1.0, 3.0) == pytest.approx(2.7)


def test_a_round_changes_it_by_a_factor_of_two_at_most_within_bounds() -> None:
    assert learned_strength(1e9, 1.0, 3.0) == 6.0
    assert learned_strength(0.0, 1.0, 3.0) == 1.5
    assert learned_strength(1.0, 0.0, 40.0) == 50.0
    assert learned_strength(0.0, 1.0, 0.15) == 0.1
