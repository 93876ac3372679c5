"""The record of a model: facts for theory and simulation, which do not import each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from ..arrays import FloatArray
from ..task import Task
from .nodes import LimitLaw
from .segments import Segments

Features: TypeAlias = "Callable[[Any, Segments, FloatArray, float], Any]"
Weigh: TypeAlias = "Callable[[FloatArray, int], FloatArray]"


class Model(NamedTuple):
    """One classifier: its name, what its readout sees of a sample, and the law of that.

    Attributes
    ----------
    name
        What users call it.
    features
        From the tokens of samples, one in each row, which of them make a sample, a query and β, to
        what the readout sees: one row for each sample.
    weights
        From L to the number of readout weights, divided by d.
    limit
        From the task it is trained on and the one it is tested on to the law of the features, in
        closed form; None where the law is an integral over a query's attention.
    rests_on
        What its learning curve rests on, as `paper` says it.
    fixed_length
        Whether it can only be tested at the L that it was trained at.
    weigh
        From logits β⟨x, q⟩, an array, and the axis of the tokens, to attention weights; None for a
        model without a query.
    bounded
        Whether the weights have a limit as κ grows, and the query is trained by softmax's steps
        however many there are.
    label
        What figures call it, if not by its name.
    """

    name: str
    features: Features
    weights: Callable[[int], int]
    limit: Callable[[Task, Task], LimitLaw] | None
    rests_on: str
    fixed_length: bool = False
    weigh: Weigh | None = None
    bounded: bool = True
    label: str = ""

    @property
    def has_query(self) -> bool:
        """Whether a query is trained, or given, before the readout."""
        return self.weigh is not None
