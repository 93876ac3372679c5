"""No result of the paper is claimed: what users read says whose derivation, and of which version.

The rule is run on all that users read, and on sentences that break it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from needlescope.models import MODELS
from needlescope.paper import VERSION, conjectured, derived
from needlescope.theory.common import provenance

ROOT = Path(__file__).resolve().parents[1]
RESULT = r"(?i:theorem|corollary|proposition|lemma|conjecture)s? \d"
NAMES = rf"{RESULT}(?:(?:, | and )(?:{RESULT}|\d))*"
SAID = rf"[Oo]ur derivation of the quantit(?:y|ies) of {NAMES} \({VERSION}\)"
MAKES = r"(?:derived|conjectured)\([^)]*\)"  # in an example, what puts it into words
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
MODULES = sorted((ROOT / "src").rglob("*.py"))


def bare(text: str) -> list[str]:
    """Return the results that a text names without saying that they are derived anew."""
    return re.findall(RESULT, re.sub(f"{SAID}|{MAKES}", "", " ".join(text.split())))


def strings(tree: ast.AST) -> Iterator[str]:
    """Yield all strings of a module, docstrings too, but those that `derived` puts into words."""
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        yield tree.value
    named = isinstance(tree, ast.Call) and ast.unparse(tree.func) in ("derived", "conjectured")
    for child in () if named else ast.iter_child_nodes(tree):
        yield from strings(child)


def grounds() -> Iterator[str]:
    """Yield every provenance that is written down: constants, those of tables, those of models."""
    for value in vars(provenance).values():
        if isinstance(value, str | dict):
            yield from [value] if isinstance(value, str) else map(str, value.values())
    yield from (model.rests_on for model in MODELS.values())


@pytest.mark.parametrize(
    "text",
    [
        "theorem 4",
        "Theorems 4 and 5 say so",
        "search: on corollary\n2",
        "our derivation of the quantity of theorem 4",  # of which version?
        f"the quantity of theorem 4 ({VERSION})",  # by whose equations?
        f"{derived('theorem 4')} and theorem 5",
        "our derivation of the quantity of conjecture 1 (arXiv v2)",
    ],
)
def test_a_bare_result_is_noticed(text):
    assert bare(text)


@pytest.mark.parametrize(
    "text",
    [
        derived("theorem 4"),
        derived("theorem 3", "corollary 1"),
        conjectured("conjecture 1"),
        "Our derivation of the quantities of theorems 4 and\n    5 (arXiv v1).",
        "a replica-symmetric formula, not a theorem",
    ],
)
def test_what_says_enough_passes(text):
    assert not bare(text)


def test_strings_are_found_wherever_they_stand():
    tree = ast.parse('"""a"""\nx = f"b {y}"\ndef f():\n    return derived("theorem 4"), ["c"]\n')
    assert [string.strip() for string in strings(tree)] == ["a", "b", "c"]


def test_every_provenance_says_whose_derivation_it_is():
    result = list(grounds())
    assert sum(VERSION in item for item in result) >= 9
    assert [item for item in result if bare(item)] == []


@pytest.mark.slow
def test_no_module_names_a_bare_result():
    assert len(MODULES) > 200
    trees = {path.name: ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}
    assert [
        (name, string) for name, tree in trees.items() for string in strings(tree) if bare(string)
    ] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_no_page_names_a_bare_result(path):
    assert bare(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", ["README.md", "docs/deep.md"])
def test_a_page_that_leans_on_the_paper_names_its_version(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "arXiv 2509.25153 v1" in " ".join(text.split())
