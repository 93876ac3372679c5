"""What stands in more than one file about the package says the same everywhere."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT, GROUPS = PYPROJECT["project"], PYPROJECT["dependency-groups"]
PYTHONS = [
    found[1]
    for words in PROJECT["classifiers"]
    if (found := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", words))
]
oldest = runpy.run_path(str(ROOT / "tools/oldest.py"))


def text(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


def test_classifiers_name_every_python_from_the_required_one_on():
    minors = [int(version.split(".")[1]) for version in PYTHONS]
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    assert minors == list(range(minors[0], minors[0] + len(minors)))


def test_workflow_tests_every_python_and_the_lowest_with_the_oldest_versions():
    workflow = text(".github/workflows/ci.yml")
    (matrix,) = re.findall(r"python: \[(.*)\]", workflow)
    assert re.findall(r'"([\d.]+)"', matrix) == PYTHONS
    below = workflow[: workflow.index("make test-oldest")]
    assert re.findall(r'python-version: "([\d.]+)"', below)[-1] == PYTHONS[0]


@pytest.mark.parametrize("path", ["README.md", "CONTRIBUTING.md"])
def test_documents_ask_for_the_lowest_python(path):
    assert set(re.findall(r"Python (\d\.\d+) or (?:later|newer)", text(path))) == {PYTHONS[0]}


def test_make_takes_the_lowest_python_for_the_oldest_versions():
    assert f"\nLOWEST ?= python{PYTHONS[0]}\n" in text("Makefile")


def test_nox_takes_its_versions_from_the_classifiers():
    assert not re.search(r"3\.\d", text("noxfile.py"))


def test_every_dependency_is_pinned_to_its_lower_bound():
    wanted = [*PROJECT["dependencies"], *GROUPS["test"]]
    for extra in PROJECT["optional-dependencies"].values():
        wanted += extra
    assert set(oldest["pins"](PYPROJECT)) == {item.replace(">=", "==") for item in wanted}


@pytest.mark.parametrize("requirement", ["numpy", "numpy>=2,<3", "numpy>=2; python_version<'4'"])
def test_a_dependency_without_a_plain_lower_bound_is_refused(requirement):
    project = {"dependencies": [requirement], "optional-dependencies": {}}
    with pytest.raises(ValueError, match=re.escape(f"name>=version, got {requirement!r}")):
        oldest["pins"]({"project": project, "dependency-groups": {"test": []}})


@pytest.mark.parametrize(("tool", "hook"), [("ruff", "ruff-pre-commit"), ("mypy", "mirrors-mypy")])
def test_hooks_have_the_versions_that_lint_has(tool, hook):
    (version,) = re.findall(rf"/{hook}\n +rev: v([\d.]+)", text(".pre-commit-config.yaml"))
    assert f"{tool}~={version}" in GROUPS["lint"]


def test_citation_has_the_version_of_the_package():
    assert f"\nversion: {PROJECT['version']}\n" in text("CITATION.cff")


def test_every_command_is_phony_and_in_the_table_of_contributing():
    commands = re.findall(r"^([a-z][a-z-]*):.*## ", text("Makefile"), re.MULTILINE)
    (phony,) = re.findall(r"^\.PHONY: (.*)", text("Makefile"), re.MULTILINE)
    listed = re.findall(r"^\| `make ([a-z-]+)", text("CONTRIBUTING.md"), re.MULTILINE)
    assert sorted(phony.split()) == sorted(commands)
    assert sorted(listed) == sorted(set(commands) - {"help"})
