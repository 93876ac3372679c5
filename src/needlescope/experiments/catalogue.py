"""All experiments by name, loaded when asked for."""

from __future__ import annotations

from importlib import import_module

from .experiment import Experiment
from .units.guess import one_of

POSSIBLE = ("limit", "phases", "keep_up", "steps")  # of any learner: a room of their own
BEYOND = ("rare", "kinds")  # of protocols and models that go beyond the paper's
ROOMS = {**dict.fromkeys(POSSIBLE, ".possible"), **dict.fromkeys(BEYOND, ".beyond")}
NAMES = (
    *("errors", "alignment", "capacity", "separation", "win_or_lose", "rates"),
    *("length", "reuse", "robustness", "attention_map"),
    *POSSIBLE,
    *BEYOND,
)


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
