"""Stored tables to curves, and curves to matplotlib figures; nothing is computed again.

The published figures, such as `figures.errors`, are the files of `needlescope.gallery`; each is
loaded on first use, and so is `figures.curves`, which returns any figure's curves as data.
"""

from importlib import import_module
from typing import Any

from .attended import attended as attended
from .bag import bag as bag
from .lines import lines as lines
from .overview import overview as overview
from .planned import plan as plan
from .planned import tuning as tuning

SHARED = ("attended", "bag", "lines", "overview", "plan", "tuning")


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    # By its name: the gallery rests on this package, and not this package on the gallery.
    registry = import_module("needlescope.gallery.registry")
    if name == "curves":
        return registry.curves
    if name in registry.modules():
        return registry.published(name).draw
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted((*SHARED, "curves", *import_module("needlescope.gallery.registry").modules()))
