"""From series to a picture: the one place where a figure asks for matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .drawing import Drawing


def drawn(ax: Any, series: Callable[..., Drawing], *given: Any, **options: Any) -> Any:
    """Render what ``series`` makes of what is given, into axes or as a figure of its own.

    Matplotlib is loaded here and not above, so that series can be had without it.
    """
    from .render.figure import check_ax, render

    check_ax(ax)
    return render(series(*given, **options), ax)
