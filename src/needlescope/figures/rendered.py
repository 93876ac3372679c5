"""From a function that returns a drawing to one that draws it; matplotlib is loaded only here."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

from .drawing import Drawing
from .reading.columns import listed
from .reading.validation import TableSpec

P = ParamSpec("P")
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


def rendered(drawing: Callable[P, Drawing]) -> Callable[P, Any]:
    """Draw by matplotlib what a function returns, into its argument ``ax`` or as a new figure.

    The function returns plain data: one panel if it is given axes. `drawing_of` gets it back.
    Matplotlib is loaded here and not above, so that curves can be had without it.
    """
    own = inspect.signature(drawing)

    @wraps(drawing)
    def draw(*given: P.args, **options: P.kwargs) -> Any:
        from .render import check_ax, render

        ax = own.bind(*given, **options).arguments.get("ax")
        check_ax(ax)
        return render(drawing(*given, **options), ax)

    return draw


def drawing_of(draw: Any) -> Callable[..., Drawing]:
    """Return the function that a figure renders."""
    drawing: Callable[..., Drawing] = draw.__wrapped__
    return drawing


def figure_of(spec: TableSpec) -> Callable[[Callable[P, Drawing]], Callable[P, Any]]:
    """Render a figure of units, and complete its docstring: table, axes, results and refusals.

    A figure describes its own options, and ``ax`` where there is more to say of it.

    Examples
    --------
    >>> @figure_of(TableSpec("errors", {"predict": ...}, across=()))
    ... def errors(table, ax=None):
    ...     '''Draw errors.
    ...
    ...     Examples
    ...     --------
    ...     '''
    >>> [line.strip() for line in errors.__doc__.splitlines()[2:6]]
    ['Parameters', '----------', 'table : DataFrame', 'Units of the calls "predict", as ...']
    """
    calls = listed([f'"{call}"' for call in spec.rows])
    text = TABLE_TEXT.format(calls=calls, more=DIVERGED_TEXT * ("simulate_deep" in spec.rows))
    table = f"    table : DataFrame\n{textwrap.indent(textwrap.fill(text, 92), 8 * ' ')}\n"

    def complete(drawing: Callable[P, Drawing]) -> Callable[P, Any]:
        before, _, after = (drawing.__doc__ or "").partition(EXAMPLES)
        head, _, own = before.rstrip().partition(PARAMETERS)
        own = f"{own}\n" if own else ""
        axes = "" if "    ax : " in own else AX_TEXT
        parts = (head.rstrip(), "\n\n", PARAMETERS, table, axes, own, RETURNS_TEXT, EXAMPLES, after)
        drawing.__doc__ = "".join(parts)
        return rendered(drawing)

    return complete
