"""The hash of the code: words may change, meaning may not."""

from __future__ import annotations

import shutil

import pytest

from needlescope.experiments import code


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the package's source that may be changed."""
    root = tmp_path / "needlescope"
    shutil.copytree(code.ROOT, root, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(code, "ROOT", root)
    code.fingerprint.cache_clear()
    yield root
    code.fingerprint.cache_clear()


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    code.fingerprint.cache_clear()


def both():
    return code.fingerprint("theory"), code.fingerprint("simulation")


def test_a_formula_of_theory_changes_theory_alone(copy):
    before = both()
    edit(copy / "theory" / "alignment.py", "self.signal**2", "self.signal**3")
    after = both()
    assert after[0] != before[0] and after[1] == before[1]


def test_what_both_import_changes_both(copy):
    before = both()
    edit(copy / "losses" / "logistic.py", "return", "return 1.0 *")
    after = both()
    assert after[0] != before[0] and after[1] != before[1]


def test_words_change_nothing(copy):
    before = both()
    edit(copy / "theory" / "alignment.py", "The query after two gradient steps", "A query")
    edit(copy / "simulation" / "stages.py", "\nclass State", "\n# a comment\nclass State")
    edit(copy / "figures" / "style.py", "8", "9")
    assert both() == before
