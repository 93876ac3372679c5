"""Every public docstring: summary, parameters, returns, raises, an example that runs when pasted.

A parameter's line says its default if it has one; a result names all of its fields; what the theory
computes says what it rests on: our derivation of a quantity of the paper, or a formula.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import doctest
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

import pytest

import needlescope as ns
from needlescope.answer import Answer

PUBLIC = {
    **{name: getattr(ns, name) for name in ns.__all__},
    **{f"estimators.{name}": getattr(ns.estimators, name) for name in ns.estimators.__all__},
    "deep.DeepClassifier": ns.deep.DeepClassifier,
    **{f"figures.{name}": getattr(ns.figures, name) for name in ns.figures.__all__},
}
RESULTS = [
    name
    for name, value in PUBLIC.items()
    if inspect.isclass(value)
    and (
        issubclass(value, Answer)
        or name in ("estimators.DeletionTest", "estimators.InstanceTask", "estimators.TaskEstimate")
    )
]
ERRORS = [
    name
    for name, value in PUBLIC.items()
    if inspect.isclass(value) and issubclass(value, Exception)
]
FUNCTIONS = [name for name, value in PUBLIC.items() if inspect.isfunction(value)]
WITH_PARAMETERS = sorted(set(PUBLIC) - set(RESULTS) - set(ERRORS) - {"Loss"})  # a loss has none
THEORY = [name for name in FUNCTIONS if PUBLIC[name].__module__.startswith("needlescope.theory")]
GROUNDS = r"[Oo]ur\s+derivation\s+of|formula|Bayes rule"
SECTION = r"(?m)^(\w+)\n-+$"


@cache
def sections(name: str) -> dict[str, str]:
    """Return the parts of a docstring: what stands before the first heading as ``""``."""
    text = inspect.getdoc(PUBLIC[name]) or ""
    head, *rest = re.split(SECTION, text)
    return {"": head, **dict(zip(rest[::2], rest[1::2], strict=True))}


def entries(name: str, section: str) -> dict[str, str]:
    """Return what a section says of each name, its first line included."""
    result = {}
    for entry in re.split(r"(?m)^(?=\S)", sections(name).get(section, "")):
        if entry.strip():
            for item in re.split(r",\s*", entry.split("\n")[0].split(" : ")[0]):
                result[item.strip()] = entry
    return result


def check(names: Iterable[str], judge: Callable[[str], Iterable[str]]) -> None:
    """Say of every name what its docstring lacks."""
    faults = [f"{name}: {fault}" for name in names for fault in judge(name)]
    assert not faults, "\n".join(faults)


def test_the_lists_are_not_empty():
    assert len(PUBLIC) > 45 and len(RESULTS) >= 9 and len(ERRORS) == 2 and len(THEORY) >= 8


def summary_faults(name: str) -> Iterator[str]:
    first = sections(name)[""].strip().split("\n\n")[0]
    if not first.endswith((".", ":")):
        yield f"{first!r} is no sentence"
    if len(first) >= 250:
        yield f"a summary of {len(first)} characters"


def test_summaries_are_sentences():
    check(PUBLIC, summary_faults)


def parameter_faults(name: str) -> Iterator[str]:
    described = entries(name, "Parameters")
    for parameter in inspect.signature(PUBLIC[name]).parameters.values():
        if parameter.name not in described:
            yield f"{parameter.name} is not described"
            continue
        head = described[parameter.name].split("\n")[0]
        if " : " not in head:
            yield f"{parameter.name} has no type"
        words = ("default", "optional", "required")
        if parameter.default is not inspect.Parameter.empty and not any(w in head for w in words):
            yield f"{parameter.name} names no default"


def test_every_parameter_is_described_with_its_default():
    check(WITH_PARAMETERS, parameter_faults)


def section_faults(name: str) -> Iterator[str]:
    for section in ("Returns", "Raises"):
        if not sections(name).get(section, "").strip():
            yield f"no {section}"


def test_functions_say_what_they_return_and_raise():
    check(FUNCTIONS, section_faults)


def field_faults(name: str) -> Iterator[str]:
    described = entries(name, "Attributes")
    for field in dataclasses.fields(PUBLIC[name]):
        expected = field.name != "question" and not field.name.endswith("_se")
        if expected and field.name not in described:
            yield f"{field.name} is not described"


def test_results_describe_all_their_fields():
    check(RESULTS, field_faults)


def ground_faults(name: str) -> Iterator[str]:
    if not re.search(GROUNDS, sections(name)[""]):
        yield "does not say what it rests on"


def test_theory_says_what_it_rests_on():
    check(THEORY, ground_faults)


def undefined(source: str) -> set[str]:
    """Return the names that a program uses and does not make: it would fail where it is pasted."""
    result = list(ast.walk(ast.parse(source)))
    made = {
        item.id for item in result if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)
    }
    made |= {item.name for item in result if isinstance(item, ast.FunctionDef | ast.ClassDef)}
    made |= {item.arg for item in result if isinstance(item, ast.arg)}
    made |= {item.name for item in result if isinstance(item, ast.ExceptHandler) and item.name}
    for item in result:
        if isinstance(item, ast.Import | ast.ImportFrom):
            made |= {(name.asname or name.name).partition(".")[0] for name in item.names}
    used = {item.id for item in result if isinstance(item, ast.Name)}
    return used - made - set(dir(builtins))


def test_what_is_not_imported_is_noticed():
    assert undefined("import numpy as np\nx = np.ones(3)\nns.predict(x, len(x))") == {"ns"}


def example_faults(name: str) -> Iterator[str]:
    text = sections(name).get("Examples", "")
    examples = doctest.DocTestParser().get_examples(text)
    if not examples:
        yield "no example"
    for unknown in undefined("".join(example.source for example in examples)):
        yield f"its example needs {unknown}"


def test_examples_need_nothing_but_themselves():
    """They are run where they stand, as every doctest is; here, that they would run anywhere."""
    check(PUBLIC, example_faults)


@pytest.mark.parametrize(
    ("judge", "text", "fault"),
    [
        (summary_faults, "No sentence", "'No sentence' is no sentence"),
        (parameter_faults, "Call.\n\nParameters\n----------\na : int", "b is not described"),
        (parameter_faults, "Call.\n\nParameters\n----------\na, b : int", "b names no default"),
        (section_faults, "Call.\n\nReturns\n-------\nint", "no Raises"),
        (ground_faults, "Call.", "does not say what it rests on"),
        (example_faults, "Call.\n\nExamples\n--------\n>>> x + 1", "its example needs x"),
    ],
)
def test_what_a_docstring_lacks_is_said(judge, text, fault, monkeypatch):
    def call(a, b=1): ...

    call.__doc__ = text
    monkeypatch.setitem(PUBLIC, fault, call)
    with pytest.raises(AssertionError, match=fault):
        check([fault], judge)
