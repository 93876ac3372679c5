"""Who may ask: the right host, the same origin, the token; and the headers of every answer.

A page of another site can make a browser send requests to this machine. It cannot know the token;
its requests carry a foreign ``Origin``, or, if its name was made to resolve to this machine, a
foreign ``Host``. Each is refused before a route is looked up.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
PAGE, TALK = "/", "/talk"
HTTP_PORT = 80  # which browsers leave out
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Refusal(NamedTuple):
    """An answer to who may not ask."""

    status: int
    text: str


def names_of(host: str, port: int) -> frozenset[str]:
    """Return what a ``Host`` header may say.

    >>> sorted(names_of("127.0.0.1", 8000))
    ['127.0.0.1:8000', '[::1]:8000', 'localhost:8000']
    """
    told = f"[{host}]" if ":" in host else host.lower()
    hosts = {*LOOPBACK, told} if told in LOOPBACK else {told}
    names = {f"{name}:{port}" for name in hosts}
    return frozenset(names | hosts if port == HTTP_PORT else names)


def policy(host: str) -> str:
    """Return the content security policy of a page at ``host``, a name with its port.

    >>> "script-src 'self';" in policy("127.0.0.1:8000")
    True
    """
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            f"connect-src 'self' ws://{host}",
            "img-src 'self' data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


class Guard:
    """An ASGI application in front of another: it refuses, and adds headers.

    Parameters
    ----------
    app : ASGI application
        Asked if nothing is refused.
    token : str
        What the page and the WebSocket must be asked with, as ``?token=``.
    names : iterable of str
        What the ``Host`` header may say.
    """

    def __init__(self, app: ASGIApp, token: str, names: Iterable[str]) -> None:
        self._app, self._token, self._names = app, token.encode(), frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or hand it on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self.refusal(scope, headers)
        if refusal is not None and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal.text})
            return
        host = headers.get("host", "").lower() if refusal is None else "127.0.0.1"

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = MutableHeaders(scope=message)
                added.update({**HEADERS, "content-security-policy": policy(host)})
            await send(message)

        if refusal is not None:
            answer = PlainTextResponse(refusal.text, refusal.status)
            await answer(scope, receive, with_headers)
            return
        await self._app(scope, receive, with_headers)

    def refusal(self, scope: Scope, headers: Headers) -> Refusal | None:
        """Return why a request is refused, or None."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._names:
            return Refusal(421, "this is not the host that the address names")
        own = f"http://{hosts[0].lower()}"
        socket = scope["type"] == "websocket"
        if (socket and not origins) or any(origin.lower() != own for origin in origins):
            return Refusal(403, "only the explorer's own page may ask")
        site = headers.get("sec-fetch-site", "none")
        if scope["path"] != PAGE and site not in ("none", "same-origin"):
            return Refusal(403, "only the explorer's own page may ask")
        if (socket or scope["path"] in (PAGE, TALK)) and not self._is_known(scope):
            return Refusal(403, "open the whole address that needlescope live printed")
        return None

    def _is_known(self, scope: Scope) -> bool:
        query = scope["query_string"].decode("latin-1")  # which any bytes are
        given = parse_qs(query).get("token", [""])
        return len(given) == 1 and hmac.compare_digest(given[0].encode(), self._token)
