"""The exported page: one file that fetches nothing; its JavaScript says what Python says."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from needlescope.explorer.export import page
from needlescope.explorer.export.axes import FIXED, LINES, MOVING
from needlescope.explorer.export.measured import interpolated, points
from needlescope.explorer.export.single_file import inlined, page_data, script_template
from needlescope.explorer.script import script_of
from needlescope.explorer.state import State
from needlescope.explorer.story import STORY
from needlescope.theory.alignment import align

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="needs node, to run the page's JavaScript")
SOURCE = files("needlescope.explorer.export").joinpath("export.js")
ASK = """
import { readFileSync } from "node:fs";
import { Answers, cosine, normal } from "./export.mjs";
const answers = new Answers(JSON.parse(readFileSync("data.json", "utf8")));
const asked = JSON.parse(readFileSync("asked.json", "utf8"));
const say = {
  request: (request) => answers.to(request),
  error: ([name, state, alpha]) => answers.error(name, state, alpha),
  cosine, normal,
};
console.log(JSON.stringify(asked.map(([what, value]) => say[what](value))));
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> str:
    told: list[tuple[int, int, str]] = []
    path = tmp_path_factory.mktemp("page") / "explorer.html"
    assert page(path, lambda *words: told.append(words)) == path
    assert [line for _, _, line in told] == list(LINES) and told[-1][:2] == (5, 6)
    assert path.stat().st_size < 5_000_000
    return path.read_text("utf-8")


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Ask the page's JavaScript."""
    folder = tmp_path_factory.mktemp("node")
    (folder / "export.mjs").write_text(SOURCE.read_text("utf-8"))
    (folder / "ask.mjs").write_text(ASK)
    (folder / "data.json").write_text(json.dumps(page_data()))

    def answers(*asked: tuple[str, Any]) -> list[Any]:
        (folder / "asked.json").write_text(json.dumps(asked))
        done = subprocess.run(
            [str(NODE), "ask.mjs"], cwd=folder, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return answers


def state_of(point: Any) -> State:
    alpha0 = (1.0 - point.share) * point.alpha
    return State(
        L=point.L, R=point.R, theta=point.theta, pi=point.pi, kappa=point.kappa,
        alpha0=alpha0, alpha1=point.share * point.alpha,
    )  # fmt: skip


def test_it_fetches_nothing(written: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', written)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    script = re.search(r'<script type="module">(.*?)</script>', written, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy and "connect-src" not in policy
    assert written.count("<script") == 1
    places = set(re.findall(r"https?://[\w./-]+", written))
    assert all(place.startswith("http://www.w3.org/") for place in places), places
    assert not re.search(r"<(?:img|link|iframe)[^>]*(?:src|href)=\"(?!data:)", written)
    assert not re.search(r"@import|url\((?!['\"]?data:)", written[: written.index("<body")])


def test_it_says_how_far_it_is_from_the_theory(written: str) -> None:
    about = written[written.index('<details id="about">') :]
    for line in page_data()["welcome"]["lines"]:
        said = page_data()["measured"][line["name"]]
        row = f"<td>{line['label']}</td><td>{said['median']:.2g}</td><td>{said['most']:.2g}</td>"
        assert row in about
    assert all(f"<td>{reason}</td>" in about for reason in FIXED.values())


@needs_node
def test_its_errors_are_those_of_the_grids_in_python(ask: Any) -> None:
    asked = [
        ("error", (line, state_of(point).to_dict(), point.alpha))
        for point in points(25, seed=3)
        for line in LINES
    ]
    expected = [interpolated(line, point) for point in points(25, seed=3) for line in LINES]
    assert ask(*asked) == pytest.approx(expected, abs=1e-7)


@needs_node
def test_its_alignment_is_the_theorys(ask: Any) -> None:
    drawn = [state_of(point) for point in points(50, seed=4)]
    expected = [float(align(item.task(), item.training()).cosine_q) for item in drawn]
    asked = [("cosine", item.to_dict()) for item in drawn]
    assert ask(*asked) == pytest.approx(expected, abs=1e-6)


@needs_node
def test_its_normal_distribution_is_exact(ask: Any) -> None:
    from scipy.special import ndtr

    x = np.linspace(-5.0, 2.0, 29)
    assert ask(*(("normal", item) for item in x)) == pytest.approx(ndtr(x), rel=1e-9)


@needs_node
def test_it_answers_what_a_session_answers(ask: Any) -> None:
    state = State().to_dict()
    welcome, curves, bag, the_map, train = ask(
        *(
            ("request", {"type": kind, "id": 1, "state": state, "seed": 0, "precision": "fine"})
            for kind in ("hello", "curves", "bag", "map", "train")
        )
    )
    assert "trials" not in welcome[0]["limits"] and welcome[0]["limits"]["controls"] == [*MOVING]
    assert set(welcome[0]["interpolation"]) == set(LINES)
    assert [item["type"] for item in curves] == ["line"] * 6 + ["point", "done"]
    assert curves[0]["x"] == pytest.approx(State().axis(24)) and None not in curves[0]["y"]
    assert sum(bag[0]["attention"]) == pytest.approx(1.0) and len(bag[0]["needle"]) == 1
    assert np.shape(the_map[0]["margin"]) == (9, 9)
    assert the_map[0]["winner"][-1][-1] == "attention"
    assert train[0]["type"] == "failed" and "needlescope live" in train[0]["text"]


@needs_node
def test_every_chapter_of_the_story_is_within_its_grids(ask: Any) -> None:
    asked = [
        ("request", {"type": "curves", "id": 1, "precision": "fine", "state": item.state.to_dict()})
        for item in STORY
    ]
    assert {answers[0]["type"] for answers in ask(*asked)} == {"line"}


@needs_node
@pytest.mark.parametrize(
    ("change", "field", "sentence"),
    [
        ({"loss": "hinge"}, "loss", 'loss is "logistic" on this page, got "hinge": the grids hold'),
        ({"theta": 11.0}, "theta", "theta must be from 0.5 to 10 on this page, got 11"),
        ({"L": 4, "R": 5}, "R", "R must be an integer in 1..L, got 5 with L=4"),
        ({"L": 101}, "L", "L must be from 2 to 100 on this page, got 101"),
        ({"alpha0": 60.0, "alpha1": 60.0}, "alpha0", "alpha0 + alpha1 must be from 0.25 to 64"),
        ({"alpha0": 9.0, "alpha1": 0.5}, "alpha1", "alpha1/(alpha0 + alpha1) must be from 0.1"),
        ({"R": 6}, "R", "R must be at most 0.5 L, or L, on this page, got 6 with L=10"),
        ({"R": 1.5}, "R", "R must be a whole number, got 1.5"),
    ],
)
def test_what_lies_beside_its_grids_is_refused(
    ask: Any, change: dict[str, Any], field: str, sentence: str
) -> None:
    request = {"type": "curves", "id": 1, "precision": "fine", "state": State().to_dict() | change}
    ((refused, done),) = ask(("request", request))
    assert (refused["type"], refused["field"], done["type"]) == ("refused", field, "done")
    assert refused["text"].startswith(sentence)


@needs_node
def test_its_script_is_that_of_python(ask: Any) -> None:
    drawn = [State(), *(state_of(point) for point in points(10, seed=6))]
    asked = [("request", {"type": "script", "id": 1, "state": item.to_dict()}) for item in drawn]
    assert [answer[0]["text"] for answer in ask(*asked)] == [script_of(item) for item in drawn]
    assert not re.search(r"0\.8128|997|0\.5772", script_template())


@pytest.mark.parametrize(
    ("module", "found"),
    [
        ("var a = 1; export{a as default};", 1),
        ("export default 1", 1),
        ("const a = 1;\nconst b = 2;\nexport { b as default, a };", 2),
    ],
)
@needs_node
def test_a_module_becomes_an_expression(module: str, found: int) -> None:
    code = f"console.log({inlined(module)}.default)"
    done = subprocess.run([str(NODE), "-e", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == str(found), done.stderr


@pytest.mark.parametrize(
    ("module", "count"), [("const a = 1;", 0), ("export { a };\nexport default a;", 2)]
)
def test_a_module_without_one_export_is_refused(module: str, count: int) -> None:
    with pytest.raises(ValueError, match=f"must have one export statement, got {count}"):
        inlined(module)


def test_the_page_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    assert page(str(tmp_path / "a.html")).read_text("utf-8").startswith("<!doctype html>")
