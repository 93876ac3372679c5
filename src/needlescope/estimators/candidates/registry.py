"""The kinds of candidates: every subclass of `Candidate` in a file of this package."""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from importlib import import_module

from .. import candidates
from .shared.candidate import Candidate
from .shared.search_space import SearchSpace, SearchSpec


def kinds() -> list[type[Candidate]]:
    """Return the kinds of candidates in the order in which they are listed.

    Examples
    --------
    >>> [kind.pooling for kind in kinds()]
    ['mean', 'summaries', 'forest', 'boosted', 'log_mean_exp', 'attention', 'hidden_attention']
    """
    found = [
        item
        for module in pkgutil.iter_modules(candidates.__path__)
        if not module.ispkg
        for item in vars(import_module(f"{candidates.__name__}.{module.name}")).values()
        if isinstance(item, type) and issubclass(item, Candidate) and hasattr(item, "pooling")
    ]
    return sorted(dict.fromkeys(found), key=lambda kind: kind.order)


KINDS = {kind.pooling: kind for kind in kinds()}
POOLINGS = tuple(KINDS)


def offered(
    spec: SearchSpec,
    d: int,
    *,
    held: bool = True,
    roomy: bool = True,
    summaries: bool = True,
    in_bag: float = 1.0,
) -> list[tuple[Candidate, SearchSpace]]:
    """List the candidates that the parameters leave open, for instances of d features.

    ``held``, ``roomy`` and ``summaries`` say whether there is memory for the instances, for random
    features and for summaries, ``in_bag`` how many instances a bag has on average. Each comes with
    the space that its configurations are of.

    Examples
    --------
    >>> spec = SearchSpec(pooling="attention", init="two_steps", append_mean=False)
    >>> [candidate.words for candidate, _ in offered(spec, 10)]
    ['attention initialised by two gradient steps, on standardised instances']
    >>> free = SearchSpec(shrinkage="auto", random_features="auto", n_queries="auto")
    >>> [len(offered(free._replace(effort=effort), 10)) for effort in ("quick", "standard")]
    [5, 28]
    """
    preprocessings = spec.preprocessings(roomy=roomy)
    asked: Sequence[type[Candidate]] = list(KINDS.values())
    if spec.pooling != "auto":
        asked = [KINDS[spec.pooling]]
    result = []
    for item in preprocessings:
        first = item == preprocessings[0]
        space = SearchSpace(spec, item, item.width(d), first and summaries, held, first, in_bag)
        for kind in asked:
            result += [(candidate.on(item), space) for candidate in kind.offered(space)]
    return result
