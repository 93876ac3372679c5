"""A session: the newest request wins, what is cancelled ends, mistakes are answered."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest

import needlescope as ns
from needlescope.explorer import session as sessions
from needlescope.explorer.lines import LINES
from needlescope.explorer.session import Session, welcome
from needlescope.explorer.state import State


class Front:
    """A front end: what it was answered, and a way to wait for it."""

    def __init__(self):
        self.answers, self._changed = [], threading.Condition()
        self.session = Session(self._take)
        self._number = 0

    def _take(self, answer):
        with self._changed:
            self.answers.append(answer)
            self._changed.notify_all()

    def ask(self, kind, **fields):
        self._number += 1
        self.session.receive({"type": kind, "id": self._number, **fields})
        return self._number

    def wait(self, true, seconds=60.0):
        with self._changed:
            assert self._changed.wait_for(lambda: any(map(true, self.answers)), seconds)
        return list(self.answers)

    def until_done(self, number):
        found = self.wait(lambda item: (item["id"], item["type"]) == (number, "done"))
        return [item for item in found if item["id"] == number]


@pytest.fixture
def front():
    made = Front()
    yield made
    made.session.close()


@pytest.fixture
def slow(monkeypatch):
    """Lines that take as long as the test wants: an event lets them pass."""
    gate, computed = threading.Event(), []

    def compute(state, x, tol):
        computed.append(state.theta)
        gate.wait(30)
        return sessions.LINES["known"].compute(state, x[:1], tol)._replace(x=x[:1])

    line = LINES["pooled"]._replace(compute=compute, points={"coarse": 1, "fine": 1})
    monkeypatch.setattr(sessions, "LINES", {"pooled": line, "known": LINES["known"]})
    monkeypatch.setitem(LINES, "pooled", line)
    return gate, computed


def test_a_hundred_quick_requests_leave_no_backlog(front, slow):
    """While one is computed 99 come: of them the newest alone is."""
    gate, computed = slow
    numbers = []
    for k in range(100):
        theta = 2.0 + k / 1000 + 1e-7
        numbers.append(front.ask("curves", state={"theta": theta}, precision="coarse"))
        while k == 0 and not computed:
            time.sleep(0.01)
    gate.set()
    found = front.until_done(numbers[-1])
    assert [item["type"] for item in found] == ["line", "line", "done"]
    assert computed == [2.0 + 1e-7, 2.0 + 0.099 + 1e-7]
    lines = Counter(item["id"] for item in front.answers if item["type"] == "line")
    assert lines == {numbers[0]: 1, numbers[-1]: 2}  # the first ended before its second line
    first = [item for item in front.answers if (item["id"], item["type"]) == (1, "done")]
    assert first[0]["cancelled"]


def test_requests_of_another_type_are_not_replaced(front, slow):
    gate, computed = slow
    one = front.ask("curves", state={"theta": 2.5}, precision="coarse")
    while not computed:
        time.sleep(0.01)
    two = front.ask("bag", state={}, seed=0)
    gate.set()
    assert front.until_done(two)[0]["type"] == "bag"
    assert not front.until_done(one)[-1]["cancelled"]


def test_a_request_that_waits_or_runs_is_cancelled(front, slow):
    gate, computed = slow
    one = front.ask("curves", state={"theta": 2.75}, precision="coarse")
    while not computed:
        time.sleep(0.01)
    two = front.ask("bag", state={}, seed=0)
    for number in (two, one, 99):
        front.ask("cancel", of=number)
    assert front.until_done(two)[-1]["cancelled"]
    gate.set()
    assert front.until_done(one)[-1]["cancelled"]
    assert not any(item["type"] == "bag" for item in front.answers)
    assert Counter(item["type"] for item in front.answers)["line"] <= 1


def test_a_training_is_cancelled_between_models(front):
    number = front.ask("train", state={"d": 100, "L": 50}, trials=64, seed=0)
    front.wait(lambda item: item["type"] == "dot")
    front.ask("cancel", of=number)
    found = front.until_done(number)
    assert found[-1]["cancelled"] and len([i for i in found if i["type"] == "dot"]) < 3 * 64


def test_two_sessions_take_turns_with_what_is_long(front):
    other = Front()
    with sessions.WORKING:
        number = other.ask("train", state={"d": 20}, trials=1, seed=0)
        found = other.wait(lambda item: item["type"] == "progress")
        assert "waiting" in found[-1]["text"]
        time.sleep(0.3)
        assert not any(item["type"] == "dot" for item in other.answers)
    kinds = Counter(item["type"] for item in other.until_done(number))
    assert kinds["dot"] == 3
    other.session.close()


def test_a_session_that_is_closed_stops_and_says_nothing_more():
    front = Front()
    front.ask("train", state={"d": 100, "L": 50}, trials=64, seed=0)
    front.wait(lambda item: item["type"] == "dot")
    front.session.close()
    count, start = len(front.answers), time.monotonic()
    while front.session.works:
        assert time.monotonic() - start < 10
        time.sleep(0.01)
    assert len(front.answers) <= count + 1
    assert sessions.WORKING.acquire(timeout=5)
    sessions.WORKING.release()


@pytest.mark.parametrize("kind", ["curves", "bag", "map", "train", "script"])
@pytest.mark.parametrize(
    ("state", "call"),
    [
        ({"L": 4, "R": 9}, lambda: ns.Task(L=4, R=9, theta=4.0, pi=0.5)),
        ({"pi": 2.0}, lambda: ns.Task(L=10, R=1, theta=4.0, pi=2.0)),
        ({"ridge": -1.0, "query": "steps"}, lambda: ns.Training(2.0, 2.0, ridge=-1.0)),
    ],
)
def test_what_is_refused_is_refused_in_the_packages_sentence(front, kind, state, call):
    with pytest.raises(ValueError) as problem:
        call()
    number = front.ask(kind, state=state, precision="coarse", seed=0, trials=1)
    refusal = front.until_done(number)[0]
    assert (refusal["type"], refusal["text"]) == ("refused", str(problem.value))
    assert refusal["field"] in state


@pytest.mark.parametrize(
    ("kind", "fields", "field"),
    [
        ("curves", {"precision": "finest"}, "precision"),
        ("curves", {"precision": []}, "precision"),
        ("bag", {"seed": -1}, "seed"),
        ("bag", {"seed": 2**31}, "seed"),
        ("bag", {"seed": True}, "seed"),
        ("train", {"seed": 0.5, "trials": 1}, "seed"),
        ("train", {"seed": 0, "trials": 0}, "trials"),
        ("plan", {"question": {"colour": 1}}, "colour"),
    ],
)
def test_other_fields_are_refused_by_name(front, kind, fields, field):
    number = front.ask(kind, **({"state": {}} if kind != "plan" else {}), **fields)
    refusal = front.until_done(number)[0]
    assert (refusal["type"], refusal["field"]) == ("refused", field)


def test_a_mistake_of_ours_does_not_end_the_session(front, monkeypatch):
    def fail(state, seed):
        raise ZeroDivisionError("a mistake")

    monkeypatch.setattr(sessions, "live_bag", fail)
    found = front.until_done(front.ask("bag", state={}, seed=0))
    assert (found[0]["type"], found[0]["text"]) == ("failed", "ZeroDivisionError: a mistake")
    monkeypatch.undo()
    assert front.until_done(front.ask("bag", state={}, seed=0))[0]["type"] == "bag"


def test_fine_lines_end_with_the_values_at_the_state(front):
    found = front.until_done(front.ask("curves", state={}, precision="fine"))
    lines = {item["name"] for item in found if item["type"] == "line"}
    (point,) = [item for item in found if item["type"] == "point"]
    assert lines == set(LINES) == set(point["values"]) and point["x"] == State().alpha


def test_the_map_is_answered_with_the_phase(front):
    found = front.until_done(front.ask("map", state={}))[0]
    assert found["type"] == "map" and found["phase"]["verdict"] == "smooth"


def test_a_welcome_says_what_there_is(front):
    front.ask("hello")
    first = front.answers[0]
    assert first["type"] == "welcome" and first["version"] == ns.__version__
    assert [line["name"] for line in welcome()["lines"]] == list(LINES)
    for preset in first["presets"]:
        assert State.read(preset["state"]).to_dict() == preset["state"]


def test_a_script_is_answered_at_once(front):
    number = front.ask("script", state={"theta": 3.0})
    assert "theta=3.0" in front.until_done(number)[0]["text"]
