"""What is said of a plan for a classifier."""

from __future__ import annotations

import pytest

import needlescope as ns
from tests.planning.studies.bags import Constant

ASK = {"L": 2, "theta": 40.0, "d": 1, "others": False, "n_jobs": 1}


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (
            {"error": 0.1},
            "Constant needs 20 bags, between 20 and 20 (nine of ten), for a mean",
        ),
        ({"error": 0.02}, "Constant was not seen to reach a mean test error of 0.02: where most"),
        ({"n": 40}, "Constant trained on 40 bags has a mean test error of 0.04"),
        (
            {"measure": "balanced_accuracy", "target": 0.9, "assurance": 0.8},
            "for 80% of studies to have a balanced accuracy of 0.9 or better. Nine of ten studies",
        ),
    ],
)
def test_the_verdict(more, says):
    result = ns.plan(**ASK, learner=Constant(0.05), **more)
    assert says in result.verdict
