"""From a drawing to a picture: the one place where a figure asks for matplotlib."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

from .drawing import Drawing
from .reading.columns import listed
from .reading.validation import TableSpec

Draw = TypeVar("Draw", bound=Callable[..., Any])
PARAMETERS, EXAMPLES = "    Parameters\n    ----------\n", "    Examples\n"
TABLE_TEXT = (
    "Units of the calls {calls}, as `Store.to_pandas` gives them. Theory is drawn as lines or "
    "maps, simulation as dots or rings: means over trials, with standard errors, at the largest "
    "d. What is missing is left out{more}."
)
DIVERGED_TEXT = "; trainings that diverged are counted beside the figure"
AX_TEXT = """\
    ax : matplotlib axes, optional
        Axes to draw a single panel into; a figure of its own by default.
"""
RETURNS_TEXT = """
    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the table has no such rows or columns, or if a parameter changes in it that the figure
        does not draw.

"""


def draw_figure(ax: Any, drawing: Callable[..., Drawing], *given: Any, **options: Any) -> Any:
    """Render what ``drawing`` makes of what is given, into axes or as a figure of its own.

    Matplotlib is loaded here and not above, so that curves can be had without it.
    """
    from .render import check_ax, render

    check_ax(ax)
    return render(drawing(*given, **options), ax)


def documented(draws: TableSpec) -> Callable[[Draw], Draw]:
    """Complete the docstring of a figure: table and axes, and what all of them return and refuse.

    A figure describes its own options, and ``ax`` where there is more to say of it.

    Examples
    --------
    >>> @documented(TableSpec("errors", {"predict": ...}, across=()))
    ... def errors(table, ax=None):
    ...     '''Draw errors.
    ...
    ...     Examples
    ...     --------
    ...     '''
    >>> [line.strip() for line in errors.__doc__.splitlines()[2:6]]
    ['Parameters', '----------', 'table : DataFrame', 'Units of the calls "predict", as ...']
    """
    calls = listed([f'"{call}"' for call in draws.rows])
    text = TABLE_TEXT.format(calls=calls, more=DIVERGED_TEXT * ("simulate_deep" in draws.rows))
    table = f"    table : DataFrame\n{textwrap.indent(textwrap.fill(text, 92), 8 * ' ')}\n"

    def complete(draw: Draw) -> Draw:
        before, _, after = (draw.__doc__ or "").partition(EXAMPLES)
        head, _, own = before.rstrip().partition(PARAMETERS)
        own = f"{own}\n" if own else ""
        axes = "" if "    ax : " in own else AX_TEXT
        parts = (head.rstrip(), "\n\n", PARAMETERS, table, axes, own, RETURNS_TEXT, EXAMPLES, after)
        draw.__doc__ = "".join(parts)
        return draw

    return complete
