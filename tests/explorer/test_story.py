"""The story: every state is one, every line of it is computed, and what the text says is so."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.explorer.lines import COARSE, LINES, line_of, value_of
from needlescope.explorer.state import State
from needlescope.explorer.story import STORY

CHAPTERS = {chapter.name: chapter for chapter in STORY}


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_line_of_every_chapter_is_computed(name):
    state = CHAPTERS[name].state
    assert State.read(state.to_dict()) == state
    for line in LINES:
        found = line_of(line, state, COARSE)
        assert not isinstance(found, str), found
        assert np.all(np.isfinite(found.y)), (line, found.y)


def error(name, line, **changes):
    state = CHAPTERS[name].state.replace(**changes)
    return float(value_of(line, state, COARSE).y[0])


def test_attention_learns_what_pooling_cannot():
    assert error("learning", "pooled", alpha0=32.0, alpha1=32.0) > 0.2
    late = error("learning", "attention", alpha0=32.0, alpha1=32.0)
    assert late - error("learning", "known") < 0.5 * (
        error("learning", "pooled") - error("learning", "known")
    )


def test_attention_loses_where_all_tokens_carry_the_signal():
    assert error("losing", "attention") > error("losing", "pooled") + 0.01


def test_the_gap_to_the_best_learner_is_there():
    assert error("learnable", "attention") > error("learnable", "bayes_optimal") + 0.02


def test_rare_positives_leave_the_constant_answer():
    assert error("rare", "pooled") <= 0.05 + 1e-6
    assert {chapter.name for chapter in STORY} == set(CHAPTERS) and len(STORY) == 6
