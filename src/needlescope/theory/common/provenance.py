"""What a number rests on: our derivation, a conjecture, a formula of our own, a search over one.

The beginning says how far to trust it. "our derivation of the quantity of theorem 4 (arXiv v1)" is
about what the paper proves something about, by equations that were derived anew (`paper` says why)
and checked by simulation. A "conjecture" is not proven in the paper either. A "formula" goes beyond
the paper, and is checked by simulation too; a "search" is a numerical optimum or root of what it
names.
"""

from __future__ import annotations

from ...losses import LOSSES, Loss, get_loss
from ...models import Model
from ...paper import DERIVATION, conjectured, derived
from ...signal_count import SignalCount
from ...task import Positions, Task
from ...training import Training

ALIGNMENT = derived("theorem 3", "corollary 1")
SCHEDULE = "formula: overlaps after steps on fresh batches"
ASYMPTOTE = derived("corollary 2")
BEST_QUERY = "search: over direction, temperature and readout"
CAPACITY = conjectured("conjecture 1")
FOCUS = "formula: exact law of the attention weights"
BAYES_OPTIMAL = "formula: replica-symmetric (not a theorem)"
STATE_EVOLUTION = "formula: state evolution"


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
    """Return what a prediction rests on: our derivation, or a formula that goes beyond the paper.

    Examples
    --------
    >>> import needlescope as ns
    >>> from needlescope.models import get_model
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> of_prediction(get_model("pooled"), "logistic", task, task)
    'our derivation of the quantity of theorem 5 (arXiv v1)'
    >>> of_prediction(get_model("pooled"), "logistic", task, task.replace(L=20))
    'formula: our derivation of the quantity of theorem 5 (arXiv v1), tested on another task'
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
    'our derivation of the quantity of corollary 2 (arXiv v1)'
    >>> of_limit(get_model("hard"), ASYMPTOTE)
    'formula: our derivation of the quantity of corollary 2 (arXiv v1), for the model hard'
    >>> of_limit(get_model("hard"), CAPACITY)
    'conjecture: our derivation of the quantity of conjecture 1 (arXiv v1), for the model hard'
    """
    beyond = {
        f"for the model {model.name}": not model.rests_on.startswith(DERIVATION),
        **({} if task is None else _of_task(task)),
    }
    return _beyond(ground, beyond)


def of_oracle(ground: str, task: Task) -> str:
    """Return what a least error rests on."""
    random = {"with a random number of signal tokens": isinstance(task.R, SignalCount)}
    return _beyond(ground, random)


def of_search(*grounds: str) -> str:
    """Return what the root of a function rests on.

    Examples
    --------
    >>> of_search(BAYES_OPTIMAL)
    'search: on replica-symmetric (not a theorem)'
    >>> of_search("search: over temperature")
    'search: on a search over temperature'
    """
    words = (
        ground.removeprefix("formula: ").replace("search: ", "a search ") for ground in grounds
    )
    return f"search: on {' and '.join(dict.fromkeys(words))}"


def _beyond(ground: str, beyond: dict[str, bool]) -> str:
    """Return the ground, with the words that say how it goes beyond the paper, if any do."""
    more = [words for words, present in beyond.items() if present]
    if not more:
        return ground
    kind = "formula: " if ground.startswith(DERIVATION) else ""  # others have said theirs
    return f"{kind}{', '.join([ground, *more])}"


def _of_task(task: Task) -> dict[str, bool]:
    """Say how a task goes beyond the paper's."""
    return {
        "with several signals": task.signals is not None,
        "with a random number of signal tokens": isinstance(task.R, SignalCount),
        "with label noise": task.label_noise is not None,
    }


def _known(loss: str | Loss) -> bool:
    return get_loss(loss) in LOSSES.values()
