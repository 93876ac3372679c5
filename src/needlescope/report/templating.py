"""Templates of the package: all that they fill in is escaped, and a name that is missing raises."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined


@cache
def templates(package: str) -> Environment:
    """Return the templates in the folder of that name in a package.

    Examples
    --------
    >>> templates("needlescope.report").from_string("{{ word }}").render(word="<b>")
    '&lt;b&gt;'
    """
    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
