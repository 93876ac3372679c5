"""One look for all figures: a colour-blind-safe colour for each model, the same everywhere."""

from __future__ import annotations

from typing import Any

COLOURS = {
    "attention": "#0072B2",
    "pooled": "#D55E00",
    "vectorized": "#009E73",
    "bayes": "#555555",
}
NAMES = {
    "attention": "attention",
    "pooled": "mean pooling",
    "vectorized": "flat linear",
    "bayes": "Bayes limit",
}
RC: dict[Any, Any] = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.6,
    "figure.dpi": 200,
}


def label_end(ax: Any, x: float, y: float, model: str, **where: Any) -> None:
    """Write a model's name beside the end of its line."""
    place = {"xytext": (4, 0), "va": "center", "ha": "left", **where}
    ax.annotate(
        NAMES[model],
        (x, y),
        textcoords="offset points",
        color=COLOURS[model],
        annotation_clip=False,
        **place,
    )
