"""The calls of a unit: each turns plain arguments into numbers.

| call | answers |
| --- | --- |
| predict, simulate | an `Outcome` |
| align, simulate_alignment | an `Alignment` |
| focus, simulate_focus | a `Focus`: what the query looks at |
| capacity, simulate_separability | separable until which n/d, and how often |
| oracle, simulate_oracle, oracle_threshold | the least error with a known signal |
| bayes_optimal, simulate_amp, phase_boundaries | the Bayes-optimal learner, AMP and the phases |
| training_threshold, bayes_threshold | the weakest signal for training, for any learner |
| asymptote, crossover | the square loss with much data; where attention starts to win |
| best_query | what one query can reach where there are several signals |
| predict_instances, simulate_instances | the test error on bags of labelled instances |
| simulate_deep | a `DeepOutcome` of fuller attention, by torch (an extra) |

Noise may have a ``covariance_decay`` c in place of a covariance: Σ_ij = c^|i − j| at the call's own
d, a number where the matrix would be d × d of them. Positions are a table of ``sets`` and
``probabilities``, a piecewise quadratic loss one of ``knots`` and ``pieces``, a schedule one of
``steps`` or ``shares`` and its step sizes, a random R one of ``values`` and ``probabilities``. The
weights of several signals, and a query's cosines with them, are lists, as is a pair of shares of
flipped labels.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache
from inspect import Parameter, signature
from typing import Any

import numpy as np

from ...answer import numbered
from ...arrays import FloatArray
from ...deep.simulate import simulate_deep
from ...grid import real, whole
from ...instances.curves import predict_instances, simulate_instances
from ...losses import Loss, PiecewiseQuadratic
from ...noise import Noise
from ...query import Query
from ...schedule import Schedule
from ...signal_count import SignalCount
from ...simulation.amp.simulate_amp import simulate_amp
from ...simulation.oracle import simulate_oracle
from ...simulation.simulate import (
    simulate,
    simulate_alignment,
    simulate_focus,
    simulate_separability,
)
from ...spectrum import Spectrum
from ...task import Positions, Task
from ...theory.alignment import align
from ...theory.asymptote import asymptote
from ...theory.bayes.bayes_optimal import bayes_optimal
from ...theory.bayes.bayes_threshold import bayes_threshold
from ...theory.bayes.boundaries import phase_boundaries
from ...theory.best_query import best_query
from ...theory.capacity import capacity
from ...theory.crossover import crossover
from ...theory.focus import focus
from ...theory.learning import predict
from ...theory.oracle.least_error import oracle
from ...theory.oracle.threshold import oracle_threshold
from ...theory.training_threshold import training_threshold
from ...training import Training
from .code import fingerprint
from .spelling import did_you_mean

_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    *(align, asymptote, best_query, capacity, crossover, oracle_threshold, focus, bayes_optimal),
    *(bayes_threshold, oracle, phase_boundaries, predict, simulate, simulate_alignment),
    *(simulate_deep, simulate_focus, simulate_amp, simulate_oracle, simulate_separability),
    *(training_threshold, predict_instances, simulate_instances),
)
CALLS = {function.__name__: function for function in _FUNCTIONS}
TABLES: dict[str, type[Any]] = {
    "task": Task,
    "training": Training,
    "query": Query,
    "test_task": Task,
    "noise": Noise,
}
"""The arguments that are tables of fields, and what these stand for."""

MORE_FIELDS = {"noise": ("covariance_decay",)}  # which the classes do not have
ALTERNATIVES = {"cosine": "cosines"}  # fields that may be left out for another
LIST_ARGUMENTS = ("signal", "seed", "lengths", "rates", "decays")  # of which one value is a list
EXECUTION_ARGUMENTS = ("n_jobs", "progress", "checkpoints")  # how the work is done, by the engine
LARGEST_DIMENSION = 20_000  # d of a covariance that is made here: 3.2 GB
SIMULATED = tuple(name for name in CALLS if name.startswith("simulate"))
RESUMABLE = ("simulate_deep",)  # that keep what they have done so far, if there is a folder for it


@cache
def parameters(call: str) -> Mapping[str, Parameter]:
    """Return the arguments of a call by name, without those that say how its work is done."""
    every = signature(CALLS[call]).parameters
    return {name: every[name] for name in every if name not in EXECUTION_ARGUMENTS}


@cache
def fields(table: str) -> Mapping[str, Parameter]:
    """Return the fields of a table by name."""
    result = dict(signature(TABLES[table]).parameters)
    for name in MORE_FIELDS.get(table, ()):
        result[name] = Parameter(name, Parameter.KEYWORD_ONLY, default=None)
    return result


def code_of(call: str) -> str:
    """Return the version of the code that a call's numbers rest on, from its arguments onwards."""
    home = CALLS[call].__module__.split(".", 1)[1]
    return fingerprint(home, __name__.split(".", 1)[1])


