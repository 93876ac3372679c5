"""The classifiers, one file and one record each: finite features and their limit law.

A new model is a new file here, and its record in `MODELS`; theory predicts it and simulation trains
it by what the record says. `blocks`, `segments`, `gradient` and `strength` are what simulation,
estimators and deep share of training on tokens.
"""

from __future__ import annotations

from ..grid import choice
from .attention import ATTENTION
from .hard import HARD
from .linear import LINEAR
from .model import Model
from .pooled import POOLED
from .vectorized import VECTORIZED

MODELS: dict[str, Model] = {
    item.name: item for item in (ATTENTION, POOLED, VECTORIZED, HARD, LINEAR)
}
PAPER_MODELS = (ATTENTION.name, POOLED.name, VECTORIZED.name)
WITH_QUERY = tuple(name for name, model in MODELS.items() if model.has_query)

__all__ = [
    "ATTENTION",
    "HARD",
    "LINEAR",
    "MODELS",
    "PAPER_MODELS",
    "POOLED",
    "VECTORIZED",
    "WITH_QUERY",
    "Model",
    "get_model",
]


def get_model(name: str) -> Model:
    """Return the model of that name, or refuse it.

    Examples
    --------
    >>> get_model("vectorized").weights(10)
    10
    >>> get_model("median")
    Traceback (most recent call last):
    ValueError: model must be one of 'attention', 'pooled', 'vectorized', 'hard', ...
    """
    return MODELS[choice("model", name, tuple(MODELS))]
