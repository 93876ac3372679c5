"""Serving: a socket on loopback, its address with a token, and an end by Ctrl-C."""

from __future__ import annotations

import ipaddress
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import uvicorn

from ..lines import COARSE, LINES, line_of
from ..protocol import LONGEST
from ..state import State
from .app import ASSETS, make_app
from .guard import LOOPBACK, names_of

LOCAL = "127.0.0.1"
TOKEN_BYTES = 32
MOST_SOCKETS = 64  # of HTTP and WebSocket, with those that only wait
PING = 20.0  # seconds between looks at whether a browser is still there, and for its answer
PATIENCE = 2  # seconds for requests under way, at the end


def bound(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes a free one.

    Raises
    ------
    ValueError
        If the host stands for all addresses, or nothing can listen there.

    Examples
    --------
    >>> with closing(bound("127.0.0.1", 0)) as listening:
    ...     listening.getsockname()[1] > 1023
    True
    """
    if not 0 <= port <= 65535:
        raise ValueError(f"port must be an integer in 0..65535, got {port}")
    if _is_wildcard(host):
        raise ValueError(
            f"host must be one address or name, which the browser is given; got {host!r}, "
            "which stands for all"
        )
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
    except OSError as problem:
        raise ValueError(f"host {host!r} is no address of this machine: {problem}") from None
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen()
    except OSError as problem:
        made.close()
        raise ValueError(
            f"port {port} of {host} cannot be taken: {problem.strerror}; leave --port out for a "
            "free one"
        ) from None
    return made


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches a host.

    >>> is_loopback("127.0.0.1"), is_loopback("192.0.2.1")
    (True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() in LOOPBACK


def _is_wildcard(host: str) -> bool:
    try:
        return not host or ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return host == "*"


def server_of(
    listening: socket.socket, host: str, token: str, assets: Path = ASSETS
) -> uvicorn.Server:
    """Return the server of a socket, with its limits."""
    names = names_of(host, listening.getsockname()[1])
    config = uvicorn.Config(
        make_app(token, names, assets),
        ws="websockets-sansio",
        ws_max_size=LONGEST,
        ws_per_message_deflate=False,  # so that a message is as long as it looks
        ws_ping_interval=PING,
        ws_ping_timeout=PING,
        limit_concurrency=MOST_SOCKETS,
        timeout_graceful_shutdown=PATIENCE,
        log_level="warning",
        access_log=False,  # which would write the token
        proxy_headers=False,
        server_header=False,
    )
    return uvicorn.Server(config)


def serve(
    host: str = LOCAL,
    port: int = 0,
    browser: bool = True,
    tell: Callable[[str], None] = print,
    assets: Path = ASSETS,
) -> None:
    """Serve the explorer until it is stopped by Ctrl-C.

    Parameters
    ----------
    host : str, default "127.0.0.1"
        Address to listen at.
    port : int, default 0
        Port; 0 takes a free one.
    browser : bool, default True
        Whether to open a browser.
    tell : callable
        Given the address, once the port is taken.
    assets : Path
        Folder of the front end.
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    with closing(bound(host, port)) as listening:
        server = server_of(listening, host, token, assets)
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listening.getsockname()[1]}/?token={quote(token)}"
        tell(address)
        threading.Thread(target=_warm_up, daemon=True).start()
        if browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        server.run(sockets=[listening])


def _warm_up() -> None:
    """Compute what the page shows first, while the browser starts."""
    for name in LINES:
        line_of(name, State(), COARSE)
