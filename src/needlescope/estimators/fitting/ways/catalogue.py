"""Which ways are compared: what the parameters of a classifier leave open, within an effort.

A parameter that is "auto" stands for several values. Ridges are in units of d/n, features per bag:
that is how the ridge that suits the theory scales, and one of fixed size is too large for many
bags, too small for few.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...bags.views import Glass
from ..settings import READS, STARTS, SUMMARIES, Setting

EFFORTS = ("quick", "standard", "thorough")
KAPPA = 2.0
QUERIES = (1, 4)
WHITENED = 0.02  # a shrinkage that removes correlations and is not thrown by the noise in them
SHRINKAGES: dict[str, tuple[float, ...]] = {
    "quick": (1.0,),
    "standard": (1.0, WHITENED),
    "thorough": (1.0, 0.2, WHITENED),
}
ITERATIONS: dict[str, tuple[int, ...]] = {
    "quick": (0, 10),
    "standard": (0, 10, 25),
    "thorough": (0, 10, 25, 60),
}
MOST_OF_COSINES = 10  # iterations that attention to many cosines gains by
MEAN_RIDGES = (0.5, 0.05, 0.005, 5e-4, 5e-5)
RIDGES = {"quick": (0.3, 0.03), "standard": (0.3, 0.03, 0.003), "thorough": (0.3, 0.03, 0.003)}
WIDEST_CONTRAST = 2000  # features whose covariances are compared: a matrix of 32 MB


class Asked(NamedTuple):
    """What the parameters of a classifier fix, and what they leave "auto"."""

    kappa: Any = "auto"
    ridge: Any = "auto"
    refine: Any = "auto"
    queries: Any = 1
    shrinkage: Any = 1.0
    cosines: Any = False
    read: str = "auto"
    start: str = "auto"
    beside: Any = "auto"
    effort: str = "standard"
    both_sides: bool = False  # a signal may be in bags of either class

    def plain(self) -> Asked:
        """Return the same with nothing left open of how to look: as the theory does it."""
        look: dict[str, Any] = {
            "shrinkage": 1.0,
            "cosines": False,
            "start": "steps",
            "beside": False,
        }
        fixed = {k: v for k, v in look.items() if getattr(self, k) == "auto"}
        return self._replace(both_sides=False, **fixed)


def ways(asked: Asked, d: int, roomy: bool = True, summed_up: bool = True) -> list[Setting]:
    """List the ways that the parameters leave open.

    Parameters
    ----------
    asked
        The parameters.
    d
        Features of an instance.
    roomy
        Whether there is room to hold instances with cosines: without, "auto" offers none.
    summed_up
        The same for the summaries of all bags.

    Examples
    --------
    >>> [way.words for way in ways(Asked(kappa=2.0, start="steps", beside=False), 10)]
    ['attention from two steps of standardised instances']
    >>> free = Asked(shrinkage="auto", cosines="auto")
    >>> [len(ways(free._replace(effort=effort), 10)) for effort in EFFORTS]
    [5, 23, 38]
    """
    glasses = _glasses(asked, roomy)
    return [
        look._replace(shrinkage=glass.shrinkage, cosines=glass.waves)
        for glass in glasses
        for one in _looks(asked, glass, glass.width(d), summed_up=summed_up and glass == glasses[0])
        for look in _sides(asked, one)
    ]


def settings(asked: Asked, way: Setting, unit: float) -> list[Setting]:
    """List the settings of a way, by ridge and then by increasing iterations.

    ``unit`` is features per bag, the unit of the ridges that "auto" stands for.

    Examples
    --------
    >>> [one.iterations for one in settings(Asked(ridge=0.1), Setting(2.0, 0.0), 1.0)]
    [0, 10, 25]
    """
    if way.read == "trees":  # they know neither ridges nor iterations
        return [way]
    mean = not way.attends
    steps = ITERATIONS[asked.effort] if isinstance(asked.refine, str) else (int(asked.refine),)
    if isinstance(asked.refine, str) and way.cosines and way.read == "attended":
        steps = tuple(k for k in steps if k <= MOST_OF_COSINES)
    steps = (0,) if mean else steps
    ridges = [unit * one for one in (MEAN_RIDGES if mean else RIDGES[asked.effort])]
    if not isinstance(asked.ridge, str):
        ridges = [float(asked.ridge)]
    return [way._replace(ridge=ridge, iterations=k) for ridge in ridges for k in steps]


def _glasses(asked: Asked, roomy: bool) -> list[Glass]:
    """Return how instances may be shown; cosines are put beside standardised ones."""
    shrinkages: Any = SHRINKAGES[asked.effort]
    if not isinstance(asked.shrinkage, str):
        shrinkages = (asked.shrinkage,)
    if not isinstance(asked.cosines, str):
        return [Glass(one, bool(asked.cosines)) for one in shrinkages]
    return [Glass(one) for one in shrinkages] + [Glass(shrinkages[0], True)] * roomy


def _looks(asked: Asked, glass: Glass, width: int, *, summed_up: bool) -> Iterator[Setting]:
    """Go through what may be read of instances shown like this."""
    reads = _reads(asked)
    several = not isinstance(asked.queries, str) and int(asked.queries) > 1
    if "mean" in reads:
        yield Setting(0.0, 0.0, queries=asked.queries if several else 1, read="mean")
        if asked.effort == "quick" and glass.waves and len(reads) > 1:
            return  # all else takes its time
    if (summed_up and not several) or len(reads) == 1:
        yield from (Setting(0.0, 0.0, read=read) for read in _summaries(asked, reads))
    if "evidence" in reads and not several:
        for start in _starts(asked, ("iterated", "mean")):
            yield Setting(0.0, 0.0, read="evidence", start=start)
    if "attended" in reads:
        kappa = KAPPA if isinstance(asked.kappa, str) else float(asked.kappa)
        counts = QUERIES if isinstance(asked.queries, str) else (int(asked.queries),)
        fits = width <= WIDEST_CONTRAST
        for start in _starts(asked, STARTS if fits else ("steps", "iterated")):
            for beside in _beside(asked, start):
                for count in counts:
                    yield Setting(kappa, 0.0, 0, count, start=start, beside=beside)


def _sides(asked: Asked, look: Setting) -> Iterator[Setting]:
    """Go through the classes that a signal may be in, where that makes a difference."""
    yield look
    if asked.both_sides and look.one_sided:
        yield look._replace(in_negatives=True)


def _reads(asked: Asked) -> tuple[str, ...]:
    if asked.read != "auto":
        return (asked.read,)
    if isinstance(asked.kappa, str):
        return READS
    return ("mean",) if asked.kappa == 0.0 else ("attended",)


def _summaries(asked: Asked, reads: tuple[str, ...]) -> tuple[str, ...]:
    """Return which readouts of summaries are offered: trees take their time."""
    quick = asked.effort == "quick" and len(reads) > 1
    return tuple(one for one in (("summaries",) if quick else SUMMARIES) if one in reads)


def _starts(asked: Asked, offered: tuple[str, ...]) -> tuple[str, ...]:
    if asked.start != "auto":
        return (asked.start,)
    return offered[:1] if asked.effort == "quick" else offered


def _beside(asked: Asked, start: str) -> tuple[bool, ...]:
    if not isinstance(asked.beside, str):
        return (bool(asked.beside),)
    if asked.effort == "quick":
        return (False,)
    return (False, True) if start == "steps" or asked.effort == "thorough" else (True,)
