"""All labels alike: the bias that the loss likes best, if there is one."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.errors import NoMinimiser
from needlescope.solvers.minimise import minimise
from tests.solvers.problems import sample


@pytest.mark.parametrize("label", [1.0, -1.0])
def test_one_class(label, pseudo_huber):
    F, y = sample(30, 5)[0], np.full(30, label)
    for loss in ("square", "squared_hinge", pseudo_huber):
        fit = minimise(F, y, loss, 0.1)
        assert not fit.w.any()
        assert fit.b == pytest.approx(label, abs=1e-12)
        assert np.array_equal(fit.scores, np.full(30, fit.b))
    with pytest.raises(
        NoMinimiser, match=r"all labels are .* the logistic loss decreases without bound"
    ):
        minimise(F, y, "logistic", 0.1)
