"""What the README shows runs, and prints what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import needlescope as ns

README = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_every_block_runs_and_every_stated_number_is_right(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where it may leave its files
    space: dict = {}
    checked = 0
    for block in BLOCKS:
        exec(compile(block, "README.md", "exec"), space)
        for line in block.splitlines():
            stated = re.fullmatch(r"(ns\..*?)\s+# (\d\.\d+)", line)
            if stated:
                digits = len(stated[2].split(".")[1])
                value = eval(stated[1], space)
                assert value == pytest.approx(float(stated[2]), abs=0.51 * 10**-digits)
                checked += 1
    assert len(BLOCKS) >= 3
    assert checked == 3


def test_every_command_prints_what_it_says(tmp_path):
    text = README.read_text(encoding="utf-8")
    (spec,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "spec.toml").write_text(spec)
    program = Path(sys.executable).with_name("needlescope")
    shown = re.findall(r"```console\n\$ needlescope (.*?)\n(.*?)```", text, re.DOTALL)
    assert len(shown) == 2
    for words, output in shown:
        done = subprocess.run(
            [program, *words.split()], cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
        assert done.stdout == output, done.stderr


def test_every_call_it_lists_exists():
    for name in re.findall(r"`(\w+)\(", README.read_text(encoding="utf-8")):
        assert hasattr(ns, name) or hasattr(ns.estimators, name), name


def test_what_it_links_is_there():
    for path in re.findall(r"\]\((docs/[^)]+)\)", README.read_text(encoding="utf-8")):
        assert (README.parent / path).stat().st_size > (10_000 if path.endswith(".png") else 1000)
