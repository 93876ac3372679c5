"""What the tests of the saddle problem share."""

from __future__ import annotations

import pytest

from needlescope.models.nodes import JointLaw
from tests.theory.saddle.laws import LAWS


@pytest.fixture(params=LAWS)
def law(request: pytest.FixtureRequest) -> JointLaw:
    """The law of every model, rare positives and several directions among them."""
    return LAWS[request.param]()
