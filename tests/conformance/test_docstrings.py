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
        issubclass(value, Answer) or name in ("estimators.DeletionTest", "estimators.TaskEstimate")
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


def test_the_lists_are_not_empty():
    assert len(PUBLIC) > 45 and len(RESULTS) >= 9 and len(ERRORS) == 2 and len(THEORY) >= 8


@pytest.mark.parametrize("name", PUBLIC)
def test_summary_is_a_sentence(name):
    first = sections(name)[""].strip().split("\n\n")[0]
    assert first.endswith((".", ":")), first
    assert len(first) < 250


@pytest.mark.parametrize("name", WITH_PARAMETERS)
def test_every_parameter_is_described_with_its_default(name):
    described = entries(name, "Parameters")
    for parameter in inspect.signature(PUBLIC[name]).parameters.values():
        text = described.get(parameter.name)
        assert text is not None, f"{parameter.name} is not described"
        head = text.split("\n")[0]
        assert " : " in head, f"{parameter.name} has no type"
        if parameter.default is not inspect.Parameter.empty:
            words = ("default", "optional", "required")
            assert any(word in head for word in words), f"{parameter.name} names no default"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_say_what_they_return_and_raise(name):
    assert sections(name).get("Returns", "").strip(), "no Returns"
    assert sections(name).get("Raises", "").strip(), "no Raises"


@pytest.mark.parametrize("name", RESULTS)
def test_results_describe_all_their_fields(name):
    described = entries(name, "Attributes")
    for field in dataclasses.fields(PUBLIC[name]):
        if field.name != "question" and not field.name.endswith("_se"):
            assert field.name in described, field.name


@pytest.mark.parametrize("name", THEORY)
def test_theory_says_what_it_rests_on(name):
    assert re.search(GROUNDS, sections(name)[""]), sections(name)[""]


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


@pytest.mark.parametrize("name", PUBLIC)
def test_example_needs_nothing_but_itself(name):
    """It is run where it stands, as every doctest is; here, that it would run anywhere."""
    test = doctest.DocTestParser().get_doctest(
        sections(name).get("Examples", ""), {}, name, None, None
    )
    assert test.examples, "no example"
    assert undefined("".join(example.source for example in test.examples)) == set()