def run_call(
    name: str,
    arguments: Mapping[str, Any],
    loss: Loss | None = None,
    checkpoints: str | None = None,
) -> dict[str, Any]:
    """Call a function of the package with plain arguments; return its numbers by name.

    A custom loss, which cannot be made from its plain form, is given as ``loss``, a folder
    for calls that can go on where they were stopped as ``checkpoints``.

    Examples
    --------
    >>> task = {"L": 4, "R": 1, "theta": 4.0, "pi": 0.5}
    >>> round(run_call("capacity", {"task": task, "model": "pooled"})["alpha"], 3)
    3.7
    """
    for item, parameter in parameters(name).items():
        if parameter.default is Parameter.empty and item not in arguments:
            raise ValueError(f"{name} needs the argument {item}")
    given = {key: decode(key, value, arguments.get("d"), loss) for key, value in arguments.items()}
    for key, value in given.items():
        shape = getattr(value, "shape", ()) if key in TABLES else np.shape(value)
        if shape and key not in LIST_ARGUMENTS:
            raise ValueError(
                f"a unit is one problem, got a grid of shape {shape} in {key}; a Sweep makes a "
                "unit of each point"
            )
    if name in SIMULATED:
        given |= {"n_jobs": 1, "progress": False}  # the engine has the processes and the bar
    if name in RESUMABLE:
        given["checkpoints"] = checkpoints
    return flatten(CALLS[name](**given))


def decode(name: str, value: Any, d: int | None = None, loss: Loss | None = None) -> Any:
    """Turn a plain argument into the object it stands for; a decaying covariance needs d.

    Examples
    --------
    >>> decode("noise", {"covariance_decay": 0.5}, d=3).covariance
    array([[1.  , 0.5 , 0.25],
           [0.5 , 1.  , 0.5 ],
           [0.25, 0.5 , 1.  ]])
    """
    if value is None or name not in TABLES:
        return value
    value = check_fields(name, value)
    if "covariance_decay" in value:
        decay = value.pop("covariance_decay")
        if "covariance" in value:
            raise ValueError("noise has a covariance or a covariance_decay, got both")
        value["covariance"] = _decaying(decay, d)
    for part in ("noise", "signal_noise"):
        if isinstance(noise := value.get(part), Mapping):
            value[part] = decode("noise", noise, d)
    if isinstance(spectrum := value.get("spectrum"), Mapping):
        value["spectrum"] = _table("spectrum", Spectrum, spectrum)
    if isinstance(positions := value.get("positions"), Mapping):
        value["positions"] = _table("positions", Positions, positions)
    if isinstance(count := value.get("R"), Mapping):
        value["R"] = _table("R", SignalCount, count)
    if isinstance(given := value.get("schedule"), Mapping):
        value["schedule"] = _schedule(given)
    if isinstance(given := value.get("loss"), Mapping):
        value["loss"] = _loss(given, loss)
    return TABLES[name](**value)


def check_fields(name: str, value: Any) -> dict[str, Any]:
    """Return a table's fields, or say which is unknown and which is missing.

    Examples
    --------
    >>> check_fields("query", {"kappa": 2.0})
    Traceback (most recent call last):
    ValueError: [query] needs a line `cosine = ...`
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"[{name}] must be a table of fields, got {name} = {value!r:.80}")
    known = fields(name)
    for field in value:
        if field not in known:
            raise ValueError(
                f"[{name}] has no field {field!r}; its fields are {', '.join(known)}"
                f"{did_you_mean(field, known)}"
            )
    for field, parameter in known.items():
        required = parameter.default is Parameter.empty or field in ALTERNATIVES
        if required and field not in value and ALTERNATIVES.get(field) not in value:
            raise ValueError(f"[{name}] needs a line `{field} = ...`")
    return dict(value)


def _table(name: str, kind: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    """Build one of the objects inside a table from a table of its own."""
    known = list(signature(kind).parameters)
    for item in given:
        if item not in known:
            raise ValueError(
                f"{name} has no field {item!r}; its fields are {', '.join(known)}"
                f"{did_you_mean(item, known)}"
            )
    first = known[0]
    if first not in given:
        raise ValueError(f"{name} needs a line `{first} = ...`")
    return kind(**given)


def _schedule(given: Mapping[str, Any]) -> Schedule:
    if "steps" in given and "shares" in given:
        raise ValueError("a schedule has steps on equal batches, or shares, got both")
    kind: Any = Schedule.even if "steps" in given else Schedule
    result: Schedule = _table("schedule", kind, given)
    return result


def _loss(given: Mapping[str, Any], loss: Loss | None) -> Loss:
    if "code" not in given:
        result: Loss = _table("loss", PiecewiseQuadratic, {"pieces": (), **given})
        return result
    if loss is None:
        raise ValueError(
            f"the {given.get('name')} loss is known by its identity only, which cannot be run; "
            "make the unit from the Loss itself"
        )
    return loss


def _decaying(decay: Any, d: Any) -> FloatArray:
    """Return the covariance decay^|i − j| of d dimensions."""
    if np.ndim(decay):
        raise ValueError(f"covariance_decay must be a single number, got {decay!r}")
    decay = real("covariance_decay", decay, -1.0, 1.0, open_low=True, open_high=True)
    if d is None:
        raise ValueError("covariance_decay describes a d × d matrix: give d as well")
    steps = np.arange(whole("d", d, 1, LARGEST_DIMENSION))
    return np.asarray(decay ** np.abs(steps[:, None] - steps))


def flatten(result: Any) -> dict[str, Any]:
    """Return the single numbers and words of a result, those of its alignment included.

    A NaN says that there is no such number, and is left out.
    """
    answer: dict[str, Any] = {}
    for field in dataclasses.fields(result):
        value = getattr(result, field.name)
        if field.name == "alignment" and value is not None:
            inner = flatten(value)
            answer |= {
                key: inner[key] for key in inner if key not in answer and key != "provenance"
            }
        elif isinstance(value, str):
            answer[field.name] = value
        for name, item in numbered(field.name, value).items():
            if isinstance(item, int | float | np.number) and not np.isnan(item):
                answer[name] = float(item)
    return answer
