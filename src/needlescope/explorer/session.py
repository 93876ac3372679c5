"""A session: requests of a front end in, answers out, newest first.

Requests go through lanes, each a thread. The lines and the map follow a slider: a newer request
replaces one of its type that waits, and one that is under way ends before its next piece. The live
bag has a lane of its own. What takes seconds (``train``, ``plan``) is in the last, one at a time,
for all sessions of a process together.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from ..errors import NoMinimiser, NotConverged
from .bag import live_bag
from .landscape import phase, thresholds, win_map
from .lines import FINE, LINES, PRECISIONS, axis_of, follows, line_of, value_of
from .plans import Cancelled, answer, read_question
from .protocol import Request, plain, read
from .script import script_of
from .state import LOSSES, NOISES, RANGES, Refused, State
from .story import STORY
from .trials import MOST_TRIALS, check_trials, dots

WORKING = threading.Semaphore(1)  # one long job in a process
WAIT = 0.2  # seconds between looks at whether a job was stopped

Send = Callable[[dict[str, Any]], None]


class Lane:
    """A thread that works on the newest request of each type."""

    def __init__(self, work: Callable[[Request, Callable[[], bool]], None]) -> None:
        self._work, self._waiting = work, dict[str, Request]()
        self._running: Request | None = None
        self._stopped, self._closed = set[int](), False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._loop, daemon=True)
        self._thread.start()

    def put(self, request: Request) -> None:
        """Take a request; it replaces one of its type that waits."""
        with self._changed:
            self._waiting[request.type] = request
            self._changed.notify()

    def stop(self, number: Any) -> bool:
        """Stop a request, waiting or running; return whether it waited."""
        with self._changed:
            kept = {k: item for k, item in self._waiting.items() if item.id != number}
            waited, self._waiting = len(kept) < len(self._waiting), kept
            if self._running is not None and self._running.id == number:
                self._stopped.add(self._running.id)
            return waited

    @property
    def works(self) -> bool:
        """Whether the thread has not ended."""
        return self._thread.is_alive()

    def close(self) -> None:
        """End the thread, after what it computes now."""
        with self._changed:
            self._closed, self._waiting = True, {}
            self._changed.notify()

    def _loop(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                self._running = self._waiting.pop(next(iter(self._waiting)))
            request = self._running
            self._work(request, lambda request=request: self._is_stale(request))  # type: ignore[misc]
            with self._changed:
                self._running = None
                self._stopped.discard(request.id)

    def _is_stale(self, request: Request) -> bool:
        """Whether a request was stopped, or a newer one of its type waits."""
        newer = self._waiting.get(request.type)
        return self._closed or request.id in self._stopped or newer is not None


class Session:
    """What answers a front end; ``send`` is called from its threads.

    Examples
    --------
    >>> answers = []
    >>> session = Session(answers.append)
    >>> session.receive({"type": "hello", "id": 1})
    >>> answers[0]["type"], answers[0]["limits"]["trials"]
    ('welcome', 64)
    >>> session.close()
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        follow, long = Lane(self._answer), Lane(self._answer_in_turn)
        self._lanes = {"curves": follow, "map": follow, "train": long, "plan": long}
        self._lanes["bag"] = Lane(self._answer)  # it is there at once, whatever lines take
        self._closed = False

    def receive(self, message: Any) -> None:
        """Take a message; what is wrong with it is answered, never raised."""
        try:
            request = read(message)
        except ValueError as problem:
            self._reply(0, "refused", field="", text=str(problem))
            return
        if request.type == "hello":
            self._reply(request.id, "welcome", **welcome())
        elif request.type == "cancel":
            stopped = request.fields["of"]
            if any(lane.stop(stopped) for lane in self._each):
                self._reply(stopped, "done", seconds=0.0, cancelled=True)
        elif request.type == "script":
            self._answer(request, lambda: False)
        else:
            self._lanes[request.type].put(request)

    def close(self) -> None:
        """Stop all work; nothing is sent from now on."""
        self._closed = True
        for lane in self._each:
            lane.close()

    @property
    def works(self) -> bool:
        """Whether something is computed, or waited for; after `close`, until that has ended."""
        return any(lane.works for lane in self._each)

    @property
    def _each(self) -> set[Lane]:
        return set(self._lanes.values())

    def _reply(self, number: int, answer: str, /, **fields: Any) -> None:
        if not self._closed:
            self._send(plain({"type": answer, "id": number, **fields}))

    def _answer_in_turn(self, request: Request, stale: Callable[[], bool]) -> None:
        """Wait until no other session has a long job, then answer."""
        told = False
        while not WORKING.acquire(timeout=WAIT):
            if stale():
                self._reply(request.id, "done", seconds=0.0, cancelled=True)
                return
            if not told:
                told = True
                self._reply(request.id, "progress", done=0, total=0, text="waiting for another job")
        try:
            self._answer(request, stale)
        finally:
            WORKING.release()

    def _answer(self, request: Request, stale: Callable[[], bool]) -> None:
        start, number = time.perf_counter(), request.id
        try:
            getattr(self, f"_{request.type}")(number, request.fields, stale)
        except Cancelled:
            self._reply(number, "done", seconds=time.perf_counter() - start, cancelled=True)
            return
        except Refused as problem:
            self._reply(number, "refused", field=problem.field, text=str(problem))
        except (NotConverged, NoMinimiser) as problem:
            self._reply(number, "failed", text=str(problem))
        except ValueError as problem:
            self._reply(number, "refused", field=_first_word(str(problem)), text=str(problem))
        except Exception as problem:  # a mistake of ours must not end the session
            self._reply(number, "failed", text=f"{type(problem).__name__}: {problem}"[:400])
        self._reply(number, "done", seconds=time.perf_counter() - start, cancelled=stale())

    def _curves(self, number: int, fields: dict[str, Any], stale: Callable[[], bool]) -> None:
        state, precision = State.read(fields["state"]), fields["precision"]
        if precision not in PRECISIONS:
            raise Refused("precision", f"precision must be coarse or fine, got {precision!r:.40}")
        values: dict[str, Any] = {}
        for name, line in LINES.items():
            if stale():
                return
            if precision != FINE and not follows(name, state):
                continue
            found = line_of(name, state, precision, stale)
            if found is None:
                return
            shown = {"name": name, "label": line.label, "kind": line.kind, "precision": precision}
            if isinstance(found, str):
                x = axis_of(name, state, precision)
                self._reply(number, "line", **shown, x=x, y=[], se=[], provenance="", text=found)
                continue
            self._reply(number, "line", **shown, **found._asdict(), text="")
            if precision == FINE:
                at = value_of(name, state, precision)
                if not isinstance(at, str):
                    values[name] = {"y": at.y[0], "se": at.se[0], "provenance": at.provenance}
        if values:
            self._reply(number, "point", x=state.alpha, values=values)

    def _bag(self, number: int, fields: dict[str, Any], stale: Callable[[], bool]) -> None:
        state, seed = State.read(fields["state"]), fields["seed"]
        if type(seed) is not int or not 0 <= seed < 2**31:
            raise Refused("seed", f"seed must be an integer in 0..2147483647, got {seed!r:.40}")
        self._reply(number, "bag", **live_bag(state, seed))

    def _map(self, number: int, fields: dict[str, Any], stale: Callable[[], bool]) -> None:
        state = State.read(fields["state"])
        found = win_map(state, stale)
        if found is not None and not stale():
            phases = thresholds(state, found["y"], stale)
            self._reply(number, "map", **found, phase=phase(state), phases=phases)

    def _train(self, number: int, fields: dict[str, Any], stale: Callable[[], bool]) -> None:
        state = State.read(fields["state"])
        trials, seed = check_trials(state, fields["trials"]), fields["seed"]
        if type(seed) is not int or not 0 <= seed < 2**31:
            raise Refused("seed", f"seed must be an integer in 0..2147483647, got {seed!r:.40}")
        for dot in dots(state, trials, seed, stale):
            self._reply(number, "dot", **dot)
            self._reply(number, "progress", done=dot["trial"], total=trials, text="")
        if stale():
            raise Cancelled

    def _plan(self, number: int, fields: dict[str, Any], stale: Callable[[], bool]) -> None:
        question = read_question(fields["question"])

        def tell(done: int, total: int, text: str) -> None:
            self._reply(number, "progress", done=done, total=total, text=text)

        found = answer(question, tell, stale)
        if stale():
            raise Cancelled
        self._reply(number, "plan", **found)

    def _script(self, number: int, fields: dict[str, Any], stale: Callable[[], bool]) -> None:
        self._reply(number, "script", text=script_of(State.read(fields["state"])))


def welcome() -> dict[str, Any]:
    """Return what there is: limits, the story, the lines, the usual state."""
    from .. import __version__

    return {
        "version": __version__,
        "limits": {"trials": MOST_TRIALS, **{name: list(ends) for name, ends in RANGES.items()}},
        "lines": [
            {"name": line.name, "label": line.label, "kind": line.kind} for line in LINES.values()
        ],
        "losses": list(LOSSES),
        "noises": list(NOISES),
        "presets": [{**chapter._asdict(), "state": chapter.state.to_dict()} for chapter in STORY],
        "state": State().to_dict(),
    }


def _first_word(text: str) -> str:
    return text.split(" ", 1)[0][:40]
