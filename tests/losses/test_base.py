"""A loss of one's own: its prox is found from value and slopes alone, or refused."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope import NotConverged
from needlescope.losses import Loss


def test_a_loss_that_is_not_convex_has_no_prox() -> None:
    class Bumpy(Loss):
        name = "bumpy"

        def value(self, z, y):
            return np.cos(5.0 * z)

        def derivative(self, z, y):
            return -5.0 * np.sin(5.0 * z)

        def second(self, z, y):
            return np.full_like(z, np.nan)

    with pytest.raises(NotConverged, match="prox of the bumpy loss did not converge; is it convex"):
        Bumpy().prox(np.linspace(-1.0, 1.0, 9), np.full(9, 3.0), 1)
