"""What the tests of all commands share: ways to run one, and a small sweep."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

from needlescope.cli.group import group
from needlescope.cli.main import main
from needlescope.cli.stopping import SIGNALS
from needlescope.experiments.units.unit import Unit, canonical
from needlescope.gallery.registry import modules, published

ROUGH = ("predict", "asymptote", "crossover")
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
    return lambda *arguments: CliRunner().invoke(group, [str(argument) for argument in arguments])


def tiny(units):
    """Of a figure's quick units, six trials at three points, their theory, and some lines.

    Dimensions are at most 40, sequences 1000 tokens, and theory is rough.
    """
    points, lines, kept = defaultdict(list), defaultdict(list), []
    largest = max((unit.arguments.get("d", 0) for unit in units), default=0)
    for unit in units:
        given = dict(unit.arguments)
        if given.get("task", {}).get("L", 0) > 1000:
            continue
        if "seed" not in given:
            lines[unit.call].append(unit)
        elif given["seed"][-1] < 6:
            fixed = {key: value for key, value in given.items() if key not in ("seed", "d")}
            if largest > 40:
                given["d"] = max(given["d"] * 40 // largest, 10)
            points[canonical(fixed)].append(Unit(unit.call, given))
    chosen = list(points.values())
    places = (1, len(chosen) // 2 - 1, -1)
    drawn = [unit for place in places for unit in chosen[place]]
    for same in lines.values():
        for place, unit in enumerate(same):
            asked = {key: value for key, value in unit.arguments.items() if key != "tol"}
            meant = any(asked.items() <= item.arguments.items() for item in drawn)
            if meant or place % max(1, len(same) // 2) == 0:
                rough = {"tol": 5e-3} if unit.call in ROUGH else {}
                kept.append(Unit(unit.call, {**unit.arguments, **rough}))
    return list({unit.key: unit for unit in kept + drawn}.values())


@pytest.fixture(scope="module")
def tiny_experiments():
    """All experiments in sizes that take a second, drawn in few dots, test errors to 1e-3."""
    savefig = Figure.savefig
    with pytest.MonkeyPatch.context() as patch:
        for name in modules():
            units = published(name).units
            small = lambda full, units=units: tiny(units(full))  # noqa: E731
            patch.setattr(f"{modules()[name]}.units", small)
        patch.setattr("needlescope.simulation.error.attention.TOL", 1e-3)
        patch.setattr("needlescope.simulation.error.estimated.ESTIMATE_TOL", 1e-3)
        patch.setattr(Figure, "savefig", lambda self, path, dpi: savefig(self, path, dpi=dpi / 8))
        yield


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


def heed_signals():
    """Undo what whoever runs the tests may ignore: Ctrl-C in the background, SIGHUP by nohup."""
    for item in SIGNALS:
        signal.signal(item, signal.SIG_DFL)


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
            preexec_fn=heed_signals,
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
