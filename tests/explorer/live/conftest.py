"""A server of the explorer with a front end that does nothing, and ways to ask it."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import pytest

TOKEN = "a token"


@pytest.fixture(scope="session")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A front end that shows a word."""
    folder = tmp_path_factory.mktemp("assets")
    (folder / "explorer.js").write_text("export default { render({ el }) { el.append('stub'); } };")
    (folder / "explorer.css").write_text("main { color: black; }")
    (folder / "secret.txt").write_text("not for the page")
    return folder


class Answer(NamedTuple):
    """What a request was answered."""

    status_code: int
    headers: dict[str, str]
    content: bytes

    @property
    def text(self) -> str:
        """The content as text."""
        return self.content.decode()


class Client:
    """Asks an application in this process, with whatever headers."""

    def __init__(self, app: Any, host: str) -> None:
        self.app, self.host = app, host

    def scope(self, kind: str, method: str, address: str, headers: Any) -> dict[str, Any]:
        """Return a request as a server hands it on."""
        path, _, query = address.partition("?")
        pairs = list(headers.items()) if isinstance(headers, dict) else list(headers or ())
        if not any(name == "host" for name, _ in pairs):
            pairs.insert(0, ("host", self.host))
        return {
            **{"type": kind, "http_version": "1.1", "method": method, "root_path": ""},
            **{"asgi": {"version": "3.0"}, "scheme": "http" if kind == "http" else "ws"},
            **{"path": unquote(path), "raw_path": path.encode(), "query_string": query.encode()},
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in pairs],
            **{"client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2), "subprotocols": []},
        }

    def request(self, method: str, address: str, headers: Any = None) -> Answer:
        """Send a request."""
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        asyncio.run(self.app(self.scope("http", method, address, headers), receive, send))
        pairs = sent[0]["headers"]
        assert len({name for name, _ in pairs}) == len(pairs)  # none is there twice
        return Answer(
            sent[0]["status"],
            {name.decode(): value.decode() for name, value in pairs},
            b"".join(message.get("body", b"") for message in sent[1:]),
        )

    def get(self, address: str, headers: Any = None) -> Answer:
        """Send a GET request."""
        return self.request("GET", address, headers)

    def connect(self, address: str, headers: Any) -> str:
        """Try to open a WebSocket, and leave; return the type of the first answer."""
        sent: list[dict[str, Any]] = []
        coming = [{"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1000}]

        async def receive() -> dict[str, Any]:
            return coming.pop(0)

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        asyncio.run(self.app(self.scope("websocket", "GET", address, headers), receive, send))
        return str(sent[0]["type"])


class Running:
    """A server that runs in a thread."""

    def __init__(self, port: int) -> None:
        self.port, self.origin = port, f"http://127.0.0.1:{port}"

    def connect(self, token: str = TOKEN, **more: Any) -> Any:
        """Open a WebSocket."""
        from websockets.sync.client import connect

        address = f"ws://127.0.0.1:{self.port}/talk?token={quote(token)}"
        return connect(address, **{"origin": self.origin, "max_size": None, **more})


@contextmanager
def running(assets: Path, **limits: float) -> Iterator[Running]:
    """Run a server in a thread, and end it."""
    from needlescope.explorer.live import serve, talk
    from needlescope.explorer.live.app import make_app

    listening = serve.bound("127.0.0.1", 0)
    port = listening.getsockname()[1]
    server = serve.server_of(listening, "127.0.0.1", TOKEN, assets)
    if limits:
        conversation = talk.Talk(**limits)  # type: ignore[arg-type]
        names = serve.names_of("127.0.0.1", port)
        server.config.app = make_app(TOKEN, names, assets, conversation)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        deadline = time.monotonic() + 20
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.01)
        assert server.started
        yield Running(port)
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()
    assert not thread.is_alive()


@pytest.fixture(scope="session")
def server(assets: Path) -> Iterator[Running]:
    """One server for all tests that leave it as it was."""
    with running(assets) as made:
        yield made


@pytest.fixture
def started(assets: Path) -> Callable[..., Any]:
    """Start a server with limits of its own."""
    return lambda **limits: running(assets, **limits)


def ask(socket: Any, **message: Any) -> None:
    """Send a request."""
    socket.send(json.dumps(message))


def answers(socket: Any, number: int, seconds: float = 60.0) -> list[dict[str, Any]]:
    """Return the answers to a request, with all that come between, up to its last."""
    result = []
    deadline = time.monotonic() + seconds
    while True:
        answer = json.loads(socket.recv(timeout=max(0.01, deadline - time.monotonic())))
        result.append(answer)
        if answer["id"] == number and answer["type"] in ("done", "welcome", "refused"):
            return result
