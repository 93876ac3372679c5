"""The widget without a browser: its state from both sides, and messages through a comm."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

import needlescope as ns

pytest.importorskip("anywidget", reason="the widget needs anywidget: make test has it")


class Comm:
    """A comm that keeps what is sent, and from which thread."""

    comm_id = "fake"

    def __init__(self) -> None:
        self.sent: list[dict] = []
        self.threads: set[threading.Thread] = set()

    def send(self, data=None, metadata=None, buffers=None) -> None:
        self.sent.append(data)
        self.threads.add(threading.current_thread())

    def on_msg(self, callback) -> None:
        self.callback = callback

    def on_close(self, callback) -> None: ...

    def close(self, *args, **kwargs) -> None: ...

    def receive(self, **data) -> None:
        self.callback({"content": {"data": data}, "buffers": []})

    def answers(self) -> list[dict]:
        return [data["content"] for data in self.sent if data["method"] == "custom"]


@pytest.fixture
def explorer():
    made = ns.Explorer()
    made.comm = Comm()
    yield made
    made.close()


def ask(explorer, **message) -> None:
    explorer.comm.receive(method="custom", content=message)


def wait_for(explorer, number: int) -> list[dict]:
    end = time.monotonic() + 30.0
    while time.monotonic() < end:
        mine = [item for item in explorer.comm.answers() if item["id"] == number]
        if mine and mine[-1]["type"] in ("done", "welcome"):
            return mine
        time.sleep(0.01)
    raise AssertionError(explorer.comm.answers())


def test_python_and_the_front_end_have_one_state(explorer) -> None:
    explorer.comm.receive(method="update", state={"state": explorer.state | {"theta": 5.5}})
    assert explorer.task.theta == 5.5
    explorer.task = explorer.task.replace(L=20)
    assert explorer.state["L"] == 20 and explorer.state["theta"] == 5.5
    told = [data["state"] for data in explorer.comm.sent if data["method"] == "update"]
    assert told[-1]["state"]["L"] == 20
    explorer.training = ns.Training.joint(alpha=3.0)
    assert explorer.training.is_joint and explorer.state["kind"] == "joint"


def test_what_has_no_meaning_is_refused_in_python_and_left_out_from_the_front_end(explorer) -> None:
    with pytest.raises(ValueError, match=r"R must be an integer in 1\.\.L, got 12 with L=10"):
        explorer.state = explorer.state | {"R": 12}
    with pytest.raises(ValueError, match="no control for label_noise"):
        explorer.task = explorer.task.replace(label_noise=0.1)
    explorer.comm.receive(method="update", state={"state": explorer.state | {"R": 12}})
    assert explorer.state["R"] == 1
    with pytest.raises(ValueError, match="no control for balanced"):
        ns.Explorer(training=ns.Training(alpha0=1.0, alpha1=1.0, balanced=True))


def test_messages_are_answered_through_the_comm(explorer) -> None:
    ask(explorer, type="hello", id=1)
    assert wait_for(explorer, 1)[0]["limits"]["trials"] > 0
    ask(explorer, type="bag", id=2, state=explorer.state, seed=0)
    bag, done = wait_for(explorer, 2)
    assert sum(bag["attention"]) == pytest.approx(1.0, abs=1e-4) and not done["cancelled"]
    ask(explorer, type="bag", id=3, state=explorer.state | {"R": 11}, seed=0)
    assert wait_for(explorer, 3)[0]["text"].startswith("R must be an integer in 1..L")


def test_in_a_kernel_answers_are_sent_from_the_thread_of_its_loop(explorer) -> None:
    async def cell() -> None:
        ask(explorer, type="bag", id=4, state=explorer.state, seed=0)
        for _ in range(1000):
            await asyncio.sleep(0.01)
            if any(item["type"] == "done" for item in explorer.comm.answers()):
                return

    kernel = threading.Thread(target=lambda: asyncio.run(cell()))
    kernel.start()
    kernel.join(60)
    assert {item["type"] for item in explorer.comm.answers()} == {"bag", "done"}
    assert explorer.comm.threads == {kernel}


def test_a_closed_widget_computes_and_sends_nothing(explorer) -> None:
    ask(explorer, type="hello", id=5)
    comm, session = explorer.comm, explorer._session
    explorer.close()
    before = len(comm.sent)
    session.receive({"type": "hello", "id": 6})
    assert len(comm.sent) == before and explorer._session is None


def test_it_says_which_host_it_is(explorer) -> None:
    assert explorer.host == "notebook" and "render" in explorer._esm
