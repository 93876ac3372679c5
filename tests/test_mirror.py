"""Tests stand where their modules do: the folders of tests are the packages, files carry the names.

A module has a test of its name at the mirrored place, or a test in the mirrored folder that says
so, in a line at its top:

    COVERS = ("newton", "subspace")

The claim is checked as far as imports tell: what is covered must be reached from what the test, its
conftests and its helpers import. The rule is run on the package, and then on small packages that
break it, since a rule that cannot fail protects nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from needlescope.experiments.units import code

ROOT = Path(__file__).resolve().parents[1]
BESIDE = {
    "agreement": "theory against simulation, at points all over their range",
    "browser": "the explorer in a real browser: make test-browser",
    "catalogue": "refusals, package by package: each call that is refused, and its sentence",
    "conformance": "every loss, model, estimator, command and docstring through the same checks",
    "golden": "known numbers, published elsewhere",
}  # folders of tests that mirror no package


def modules(source: Path) -> set[tuple[str, str]]:
    """Return the modules of a package: their package, as a path, and their own name."""
    paths = [path.relative_to(source) for path in source.rglob("*.py")]
    return {(path.parent.as_posix(), path.stem) for path in paths if path.name != "__init__.py"}


def folders(root: Path) -> set[str]:
    """Return the folders that have Python in them, as paths."""
    return {path.relative_to(root).parent.as_posix() for path in root.rglob("*.py")}


def has_tests(path: Path) -> bool:
    return path.is_file() and "def test_" in path.read_text(encoding="utf-8")


def covers(test: Path) -> tuple[str, ...]:
    """Return what a test says that it covers."""
    for node in ast.parse(test.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "COVERS":
            return tuple(ast.literal_eval(node.value))
    return ()


def public(source: Path) -> dict[str, str]:
    """Return in which module each public name of the package is, by its imports for type checkers.

    They are loaded on first use, which no import of a test shows.
    """
    tree = ast.parse((source / "__init__.py").read_text(encoding="utf-8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    return {name.name: node.module or name.name for node in nodes for name in node.names}


def used(test: Path, tests: Path, source: Path) -> Iterator[str]:
    """Name the modules that a test imports: itself, by its conftests and its helpers.

    The module of its own name counts, too: a command is loaded by its name, when it is run.
    """
    own = dotted(test.parent.relative_to(tests), test.stem.removeprefix("test_"))
    yield from [own] * (source.joinpath(*own.split(".")).with_suffix(".py").is_file())
    waiting = [test, *(folder / "conftest.py" for folder in test.parents)]
    home, seen = public(source), set()
    while waiting:
        path = waiting.pop()
        if path in seen or not path.is_relative_to(tests) or not path.is_file():
            continue
        seen.add(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield from code._imported(source, [], node)
            if isinstance(node, ast.ImportFrom) and node.module == "needlescope":
                yield from (home[name.name] for name in node.names if name.name in home)
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
                waiting.append(tests.joinpath(*node.module.split(".")[1:]).with_suffix(".py"))
            elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "ns":
                yield from [home[node.attr]] * (node.attr in home)


def dotted(package: str | Path, name: str) -> str:
    """Return the name of a module as it is imported, without the package's."""
    return ".".join([*Path(package).parts, name])


def faults(source: Path, tests: Path) -> list[str]:
    """Return a sentence for each place where tests and source are no mirror of each other."""
    there = modules(source)
    named = {
        (package, name) for package, name in there if has_tests(tests / package / f"test_{name}.py")
    }
    result = [
        f"tests/{folder}: mirrors no package; move it, or say in BESIDE what it holds"
        for folder in sorted(folders(tests) - folders(source) - set(BESIDE))
    ]
    rests_on, claimed = cache(code.rests_on), set()
    for test in sorted(path for path in tests.rglob("test_*.py") if covers(path)):
        package, file = test.parent.relative_to(tests).as_posix(), test.relative_to(tests)
        reached = {item for name in set(used(test, tests, source)) for item in rests_on(name)}
        for name in covers(test):
            claimed.add((package, name))
            if (package, name) not in there:
                result.append(f"tests/{file}: covers {name!r}, which is no module of {package}")
            elif (package, name) in named:
                result.append(f"tests/{file}: covers {name!r}, which has a test of its own")
            elif dotted(package, name) not in reached:
                result.append(f"tests/{file}: covers {name!r}, which nothing it imports imports")
    return result + [
        f"{Path(package, name)}.py: needs tests/{Path(package, f'test_{name}.py')}, "
        "or a COVERS beside it"
        for package, name in sorted(there - named - claimed)
    ]


