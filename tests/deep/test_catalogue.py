"""The architectures by name, which are known without torch."""

from __future__ import annotations

import pytest

from needlescope.deep.catalogue import ARCHITECTURES, get_architecture


def test_names_are_those_of_the_records():
    assert [architecture.name for architecture in ARCHITECTURES.values()] == list(ARCHITECTURES)
    assert len({architecture.label for architecture in ARCHITECTURES.values()}) == len(
        ARCHITECTURES
    )


@pytest.mark.parametrize("heads", [1, 2, 8])
@pytest.mark.parametrize("name", ["multihead", "block", "two_blocks"])
def test_some_have_heads_to_choose(name, heads):
    assert get_architecture(name, 32, heads).name == name


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (("rnn",), "architecture must be one of 'solvable', 'cls', "),
        (("cls", 0), "width must be an integer in 1..1024, got 0"),
        (("cls", 32, 2), "heads=2 needs an architecture that has several, multihead, block or"),
        (("multihead", 32, 0), "heads must be an integer in 1..64, got 0"),
        (("multihead", 30, 4), "width must be a multiple of heads=4, got 30"),
        (("block", 30), "width must be a multiple of heads=4, got 30"),
    ],
)
def test_what_does_not_exist_is_refused(asked, sentence):
    with pytest.raises(ValueError, match=sentence.replace(".", r"\.")):
        get_architecture(*asked)
