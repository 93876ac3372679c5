"""The exported page: front end, model and grids in one HTML file that fetches nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from ... import __version__
from ...report.templating import templates
from .. import assets
from ..bag import SHOWN
from ..landscape import ALPHAS, STRONGEST, THETAS, TIE
from ..lines import FINE, POINTS, value_of
from ..lines import LINES as SHOWN_LINES
from ..protocol import plain
from ..script import script_of
from ..session import welcome
from ..state import HIGHEST_ALPHA, LOWEST_ALPHA, RANGES, State
from .axes import (
    ENDS,
    FIXED,
    LEAST_SHARE,
    LENGTHS,
    LINES,
    MOST_SHARE,
    MOST_SHARE_OF_TOKENS,
    MOVING,
    nodes,
    scaled,
    tokens,
)
from .grids import STEP, Grid, grids
from .measured import interpolation

ABSENT = (
    "this page answers from precomputed grids; training and planning need Python: "
    'pip install "needlescope[live]", then needlescope live'
)
PHASE = "not found on this page; needlescope live finds it"
NAMES = {"alpha": "alpha0 + alpha1", "share": "alpha1/(alpha0 + alpha1)"}

Progress = Callable[[int, int, str], Any]


def page(path: str | Path, progress: Progress | None = None) -> Path:
    """Write the explorer as one HTML file, and return its path.

    Parameters
    ----------
    path : str or Path
        Where to.
    progress : callable, optional
        Called with the number of lines that are done, that of all, and the name of the next.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = page(folder + "/explorer.html")
    ...     print(path.stat().st_size < 5e6, path.read_text("utf-8")[:15])
    True <!doctype html>
    """
    data = page_data(progress)
    script = "\n".join(
        [
            f"const front = {inlined(assets.script())};",
            f"const host = {inlined(_own('export.js'))};",
            f"const data = {json.dumps(data, ensure_ascii=False, allow_nan=False)};",
            _own("start.js"),
        ]
    ).replace("</", "<\\/")  # within texts alone, where it says the same
    style = assets.style() + _own("export.css")
    text = (
        templates("needlescope.explorer.export")
        .get_template("page.html.j2")
        .render(
            version=__version__,
            script=Markup(script),
            style=Markup(style),
            digest=_digest(f"\n{script}\n"),
            lines=data["welcome"]["lines"],
            measured=data["measured"],
            ranges={NAMES.get(name, name): ends for name, ends in data["ranges"].items()},
            tokens=MOST_SHARE_OF_TOKENS,
            fixed={name: (data["usual"][name], reason) for name, reason in FIXED.items()},
        )
    )
    path = Path(path)
    path.write_text(text, encoding="utf-8")
    return path


def page_data(progress: Progress | None = None) -> dict[str, Any]:
    """Return what the page knows: its grids, their errors, and the welcome to the front end.

    >>> sorted(page_data()["grids"])
    ['amp', 'attention', 'bayes_optimal', 'known', 'pooled', 'vectorized']
    """
    usual, measured = State(), {}
    for done, line in enumerate(SHOWN_LINES):
        if progress is not None:
            progress(done, len(SHOWN_LINES), line)
        found = value_of(line, usual, FINE)
        provenance = found if isinstance(found, str) else found.provenance
        measured[line] = {**interpolation(line)._asdict(), "provenance": provenance}
    lengths = sorted(LENGTHS)
    ranges = {
        **{name: list(ENDS[name]) for name in ("theta", "pi", "kappa", "alpha")},
        **{"L": [lengths[0], lengths[-1]], "R": [1, lengths[-1]]},
        "share": [LEAST_SHARE, MOST_SHARE],
    }
    common = welcome()
    limits = {
        **{name: ranges[name] for name in ("L", "R", "theta", "pi", "kappa")},
        **{name: [LEAST_SHARE * LOWEST_ALPHA, HIGHEST_ALPHA] for name in ("alpha0", "alpha1")},
        **{"d": list(RANGES["d"]), "controls": list(MOVING), "train": False, "planner": False},
    }
    greeting = common | {"limits": limits, "interpolation": measured, "fixed": FIXED}
    made: dict[str, Any] = plain(
        {
            "welcome": greeting,
            "grids": {line: _written(grid) for line, grid in grids().items()},
            "step": STEP,
            "measured": measured,
            "usual": usual.to_dict(),
            "fixed": FIXED,
            "ranges": ranges,
            "names": NAMES,
            "axis": [LOWEST_ALPHA, HIGHEST_ALPHA],
            "points": POINTS[FINE],
            "shown": SHOWN,
            "tokens": MOST_SHARE_OF_TOKENS,
            "map": {
                **{"alphas": ALPHAS, "thetas": THETAS, "tie": TIE, "strongest": STRONGEST},
                "phase": PHASE,
            },
            "script": script_template(),
            "absent": ABSENT,
        }
    )
    return made


def _written(grid: Grid) -> dict[str, Any]:
    values = np.concatenate([block.ravel() for block in grid.values.values()])
    counts = LINES[grid.line]
    return {
        "axes": [
            {"name": name, "nodes": scaled(name, nodes(name, counts[name]))} for name in grid.names
        ],
        "tokens": [[L, list(Rs)] for L, Rs in tokens(grid.line).items()],
        "values": base64.b64encode(values.astype("<i2").tobytes()).decode(),
    }


def script_template() -> str:
    """Return the script of a state, with marks where the values of moving controls stand.

    >>> "theta=@theta@" in script_template() and "@kappa@ / kappa" in script_template()
    True
    """
    state = State(L=997, R=991, theta=0.8128, pi=0.2718, kappa=0.5772, alpha0=0.7, alpha1=0.4)
    share0, share1 = state.alpha0 / state.alpha, state.alpha1 / state.alpha
    text = script_of(state)
    marks = [(f"{name}={getattr(state, name)!r}", f"{name}=@{name}@")
             for name in ("L", "R", "theta", "pi")]  # fmt: skip
    marks += [
        (f"* {state.kappa!r} / kappa", "* @kappa@ / kappa"),
        (f"(alpha * {share0!r}, alpha * {share1!r},", "(alpha * @share0@, alpha * @share1@,"),
        (f"(x * {share0!r}, x * {1.0 - share0!r},", "(x * @share0@, x * @rest@,"),
    ]
    for words, mark in marks:
        if text.count(words) != 1:
            raise ValueError(f"a script must have {words!r} once, got {text.count(words)} times")
        text = text.replace(words, mark)
    return text


def inlined(module: str) -> str:
    """Return an ES module as an expression: the object of what it exports.

    Examples
    --------
    >>> print(inlined("export { a as default };"))
    (() => {
    <BLANKLINE>
    return { default: a };
    })()
    """
    exports = list(re.finditer(r"\bexport\s*(?:\{([^}]*)\}|default\b)\s*;?", module))
    if len(exports) != 1:
        raise ValueError(f"a module must have one export statement, got {len(exports)}")
    (found,) = exports
    if found[1] is None:
        given = f"const _default = {module[found.end() :]}\nreturn {{ default: _default }};"
        return f"(() => {{\n{module[: found.start()]}{given}\n}})()"
    items = [item.split(" as ") for item in found[1].split(",") if item.strip()]
    named = ", ".join(f"{item[-1].strip()}: {item[0].strip()}" for item in items)
    rest = module[: found.start()] + module[found.end() :]
    return f"(() => {{\n{rest.strip()}\nreturn {{ {named} }};\n}})()"


def _own(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _digest(script: str) -> str:
    """Return the hash by which the page allows its own script and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
