"""Messages between the front end and a session: JSON objects with a ``type``.

The front end asks. Every request has an ``id``, a whole number that grows, and most a ``state``
(`state.State`, as its fields):

    hello                                      what there is: limits, presets, labels
    curves   state, precision                  the lines of the main figure; "coarse" or "fine"
    bag      state, seed                       a live bag, and attention over its tokens
    map      state                             where attention wins, on (data, strength)
    train    state, trials, seed               trained classifiers at the state's point
    plan     question                          a plan, as the arguments of `plan`
    script   state                             a Python script for what is shown
    cancel   of                                stop the request with that id

A newer request of a type replaces one that waits, which then ends without a word, and one that is
under way, which then ends early. Answers carry the ``id`` of their request:

    welcome  version, limits, presets, lines, losses, state
    line     name, label, kind, x, y, se, provenance      as each is there
    point    values: for each line its error at the state's point
    bag      tokens, needle, attention, cosine, kappa, label
    map      x, y, winner, margin, here, phase, phases (α_IT and α_AMP at each y)
    dot      x, y, se, trials, predicted, z               as trials finish
    progress done, total, text
    plan     sentence, notes, unknown, value, low, high, others, studies, curve, methods
    script   text
    refused  field, text                                  of which control, and why
    failed   text                                         what could not be computed
    done     seconds                                      the last answer to a request

``kind`` is "trained", "bayes" (Bayes-optimal) or "known" (the signal is known). A number that is
not known is null.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

TYPES = ("hello", "curves", "bag", "map", "train", "plan", "script", "cancel")
NEEDS = {
    "curves": ("state", "precision"),
    "bag": ("state", "seed"),
    "map": ("state",),
    "train": ("state", "trials", "seed"),
    "plan": ("question",),
    "script": ("state",),
    "cancel": ("of",),
}
LONGEST = 20_000  # characters of a message
DEEPEST = 6  # objects within objects
LARGEST_ID = 2**53


class Request(NamedTuple):
    """What the front end asks."""

    type: str
    id: int
    fields: dict[str, Any]


def read(message: Any) -> Request:
    """Return a request from text or from an object; refuse what is none.

    Examples
    --------
    >>> read('{"type": "hello", "id": 1}')
    Request(type='hello', id=1, fields={})
    >>> read('{"type": "sing", "id": 1}')
    Traceback (most recent call last):
    ValueError: type must be one of hello, curves, bag, map, train, plan, script, cancel; got 'sing'
    """
    if isinstance(message, str | bytes):
        if len(message) > LONGEST:
            raise ValueError(f"a message has at most {LONGEST:,} characters, got {len(message):,}")
        try:
            message = json.loads(message)
        except (ValueError, RecursionError) as problem:
            raise ValueError(f"a message must be JSON: {problem}") from None
    if not isinstance(message, dict) or _is_deeper(message, DEEPEST):
        raise ValueError("a message must be an object with a type and an id")
    kind, number = message.get("type"), message.get("id")
    if kind not in TYPES:
        raise ValueError(f"type must be one of {', '.join(TYPES)}; got {kind!r:.40}")
    if type(number) is not int or not 0 <= number <= LARGEST_ID:
        raise ValueError(f"id must be a whole number, got {number!r:.40}")
    names = NEEDS.get(kind, ())
    missing = [name for name in names if name not in message]
    if missing:
        raise ValueError(f"{kind} needs {' and '.join(missing)}")
    return Request(kind, number, {name: message[name] for name in names})


def _is_deeper(value: Any, most: int) -> bool:
    """Return whether objects or lists are nested more often; looks no deeper than that."""
    if not isinstance(value, dict | list):
        return False
    if most == 0:
        return True
    items = value.values() if isinstance(value, dict) else value
    return any(_is_deeper(item, most - 1) for item in items)


def write(answer: dict[str, Any]) -> str:
    """Return an answer as text; numbers that are not finite are null.

    >>> write({"type": "dot", "id": 3, "y": float("nan")})
    '{"type": "dot", "id": 3, "y": null}'
    """
    return json.dumps(plain(answer), ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """Return plain data: lists for arrays, and None for what is not finite."""
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value
