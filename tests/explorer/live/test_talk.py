"""Conversations with a server: floods, rubbish, slow readers, and clients that vanish."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import ExitStack
from socket import SHUT_RDWR

import pytest

pytest.importorskip("starlette", reason="needlescope[live] is not installed")

import websockets

from needlescope.explorer import session as sessions
from needlescope.explorer.live import talk as talks
from needlescope.explorer.live.rate import BURST
from needlescope.explorer.live.talk import MOST_OPEN, Talk
from needlescope.explorer.protocol import LONGEST
from tests.explorer.live.conftest import answers, ask

HEAVY = {"L": 100, "d": 200, "alpha0": 8.0, "alpha1": 8.0}  # 64 trials take half a minute


def until(true, seconds=20.0):
    """Wait until something is true; say how long that took."""
    start = time.monotonic()
    while not true():
        assert time.monotonic() - start < seconds
        time.sleep(0.02)
    return time.monotonic() - start


def long_lane_is_free():
    if sessions.WORKING.acquire(blocking=False):
        sessions.WORKING.release()
        return True
    return False


def test_a_curve_is_answered(server):
    with server.connect() as socket:
        ask(socket, type="curves", id=1, state={}, precision="coarse")
        lines = [item for item in answers(socket, 1) if item["type"] == "line"]
        assert [item["name"] for item in lines][:2] == ["attention", "pooled"]
        assert all(len(item["x"]) == len(item["y"]) > 1 for item in lines)


RUBBISH = {
    "no JSON": "{",
    "nothing": "",
    "a list": "[]",
    "a number": "1e999",
    "not a number": "NaN",
    "no type": '{"id": 1}',
    "no such type": '{"type": "eval", "id": 1}',
    "a type that is a list": '{"type": [], "id": 1}',
    "a type that is an object": '{"type": {}, "id": 1}',
    "no id": '{"type": "hello"}',
    "an id that is true": '{"type": "hello", "id": true}',
    "a huge id": f'{{"type": "hello", "id": {"9" * 4000}}}',
    "an id too long for Python": f'{{"type": "hello", "id": {"9" * 9000}}}',
    "deep lists": "[" * 9000 + "]" * 9000,
    "deep objects": '{"a":' * 3000 + "1" + "}" * 3000,
    "deep, and open": "[" * 19_000,
    "no state": '{"type": "curves", "id": 1}',
    "half a surrogate": '{"type": "\\ud800", "id": 1}',
    "zeros": "\x00" * 100,
}


@pytest.mark.parametrize("name", RUBBISH)
def test_rubbish_is_refused_and_the_conversation_goes_on(server, name):
    with server.connect() as socket:
        socket.send(RUBBISH[name])
        (refusal,) = answers(socket, 0)
        assert refusal["type"] == "refused" and len(refusal["text"]) < 500
        ask(socket, type="hello", id=2)
        assert answers(socket, 2)[-1]["type"] == "welcome"


BAD_STATES = {
    "not a number": '{"theta": NaN}',
    "infinite": '{"theta": Infinity}',
    "beyond floats": f'{{"theta": {"9" * 400}}}',
    "beyond integers": f'{{"L": {"9" * 400}}}',
    "text": '{"theta": "4"}',
    "true": '{"L": true}',
    "a list": "[]",
    "nothing": "null",
    "a list of numbers": '{"theta": [1, 2]}',
    "a control that is none": '{"__class__": 1}',
    "a huge bag": '{"L": 1000000}',
    "no bags": '{"alpha0": 0, "alpha1": 0}',
    "negative": '{"theta": -1}',
    "no strength": '{"kappa": 0}',
    "tiny": '{"alpha0": 1e-300, "alpha1": 1e-300}',
    "an unhashable choice": '{"noise": []}',
}


@pytest.mark.parametrize("kind", ["curves", "bag", "map", "train", "script"])
@pytest.mark.parametrize("name", BAD_STATES)
def test_a_bad_state_is_refused_in_a_sentence(server, name, kind):
    more = '"precision": "coarse", "seed": 0, "trials": 1'
    with server.connect() as socket:
        socket.send(f'{{"type": "{kind}", "id": 5, "state": {BAD_STATES[name]}, {more}}}')
        refusal = answers(socket, 5)[-1]
        assert refusal["type"] == "refused", refusal
        assert refusal["text"] and len(refusal["text"]) < 500 and "Error" not in refusal["text"]


@pytest.mark.parametrize(
    "question",
    [
        *("{}", "[]", "null", '{"L": NaN}', '{"theta": Infinity}', '{"L": 1e9}', '{"n": true}'),
        *('{"learner": []}', '{"learner": "os.system"}', '{"progress": 1}', '{"seconds": NaN}'),
        *('{"L": 4, "theta": 4, "d": 50, "error": -1}', f'{{"theta": {"9" * 400}}}'),
        *('{"seconds": 1e999}', '{"L": 4.5, "theta": 4, "d": 50, "error": 0.2}'),
    ],
)
def test_a_bad_question_is_refused_in_a_sentence(server, question):
    with server.connect() as socket:
        socket.send(f'{{"type": "plan", "id": 5, "question": {question}}}')
        refusal = answers(socket, 5)[-1]
        assert refusal["type"] == "refused", refusal
        assert refusal["text"] and "Error" not in refusal["text"]


def closed(socket):
    """Read until the server closes; return with which code."""
    with pytest.raises(websockets.ConnectionClosed) as end:
        while True:
            socket.recv(timeout=20)
    return end.value.rcvd.code, end.value.rcvd.reason


def code(socket):
    return closed(socket)[0]


def test_bytes_close_the_conversation(server):
    with server.connect() as socket:
        socket.send(b'{"type": "hello", "id": 1}')
        assert code(socket) == 1008


@pytest.mark.parametrize("pieces", [1, 50])
def test_a_message_that_is_too_long_closes_the_conversation(server, pieces):
    """In one frame or in many: nothing is parsed, and the server goes on."""
    long = '{"type": "hello", "id": 1, "more": "' + "x" * 10 * LONGEST + '"}'
    size = -(-len(long) // pieces)
    with server.connect() as socket:
        try:
            if pieces == 1:
                socket.send(long)
            else:
                socket.send(long[k : k + size] for k in range(0, len(long), size))
        except websockets.ConnectionClosed:
            pass
        number, why = closed(socket)
        assert number == 1009 and "a message has at most" not in why  # it was never taken whole
    with server.connect() as socket:
        ask(socket, type="hello", id=1)
        assert answers(socket, 1)


def test_a_thousand_messages_at_once_leave_no_backlog(server):
    """The last is answered as soon as if it were alone, and each of the others once at most."""
    with server.connect() as socket:
        for number in range(1, 1001):
            state = {"theta": 2.0 + number / 500}
            ask(socket, type="curves", id=number, state=state, precision="coarse")
        start = time.monotonic()
        found = answers(socket, 1000)
        assert time.monotonic() - start < 20
        computed = [item for item in found if item["type"] == "line"]
        assert len(computed) <= 60  # of 5,000
        ended = [item["id"] for item in found if item["type"] == "done"]
        assert len(ended) == len(set(ended)) and ended[-1] == 1000
        assert sum(item.get("cancelled", False) for item in found) >= 1000 - BURST - 60


def test_a_thousand_pieces_of_rubbish_at_once_are_answered_at_the_rate(server):
    with server.connect() as socket:
        for _ in range(1000):
            socket.send("rubbish")
        ask(socket, type="hello", id=1)
        found = answers(socket, 1)
        assert found[-1]["type"] == "welcome"
        assert BURST - 1 <= sum(item["type"] == "refused" for item in found) < 900


def test_too_many_conversations_are_refused_until_one_ends(server):
    with ExitStack() as others:
        for number in range(MOST_OPEN - 1):
            socket = others.enter_context(server.connect())
            ask(socket, type="hello", id=number)
            answers(socket, number)
        with server.connect() as last:
            ask(last, type="hello", id=1)
            answers(last, 1)
            with server.connect() as one_more:
                assert code(one_more) == 1013

        def another():
            with server.connect() as socket:
                try:
                    ask(socket, type="hello", id=1)
                    return bool(answers(socket, 1))
                except websockets.ConnectionClosed:
                    return False

        until(another)


@pytest.mark.parametrize("way", ["says goodbye", "breaks off"])
def test_a_client_that_vanishes_frees_the_long_lane(server, way):
    until(long_lane_is_free)
    with server.connect() as socket:
        ask(socket, type="train", id=1, state=HEAVY, trials=64, seed=0)
        while json.loads(socket.recv(timeout=60))["type"] != "dot":
            pass
        assert not long_lane_is_free()
        if way == "says goodbye":
            socket.close()
        else:
            socket.socket.shutdown(SHUT_RDWR)
        assert until(long_lane_is_free) < 5.0  # of half a minute that 64 trials take


def test_a_cancelled_training_ends_with_a_last_answer(server):
    with server.connect() as socket:
        ask(socket, type="train", id=1, state=HEAVY, trials=64, seed=0)
        ask(socket, type="cancel", id=2, of=1)
        last = answers(socket, 1)[-1]
        assert last["type"] == "done" and last["cancelled"]
    until(long_lane_is_free)


def test_long_jobs_of_two_pages_take_turns(server):
    until(long_lane_is_free)
    with server.connect() as one, server.connect() as two:
        ask(one, type="train", id=1, state=HEAVY, trials=64, seed=0)
        while json.loads(one.recv(timeout=60))["type"] != "dot":
            pass
        ask(two, type="train", id=1, state={"d": 20}, trials=1, seed=0)
        assert "waiting" in json.loads(two.recv(timeout=20))["text"]
        ask(one, type="cancel", id=2, of=1)
        assert [item["type"] for item in answers(two, 1)].count("dot") == 3


def test_silence_ends_a_conversation(started):
    with started(idle=0.5) as server, server.connect() as socket:
        ask(socket, type="hello", id=1)
        answers(socket, 1)
        assert code(socket) == 4000


class Stuck:
    """A WebSocket that sends one message, and takes no answer."""

    def __init__(self):
        self.coming = [{"type": "websocket.receive", "text": '{"type": "hello", "id": 1}'}]
        self.closed = []

    async def accept(self): ...

    async def receive(self):
        return self.coming.pop() if self.coming else await asyncio.Event().wait()

    async def send_text(self, text):
        await asyncio.Event().wait()

    async def close(self, code, reason):
        self.closed.append((code, reason))


def test_a_reader_that_takes_nothing_is_left():
    talk, socket = Talk(slowest=0.05), Stuck()
    asyncio.run(asyncio.wait_for(talk(socket), 10))
    assert socket.closed == [(1008, "answers were not read")] and talk.open == 0


def test_sessions_that_still_compute_count(monkeypatch):
    """Else pages that come and go could leave any number of computations behind."""
    monkeypatch.setattr(talks, "MOST_SESSIONS", 2)
    monkeypatch.setattr(sessions.Session, "works", True)
    talk = Talk(slowest=0.05)
    for _ in range(2):
        asyncio.run(talk(Stuck()))
    refused = Stuck()
    asyncio.run(talk(refused))
    assert refused.closed == [(1013, "too many pages are open: close one")]
    monkeypatch.setattr(sessions.Session, "works", False)
    again = Stuck()
    asyncio.run(talk(again))
    assert again.closed[0][0] == 1008
