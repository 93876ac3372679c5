"""The widget: anywidget carries messages between the front end and a session in the kernel.

A session answers from threads of its own. Answers are handed to the loop of the kernel, in whose
thread alone a widget may send.
"""

from __future__ import annotations

import asyncio
from typing import Any

import anywidget
import traitlets

from ...task import Task
from ...training import Training
from .. import assets
from ..session import Session
from ..state import Refused, State
from .given import with_task, with_training


class ExplorerWidget(anywidget.AnyWidget):
    """The explorer in a notebook; made by `ns.Explorer`.

    Parameters
    ----------
    task, training : Task, Training, optional
        Where the controls stand at the start.

    Attributes
    ----------
    state : dict
        The values of all controls; one that has no meaning is refused.

    Examples
    --------
    >>> widget = ExplorerWidget()
    >>> widget.state = widget.state | {"R": 11}
    Traceback (most recent call last):
    needlescope.explorer.state.Refused: R must be an integer in 1..L, got 11 with L=10
    >>> widget.task.R
    1
    >>> widget.close()
    """

    _esm = assets.script()
    _css = assets.style()
    state = traitlets.Dict().tag(sync=True)
    host = traitlets.Unicode("notebook", read_only=True).tag(sync=True)
    _session: Session | None = None
    _loop: asyncio.AbstractEventLoop | None = None

    def __init__(self, task: Task | None = None, training: Training | None = None) -> None:
        start = State()
        if task is not None:
            start = with_task(start, task)
        if training is not None:
            start = with_training(start, training)
        super().__init__(state=start.to_dict())
        self.on_msg(self._receive)

    @property
    def task(self) -> Task:
        """The task that the controls show; set it to move them."""
        return State.read(self.state).task()

    @task.setter
    def task(self, task: Task) -> None:
        self.state = with_task(State.read(self.state), task).to_dict()

    @property
    def training(self) -> Training:
        """The training that the controls show; set it to move them."""
        return State.read(self.state).training()

    @training.setter
    def training(self, training: Training) -> None:
        self.state = with_training(State.read(self.state), training).to_dict()

    @traitlets.validate("state")
    def _meaningful(self, proposal: Any) -> dict[str, Any]:
        return State.read(proposal["value"]).to_dict()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the front end synchronises; a state on the way to another may have no meaning.

        Its refusal is shown there, beside the control, and the last meaningful one is kept here.
        """
        if "state" in sync_data:
            try:
                State.read(sync_data["state"])
            except Refused:
                sync_data = {name: item for name, item in sync_data.items() if name != "state"}
        super().set_state(sync_data)

    def close(self) -> None:
        """Close the widget, and end what is computed for it."""
        if self._session is not None:
            self._session.close()
            self._session = None
        super().close()

    def _receive(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """Take a message of the front end: in the kernel's thread, in which its loop runs."""
        if self._session is None:
            self._session = Session(self._answer)
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:  # called by hand
            self._loop = None
        self._session.receive(content)

    def _answer(self, answer: dict[str, Any]) -> None:
        if self._loop is None:
            self._send_answer(answer)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._send_answer, answer)

    def _send_answer(self, answer: dict[str, Any]) -> None:
        if self.comm is not None:  # not closed meanwhile
            self.send(answer)
