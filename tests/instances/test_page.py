"""docs/real.md: its program runs, and its first numbers are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import needlescope as ns

PAGE = Path(__file__).resolve().parents[2] / "docs" / "real.md"


def test_the_program_says_what_it_says() -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(program, str(PAGE), "exec"), names)
    known = ns.predict_instances("digits", bags=1000, whitened=True).test_error
    assert f"{known:.3f}: 1,000 bags" in program
    trained = ns.simulate_instances("digits", bags=1000, whitened=True, n_jobs=1).test_error
    assert f"{trained:.3f}: on real digits" in program


def test_the_table_has_the_theory_of_the_figure() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for whitened, start in ((False, "digits, attention"), (True, "… whitened, attention")):
        row = next(line for line in text.splitlines() if line.startswith(f"| {start}"))
        errors = [
            ns.predict_instances("digits", bags=n, whitened=whitened).test_error
            for n in (300, 1000, 3000)
        ]
        assert " / ".join(f"{error:.3f}" for error in errors) in row
