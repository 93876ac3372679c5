"""Messages: what is read, what is refused, and that answers are plain JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from needlescope.explorer.protocol import DEEPEST, LARGEST_ID, LONGEST, NEEDS, TYPES, read, write


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_is_read_with_the_fields_that_it_needs(kind):
    fields = dict.fromkeys(NEEDS.get(kind, ()), 1)
    message = {"type": kind, "id": LARGEST_ID, **fields, "more": 3}
    assert read(json.dumps(message)) == read(message) == (kind, LARGEST_ID, fields)


@pytest.mark.parametrize("kind", NEEDS)
def test_a_field_that_is_missing_is_named(kind):
    with pytest.raises(ValueError, match=f"^{kind} needs {NEEDS[kind][0]}"):
        read({"type": kind, "id": 1})


@pytest.mark.parametrize("number", [-1, 1.0, True, None, "1", LARGEST_ID + 1, [], float("nan")])
def test_an_id_is_a_whole_number(number):
    with pytest.raises(ValueError, match="id must be a whole number, got"):
        read({"type": "hello", "id": number})


def nested(times, inner):
    value = inner
    for _ in range(times):
        value = {"a": value} if times % 2 else [value]
    return value


@pytest.mark.parametrize("times", [DEEPEST, 100, 5000])
def test_what_is_nested_too_often_is_refused(times):
    """Also where it is so deep that Python's own recursion would end."""
    with pytest.raises(ValueError, match="must be an object with a type and an id"):
        read({"type": "hello", "id": 1, "more": nested(times, 1)})


def test_what_is_nested_less_often_is_read():
    state = nested(DEEPEST - 2, {})
    assert read({"type": "script", "id": 1, "state": state}).fields == {"state": state}


def test_length_is_checked_before_anything_is_parsed():
    with pytest.raises(ValueError, match="at most 20,000 characters, got 20,001"):
        read("[" * (LONGEST + 1))
    with pytest.raises(ValueError, match="a message must be JSON"):
        read("[" * LONGEST)


def test_answers_are_plain_json():
    answer = {
        "type": "line", "id": np.int64(3), "x": np.array([0.5, np.nan, -np.inf]),
        "y": (np.float64(1.0), np.float32(0.25)), "s": {"θ": [float("inf"), None, True, "<>"]},
        "n": np.array(2),
    }  # fmt: skip
    assert json.loads(write(answer)) == {
        **{"type": "line", "id": 3, "x": [0.5, None, None], "y": [1.0, 0.25]},
        **{"s": {"θ": [None, None, True, "<>"]}, "n": 2},
    }
