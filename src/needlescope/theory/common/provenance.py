"""Provenance of a number: our derivation, a conjecture, a formula of our own, or a search.

"our derivation of the quantity of theorem 4 (arXiv v1)": a quantity of a theorem of the paper, by
equations derived anew (`paper` says why) and checked by simulation. "conjecture": not proven in the
paper either. "formula": beyond the paper, checked by simulation. "search": a numerical optimum or
root of the function named after it.
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
JOINT = "formula: replica-symmetric joint training (not a theorem)"
STATE_EVOLUTION = "formula: state evolution"


def of_alignment(task: Task, training: Training) -> str:
    """Return the provenance of an alignment."""
    scheduled = training.schedule is not None
    beyond = {
        "with a loss of one's own": not scheduled and not _is_built_in(training.loss),
        "with balanced slopes": training.balanced,
        **_of_task(task),
    }
    return _beyond(SCHEDULE if scheduled else ALIGNMENT, beyond)


def of_prediction(
    model: Model, loss: str | Loss, task: Task, test: Task, protocol: Training | None = None
) -> str:
    """Return the provenance of a prediction: our derivation, or a formula beyond the paper.

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
        "with a loss of one's own": not _is_built_in(loss),
        "with balanced slopes": protocol is not None and protocol.balanced,
        "with given positions": model.fixed_length and isinstance(task.positions, Positions),
        **_of_task(task),
        "tested on another task": test is not task,
    }
    return _beyond(model.rests_on, beyond)


def of_joint(loss: str | Loss, task: Task, test: Task) -> str:
    """Return the provenance of what joint training reaches.

    >>> task = Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> of_joint("logistic", task, task)
    'formula: replica-symmetric joint training (not a theorem)'
    """
    beyond = {
        "with a loss of one's own": not _is_built_in(loss),
        **_of_task(task),
        "tested on another task": test is not task,
    }
    return _beyond(JOINT, beyond)


def of_limit(model: Model, base: str, task: Task | None = None) -> str:
    """Return the provenance of a quantity that the paper states for its own models.

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
    return _beyond(base, beyond)


def of_oracle(base: str, task: Task) -> str:
    """Return the provenance of an oracle error."""
    random = {"with a random number of signal tokens": isinstance(task.R, SignalCount)}
    return _beyond(base, random | _of_noise(task))


def of_learner(base: str, task: Task) -> str:
    """Return the provenance of the Bayes-optimal learner or of AMP."""
    return _beyond(base, _of_noise(task))


def of_search(*bases: str) -> str:
    """Return the provenance of a root or optimum of functions with these provenances.

    >>> of_search(BAYES_OPTIMAL)
    'search: on replica-symmetric (not a theorem)'
    >>> of_search("search: over temperature")
    'search: on a search over temperature'
    """
    words = (base.removeprefix("formula: ").replace("search: ", "a search ") for base in bases)
    return f"search: on {' and '.join(dict.fromkeys(words))}"


def _beyond(base: str, beyond: dict[str, bool]) -> str:
    """Append to a provenance the words that say how it goes beyond the paper, if any do."""
    more = [words for words, present in beyond.items() if present]
    if not more:
        return base
    kind = "formula: " if base.startswith(DERIVATION) else ""  # others have said theirs
    return f"{kind}{', '.join([base, *more])}"


def _of_task(task: Task) -> dict[str, bool]:
    """Return how a task goes beyond the paper's."""
    return {
        "with several signals": task.signals is not None,
        "with a random number of signal tokens": isinstance(task.R, SignalCount),
        "with label noise": task.label_noise is not None,
        **_of_noise(task),
    }


def _of_noise(task: Task) -> dict[str, bool]:
    return {
        "with a covariance of the noise": task.levels is not None,
        "with correlated tokens": task.token_correlation != 0.0,
        "with a noise of signal tokens": task.signal_noise is not None,
    }


def _is_built_in(loss: str | Loss) -> bool:
    return get_loss(loss) in LOSSES.values()
