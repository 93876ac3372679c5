"""The explorer in a real JupyterLab: a curve appears, and Python reads what a slider says."""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

CELLS = (
    "import needlescope as ns\ntask = ns.Task(L=20, R=1, theta=5.0, pi=0.5)\n"
    "explorer = ns.Explorer(task)\nexplorer",
    'print("theta is", explorer.task.theta)',
    'explorer.task = explorer.task.replace(theta=2.5)\nprint("set")',
)
HOMES = (
    *("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR"),
    *("JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR"),
)
WAIT = 40_000  # milliseconds


def notebook(path: Path) -> None:
    cells = [
        {"cell_type": "code", "id": f"cell{k}", "metadata": {}, "execution_count": None,
         "outputs": [], "source": text}
        for k, text in enumerate(CELLS)
    ]  # fmt: skip
    kernel = {"name": "python3", "display_name": "Python 3"}
    content = {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.write_text(json.dumps(content))


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A JupyterLab on loopback; its address with a token."""
    pytest.importorskip("jupyterlab", reason="needs make test-browser")
    pytest.importorskip("anywidget", reason="needs make test-browser")
    folder, token = tmp_path_factory.mktemp("lab"), secrets.token_hex(16)
    notebook(folder / "explorer.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = {name: str(folder / name) for name in HOMES}
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
                *(f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1"),
                *(f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}"),
                "--LabApp.news_url=None",
            ],
            stdout=log,
            stderr=log,
            env={**os.environ, **home},
        )
    address = f"http://127.0.0.1:{port}"
    for _ in range(120):
        try:
            urlopen(f"{address}/api", timeout=5)
            break
        except (URLError, OSError):
            time.sleep(0.5)
    yield f"{address}/lab/tree/explorer.ipynb?token={token}"
    server.send_signal(signal.SIGINT)
    server.send_signal(signal.SIGTERM)
    try:
        server.wait(20)
    except subprocess.TimeoutExpired:
        server.kill()


@pytest.fixture
def page(browser: Any, lab: str) -> Iterator[Any]:
    """The notebook, opened."""
    context = browser.new_context(viewport={"width": 1400, "height": 1600})
    made = context.new_page()
    made.goto(lab)
    yield made
    context.close()


def run(page: Any, number: int) -> None:
    """Run a cell; what is pressed before the kernel listens is lost, and pressed again."""
    cell = page.locator(".jp-CodeCell").nth(number)
    prompt = cell.locator(".jp-InputPrompt")
    for _ in range(10):
        cell.locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(1500)
        if (prompt.text_content() or "").strip() != "[ ]:":
            return
    raise AssertionError(f"cell {number} does not run")


def shown(page: Any) -> float:
    return float(page.get_by_role("slider", name="θ").get_attribute("aria-valuetext"))


def test_python_and_the_sliders_move_each_other(page: Any) -> None:
    page.locator(".jp-CodeCell").first.wait_for(timeout=WAIT)
    run(page, 0)
    summary = page.locator(".ns-summary")
    summary.filter(has_text=re.compile(r"θ = 5 .* test error of 0\.\d")).wait_for(timeout=WAIT)
    box = page.get_by_role("slider", name="θ").bounding_box()
    page.mouse.click(box["x"] + 0.55 * box["width"], box["y"] + 0.5 * box["height"])
    assert shown(page) > 5.5
    moved = re.compile(rf"θ = {shown(page):g} .* test error of \d")
    summary.filter(has_text=moved).wait_for(timeout=WAIT)
    page.wait_for_timeout(1000)  # the state follows when the slider rests
    run(page, 1)
    output = page.locator(".jp-CodeCell").nth(1).locator(".jp-OutputArea-output")
    output.wait_for(timeout=WAIT)
    assert float(output.text_content().split()[-1]) == pytest.approx(shown(page), abs=1e-3)
    run(page, 2)
    summary.filter(has_text="θ = 2.5 ").wait_for(timeout=WAIT)
    assert shown(page) == 2.5
