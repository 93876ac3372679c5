"""Plans: leave out one of n, θ, L and the error, and get it.

Each learner is a forward function from a budget to an error (`learners`), and one inverter finds
the argument that is missing, in the limit of large d (`missing`). The plan then moves to where the
mean error at the d given meets the target (`finite`). Other learners have a line each (`lines`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..answer import Question
from ..losses import Loss, get_loss
from ..outcome.planned import Line, Plan
from ..running.seeds import check_seed
from ..theory.asked import check_tol
from ..theory.oracle.least_error import oracle
from ..theory.provenance import of_search
from . import words
from .asked import Asked, ask
from .finite import Seen, at_dimension
from .learners import Learner, get_learner
from .lines import lines
from .missing import Settled, at_end, settle
from .rare_events import rare_event_note
from .tuning.budget import Costs

OF_TARGET = 0.01  # the largest error of an error, relative to a target


def plan(
    *,
    L: Any = None,
    R: int = 1,
    theta: Any = None,
    pi: float = 0.5,
    d: Any = None,
    n: Any = None,
    error: Any = None,
    learner: str = "attention",
    loss: str | Loss = "logistic",
    positives: Any = None,
    costs: Any = None,
    spend: Any = None,
    interval: bool = True,
    others: bool = True,
    tol: float = 5e-4,
    seed: Any = 0,
    estimated: bool = False,
) -> Plan:
    """Plan: `needlescope.plan` without pilot data, which see; the task may be ``estimated``."""
    asked = ask(
        L, R, theta, pi, d, n, error, learner, positives, costs, spend, estimated=estimated
    )  # fmt: skip
    get_loss(loss)
    check_seed(seed)
    tol = check_tol(tol)
    if asked.error is not None:
        tol = min(tol, OF_TARGET * asked.error)
    who = get_learner(learner, loss)
    seen = at_dimension(asked, who, settle(asked, who, tol), tol, seed, interval)
    return _build(asked, who, seen, lines(asked, who, loss) if others else (), tol)


def _build(asked: Asked, who: Learner, seen: Seen, others: tuple[Line, ...], tol: float) -> Plan:
    found, reached = seen.found, seen.found.reached
    lost = reached is None
    task = asked.task(None if lost else found.at)
    training = None if reached is None else reached.training
    n, n0, n1 = _bags(asked, found)
    fields: dict[str, Any] = {
        **{"unknown": asked.unknown, "learner": who.name, "n": n, "n0": n0, "n1": n1},
        **{"L": int(task.L) if not (lost and asked.unknown == "L") else 0, "R": int(task.R)},
        **{"theta": np.inf if lost and asked.unknown == "theta" else float(task.theta)},
        **{"pi": float(task.pi), "d": asked.d, "others": others, "interval": seen.interval},
        "floor": float(oracle(task, "bayes", tol=1e-3).error),
        **_errors(seen),
        **_classes(asked, seen, n),
    }
    if reached is not None:
        fields |= {"kappa": reached.kappa, "cosine_q": reached.cosine}
    if training is not None:
        names = ("ridge", "eta_w", "eta_b", "eta_q", "beta")
        fields |= {name: float(getattr(training, name)) for name in names}
        fields["loss"] = get_loss(training.loss).name
    options = {**asked.given(), "learner": who.name, "tol": tol}
    rests = reached.provenance if reached is not None else who.words
    answer = Plan(
        **fields,
        notes=(*at_end(asked, found), *seen.notes, *rare_event_note(asked, who.name, found)),
        provenance=of_search(rests),
        question=Question("plan", task, training, options),
    )
    return words.with_verdict(answer, asked, who)


def _errors(seen: Seen) -> dict[str, float]:
    """Return the mean error at this d, the limit's, and how far they are known."""
    reached, range_ = seen.found.reached, seen.interval
    if reached is None:
        best, met = seen.found.best, seen.found.met
        return {"error": best, "error_se": np.nan, "limit_error": np.nan if met.enough else best}
    limit, limit_se = reached.error, reached.error_se
    error, error_se = limit, limit_se
    if range_ is not None:
        error, error_se = range_.mean, float(np.hypot(limit_se, range_.mean_se))
    return {
        **{"error": error, "error_se": error_se},
        **{"limit_error": limit, "limit_error_se": limit_se},
    }


def _classes(asked: Asked, seen: Seen, n: float) -> dict[str, float]:
    """Return how many bags are positive, and what all of them cost."""
    reached, costs = seen.found.reached, asked.costs
    if reached is None:
        return {"positives": np.nan}
    only_positives = reached.training is None and costs is not None
    balance = 1.0 if only_positives else reached.balance
    found = {"positives": np.nan, "balance": balance, "shift": reached.shift}
    if np.isfinite(balance):
        found["positives"] = float(round(balance * n))
    if costs is not None:
        found["positives"] = _affordable(found["positives"], n, costs, asked.n)
        found["spend"] = costs.total(found["positives"], n)
    return found


def _affordable(positives: float, n: float, costs: Costs, most: float | None) -> float:
    """Return a whole number of positives among n bags that costs no more than there is."""
    if most is None or costs.total(positives, n) <= most * (1.0 + 1e-9):
        return positives
    fewer = positives - 1.0 if costs.positive > costs.negative else positives + 1.0
    return float(np.clip(fewer, 1.0, max(n - 1.0, 1.0)))


def _bags(asked: Asked, found: Settled) -> tuple[float, float, float]:
    """Return n, n0 and n1 as whole numbers of bags.

    To the best of all learners only positives say something: all that there is to spend buys them.
    """
    training = None if found.reached is None else found.reached.training
    if training is not None:
        n0 = 0.0 if training.alpha0 is None else float(round(training.alpha0 * asked.d))
        whole = np.round if asked.costs is None else np.ceil if asked.unknown == "n" else np.floor
        n1 = float(whole(round(training.alpha1 * asked.d, 9)))  # no more than there is to spend
        return n0 + n1, n0, n1
    each = 1.0 if asked.costs is None else asked.costs.positive
    if asked.unknown == "n":
        return float(np.ceil(found.at / each - 1e-9)), np.nan, np.nan
    assert asked.n is not None
    return float(np.floor(asked.n / each + 1e-9)), np.nan, np.nan
