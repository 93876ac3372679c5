"""The server itself: where it listens, what it prints, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="needlescope[live] is not installed")

from needlescope.explorer.live import serve

RUN = """
import sys
from pathlib import Path
from needlescope.cli.main import main
from needlescope.explorer.live import serve
whole, assets = serve.serve, Path(sys.argv[1])
serve.serve = lambda *given, **named: whole(*given, **named, assets=assets)
sys.argv[:] = ["needlescope", "live", "--no-browser", *sys.argv[2:]]
main()
"""


@pytest.fixture
def program(assets, tmp_path):
    """Start the command with a front end that does nothing."""
    started = []

    def start(*words):
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, str(assets), *words],
            cwd=tmp_path,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_it_prints_one_address_and_ctrl_c_ends_it(program, tmp_path):
    process = program()
    line = process.stdout.readline()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}\n", line)
    with urllib.request.urlopen(line.strip(), timeout=30) as answer:
        assert answer.status == 200 and "server" not in answer.headers
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(line.partition("?")[0], timeout=30)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (out, err) == ("", "the explorer has ended\n")
    assert process.returncode == 128 + signal.SIGINT
    assert list(tmp_path.iterdir()) == []  # nothing is written


def test_every_start_has_a_token_of_its_own_and_only_this_machine_is_listened_to(program):
    lines = {program().stdout.readline() for _ in range(2)}
    tokens = {line.partition("token=")[2] for line in lines}
    assert len(tokens) == 2
    port = int(re.search(r":(\d+)/", lines.pop())[1])
    others = {item[4][0] for item in socket.getaddrinfo(socket.gethostname(), None)}
    for address in [item for item in others if not serve.is_loopback(item)]:
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as other:
            other.settimeout(5)
            assert other.connect_ex((address, port)) != 0


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "*"])
def test_a_host_that_stands_for_all_is_refused(host):
    with pytest.raises(ValueError, match="host must be one address or name"):
        serve.bound(host, 0)


def test_a_host_that_is_none_and_a_port_that_is_taken_are_refused():
    with pytest.raises(ValueError, match=r"host 'no\.such\.invalid' is no address of this mach"):
        serve.bound("no.such.invalid", 0)
    with closing(serve.bound("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=rf"port {port} of 127\.0\.0\.1 cannot be taken: "):
            serve.bound("127.0.0.1", port)
    with pytest.raises(ValueError, match="port must be an integer in 0"):
        serve.bound("127.0.0.1", 70_000)


@pytest.mark.parametrize(
    ("host", "known"),
    [("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("localhost", True),
     ("192.0.2.1", False), ("example.org", False)],
)  # fmt: skip
def test_loopback_is_known(host, known):
    assert serve.is_loopback(host) is known


def test_a_browser_is_opened_at_the_address(monkeypatch, assets):
    opened, told = [], []
    monkeypatch.setattr(serve.webbrowser, "open", opened.append)

    class Server:
        def run(self, sockets):
            assert sockets[0].getsockname()[0] == "127.0.0.1"

    monkeypatch.setattr(serve, "server_of", lambda *given: Server())
    monkeypatch.setattr(serve.threading, "Thread", Now)
    monkeypatch.setattr(serve, "_warm_up", lambda: None)
    serve.serve(tell=told.append, assets=assets)
    assert opened == told and len(told) == 1
    serve.serve(browser=False, tell=told.append, assets=Path(assets))
    assert len(opened) == 1 and len(told) == 2


class Now:
    """A thread that runs at once."""

    def __init__(self, target, args=(), daemon=None):
        self.start = lambda: target(*args)
