"""The two errors: of different kinds, known by their usual kinds, and whole after a journey."""

from __future__ import annotations

import pickle

import pytest

from needlescope.errors import SHOWN, NoMinimiser, NotConverged, shortened


@pytest.mark.parametrize(
    ("error", "kind", "other"),
    [(NotConverged, RuntimeError, ValueError), (NoMinimiser, ValueError, RuntimeError)],
)
def test_it_is_caught_as_its_usual_kind_and_not_as_the_other(error, kind, other):
    """A question without an answer is the asker's; a number that is not reached is ours."""
    assert issubclass(error, kind) and not issubclass(error, other)


@pytest.mark.parametrize("error", [NotConverged, NoMinimiser])
def test_a_worker_can_send_it(error):
    sent = pickle.loads(pickle.dumps(error("a sentence")))
    assert type(sent) is error and str(sent) == "a sentence"


@pytest.mark.parametrize("words", ["x" * 10**7, "x " * 10**6, "a\nb" * 999, " " * 10**5 + "x"])
def test_an_error_of_any_length_is_shown_on_a_line(words):
    result = shortened(words)
    assert len(result) <= SHOWN and "\n" not in result and result.endswith("...")
    assert shortened("short") == "short"
