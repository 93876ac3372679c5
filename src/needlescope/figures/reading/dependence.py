"""What the answer of a call depends on, by column, and the paper's symbol of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ...deep.catalogue import ARCHITECTURES
from ...deep.training.defaults import DECAYS, EPOCHS, RATES
from ...models import ATTENTION, MODELS
from ...training import Training

SYMBOLS = {
    "model": "classifier", "architecture": "architecture", "heads": "heads", "width": "width",
    "rates": "learning rates", "decays": "decays", "epochs": "epochs at most",
    "training.loss": "loss", "task.L": "L",
    "test_task.L": "L′ (test)", "lengths": "L′, tested as well", "task.R": "R",
    "test_task.R": "R′ (test)", "task.theta": "θ", "test_task.theta": "θ′ (test)", "task.pi": "π",
    "test_task.pi": "π′ (test)", "task.positions": "positions",
    "task.signals": "signals", "test_task.signals": "signals (test)",
    "task.R.values": "values of R", "task.R.probabilities": "their probabilities",
    "task.label_noise": "label noise", "alpha": "α",
    "training.alpha0": "α0", "training.alpha1": "α1", "training.ridge": "λ\u00a0(ridge)",
    "training.ridge_q": "λ_q\u00a0(ridge)",
    "training.beta": "β", "training.eta_w": "η_w", "training.eta_b": "η_b",
    "training.eta_q": "η_q", "training.first_step": "first step",
    "training.balanced": "slopes balanced", "query.kappa": "κ",
    "query.cosine": "s", "query.cosines": "cosines",
    "noise.entries": "noise", "noise.df": "degrees of freedom",
    "noise.token_correlation": "token correlation",
    "noise.covariance_decay": "covariance decay", "noise.covariance": "covariance",
    "signal.given": "signal", "error": "error to reach",
    "data": "baselines’ data", "reuse": "reuse", "training.query_steps": "steps on the query",
    "training.schedule": "schedule", "training.schedule.steps": "steps",
    "training.schedule.shares": "batches", "training.schedule.eta_w": "steps of w",
    "training.schedule.eta_b": "steps of b", "training.schedule.eta_q": "steps of q",
    "starts": "starts, end to end", "start": "started", "minimum": "minimum",
    "method": "iteration", "iterations": "iterations", "d": "d",
    "instances": "instances", "bags": "bags", "source": "drawn from", "whitened": "whitened",
    "same_noise": "one covariance", "L": "L", "R": "R", "pi": "π", "loss": "loss",
    "ridge": "λ\u00a0(ridge)",
    "samples": "draws in a trial", "trials": "trials",
}  # fmt: skip
"""What is shown, in this order; the rest is how the work was done, not what it was."""

WIDTH = 32  # the default of `simulate_deep`
STEPS = ("eta_w", "eta_b", "eta_q")
NESTED = (  # columns that hold lists and tables, which have no hash
    *("task.positions", "training.schedule", "training.schedule.shares"),
    *("task.signals", "test_task.signals", "query.cosines", "lengths", "rates", "decays"),
    *("task.R.values", "task.R.probabilities", "task.label_noise"),
    *(f"training.schedule.{name}" for name in STEPS),
)
DEFAULTS = {
    f"training.{field.name}": field.default
    for field in dataclasses.fields(Training)
    if field.default not in (dataclasses.MISSING, None)
    and field.name not in ("first_step", "query_steps", "balanced")
}
SCHEDULE = ("schedule", *(f"schedule.{name}" for name in ("steps", "shares", *STEPS)))
QUERY_ONLY = tuple(
    f"training.{name}" for name in ("beta", *STEPS, "query_steps", "balanced", *SCHEDULE)
)
UNUSED = {
    "align": ("training.alpha1", "training.ridge"),
    "simulate_alignment": ("training.alpha1", "training.ridge"),
    "focus": ("training.alpha1", "training.ridge"),
    "simulate_focus": ("training.alpha1", "training.ridge"),
    "simulate_separability": ("training.loss", "training.ridge"),
    "oracle_threshold": ("task.theta",),
}
"""Arguments that a call's answer does not depend on."""
JOINT_ONLY = ("start", "minimum")  # which no other training depends on
USUAL_START = {"predict": "informed", "simulate": "random"}
"""Where joint training starts unless it is said."""


def has_query(model: str | None) -> bool:
    """Say whether a model has a query; one that is not named is attention."""
    return MODELS.get(model or "attention", ATTENTION).has_query


def depends(call: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the answer of a call depends on, by column, defaults filled in.

    Examples
    --------
    >>> given = {"model": "pooled", "training.alpha0": 4.0, "training.alpha1": 1.0}
    >>> depends("predict", given)
    {'training.loss': 'logistic', 'training.ridge': 0.01, 'model': 'pooled', 'training.alpha1': 1.0}
    """
    known = dict(given)
    if "kappa" in known:  # `crossover` is given a query's strength, and looks for its alignment
        known["query.kappa"] = known.pop("kappa")
    if any(name.startswith("training.") for name in known):
        known = DEFAULTS | known
    if call == "simulate_deep":
        known = _deep(known) | {name: value for name, value in known.items() if name != "model"}
    unused = list(UNUSED.get(call, ()))
    if "query.kappa" in known or not has_query(known.get("model")):
        unused += QUERY_ONLY
        unused += ["training.alpha0"] * (known.get("data") != "all")
    if "training.ridge_q" not in known:
        unused += JOINT_ONLY
    else:
        unused += QUERY_ONLY
    for name in ("R", "theta", "pi"):  # the test is like the training unless it says otherwise
        if known.get(f"test_task.{name}") == known.get(f"task.{name}"):
            unused.append(f"test_task.{name}")
    return {name: value for name, value in known.items() if name not in unused}


def _deep(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `simulate_deep` that are left to their defaults.

    Its model, in a table, is its architecture again: a part of the answer.
    """
    item = ARCHITECTURES.get(given.get("architecture", "cls"))
    heads = {} if item is None or item.heads is None else {"heads": item.heads}
    usual = {
        "width": WIDTH,
        "epochs": EPOCHS,
        "rates": str([*RATES]),
        "decays": str([*DECAYS]),
    }  # lists, as text
    return {"architecture": "cls", **heads, **usual}
