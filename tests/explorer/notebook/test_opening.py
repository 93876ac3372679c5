"""`ns.Explorer` loads the widget when it is called, and says what is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

import needlescope as ns
from needlescope.explorer.notebook import opening


def test_without_anywidget_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r'pip install "needlescope\[notebook\]"'):
        ns.Explorer()


def test_its_name_alone_loads_no_widget() -> None:
    code = "import sys, needlescope as ns; ns.Explorer; print('anywidget' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "False\n", done.stderr