def test_tests_mirror_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code, "_source", cache(code._source.__wrapped__))  # each is read once
    assert "\n".join(faults(ROOT / "src" / "needlescope", ROOT / "tests")) == ""


PACKAGE = {
    "src/needlescope/__init__.py": "from .package.front import front",
    "src/needlescope/package/__init__.py": "",
    "src/needlescope/package/front.py": "from .back import back\ndef front(): return back()",
    "src/needlescope/package/back.py": "def back(): return 1",
    "src/needlescope/package/aside.py": "",
    "tests/conftest.py": "",
    "tests/golden/test_numbers.py": "",
    "tests/package/conftest.py": "from needlescope.package import aside",
    "tests/package/help.py": "from needlescope.package.front import front",
    "tests/package/test_front.py": "def test_front(): ...",
    "tests/package/test_both.py": (
        "import needlescope as ns\nCOVERS = ('aside', 'back')\nns.front()"
    ),
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of one package, whose tests mirror it."""
    for name, text in PACKAGE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(code, "ROOT", tmp_path / "src" / "needlescope")
    return tmp_path


def judged(package: Path) -> list[str]:
    return faults(package / "src" / "needlescope", package / "tests")


CLAIMS = "\nCOVERS = ('aside', 'back')"


@pytest.mark.parametrize(
    "reaches",
    [
        "import needlescope as ns\nns.front()",
        "from needlescope import front",
        "from needlescope.package import front",
        "from needlescope.package.front import front",
        "from tests.package.help import front",
    ],
)
def test_what_is_reached_in_any_way_may_be_covered(package: Path, reaches: str) -> None:
    (package / "tests/package/test_both.py").write_text(reaches + CLAIMS)
    assert judged(package) == []


@pytest.mark.parametrize(
    ("file", "text", "fault"),
    [
        (
            "src/needlescope/package/new.py",
            "",
            "package/new.py: needs tests/package/test_new.py, or a COVERS beside it",
        ),
        (
            "src/needlescope/new.py",
            "",
            "new.py: needs tests/test_new.py, or a COVERS beside it",
        ),
        (
            "tests/package/test_both.py",
            "from needlescope import front\nCOVERS = ('aside',)",
            "package/back.py: needs tests/package/test_back.py, or a COVERS beside it",
        ),
        (
            "tests/package/test_both.py",
            "from needlescope import front\nCOVERS = ('aside', 'back', 'gone')",
            "tests/package/test_both.py: covers 'gone', which is no module of package",
        ),
        (
            "tests/package/test_both.py",
            "import needlescope as ns" + CLAIMS,
            "tests/package/test_both.py: covers 'back', which nothing it imports imports",
        ),
        (
            "tests/package/conftest.py",
            "",
            "tests/package/test_both.py: covers 'aside', which nothing it imports imports",
        ),
        (
            "tests/package/test_back.py",
            "def test_back(): ...",
            "tests/package/test_both.py: covers 'back', which has a test of its own",
        ),
        (
            "tests/package/test_front.py",
            "# to be written",
            "package/front.py: needs tests/package/test_front.py, or a COVERS beside it",
        ),
        (
            "tests/attic/test_front.py",
            "",
            "tests/attic: mirrors no package; move it, or say in BESIDE what it holds",
        ),
        (
            "tests/golden/attic/test_front.py",
            "",
            "tests/golden/attic: mirrors no package; move it, or say in BESIDE what it holds",
        ),
    ],
)
def test_what_is_no_mirror_is_said(package: Path, file: str, text: str, fault: str) -> None:
    (package / file).parent.mkdir(parents=True, exist_ok=True)
    (package / file).write_text(text)
    assert judged(package) == [fault]


def test_a_test_in_another_folder_covers_nothing_here(package: Path) -> None:
    (package / "tests/package/test_both.py").rename(package / "tests/test_both.py")
    assert len(judged(package)) == 4  # two claims of no module, two modules that nothing covers


def test_folders_beside_the_packages_are_there() -> None:
    assert all((ROOT / "tests" / name).is_dir() for name in BESIDE)
