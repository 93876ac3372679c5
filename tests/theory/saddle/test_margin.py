"""The convex problem behind capacity: its minimum, and how sure that is."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.theory.law.attention import attention_limit
from needlescope.theory.law.ladder import Level
from needlescope.theory.saddle.margin import separability, uncertainty


def test_its_error_is_the_spread_of_the_replicates():
    """Each minimised for itself; and a quarter of what a law with a quarter of the cells adds."""
    limit = attention_limit(6, 1, 3.0, 1.5, 0.9, Level(2**10, 64))
    law, coarse = limit.law(0.4), limit.coarse_law(0.4)
    result = separability(law)
    values = [separability(law._replace(weight=weight)).value for weight in law.replicas]
    spread = np.std(values, ddof=1) / np.sqrt(len(values))
    rough = separability(coarse).value - result.value
    assert spread > 1e-5
    assert uncertainty(law, coarse, result) == pytest.approx(np.hypot(spread, rough / 4), rel=0.05)
