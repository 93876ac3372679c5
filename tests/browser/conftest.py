"""A browser, the real server with the real front end, and a page that says what goes wrong."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOTS = ROOT / ".browser" / "screenshots"
AXE = ROOT / ".browser" / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
RECORDER = """
window.talk = [];
window.keyed = 0;
addEventListener("keydown", () => { keyed = performance.now(); }, true);
const Plain = WebSocket;
window.WebSocket = class extends Plain {
  constructor(...given) {
    super(...given);
    window.socket = this;
    this.addEventListener("message", (event) =>
      talk.push({ way: "in", at: performance.now(), message: JSON.parse(event.data) }));
  }
  send(text) {
    talk.push({ way: "out", at: performance.now(), message: JSON.parse(text) });
    super.send(text);
  }
};
"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs make test-browser")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"{CHROMIUM} is missing: apt-get install chromium")
    with playwright.sync_playwright() as started:
        made = started.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield made
        made.close()


class Server:
    """The program ``needlescope live``, running."""

    def __init__(self, *words: str) -> None:
        run = "import sys; from needlescope.cli.main import main; main()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", run, "live", "--no-browser", *words],
            text=True, stdout=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        found = re.search(r":(\d+)/", self.address)
        assert found, "the program printed no address"
        self.port = found[1]

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=20)


@pytest.fixture(scope="session")
def server(browser: Any) -> Iterator[Server]:
    """A server that has been running for a moment."""
    made = Server()
    yield made
    made.stop()
    assert made.process.returncode == 130


@pytest.fixture
def open_page(browser: Any, server: Server) -> Iterator[Callable[..., Any]]:
    """Open the explorer; whatever the console says against it fails the test."""
    contexts, faults = [], list[str]()

    def opened(address: str | None = None, expected: str = "", **more: Any) -> Any:
        def told(kind: str, text: str) -> None:
            if kind in ("error", "warning") and not (expected and expected in text):
                faults.append(text)

        options = {"viewport": {"width": 1280, "height": 900}, **more}
        context = browser.new_context(**options)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(RECORDER)
        page.on("console", lambda message: told(message.type, message.text))
        page.on("pageerror", lambda problem: faults.append(str(problem)))
        page.goto(address or server.address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not faults, faults


@pytest.fixture
def page(open_page: Callable[..., Any]) -> Any:
    """A page whose fine lines are there."""
    made = open_page()
    rested(made)
    return made


def rested(page: Any, seconds: float = 60.0) -> None:
    """Wait until the fine lines and the map of the newest state are there."""
    page.wait_for_function(
        """() => {
          const asked = talk.filter(({ way, message }) => way === "out" && message.type === "map");
          const last = asked.at(-1)?.message.id;
          const newer = talk.filter(({ way, message }) => way === "out" && message.id > last
            && ["curves", "map"].includes(message.type));
          return last && newer.length === 0 && talk.some(({ way, message }) =>
            way === "in" && message.id === last && message.type === "done");
        }""",
        timeout=1000 * seconds,
    )


def talk(page: Any, way: str, kind: str) -> list[dict[str, Any]]:
    """Return the messages of a type in one direction, with their times."""
    items: list[dict[str, Any]] = page.evaluate("() => talk")
    return [item for item in items if item["way"] == way and item["message"]["type"] == kind]
