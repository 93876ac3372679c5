"""All experiments by name, loaded when asked for."""

from __future__ import annotations

from importlib import import_module

from ..deep.torch_needed import need_torch
from .experiment import Experiment
from .units.guess import one_of

POSSIBLE = ("limit", "phases", "keep_up", "steps")  # of any learner: a room of their own
BEYOND = ("rare", "kinds", "signals")  # of protocols and models that go beyond the paper's
DEEP = (  # of fuller attention, trained by torch
    *("deep_errors", "deep_training", "deep_lengths", "deep_generalise", "deep_heads"),
    "deep_rare",
)
ROOMS = {
    **dict.fromkeys(POSSIBLE, ".possible"),
    **dict.fromkeys(BEYOND, ".beyond"),
    **dict.fromkeys(DEEP, ".deep"),
}
CORE = (  # what `reproduce` draws if nothing is named
    *("errors", "alignment", "capacity", "separation", "win_or_lose", "rates"),
    *("length", "reuse", "robustness", "attention_map"),
    *POSSIBLE,
    *BEYOND,
)
NAMES = (*CORE, *DEEP)


def home(name: str) -> str:
    """Return the module that declares an experiment.

    Examples
    --------
    >>> home("limit")
    'needlescope.experiments.published.possible.limit'
    """
    return f"{__package__}.published{ROOMS.get(name, '')}.{name}"


def experiment(name: str) -> Experiment:
    """Return the experiment of that name.

    Examples
    --------
    >>> experiment("errors").title
    'Errors against the amount of training data'
    """
    one_of("experiment", name, NAMES)
    found: Experiment = import_module(home(name)).EXPERIMENT
    return found


def runnable(name: str) -> Experiment:
    """Return the experiment of that name, or say what it needs that is not installed."""
    found = experiment(name)
    if name in DEEP:
        need_torch(f"the figure {name}")
    return found
