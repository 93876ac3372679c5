"""The candidates that are compared: what the parameters leave open, within an effort.

A parameter that is "auto" stands for several values. Ridges are in units of d/n, features per bag:
that is how the ridge that suits the theory scales, and one of fixed size is too large for many
bags, too small for few.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...bags.preprocessing import Preprocessing
from ..settings import INITS, POOLINGS, SUMMARIES, Setting

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
MOST_OF_FEATURES = 10  # iterations that attention to many random features gains by
MEAN_RIDGES = (0.5, 0.05, 0.005, 5e-4, 5e-5)
RIDGES = {"quick": (0.3, 0.03), "standard": (0.3, 0.03, 0.003), "thorough": (0.3, 0.03, 0.003)}
WIDEST_CONTRAST = 2000  # features whose covariances are compared: a matrix of 32 MB


class SearchSpec(NamedTuple):
    """What the parameters of a classifier fix, and what they leave "auto"."""

    kappa: Any = "auto"
    ridge: Any = "auto"
    max_refine_iter: Any = "auto"
    n_queries: Any = 1
    shrinkage: Any = 1.0
    random_features: Any = False
    pooling: str = "auto"
    init: str = "auto"
    append_mean: Any = "auto"
    effort: str = "standard"
    both_sides: bool = False  # a signal may be in bags of either class

    def plain(self) -> SearchSpec:
        """Return the same with preprocessing and initialisation as in the theory, if "auto"."""
        theory: dict[str, Any] = {"shrinkage": 1.0, "random_features": False}
        theory |= {"init": "two_steps", "append_mean": False}
        fixed = {k: v for k, v in theory.items() if getattr(self, k) == "auto"}
        return self._replace(both_sides=False, **fixed)


def candidates(
    spec: SearchSpec, d: int, roomy: bool = True, summed_up: bool = True
) -> list[Setting]:
    """List the candidates that the parameters leave open, for instances of d features.

    ``roomy`` and ``summed_up`` say whether there is memory for random features and for summaries.

    Examples
    --------
    >>> spec = SearchSpec(pooling="attention", init="two_steps", append_mean=False)
    >>> [way.words for way in candidates(spec, 10)]
    ['attention initialised by two gradient steps, on standardised instances']
    >>> free = SearchSpec(shrinkage="auto", random_features="auto")
    >>> [len(candidates(free._replace(effort=effort), 10)) for effort in EFFORTS]
    [5, 23, 38]
    """
    preps = _preprocessings(spec, roomy)
    return [
        look._replace(shrinkage=prep.shrinkage, random_features=prep.random_features)
        for prep in preps
        for item in _looks(spec, prep, prep.width(d), summed_up=summed_up and prep == preps[0])
        for look in _sides(spec, item)
    ]


def settings(spec: SearchSpec, way: Setting, unit: float) -> list[Setting]:
    """List the settings of a way, by ridge and then by increasing iterations.

    ``unit`` is features per bag, the unit of the ridges that "auto" stands for.

    Examples
    --------
    >>> [one.max_refine_iter for one in settings(SearchSpec(ridge=0.1), Setting(2.0, 0.0), 1.0)]
    [0, 10, 25]
    """
    if way.pooling == "forest":  # it has neither ridges nor iterations
        return [way]
    mean = not way.attends
    if isinstance(spec.max_refine_iter, str):
        steps = ITERATIONS[spec.effort]
        if way.random_features and way.pooling == "attention":
            steps = tuple(k for k in steps if k <= MOST_OF_FEATURES)
    else:
        steps = (int(spec.max_refine_iter),)
    steps = (0,) if mean else steps
    ridges = [unit * item for item in (MEAN_RIDGES if mean else RIDGES[spec.effort])]
    if not isinstance(spec.ridge, str):
        ridges = [float(spec.ridge)]
    return [way._replace(ridge=ridge, max_refine_iter=k) for ridge in ridges for k in steps]


def _preprocessings(spec: SearchSpec, roomy: bool) -> list[Preprocessing]:
    """Return how instances may be shown; random features are appended to standardised ones."""
    shrinkages: Any = SHRINKAGES[spec.effort]
    if not isinstance(spec.shrinkage, str):
        shrinkages = (spec.shrinkage,)
    if not isinstance(spec.random_features, str):
        return [Preprocessing(shrinkage, bool(spec.random_features)) for shrinkage in shrinkages]
    return [Preprocessing(shrinkage) for shrinkage in shrinkages] + [
        Preprocessing(shrinkages[0], True)
    ] * roomy


def _looks(
    spec: SearchSpec, prep: Preprocessing, width: int, *, summed_up: bool
) -> Iterator[Setting]:
    """Go through how instances shown like this may be pooled."""
    poolings = POOLINGS if spec.pooling == "auto" else (spec.pooling,)
    several = not isinstance(spec.n_queries, str) and int(spec.n_queries) > 1
    if "mean" in poolings:
        yield Setting(0.0, 0.0, n_queries=spec.n_queries if several else 1, pooling="mean")
        if spec.effort == "quick" and prep.random_features and len(poolings) > 1:
            return  # all else takes its time
    if (summed_up and not several) or len(poolings) == 1:
        yield from (Setting(0.0, 0.0, pooling=summary) for summary in _summaries(spec, poolings))
    if "log_mean_exp" in poolings and not several:
        for init in _inits(spec, ("amp", "mean")):
            yield Setting(0.0, 0.0, pooling="log_mean_exp", init=init)
    if "attention" in poolings:
        kappa = KAPPA if isinstance(spec.kappa, str) else float(spec.kappa)
        counts = QUERIES if isinstance(spec.n_queries, str) else (int(spec.n_queries),)
        fits = width <= WIDEST_CONTRAST
        for init in _inits(spec, INITS if fits else ("two_steps", "amp")):
            for append in _appended(spec, init):
                for count in counts:
                    yield Setting(kappa, 0.0, 0, count, init=init, append_mean=append)


def _sides(spec: SearchSpec, look: Setting) -> Iterator[Setting]:
    """Go through the classes that a signal may be in, where that makes a difference."""
    yield look
    if spec.both_sides and look.one_sided:
        yield look._replace(in_negatives=True)


def _summaries(spec: SearchSpec, poolings: tuple[str, ...]) -> tuple[str, ...]:
    """Return which classifiers of summaries are offered: a forest takes its time."""
    quick = spec.effort == "quick" and len(poolings) > 1
    return tuple(item for item in (("summaries",) if quick else SUMMARIES) if item in poolings)


def _inits(spec: SearchSpec, offered: tuple[str, ...]) -> tuple[str, ...]:
    if spec.init != "auto":
        return (spec.init,)
    return offered[:1] if spec.effort == "quick" else offered


def _appended(spec: SearchSpec, init: str) -> tuple[bool, ...]:
    if not isinstance(spec.append_mean, str):
        return (bool(spec.append_mean),)
    if spec.effort == "quick":
        return (False,)
    return (False, True) if init == "two_steps" or spec.effort == "thorough" else (True,)
