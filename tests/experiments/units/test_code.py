"""The hash of the code: words may change, meaning may not, and imports say what counts."""

from __future__ import annotations

import ast
import filecmp
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from needlescope.experiments.units import code
from needlescope.experiments.units.calls import CALLS, code_of

SMALL = {
    "align": "ns.align(task, training)",
    "oracle": "ns.oracle(task, 'bayes', tol=0.05)",
    "predict": "ns.predict(task, training, tol=0.01)",
    "simulate": "ns.simulate(task, training, d=20, trials=1, n_jobs=1)",
    "simulate_oracle": "ns.simulate_oracle(task, samples=1000, trials=1, n_jobs=1)",
}
READ: dict[str, Any] = {}  # what is known of the copy's modules
UNCHANGED: dict[str, Any] = {}  # and of the package's own


def forget() -> None:
    code.fingerprint.cache_clear()
    READ.clear()


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the package's source that may be changed; what is not is read once for all."""
    first, root, read = code.ROOT, tmp_path / "needlescope", code._source.__wrapped__
    shutil.copytree(first, root, ignore=shutil.ignore_patterns("__pycache__"))

    def source(_: Path, module: str) -> Any:
        if module not in READ:
            here, there = (code._path(item, module) for item in (root, first))
            if here and there and filecmp.cmp(here, there, shallow=False):
                if module not in UNCHANGED:
                    UNCHANGED[module] = read(first, module)
                READ[module] = UNCHANGED[module]
            else:
                READ[module] = read(root, module)
        return READ[module]

    monkeypatch.setattr(code, "ROOT", root)
    monkeypatch.setattr(code, "_source", source)
    forget()
    yield root
    forget()


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    forget()


def versions() -> dict[str, str]:
    return {call: code_of(call) for call in CALLS}


def changed(before: dict[str, str]) -> set[str]:
    return {call for call, version in versions().items() if version != before[call]}


@pytest.mark.slow
def test_a_formula_changes_the_calls_that_rest_on_it(copy: Path) -> None:
    before = versions()
    edit(copy / "theory" / "alignment.py", "sum(m**2 for m in", "sum(m**4 for m in")
    assert changed(before) == {
        *("align", "predict", "focus", "crossover", "training_threshold", "best_query")
    }


@pytest.mark.slow
def test_what_all_import_changes_all(copy: Path) -> None:
    before = versions()
    edit(copy / "grid.py", "return", "return 1.0 *")
    assert changed(before) == set(CALLS)


def test_how_a_unit_reads_its_arguments_changes_all(copy: Path) -> None:
    before = versions()
    edit(
        copy / "experiments" / "units" / "calls.py",
        "LARGEST_DIMENSION = 20_000",
        "LARGEST_DIMENSION = 10_000",
    )
    assert changed(before) == set(CALLS)


def test_words_change_nothing(copy: Path) -> None:
    before = versions()
    edit(copy / "theory" / "alignment.py", "The query after two gradient steps", "A query")
    edit(
        copy / "models" / "gradient.py",
        "\nclass State",
        "\n# a comment\nclass State",
    )
    edit(copy / "figures" / "style.py", "8", "9")
    assert not changed(before)


def test_a_new_room_counts_as_soon_as_it_is_used(copy: Path) -> None:
    before = versions()
    (copy / "annexe").mkdir()
    (copy / "annexe" / "__init__.py").write_text("from .numbers import TWO\n")
    (copy / "annexe" / "numbers.py").write_text("TWO = 2.0\n")
    forget()
    assert not changed(before)
    edit(copy / "theory" / "capacity.py", "\nfrom ..", "\nfrom ..annexe import TWO\nfrom ..")
    assert changed(before) == {"capacity"}
    used = versions()
    edit(copy / "annexe" / "numbers.py", "2.0", "2.1")
    assert changed(used) == {"capacity"}


def test_an_import_inside_a_function_counts(copy: Path) -> None:
    source = "def late():\n    from .losses import logistic\n    import needlescope.grid\n"
    (copy / "late.py").write_text(source)
    assert {"losses.logistic", "grid"} <= set(code.rests_on("late"))


def test_a_module_that_is_none_is_named() -> None:
    with pytest.raises(ValueError, match=r"no module 'theory\.astrology'"):
        code.fingerprint("theory.astrology")


def test_a_source_is_parsed_again_where_another_thread_was_in_the_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[str] = []

    def hindered(text: str) -> ast.Module:
        calls.append(text)
        if len(calls) == 1:
            raise SystemError("AST constructor recursion depth mismatch")
        return ast.parse(text)

    expected = code.fingerprint("task")
    code.fingerprint.cache_clear()
    code._source.cache_clear()
    monkeypatch.setattr(code, "ast", SimpleNamespace(**{**vars(ast), "parse": hindered}))
    assert code.fingerprint("task") == expected
    assert calls[0] == calls[1]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(call, marks=() if call in ("predict", "simulate") else pytest.mark.slow)
        for call in SMALL
    ],
)
def test_all_that_a_call_loads_counts(call: str) -> None:
    """Measured on the interpreter itself, which knows what it has imported."""
    script = (
        "import sys, needlescope as ns\n"
        "task = ns.Task(L=4, R=1, theta=4.0, pi=0.5)\n"
        "training = ns.Training(alpha0=2.0, alpha1=1.0)\n"
        f"{SMALL[call]}\n"
        "print(*[name for name in sys.modules if name.startswith('needlescope.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    loaded = {name.split(".", 1)[1] for name in done.stdout.split()}
    home = CALLS[call].__module__.split(".", 1)[1]
    assert home in loaded
    assert loaded <= set(code.rests_on(home))
