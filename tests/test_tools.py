"""The tools that judge the tests: their list of mistakes fits the source, and they see kernels."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

import pytest

from tools import layers
from tools.kernels import executable, numeric_tests
from tools.layers import public_calls
from tools.mutants import Mutant, read_mutants

ROOT = Path(__file__).resolve().parents[1]
MUTANTS = read_mutants()


def test_every_mistake_can_still_be_made():
    """Its text stands in the source once; the rest is Python still, and its tests are there."""
    faults = []
    for mutant in MUTANTS:
        source = mutant.path(ROOT).read_text(encoding="utf-8")
        try:
            changed = mutant.changed(source)
            if ast.dump(ast.parse(changed)) == ast.dump(ast.parse(source)):
                faults.append(f"{mutant.name}: nothing is changed")
        except (ValueError, SyntaxError) as problem:
            faults.append(f"{mutant.name}: {problem}")
        missing = [test for test in mutant.tests if not (ROOT / test).exists()]
        if missing or not mutant.tests:
            faults.append(f"{mutant.name}: there are no tests {missing}")
    assert not faults, "\n".join(faults)


def test_mistakes_are_many_and_have_names_of_their_own():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 40
    packages = {mutant.file.split("/")[0] for mutant in MUTANTS}
    assert {"losses", "models", "theory", "simulation", "estimators", "experiments"} <= packages


@pytest.mark.parametrize(("source", "count"), [("a + c", 0), ("a + b + b", 2)])
def test_a_mistake_that_has_moved_on_is_refused(source, count):
    lost = Mutant("lost", "", "x.py", "b", "c", [])
    with pytest.raises(ValueError, match=f"lost: x.py must have 'b' exactly once, got {count} tim"):
        lost.changed(source)


def test_a_processor_is_given_what_it_can_execute():
    assert executable("model : none") == []
    old = "processor : 0\nflags\t\t: fpu sse2 pni ssse3 sse4_1 sse4_2\nbugs : none"
    assert executable(old) == ["Prescott", "Nehalem"]
    assert "Haswell" in executable(old.replace("sse4_2", "sse4_2 avx avx2 fma"))


def test_the_numeric_tests_are_where_they_are_looked_for():
    assert all((ROOT / name).exists() for name in numeric_tests())


CROWDED = {"estimators/bags": 14, "planning": 14, "theory": 14, "problem": 13}
"""Packages that are to be split, and must not grow until they are."""


def test_no_package_holds_more_files_than_fit_on_a_screen() -> None:
    result = layers.packages(ROOT / "src" / "needlescope")
    assert len(result) > 20
    crowded = {package.name: package.flat for package in result if package.flat > layers.FLAT}
    assert all(count <= CROWDED.get(name, 0) for name, count in crowded.items()), crowded


def test_a_call_path_that_returns_is_seen(tmp_path: Path) -> None:
    """Two files that call each other back and forth, by a function that one hands to the other."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "a.py").write_text(
        "import b\ndef go():\n    b.to(here)\ndef here():\n    pass\n"
    )
    (tmp_path / "package" / "b.py").write_text("def to(back):\n    back()\n")
    (tmp_path / "package" / "start.py").write_text("import a\ndef go():\n    a.go()\n")
    sys.path.insert(0, str(tmp_path / "package"))
    try:
        start = importlib.import_module("start")
        path = layers.call_path(tmp_path, start.go)
    finally:
        sys.path.remove(str(tmp_path / "package"))
        for name in ("start", "a", "b"):
            sys.modules.pop(name, None)
    assert path.files == ["package/start.py", "package/a.py", "package/b.py"]
    assert path.returns == ["package/a.py > package/b.py > package/a.py"]


SLOW = ("estimate_task",)
CALLS = [
    pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in public_calls()
]


@pytest.mark.parametrize("name", CALLS)
def test_calls_return_only_to_files_listed_as_known(name: str) -> None:
    path = layers.call_path(ROOT / "src" / "needlescope", layers.public_calls()[name])
    assert len(path.files) > 10
    assert path.returned_to == layers.KNOWN_RETURNS.get(name, set())


def test_packages_and_their_sub_packages_import_each_other_only_where_listed_as_known() -> None:
    assert layers.cycles(ROOT / "src" / "needlescope") == layers.KNOWN_CYCLES


@pytest.mark.parametrize("line", ["from . import b", "def f():\n    from .b import c"])
def test_a_sub_package_that_imports_its_parent_is_seen(tmp_path: Path, line: str) -> None:
    (tmp_path / "a" / "b" / "deep").mkdir(parents=True)
    (tmp_path / "a" / "__init__.py").write_text("")
    (tmp_path / "a" / "shared.py").write_text("")
    (tmp_path / "a" / "top.py").write_text(line)
    (tmp_path / "a" / "b" / "__init__.py").write_text("")
    (tmp_path / "a" / "b" / "c.py").write_text("")
    assert layers.cycles(tmp_path) == set()
    (tmp_path / "a" / "b" / "deep" / "x.py").write_text("def f():\n    from ...shared import y")
    assert layers.cycles(tmp_path) == {("a", "a/b")}
