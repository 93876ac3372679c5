"""How many bags an amount buys, how many are positive, and by how much log odds move."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.planning.studies.drawn import Drawn
from needlescope.planning.tuning.budget import Costs


@pytest.mark.parametrize("balance", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("amount", [100.0, 777.0, 12_345.6])
def test_no_more_is_spent_than_there_is_and_no_further_bag_can_be_bought(balance, amount):
    drawn = Drawn(0.1, costs=Costs(20.0, 1.0), balance=balance)
    n, positives = drawn.affordable(amount)
    assert 20.0 * positives + (n - positives) <= amount < drawn.amount(n, positives) + 2.0 * 21.0
    assert 0 < positives < n and abs(positives - balance * n) <= 1.0


def test_bags_as_they_come_have_no_number_of_positives():
    drawn = Drawn(0.3)
    assert drawn.bags(33.4) == drawn.affordable(33.4) == (33, None)
    assert drawn.shift(33, None) == 0.0 and not drawn.shifted and drawn.least(10) == 10 / 0.3


def test_log_odds_move_as_bayes_says():
    """With densities f and g, log odds are log f/g + logit of the share: the shares differ."""
    drawn = Drawn(0.1, positives=30)
    f, g = 0.7, 0.2
    trained = np.log(30 * f / (10 * g))
    later = np.log(0.1 * f / (0.9 * g))
    assert trained + drawn.shift(40, 30) == pytest.approx(later, abs=1e-12)
    assert drawn.shifted and drawn.least(10) == 50.0
