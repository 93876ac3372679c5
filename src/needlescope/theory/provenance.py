"""What a number rests on: a theorem, a conjecture, a formula of our own, or a search over one.

The first word says how far to trust it: "theorem", "proposition" and "corollary" are proven in the
paper, a "conjecture" is not; a "formula" is derived here and checked by simulation, and a "search"
is a numerical optimum or root of what it names.
"""

from __future__ import annotations

from ..losses import LOSSES, Loss, get_loss
from ..models import Model
from ..signal_count import SignalCount
from ..task import Positions, Task
from ..training import Training

ALIGNMENT = "theorem 3, corollary 1"
SCHEDULE = "formula: overlaps after steps on fresh batches"
ASYMPTOTE = "corollary 2"
BEST_QUERY = "search: over direction, temperature and readout"
CAPACITY = "conjecture 1"
FOCUS = "formula: exact law of the attention weights"
LEARNING_LIMIT = "formula: replica-symmetric (not a theorem)"
STATE_EVOLUTION = "formula: state evolution"
ORACLE = {
    "attention": "search: over temperature, sign and threshold of theorem 1",
    "pooled": "proposition 1",
    "vectorized": "search: over the weights of proposition 1",
    "hard": "formula: largest token",
    "linear": "search: over temperature and threshold of a normal and a chi square",
    "bayes": "formula: likelihood ratio",
}


def of_alignment(task: Task, training: Training) -> str:
    """Return what the alignment of a query rests on."""
    scheduled = training.schedule is not None
    beyond = {
        "with a loss of one's own": not scheduled and not _known(training.loss),
        "with balanced slopes": training.balanced,
        **_of_task(task),
    }
    return _beyond(SCHEDULE if scheduled else ALIGNMENT, beyond)


def of_prediction(
    model: Model, loss: str | Loss, task: Task, test: Task, protocol: Training | None = None
) -> str:
    """Return what a prediction rests on: the paper's theorem, or a formula that goes beyond it.

    Examples
    --------
    >>> import needlescope as ns
    >>> from needlescope.models import get_model
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> of_prediction(get_model("pooled"), "logistic", task, task)
    'theorem 5'
    >>> of_prediction(get_model("pooled"), "logistic", task, task.replace(L=20))
    'formula: theorem 5 tested on another task'
    """
    beyond = {
        "after a schedule of steps": protocol is not None and protocol.schedule is not None,
        "with a loss of one's own": not _known(loss),
        "with balanced slopes": protocol is not None and protocol.balanced,
        "with given positions": model.fixed_length and isinstance(task.positions, Positions),
        **_of_task(task),
        "tested on another task": test is not task,
    }
    return _beyond(model.rests_on, beyond)


def of_limit(model: Model, ground: str, task: Task | None = None) -> str:
    """Return what a limit rests on that the paper states for its own models.

    Examples
    --------
    >>> from needlescope.models import get_model
    >>> of_limit(get_model("pooled"), ASYMPTOTE)
    'corollary 2'
    >>> of_limit(get_model("pooled")._replace(name="mine", rests_on="formula: mine"), ASYMPTOTE)
    'formula: corollary 2 for the model mine'
    """
    beyond = {
        f"for the model {model.name}": not model.rests_on.startswith("theorem"),
        **({} if task is None else _of_task(task)),
    }
    return _beyond(ground, beyond)


def of_oracle(model: str, task: Task) -> str:
    """Return what a least error rests on."""
    random = {"with a random number of signal tokens": isinstance(task.R, SignalCount)}
    return _beyond(ORACLE[model], random)


def of_search(*grounds: str) -> str:
    """Return what the root of a function rests on."""
    return f"search: on {' and '.join(dict.fromkeys(grounds))}"


def _beyond(ground: str, beyond: dict[str, bool]) -> str:
    """Return the ground, as a formula if any of the words say how it goes beyond it."""
    more = [words for words, present in beyond.items() if present]
    if ground.startswith("search: "):
        return f"{ground} {', '.join(more)}" if more else ground
    return f"formula: {ground.removeprefix('formula: ')} {', '.join(more)}" if more else ground


def _of_task(task: Task) -> dict[str, bool]:
    """Say how a task goes beyond the paper's."""
    return {
        "with several signals": task.signals is not None,
        "with a random number of signal tokens": isinstance(task.R, SignalCount),
        "with label noise": task.label_noise is not None,
    }


def _known(loss: str | Loss) -> bool:
    return get_loss(loss) in LOSSES.values()
