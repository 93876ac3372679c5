"""The script, executed: it prints the numbers of the lines that the session sent."""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import numpy as np
import pytest

from needlescope.explorer.script import script_of
from needlescope.explorer.session import Session
from needlescope.explorer.state import State

STATES = {
    "two steps": State(),
    "by its steps": State(query="steps", alpha0=1.0, alpha1=3.0, loss="square", beta=0.5),
    "spectrum": State(noise="power_law", noise_value=0.7, signal="loud", kappa=2.0),
    "spikes": State(noise="spiked", noise_value=3.0, signal="quiet", query="steps"),
    "schedule": State(kind="schedule", steps=3),
    "joint": State(kind="joint", L=3, theta=4.0),
}
SLOW = ("schedule", "joint", "spikes", "by its steps")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in STATES]
)
def test_the_script_prints_what_the_session_sent(name, tmp_path):
    answers = []
    session = Session(answers.append)
    request = {"state": STATES[name].to_dict(), "precision": "fine"}
    session._answer(_request(request), lambda: False)
    session.close()
    lines = {item["name"]: item for item in answers if item["type"] == "line"}
    assert len(lines) == 6 and not any(item["text"] for item in lines.values())
    path = tmp_path / "shown.py"
    path.write_text(script_of(STATES[name]))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(path)],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    printed = {}
    for row in done.stdout.splitlines():
        label, _, values = row.partition(" ")
        printed[label] = np.array(ast.literal_eval(values.replace("nan", "None")), float)
    assert set(printed) == set(lines)
    for label, values in printed.items():
        sent = np.c_[np.array(lines[label]["x"], float), np.array(lines[label]["y"], float)]
        assert np.allclose(values, sent.round(4), rtol=0.0, atol=1.01e-4, equal_nan=True), label


def _request(fields):
    from needlescope.explorer.protocol import Request

    return Request("curves", 1, fields)


@pytest.mark.parametrize("kind", ["two_steps", "schedule", "joint"])
@pytest.mark.parametrize("noise", ["white", "power_law", "spiked", "two_levels"])
@pytest.mark.parametrize("query", ["kappa", "steps"])
def test_every_script_is_python(kind, noise, query):
    state = State(kind=kind, noise=noise, query=query, noise_value=0.3, theta=1e-5)
    ast.parse(script_of(state))
