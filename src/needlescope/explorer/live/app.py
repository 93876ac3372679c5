"""The application: a page, its scripts and styles, and the WebSocket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from .guard import PAGE, TALK, Guard
from .talk import Talk

HERE = Path(__file__).parent
ASSETS = HERE.parent / "assets"
NEEDED = ("explorer.js", "explorer.css")
OWN = ("page.js", "page.css")
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def files_of(assets: Path) -> dict[str, tuple[bytes, str]]:
    """Return all files that the page may load: by name, their bytes and media types.

    They are read once, at the start: a request names one of these, and no path is made of it.

    Raises
    ------
    FileNotFoundError
        If the front end is not there.

    Examples
    --------
    >>> files_of(Path("nowhere"))
    Traceback (most recent call last):
    FileNotFoundError: explorer.js is missing in nowhere: install needlescope again
    """
    for name in NEEDED:
        if not (assets / name).is_file():
            raise FileNotFoundError(f"{name} is missing in {assets}: install needlescope again")
    paths = [*(HERE / name for name in OWN), *sorted(assets.iterdir())]
    return {
        path.name: (path.read_bytes(), KINDS[path.suffix]) for path in paths if path.suffix in KINDS
    }


def make_app(
    token: str, names: Iterable[str], assets: Path = ASSETS, talk: Talk | None = None
) -> Starlette:
    """Return the application.

    Parameters
    ----------
    token : str
        What the page and the WebSocket must be asked with.
    names : iterable of str
        What a ``Host`` header may say.
    assets : Path
        Folder with ``explorer.js`` and ``explorer.css``; by default the package's.
    talk : Talk, optional
        The endpoint of the WebSocket.

    Returns
    -------
    Starlette
        With routes for GET and for one WebSocket; nothing else is answered.
    """
    from ... import __version__

    files, conversation = files_of(assets), talk or Talk()
    templates = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined
    )
    page = templates.get_template("page.html").render(version=__version__)

    async def show_page(request: Request) -> Response:
        return HTMLResponse(page)

    async def show_file(request: Request) -> Response:
        found = files.get(request.path_params["name"])
        if found is None:
            return PlainTextResponse("there is no such file", 404)
        return Response(found[0], media_type=found[1])

    async def converse(socket: WebSocket) -> None:
        await conversation(socket)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        conversation.close()

    return Starlette(
        routes=[
            Route(PAGE, show_page, methods=["GET"]),
            Route("/{name}", show_file, methods=["GET"]),
            WebSocketRoute(TALK, converse),
        ],
        middleware=[Middleware(Guard, token=token, names=names)],
        lifespan=lifespan,
    )
