"""From a drawing to a picture: the one place where a figure asks for matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .drawing import Drawing

Draw = TypeVar("Draw", bound=Callable[..., Any])
EXAMPLES = "    Examples\n"
AX = """\
    ax : matplotlib axes, optional
        Axes to draw a single panel into; a figure of its own by default.
"""
SHARED = """
    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the table has no such rows or columns, or if a parameter changes in it that the figure
        does not draw.

"""


def drawn(ax: Any, drawing: Callable[..., Drawing], *given: Any, **options: Any) -> Any:
    """Render what ``drawing`` makes of what is given, into axes or as a figure of its own.

    Matplotlib is loaded here and not above, so that curves can be had without it.
    """
    from .render import check_ax, render

    check_ax(ax)
    return render(drawing(*given, **options), ax)


def of_units(draw: Draw) -> Draw:
    """Complete the docstring of a figure of units: axes, and what all of them return and refuse.

    Examples
    --------
    >>> @of_units
    ... def errors(table, ax=None):
    ...     '''Draw errors.
    ...
    ...     Parameters
    ...     ----------
    ...     table : DataFrame
    ...
    ...     Examples
    ...     --------
    ...     '''
    >>> [line.strip() for line in errors.__doc__.splitlines()[4:6]]
    ['table : DataFrame', 'ax : matplotlib axes, optional']
    """
    before, result, after = (draw.__doc__ or "").partition(EXAMPLES)
    axes = "" if "    ax : " in before else AX
    draw.__doc__ = before.rstrip() + "\n" + axes + SHARED + result + after
    return draw
