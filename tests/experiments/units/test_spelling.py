"""What a misspelt word was meant to be: a capital, a word of others, a slip; or nothing."""

from __future__ import annotations

import dataclasses

import pytest

from needlescope.experiments.units.calls import CALLS, parameters
from needlescope.experiments.units.spelling import SYNONYMS, check_choice, did_you_mean
from needlescope.noise import Noise
from needlescope.query import Query
from needlescope.task import Task
from needlescope.training import Training

KNOWN = ["L", "R", "theta", "pi", "ridge"]


@pytest.mark.parametrize(
    ("word", "guess"),
    [
        ("l", "L"),  # a capital before anything else: "l" is close to nothing
        ("Theta", "theta"),
        ("thata", "theta"),
        ("Lambda", "ridge"),
        ("λ", "ridge"),
        ("prevalence", "pi"),
    ],
)
def test_it_is_guessed(word, guess):
    assert did_you_mean(word, KNOWN) == f"; did you mean {guess!r}?"


@pytest.mark.parametrize("word", ["colour", "n_trials", 3, None, ["theta"]])
def test_nothing_is_guessed_that_is_not_there(word):
    """`n_trials` is a word for `trials`, which is not known here."""
    assert did_you_mean(word, KNOWN) == ""


def test_every_synonym_is_of_a_word_that_a_sweep_takes():
    fields = {
        field.name for item in (Task, Training, Query, Noise) for field in dataclasses.fields(item)
    }
    taken = fields | {name for call in CALLS for name in parameters(call)} | {"call", "together"}
    assert set(SYNONYMS.values()) <= taken
    assert not taken & set(SYNONYMS)


def test_an_allowed_word_is_returned_and_others_are_refused_with_the_guess():
    assert check_choice("call", "align", ["align", "predict"]) == "align"
    with pytest.raises(ValueError, match=r"got 'algin'; did you mean 'align'\?$"):
        check_choice("call", "algin", ["align", "predict"])
    with pytest.raises(ValueError, match=r"got 7$"):
        check_choice("call", 7, ["align", "predict"])
