"""The front end as it is shipped: one ES module and one style sheet.

Both are built from ``frontend/src`` by ``npm --prefix frontend run build``; the hash of the sources
stands at their top.
"""

from __future__ import annotations

from importlib.resources import files


def script() -> str:
    """Return the ES module, whose default export has ``render({ model, el })``.

    Examples
    --------
    >>> "export" in script()
    True
    """
    return _read("explorer.js")


def style() -> str:
    """Return the style sheet, all of it below the class ``needlescope``.

    Examples
    --------
    >>> ".needlescope" in style()
    True
    """
    return _read("explorer.css")


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
