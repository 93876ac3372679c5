"""The group of commands: their help, what it loads, and options that are not."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

from needlescope.cli.group import SUMMARIES

HEAVY = ("numpy", "scipy", "pandas", "matplotlib", "rich", "loky")


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_command_explains_itself(name, run):
    result = run(name, "--help")
    assert result.exit_code == 0 and "Usage:" in result.output and "--json" in result.output
    assert "--csv" in result.output


def test_the_group_lists_every_command(run):
    for flag in ("-h", "--help"):
        output = run(flag).output
        assert all(name in output and text[:30] in output for name, text in SUMMARIES.items())
        assert "our own derivation" in output


def test_help_loads_nothing_heavy():
    code = "import sys\nfrom needlescope.cli.group import group\n"
    for words in (["-h"], *([name, "-h"] for name in SUMMARIES)):
        code += f"group({words!r}, standalone_mode=False)\n"
    code += f"print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]", (done.stdout, done.stderr)


def test_unknown_commands_and_options_are_refused(refused):
    assert "No such command 'divine'" in refused("divine")
    assert "No such option" in refused("predict", "--colour", "red")


def test_the_version_is_told(run):
    assert run("--version").output.strip().endswith(version("needlescope"))
