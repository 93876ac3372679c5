"""``needlescope live``: Show the explorer in a browser, served on this machine."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import click

from .stopping import check_stopped

NEEDED = ("starlette", "uvicorn", "websockets", "jinja2")


@click.command("live")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port; a free one by default."
)
@click.option(
    "--host", default="127.0.0.1", show_default=True,
    help="Address to listen at. Any but loopback lets others on the network in who know the token.",
)  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@click.option(
    "--export", type=click.Path(dir_okay=False), default=None, metavar="PAGE.HTML",
    help="Write a page that needs no server, and serve nothing.",
)  # fmt: skip
def command(port: int, host: str, no_browser: bool, export: str | None) -> None:
    """Show the explorer in a browser: turn the knobs, watch attention find the needle.

    One line is printed, the address with a token that is new each time. Ctrl-C ends it.
    """
    if export is not None:
        import_module("needlescope.explorer.export").page(export)
        click.echo(export)
        return
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ImportError(
            f'needlescope live needs {", ".join(missing)}: pip install "needlescope[live]"',
            name=missing[0],
        )
    from ..explorer.live.serve import is_loopback, serve

    check_stopped()
    if not is_loopback(host):
        click.echo(
            f"note: {host} is more than this machine, and nothing is encrypted: whoever sees the "
            "address can have this machine compute",
            err=True,
        )
    serve(host, port, browser=not no_browser, tell=click.echo)
