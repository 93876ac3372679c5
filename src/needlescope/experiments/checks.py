"""Arguments of a call, checked before any work: what is missing, of the wrong kind, out of range.

What can only be seen by doing the work, such as a minimiser that does not exist, is not seen here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any

from ..deep.simulate import check_deep
from ..grid import amount, choice, real
from ..losses import Loss
from ..models import ATTENTION, MODELS, WITH_QUERY
from ..models.checks import check_query
from ..query import Query
from ..simulation.amp.simulate_amp import check_amp
from ..simulation.checks import specify
from ..simulation.oracle import check_draws
from ..theory.common.arguments import check_tol
from ..theory.oracle.least_error import ORACLES
from ..theory.oracle.threshold import check_target
from ..training import DATA
from .units.calls import MORE_FIELDS, SIMULATED, check_fields, decode, parameters

SWEEP_ARGUMENTS = ("trials", "seed")  # of a sweep as a whole
SEVERAL_SIGNALS = (  # calls that take tasks of several signals
    *("align", "asymptote", "best_query", "focus", "predict"),
    *("simulate", "simulate_alignment", "simulate_deep", "simulate_focus"),
)
ANSWERED_MODELS = {
    "oracle": tuple(ORACLES),
    "oracle_threshold": tuple(ORACLES),
    "focus": WITH_QUERY,
}
"""The models that a call takes, where these are not those that are trained."""


def accepted_arguments(call: str, model: Any = None) -> set[str]:
    """Return the names of a call's arguments, without the query of a model that has none.

    The d of a sweep is its simulations': the numbers of a prediction do not depend on it.
    """
    idle = {"query"} if model in MODELS and not MODELS[model].has_query else set()
    idle |= {"d"} if call == "predict" else set()
    return set(parameters(call)) - set(SWEEP_ARGUMENTS) - idle


def required_arguments(call: str) -> list[str]:
    """List the arguments that a call cannot do without."""
    return [
        name for name, parameter in parameters(call).items() if parameter.default is Parameter.empty
    ]


def build_table(
    name: str, fields: Mapping[str, Any], *, with_d: bool, loss: Loss | None = None
) -> Any:
    """Build what a table's fields stand for, or say what is wrong with them.

    A decaying covariance is checked and left out: it would be d × d numbers.

    Examples
    --------
    >>> build_table("query", {"kappa": 2.0}, with_d=False)
    Traceback (most recent call last):
    ValueError: [query] needs a line `cosine = ...`
    """
    check_fields(name, fields)
    try:
        result = decode(name, fields, 2 if with_d else None, loss)
        rest = {k: value for k, value in fields.items() if k not in MORE_FIELDS.get(name, ())}
        return decode(name, rest, loss=loss) if len(rest) < len(fields) else result
    except (TypeError, ValueError) as problem:
        raise ValueError(f"[{name}] {problem}") from None


def check_point(call: str, given: Mapping[str, Any]) -> None:
    """Refuse the arguments of one call; tables are given as what they stand for."""
    try:
        if call not in SEVERAL_SIGNALS:
            given["task"].need_one_signal(call)
        if call in SIMULATED:
            _check_simulation(call, given)
        else:
            _check_theory(call, given)
    except ValueError as problem:
        raise ValueError(f"{call}: {problem}") from None


def _check_simulation(call: str, given: Mapping[str, Any]) -> None:
    usual = {
        name: parameter.default
        for name, parameter in parameters(call).items()
        if name not in SWEEP_ARGUMENTS
    }
    arguments = usual | dict(given)
    if call == "simulate_focus":
        choice("model", arguments["model"], WITH_QUERY)
    if call == "simulate_oracle":
        check_draws(**arguments)
    elif call == "simulate_amp":
        check_amp(**arguments)
    elif call == "simulate_deep":
        check_deep(**arguments)
    else:
        specify(**{"model": "attention", **arguments})


def _check_theory(call: str, given: Mapping[str, Any]) -> None:
    rules: dict[str, Callable[[Any], object]] = {
        "model": lambda item: choice("model", item, ANSWERED_MODELS.get(call, tuple(MODELS))),
        "data": lambda item: choice("data", item, DATA),
        "tol": lambda item: item == "auto" or check_tol(item),
        "alpha": lambda item: amount("alpha", item),
        "error": lambda item: real("error", item, 0.0, 1.0, open_low=True, open_high=True),
        "kappa": lambda item: Query(item, 0.0),
    }
    for name, value in given.items():
        if name in rules:
            rules[name](value)
    if call == "oracle_threshold":
        check_target(given["model"], given["error"])
    trains = MODELS.get(given.get("model", "attention"), ATTENTION).has_query
    trains = trains and given.get("query") is None
    if call in ("asymptote", "predict"):
        kind = MODELS.get(given.get("model", "attention"), ATTENTION)
        check_query(kind, given.get("query"), given["task"])
    if trains and call in ("asymptote", "capacity"):
        raise ValueError("attention needs a table [query]")
    steps = call in ("align", "focus", "training_threshold")
    if trains and (steps or (call == "predict" and not given["training"].is_joint)):
        given["training"].need_alpha0("the query is trained on D0")
