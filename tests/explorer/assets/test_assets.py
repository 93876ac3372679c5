"""The built front end is that of its sources, and does what a strict page allows."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from needlescope.explorer import assets
from needlescope.explorer.lines import LINES
from needlescope.explorer.state import HIGHEST_ALPHA, LOWEST_ALPHA, State

FRONTEND = Path(__file__).resolve().parents[3] / "frontend"
BUILT = pytest.mark.parametrize("text", [assets.script(), assets.style()], ids=["js", "css"])
NAMESPACES = re.compile(r"http://www\.w3\.org/[\w/]+")


def sources() -> list[str]:
    """The files that the hash covers, in its order."""
    names = [path.relative_to(FRONTEND).as_posix() for path in (FRONTEND / "src").iterdir()]
    return sorted(["build.js", "package.json", *names])


def digest() -> str:
    """As `digest` of frontend/build.js: of each file its name, its length and its bytes."""
    found = hashlib.sha256()
    for name in sources():
        content = (FRONTEND / name).read_bytes()
        found.update(f"{name} {len(content)}\n".encode() + content)
    return found.hexdigest()


@BUILT
def test_the_built_files_are_those_of_the_sources(text: str) -> None:
    assert f"sources sha256 {digest()}\n" in text, "run npm --prefix frontend run build"


@BUILT
def test_the_licence_of_what_is_bundled_comes_along(text: str) -> None:
    version = json.loads((FRONTEND / "package.json").read_text())["devDependencies"]["uplot"]
    header = text[: text.index("*/")]
    assert f"uPlot {version}, under the MIT licence" in header
    assert "Permission is hereby granted, free of charge" in header
    assert "Copyright (c)" in header


@BUILT
def test_nothing_is_fetched(text: str) -> None:
    assert re.findall(r"(?:https?|wss?)://", NAMESPACES.sub("", text)) == []
    assert not re.search(r"@import|url\(\s*[\"']?(?!data:)", text)
    assert not re.search(r"\bfetch\(|XMLHttpRequest|sendBeacon|\bimport\(", text)


def test_no_text_becomes_code_or_markup() -> None:
    text = assets.script()
    for pattern in (
        r"\beval\(",
        r"new Function",
        r"innerHTML",
        r"outerHTML",
        r"insertAdjacentHTML",
        r"document\.write",
        r"setTimeout\(\s*[\"']",
        r"setAttribute\(\s*[\"'](?:style|on\w+)",
    ):
        assert not re.search(pattern, text), pattern


def test_versions_are_exact_and_no_registry_is_named() -> None:
    package = json.loads((FRONTEND / "package.json").read_text())
    versions = package["devDependencies"].values()
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)
    assert not (FRONTEND / "package-lock.json").exists()


def test_usual_values_and_choices_are_those_of_the_state() -> None:
    defaults = json.loads((FRONTEND / "src" / "defaults.json").read_text())
    assert defaults["state"] == State().to_dict()
    assert defaults["choices"] == {name: list(items) for name, items in State._choices.items()}
    assert defaults["axis"] == [LOWEST_ALPHA, HIGHEST_ALPHA]


def test_each_line_has_its_name_and_its_stroke() -> None:
    theme = (FRONTEND / "src" / "theme.js").read_text(encoding="utf-8")
    for name, line in LINES.items():
        assert re.search(rf'\b{name}: "{re.escape(line.label)}"', theme)
        assert re.search(rf'\b{name}: "{line.kind}"', theme)
        assert re.search(rf"\b{name}: {{ dash:", theme)
        assert f"--ns-{name}:" in assets.style()


def test_the_style_stays_below_its_own_class() -> None:
    text = re.sub(r"/\*.*?\*/", "", assets.style(), flags=re.DOTALL)
    rules = [selector.strip() for selector in re.findall(r"([^{}]+)\{", text)]
    ours = re.compile(r"^(@(media|container|keyframes)|\.needlescope|\.u-|\.uplot|\d+%|from|to)")
    assert [rule for rule in rules if not ours.match(rule)] == []
