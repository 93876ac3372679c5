"""Figures and estimators say what they take and raise; their examples run when pasted alone."""

from __future__ import annotations

import doctest
import inspect

import matplotlib.pyplot as plt
import pytest

from needlescope import estimators, figures

PUBLIC = [(room, name) for room in (figures, estimators) for name in room.__all__]
WITHOUT_PARAMETERS = {"load_musk1", "TaskEstimate"}  # the one takes none, the other is a result
WITHOUT_REFUSALS = {"load_musk1", "TaskEstimate"}


def sections(room, name):
    """The headings that a public name must have."""
    found = getattr(room, name)
    wanted = {"Examples"}
    wanted |= {"Attributes"} if inspect.isclass(found) else {"Returns"}
    wanted |= {"Parameters"} if name not in WITHOUT_PARAMETERS else set()
    return wanted | ({"Raises"} if name not in WITHOUT_REFUSALS else set())


@pytest.mark.parametrize(("room", "name"), PUBLIC, ids=[name for _, name in PUBLIC])
def test_docstrings_are_whole(room, name):
    found = getattr(room, name)
    lines = inspect.getdoc(found).splitlines()
    assert lines[0].endswith(".") and not lines[1]
    assert all(f"{one}\n{'-' * len(one)}" in "\n".join(lines) for one in sections(room, name))
    if "Parameters" in sections(room, name):
        missing = [one for one in inspect.signature(found).parameters if one not in listed(lines)]
        assert not missing


def listed(lines):
    """The parameters that a docstring lists, several in a line or one."""
    heads = [line.partition(" : ")[0] for line in lines if line and not line.startswith(" ")]
    return {one.strip() for head in heads for one in head.split(",")}


@pytest.mark.parametrize(("room", "name"), PUBLIC, ids=[name for _, name in PUBLIC])
def test_examples_run_when_pasted_alone(room, name):
    found = getattr(room, name)
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(found), {}, name, None, 0)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    results = doctest.DocTestRunner(optionflags=flags).run(test)
    plt.close("all")
    assert results.attempted > 0 and results.failed == 0
