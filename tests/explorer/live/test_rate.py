"""The rate of messages: a burst passes, of the rest the newest of each type, in its turn."""

from __future__ import annotations

from needlescope.explorer.live.rate import BURST, PER_SECOND, Rate
from needlescope.explorer.protocol import Request


def requests(count, kind="curves"):
    return [Request(kind, number, {}) for number in range(count)]


def test_a_burst_passes_and_of_the_rest_the_newest():
    rate = Rate(0.0)
    taken = [rate.take(request, 0.0) for request in requests(1000)]
    assert sum(item.passes for item in taken) == BURST
    replaced = [item.replaced.id for item in taken if item.replaced]
    assert replaced == list(range(BURST, 999))
    assert rate.due(0.0) is None
    assert rate.due(2.0 / PER_SECOND).id == 999
    assert rate.due(10.0) is None and rate.wait is None


def test_the_newest_of_each_type_waits_and_the_oldest_type_comes_first():
    rate = Rate(0.0, burst=1, per_second=1)
    rate.take(Request("hello", 0, {}), 0.0)
    for number, kind in enumerate(("bag", "map", "bag"), 1):
        rate.take(Request(kind, number, {}), 0.0)
    assert [rate.due(1.0).id, rate.due(1.0), rate.due(2.0).id] == [2, None, 3]


def test_a_cancel_always_passes_and_takes_what_waits_away():
    rate = Rate(0.0, burst=1, per_second=1)
    rate.take(Request("hello", 0, {}), 0.0)
    rate.take(Request("plan", 1, {}), 0.0)
    passes, replaced = rate.take(Request("cancel", 2, {"of": 1}), 0.0)
    assert passes and replaced.id == 1 and rate.due(9.0) is None


def test_a_steady_drag_is_never_held_up():
    rate = Rate(0.0)
    times = [k / 90.0 for k in range(2000)]
    assert all(rate.take(Request("bag", 1, {}), now).passes for now in times)


def test_the_wait_is_long_enough():
    rate = Rate(0.0, burst=1, per_second=2)
    rate.take(Request("bag", 1, {}), 0.0)
    rate.take(Request("bag", 2, {}), 0.0)
    assert rate.wait is not None and rate.due(rate.wait).id == 2
