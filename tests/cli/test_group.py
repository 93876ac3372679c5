"""The group of commands: their help, what it loads, and options that are not."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

from needlescope.cli.group import SUMMARIES, summaries
from needlescope.losses import LOSSES
from needlescope.models import MODELS

HEAVY = ("scipy.stats", "pandas", "matplotlib", "sklearn", "rich", "loky")
LIGHT = ("figure", "live", "reproduce", "sweep")  # commands without names of models or losses
WITHOUT_TABLES = ("live",)


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_command_explains_itself(name, run):
    result = run(name, "--help")
    assert result.exit_code == 0 and "Usage:" in result.output
    tables = name not in WITHOUT_TABLES
    assert ("--json" in result.output) == ("--csv" in result.output) == tables


def test_the_group_lists_every_command(run):
    for flag in ("-h", "--help"):
        output = run(flag).output
        assert all(name in output and text[:30] in output for name, text in SUMMARIES.items())
        assert "our own derivation" in output


def test_a_command_is_found_by_the_first_line_of_its_file(tmp_path):
    (tmp_path / "divine.py").write_text('"""``needlescope divine``: Divine the answer."""\n')
    (tmp_path / "shared.py").write_text('"""What ``needlescope divine`` shares."""\n')
    (tmp_path / "copied.py").write_text('"""``needlescope divine``: Divine it twice."""\n')
    assert summaries(tmp_path) == {"divine": "Divine the answer."}


@pytest.mark.parametrize("name", ["predict", "simulate"])
def test_help_lists_the_models_and_losses_of_the_package(name, run):
    output = run(name, "--help").output
    assert f"[{'|'.join(MODELS)}]" in output and f"[{'|'.join(LOSSES)}]" in output


def test_a_name_that_the_package_lacks_is_refused(refused):
    assert "'median' is not one of 'attention', 'pooled'" in refused("predict", "--model", "median")


@pytest.mark.parametrize(
    ("commands", "heavy"),
    [(LIGHT, ("numpy", *HEAVY)), (sorted(SUMMARIES.keys() - set(LIGHT)), HEAVY)],
    ids=["without models or losses", "with them"],
)
def test_help_loads_nothing_heavy(commands, heavy):
    code = "import sys\nfrom needlescope.cli.group import group\n"
    for words in (["-h"], *([name, "-h"] for name in commands)):
        code += f"group({words!r}, standalone_mode=False)\n"
    code += f"print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]", (done.stdout, done.stderr)


def test_unknown_commands_and_options_are_refused(refused):
    assert "No such command 'divine'" in refused("divine")
    assert "No such option" in refused("predict", "--colour", "red")


def test_the_version_is_told(run):
    assert run("--version").output.strip().endswith(version("needlescope"))
