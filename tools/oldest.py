"""The lowest versions that pyproject.toml allows, as constraints for pip.

``python tools/oldest.py`` prints a line ``name==version`` for each ``name>=version`` that the
package, its extras and the tests ask for. It runs on a bare Python, before anything is installed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
BOUND = re.compile(r"([\w.-]+)(?:\[[\w,-]+\])?>=([\d.]+)")


def pins(pyproject: dict[str, Any]) -> list[str]:
    """Return the constraints, and refuse a requirement that is not a lower bound and no more."""
    project = pyproject["project"]
    extras = chain.from_iterable(project["optional-dependencies"].values())
    result = set()
    for requirement in (
        *project["dependencies"],
        *extras,
        *pyproject["dependency-groups"]["test"],
    ):
        bound = BOUND.fullmatch(requirement)
        if bound is None:
            raise ValueError(f"a requirement must read name>=version, got {requirement!r}")
        result.add(f"{bound[1]}=={bound[2]}")
    return sorted(result)


if __name__ == "__main__":
    sys.stdout.writelines(f"{pin}\n" for pin in pins(tomllib.loads(PYPROJECT.read_text("utf-8"))))
