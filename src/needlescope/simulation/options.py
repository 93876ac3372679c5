"""The options that simulations share: their names, defaults and meaning, each said once.

`simulate` and its siblings take most of the same keywords. `takes` gives each of them the ones it
names, as a signature and as lines of its docstring, where that says ``<options>``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, NamedTuple, TypedDict, TypeVar

from ..noise import Noise
from ..query import Query
from ..running.processes import Progress
from ..task import Task
from .point import MEMORY

Call = TypeVar("Call", bound=Callable[..., Any])


class Options(TypedDict, total=False):
    """The options by name, for those who check types."""

    query: Query | None
    test_task: Task | None
    data: str
    reuse: str
    starts: int
    noise: Noise | None
    signal: Any
    sampler: str
    test: str
    n_test: int
    n_jobs: int | None
    memory: int
    progress: Progress


class _Option(NamedTuple):
    default: Any
    kind: str
    words: str


HOW = ("n_jobs", "memory", "progress")  # how the work is done, which the results do not depend on
_OPTIONS = {
    "query": _Option(
        None,
        "Query, optional",
        "For attention: a query given directly instead of trained.",
    ),
    "test_task": _Option(
        None,
        "Task, optional",
        "Test on another task than the one trained on, as in `predict`.",
    ),
    "data": _Option(
        "D1",
        '"D1" or "all", default "D1"',
        "What the models without a query are trained on: D1 alone, or D0 ∪ D1.",
    ),
    "reuse": _Option(
        "none",
        '"none", "D0" or "all", default "none"',
        "What attention's readout is trained on: fresh data D1, the same D0 that trained the\n"
        "query (then alpha1 must equal alpha0), or D0 ∪ D1.",
    ),
    "starts": _Option(
        0,
        "int, default 0",
        "Above 0: train query and readout together on D0 ∪ D1, by L-BFGS from so many starts (at\n"
        "most 1000), the first of them where the steps lead, to a relative gradient of 1e-5; the\n"
        "ridge then applies to the query too.",
    ),
    "noise": _Option(
        None,
        "Noise, optional",
        "Another law of the noise than independent N(0, 1) entries.",
    ),
    "signal": _Option(
        None,
        "array (d,), optional",
        "Direction of the signal; random in each trial by default. Of several signals, as many\n"
        "rows, orthogonal to each other.",
    ),
    "sampler": _Option(
        "auto",
        '"auto", "tokens" or "reduced", default "auto"',
        "Make every token, block by block; or draw from the exact reduced law, which needs L\n"
        'times fewer numbers and serves the theory\'s own setting only. "auto" reduces where it\n'
        "can.",
    ),
    "test": _Option(
        "auto",
        '"auto", "exact" or "sampled", default "auto"',
        "Integrate the test error over the law of the data (Gaussian noise only; unbiased, to a\n"
        "standard error of 2e-4 and of 5 % or as far as a budget goes, which each trial states as\n"
        '``trials["test_error_numeric"]``), or count mistakes on ``n_test`` fresh samples. "auto"\n'
        "integrates where it can.",
    ),
    "n_test": _Option(
        10_000,
        "int, default 10,000",
        "Fresh samples that a trial looks at: mistakes are counted on them, where they are, and\n"
        "attention is looked at in so many positives.",
    ),
    "n_jobs": _Option(
        None,
        "int, optional",
        "Processes to run on, as many as there are cores by default. Results do not depend on it.",
    ),
    "memory": _Option(
        MEMORY,
        "int, default 1 GiB",
        "Bytes that one worker may use for its data; what needs more is refused before it starts.",
    ),
    "progress": _Option(
        None,
        "bool or callable, optional",
        "A progress bar (by default if there is a terminal), or a function of (done, total).",
    ),
}


def takes(*names: str) -> Callable[[Call], Call]:
    """Give a function, which takes ``**options``, some of the options and their defaults.

    Examples
    --------
    >>> @takes("memory")
    ... def show(d, **options):
    ...     '''Show what is asked.
    ...
    ...     <options>
    ...     '''
    ...     return d, options
    >>> show(3)
    (3, {'memory': 1073741824})
    >>> signature(show)
    <Signature (d, *, memory: 'int' = 1073741824)>
    >>> show(3, wings=2)
    Traceback (most recent call last):
    TypeError: show() got an unexpected keyword argument 'wings'
    """

    def decorate(function: Call) -> Call:
        kinds = Options.__annotations__
        plain = [
            parameter
            for parameter in signature(function).parameters.values()
            if parameter.kind is not Parameter.VAR_KEYWORD
        ]
        more = [
            Parameter(
                name,
                Parameter.KEYWORD_ONLY,
                default=_OPTIONS[name].default,
                annotation=getattr(kinds[name], "__forward_arg__", kinds[name]),
            )
            for name in names
        ]
        whole = signature(function).replace(parameters=[*plain, *more])

        @wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            try:
                bound = whole.bind(*args, **given)
            except TypeError as problem:
                raise TypeError(f"{function.__name__}() {problem}") from None
            bound.apply_defaults()
            return function(**bound.arguments)

        call.__doc__ = re.sub(
            r"(?m)^( *)<options>$", lambda at: _described(names, at[1]), function.__doc__ or ""
        )
        vars(call)["__signature__"] = whole
        return call  # type: ignore[return-value]

    return decorate


def _described(names: tuple[str, ...], indent: str) -> str:
    """Write the lines of a docstring on some options."""
    lines = []
    for name in names:
        option = _OPTIONS[name]
        lines.append(f"{indent}{name} : {option.kind}")
        lines += [f"{indent}    {line}" for line in option.words.split("\n")]
    return "\n".join(lines)
