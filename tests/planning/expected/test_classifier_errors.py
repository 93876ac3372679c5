"""How many more bags a gain takes, read off a learning curve."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.planning.expected.classifier_errors import bags_for_gain


def test_more_bags_are_read_off_the_curve():
    assert bags_for_gain({100: 0.2, 200: 0.1}, 0.1) == pytest.approx(100.0)
    assert bags_for_gain({100: 0.2, 200: 0.1}, 0.11) == np.inf
    assert bags_for_gain({100: 0.2, 200: 0.25, 400: 0.1}, 0.05) < 300.0  # never upwards
