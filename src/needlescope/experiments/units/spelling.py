"""What a misspelt word was meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from ...grid import choice

SYNONYMS = {
    **dict.fromkeys(("lambda", "lam", "λ", "reg", "regularisation", "regularization"), "ridge"),
    **dict.fromkeys(("models", "classifier"), "model"),
    **dict.fromkeys(("calls", "function"), "call"),
    **dict.fromkeys(("n", "n1", "samples_per_dimension"), "alpha1"),
    **dict.fromkeys(("n0",), "alpha0"),
    **dict.fromkeys(("dim", "dimension", "dimensions", "n_features"), "d"),
    **dict.fromkeys(("tokens", "length"), "L"),
    **dict.fromkeys(("sparsity", "k"), "R"),
    **dict.fromkeys(("strength", "snr", "θ"), "theta"),
    **dict.fromkeys(("prior", "prevalence", "π"), "pi"),
    **dict.fromkeys(("lr", "learning_rate", "step"), "eta_w"),
    **dict.fromkeys(("temperature", "β"), "beta"),
    **dict.fromkeys(("repeats", "repetitions", "runs", "n_trials"), "trials"),
    **dict.fromkeys(("random_state", "rng"), "seed"),
    **dict.fromkeys(("strength_q", "κ"), "kappa"),
    **dict.fromkeys(("cos", "alignment", "overlap"), "cosine"),
    **dict.fromkeys(("law", "distribution"), "entries"),
    **dict.fromkeys(("zip", "paired", "linked"), "together"),
}
"""What others call our words."""


def did_you_mean(word: Any, known: Iterable[str]) -> str:
    """Return the end of a sentence on an unknown word: what it may have been meant to be, if any.

    Examples
    --------
    >>> [did_you_mean(word, ["theta", "ridge"]) for word in ("tetha", "lambda", "colour")]
    ["; did you mean 'theta'?", "; did you mean 'ridge'?", '']
    """
    known = list(known)
    if not isinstance(word, str):
        return ""
    same = [item for item in known if item.lower() == word.lower()]
    other = [item for item in (SYNONYMS.get(word.lower()),) if item in known]
    result = (same or other or get_close_matches(word, known, n=1))[:1]
    return f"; did you mean {result[0]!r}?" if result else ""


def check_choice(name: str, value: Any, allowed: Iterable[str]) -> str:
    """Return ``value`` if it is one of the ``allowed`` words, or refuse it and guess.

    Examples
    --------
    >>> check_choice("call", "predicts", ["align", "predict"])
    Traceback (most recent call last):
    ValueError: call must be one of 'align', 'predict', got 'predicts'; did you mean 'predict'?
    """
    allowed = list(allowed)
    try:
        return choice(name, value, allowed)
    except ValueError as problem:
        raise ValueError(f"{problem}{did_you_mean(value, allowed)}") from None
