"""Every command of the command line, through the same checks."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from needlescope.cli.group import SUMMARIES, group


def command(name: str) -> click.Command:
    result = group.get_command(click.Context(group), name)
    assert result is not None
    return result


@pytest.mark.parametrize("name", SUMMARIES)
def test_its_help_begins_with_what_the_list_of_commands_says(name: str) -> None:
    """The same verb first, and whole sentences in both."""
    first = (command(name).help or "").split("\n\n")[0]
    assert first.split()[0] == SUMMARIES[name].split()[0]
    assert first.endswith((".", ":")) and SUMMARIES[name].endswith(".")


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_option_says_what_it_is_for(name: str) -> None:
    for param in command(name).params:
        if isinstance(param, click.Option) and not param.hidden:
            named = (
                param.type.name in ("numbers", "whole numbers") or param.help or param.show_default
            )
            assert named, f"{name} {param.opts[0]} has no help"


@pytest.mark.parametrize("name", SUMMARIES)
def test_an_option_that_is_none_is_a_sentence(name: str) -> None:
    with pytest.raises(click.UsageError, match="No such option"):
        command(name).make_context(name, ["--wings", "2"])


def test_help_loads_nothing_large() -> None:
    code = (
        "import sys; from needlescope.cli.main import main\n"
        "for words in (['--help'], ['sweep', '--help'], ['--version']):\n"
        "    try: main(args=words)\n"
        "    except SystemExit: pass\n"
        "print([name for name in ('numpy', 'scipy', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr
