"""What DeepClassifier refuses, with torch or without: all of it before anything is trained."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from needlescope.deep import DeepClassifier, torch_needed
from tests.catalogue.refusals import Case, by_sentence, check_all
from tests.catalogue.test_estimators import (
    GROUPS,
    HUGE,
    MASKS,
    NAN,
    VAST,
    WEIGHTS,
    WORDS,
    X,
    Y,
)

SEVERAL = "^heads=2 needs an architecture that has several, multihead, block or two_blocks, got "
PARAMETERS = [  # which, what they are given, and what is said
    ("architecture", (0, "x", "Gated", *WORDS), "^architecture must be one of 'solvable', 'cls'"),
    ("width", (0, 1025, VAST, 1.5, NAN, *WORDS), "^width must be a.*integer"),
    ("rates", (0.01, *WORDS[:2], True, {0.1}, np.ma.masked), "^rates must be a list of numbers"),
    ("rates", ([[0.1]], [[0.1], [0.1, 0.2]], np.ma.ones(2)), "^rates must be a list of numbers"),
    ("decays", (3.0, [-1.0], []), "^decays must be "),
    ("rates", ([], (), [0.1] * 21), "^rates must be 1 to 20 numbers, got (0|21)$"),
    ("rates", ([0], [NAN], [HUGE], [1e-13], ["x"]), "^rates must be "),
    ("epochs", (0, 10**6), "^epochs must be a.*integer"),
    # What is asked of every classifier is in test_estimators with all its bad values.
    ("shrinkage", (0,), '^shrinkage must be "auto", None or'),
    ("class_weight", (0,), "^class_weight must be a dict"),
    ("cv", (1,), "^cv must be a number of"),
    ("cv", ([3],), "^fold 0 of cv must be"),
    ("random_state", (-1,), ""),  # in scikit-learn's words
    ("n_jobs", (0,), "^n_jobs must be None, a whole number"),
    ("progress", (1,), "^progress must be True, False, None or a "),
]


def fit(y=Y, weight=None, bags=X, groups=None, **parameters):
    return DeepClassifier(**parameters).fit(bags, y, sample_weight=weight, groups=groups)


CASES = [
    *(
        Case(f"{name}={str(value)[:12]}", partial(fit, **{name: value}), says)
        for name, values, says in PARAMETERS
        for value in values
    ),
    *(
        Case(what, partial(fit, **given), says)
        for what, given, says in (WEIGHTS[0], MASKS[0], GROUPS[0])
    ),
    Case("two heads of one", partial(fit, architecture="gated", heads=2), SEVERAL),
    Case("two heads of none", partial(fit, architecture="gru", heads=2), SEVERAL),
    *(
        Case(f"heads={value!r:.12}", partial(fit, architecture="block", heads=value), "^heads must")
        for value in (0, 65)
    ),
    Case(
        "heads that do not divide",
        partial(fit, architecture="block", heads=3),
        "^width must be a multiple of heads=3, got 32",
    ),
    Case("three heads by default", partial(fit, architecture="block", width=6), "^width must be a"),
]


@pytest.mark.parametrize("cases", by_sentence(CASES))
def test_refused_with_a_sentence(cases):
    check_all(cases)


def test_without_torch_all_is_there_but_training(monkeypatch):
    monkeypatch.setattr(torch_needed, "find_spec", lambda name: None)
    for parameters in ({}, {"architecture": "block", "n_jobs": 2}, {"cv": 0}):
        clf = DeepClassifier(random_state=0, **parameters)
        assert clf.get_params()["width"] == 32
        with pytest.raises(
            ImportError, match=r"^DeepClassifier needs PyTorch: pip install ."
        ) as told:
            clf.fit(X, Y)
        assert told.value.name == "torch" and "needlescope[deep]" in str(told.value)
        assert not hasattr(clf, "classes_")
