"""What the tests of all commands share: ways to run one, and a small sweep."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from needlescope.cli.group import group
from needlescope.cli.main import main

PROGRAM = Path(sys.executable).with_name("needlescope")
SPEC = """
call = ["predict", "simulate"]
model = ["pooled"]
d = 20
trials = 2
[task]
L = 4
R = 1
theta = [2.0, 3.0]
pi = 0.5
[training]
alpha0 = 1.0
alpha1 = 2.0
"""


@pytest.fixture
def run():
    """Run a command in this process: exit code, standard output, standard error."""
    return lambda *arguments: CliRunner().invoke(group, [str(one) for one in arguments])


@pytest.fixture
def refused(monkeypatch, capsys):
    """Run a command that must be refused: what it says, which is one sentence and exit code 2."""

    def refused(*arguments):
        monkeypatch.setattr(sys, "argv", ["needlescope", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        assert (stop.value.code, out) == (2, "")
        assert "Traceback" not in err
        return err

    return refused


@pytest.fixture
def shell(tmp_path):
    """Run a line in a shell, in the test's own folder, with the real program on its path."""
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"

    def shell(line, **more):
        options = {"shell": True, "cwd": tmp_path, "text": True, "capture_output": True} | more
        return subprocess.run(line, env={**os.environ, "PATH": path}, timeout=300, **options)

    return shell


@pytest.fixture
def start(tmp_path):
    """Start the real program in the background, where Ctrl-C reaches it."""
    started = []

    def start(*arguments):
        process = subprocess.Popen(
            [str(PROGRAM), *map(str, arguments)],
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
        process.wait()


@pytest.fixture
def spec(tmp_path):
    """A file with a sweep of 6 cheap units; `change` takes replacements in it."""
    path = tmp_path / "spec.toml"

    def change(*pairs):
        text = SPEC
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        path.write_text(text)
        return path

    return change
