"""A conversation: messages of a WebSocket into a session, and its answers back.

What is bounded: conversations at a time, sessions that still compute for somebody who has gone,
the length and the rate of messages, answers that wait, seconds that a reader may take for one, and
seconds of silence.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from ..protocol import LONGEST, Request, read, write
from ..session import Session
from .outbox import Outbox
from .rate import Rate

MOST_OPEN = 8  # conversations
MOST_SESSIONS = 16  # with those whose last computation is still to end
IDLE = 1800.0  # seconds without a message, after which a conversation is closed
SLOWEST = 20.0  # seconds for a reader to take an answer
POLICY, TOO_LONG, TRY_LATER, GONE_QUIET = 1008, 1009, 1013, 4000  # codes of closing


class Talk:
    """The endpoint of the WebSocket, and all conversations that are open.

    Parameters
    ----------
    most : int, default 8
        Conversations at a time.
    idle, slowest : float
        Seconds of silence, and seconds for a reader to take an answer, before one is closed.
    """

    def __init__(self, most: int = MOST_OPEN, idle: float = IDLE, slowest: float = SLOWEST) -> None:
        self._most, self._idle, self._slowest = most, idle, slowest
        self._open, self._ending = list[Session](), list[Session]()

    @property
    def open(self) -> int:
        """Conversations that are open."""
        return len(self._open)

    async def __call__(self, socket: WebSocket) -> None:
        """Hold a conversation."""
        self._ending = [session for session in self._ending if session.works]
        await socket.accept()
        if self.open >= self._most or self.open + len(self._ending) >= MOST_SESSIONS:
            await socket.close(TRY_LATER, "too many pages are open: close one")
            return
        outbox = Outbox()
        session = Session(outbox.put)
        self._open.append(session)
        try:
            await self._converse(socket, session, outbox)
        finally:
            session.close()
            self._open.remove(session)
            self._ending.append(session)

    def close(self) -> None:
        """End the work of all conversations."""
        for session in self._open:
            session.close()

    async def _converse(self, socket: WebSocket, session: Session, outbox: Outbox) -> None:
        """Listen and answer until either ends."""
        tasks = [
            asyncio.create_task(self._listen(socket, session, outbox)),
            asyncio.create_task(self._answer(socket, outbox)),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        closing = next(iter(done)).result()
        if closing is not None:
            with suppress(RuntimeError, WebSocketDisconnect, OSError, TimeoutError):
                await asyncio.wait_for(socket.close(*closing), self._slowest)

    async def _answer(self, socket: WebSocket, outbox: Outbox) -> tuple[int, str] | None:
        """Send answers as they come; end when nobody takes them."""
        while True:
            text = write(await outbox.get())
            try:
                await asyncio.wait_for(socket.send_text(text), self._slowest)
            except TimeoutError:
                return POLICY, "answers were not read"
            except (RuntimeError, WebSocketDisconnect, OSError):
                return None

    async def _listen(
        self, socket: WebSocket, session: Session, outbox: Outbox
    ) -> tuple[int, str] | None:
        """Hand messages to the session, at its rate."""
        rate, heard = Rate(time.monotonic()), time.monotonic()
        receiving: asyncio.Task[Any] | None = None
        try:
            while True:
                receiving = receiving or asyncio.create_task(socket.receive())
                left = self._idle - (time.monotonic() - heard)
                done, _ = await asyncio.wait([receiving], timeout=_least(left, rate.wait))
                due = rate.due(time.monotonic())
                if due is not None:
                    await _hand_on(session, due)
                if not done:
                    if time.monotonic() - heard >= self._idle:
                        return GONE_QUIET, "nothing was asked for a long time"
                    continue
                message, receiving, heard = receiving.result(), None, time.monotonic()
                if message["type"] == "websocket.disconnect":
                    return None
                text = message.get("text")
                if text is None:
                    return POLICY, "messages are text"
                if len(text) > LONGEST:
                    return TOO_LONG, f"a message has at most {LONGEST:,} characters"
                await _take(text, rate, session, outbox)
        finally:
            if receiving is not None:
                receiving.cancel()


async def _take(text: str, rate: Rate, session: Session, outbox: Outbox) -> None:
    """Hand a message on, or keep it until it may pass."""
    try:
        request = read(text)
    except ValueError as problem:
        if rate.spend(time.monotonic()):
            outbox.put({"type": "refused", "id": 0, "field": "", "text": str(problem)})
        return
    passes, replaced = rate.take(request, time.monotonic())
    if replaced is not None:
        outbox.put({"type": "done", "id": replaced.id, "seconds": 0.0, "cancelled": True})
    if passes:
        await _hand_on(session, request)


async def _hand_on(session: Session, request: Request) -> None:
    """Give a request to the session; a script is written in a thread, as it takes a moment."""
    message = {"type": request.type, "id": request.id, **request.fields}
    if request.type == "script":
        await asyncio.to_thread(session.receive, message)
    else:
        session.receive(message)


def _least(left: float, wait: float | None) -> float:
    return max(0.0, left if wait is None else min(left, wait))
