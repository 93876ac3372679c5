"""``ns.Explorer``, which loads the widget and what it needs only when it is called."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from ...task import Task
from ...training import Training

if TYPE_CHECKING:
    from .widget import ExplorerWidget


def Explorer(task: Task | None = None, training: Training | None = None) -> ExplorerWidget:
    """Return the explorer as a widget, for the last line of a notebook's cell.

    Its controls and Python say the same: ``explorer.task`` and ``explorer.training`` are what the
    controls show, and setting either moves them.

    Parameters
    ----------
    task : Task, optional
        Where to start.
    training : Training, optional
        Where to start; its steps lead to the query's strength.

    Returns
    -------
    ExplorerWidget
        The widget, with ``task``, ``training``, ``state`` (of all controls) and ``close``.

    Raises
    ------
    ImportError
        Without anywidget.
    ValueError
        If the controls cannot express the task or the training.

    Examples
    --------
    >>> import needlescope as ns
    >>> explorer = ns.Explorer(ns.Task(L=20, R=1, theta=5.0, pi=0.5))
    >>> explorer.task = explorer.task.replace(theta=6.0)
    >>> explorer.state["theta"], explorer.training.alpha0
    (6.0, 2.0)
    >>> explorer.close()
    """
    if find_spec("anywidget") is None:
        raise ImportError(
            'ns.Explorer needs anywidget: pip install "needlescope[notebook]"', name="anywidget"
        )
    from .widget import ExplorerWidget

    return ExplorerWidget(task, training)
