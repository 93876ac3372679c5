"""The tools that judge the tests: their list of mistakes fits the source, and they see kernels."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools.kernels import executable, numeric_tests
from tools.mutants import Mutant, read_mutants

ROOT = Path(__file__).resolve().parents[1]
MUTANTS = read_mutants()


@pytest.mark.parametrize("mutant", MUTANTS, ids=[one.name for one in MUTANTS])
def test_a_mistake_can_still_be_made(mutant):
    """Its text stands in the source once; the rest is Python still, and its tests are there."""
    source = mutant.path(ROOT).read_text(encoding="utf-8")
    changed = mutant.changed(source)
    assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source))
    assert mutant.tests and all((ROOT / one).exists() for one in mutant.tests)


def test_mistakes_are_many_and_have_names_of_their_own():
    assert len({one.name for one in MUTANTS}) == len(MUTANTS) >= 40
    rooms = {one.file.split("/")[0] for one in MUTANTS}
    assert {"losses", "models", "theory", "simulation", "estimators", "experiments"} <= rooms


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
