"""One look for all figures: a colour-blind-safe colour for each model, the same everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..models import MODELS

COLOURS = {
    "attention": "#0072B2",
    "pooled": "#D55E00",
    "vectorized": "#009E73",
    "hard": "#785EF0",
    "linear": "#FFB000",
    "bayes": "#555555",
}
SPARE_COLOURS = ("#CC79A7", "#56B4E9", "#E69F00", "#882255", "#999933")
OTHER_MODELS = [name for name in MODELS if name not in COLOURS]  # which name none of their own
COLOURS |= {name: SPARE_COLOURS[k % len(SPARE_COLOURS)] for k, name in enumerate(OTHER_MODELS)}
NAMES = {name: model.label or name.replace("_", " ") for name, model in MODELS.items()} | {
    "bayes": "signal known (Bayes)",
    "bayes_optimal": "Bayes-optimal",
    "amp": "AMP (theory)",
}
BAYES_COLOUR, BAYES_OPTIMAL, AMP_THEORY = "#8c8c8c", NAMES["bayes_optimal"], NAMES["amp"]
AMP_SIMULATED = "AMP (simulated)"
BLACK, WHITE = "#000000", "#FFFFFF"
SOLID: tuple[float, ...] = ()  # ink and gaps in turn, in widths of the line
DASHED = (3.7, 1.6)
DOTTED = (1.0, 1.65)
TEXT, SMALL = 8.0, 7.0  # points
RC: dict[Any, Any] = {
    "font.size": TEXT,
    "axes.titlesize": TEXT,
    "axes.labelsize": TEXT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.dpi": 200,
}


def grey(light: float) -> str:
    """Return a grey between black, 0, and white, 1.

    Examples
    --------
    >>> grey(0.6)
    '#999999'
    """
    return "#" + 3 * f"{int(255.0 * light + 0.5):02x}"


def blend(colours: Sequence[str], share: float) -> str:
    """Return the colour that lies a share of the way along a row of colours.

    Examples
    --------
    >>> blend(["#000000", "#ff0000", "#ffffff"], 0.75)
    '#ff8080'
    """
    place = share * (len(colours) - 1)
    first = min(int(place), len(colours) - 2)
    ends = [
        [int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in colours[first : first + 2]
    ]
    mixed = (low + (place - first) * (high - low) for low, high in zip(*ends, strict=True))
    return "#" + "".join(f"{int(part + 0.5):02x}" for part in mixed)
