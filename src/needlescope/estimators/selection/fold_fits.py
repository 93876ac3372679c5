"""Fits of candidates to folds: those on one table side by side, in the same passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import NotConverged
from ...losses import Loss
from ..candidates.shared.candidate import Candidate, Configuration
from ..engine.computation import DirectFit, Fit, Scored, run
from ..engine.fold_data import FoldData
from ..engine.threads import ONE_THREAD, Threads
from ..engine.workspace import Workspace


class FoldFit(NamedTuple):
    """A candidate to be fitted to a fold; without configurations, only its initial query."""

    fold: int
    candidate: Candidate
    configurations: list[Configuration]
    seed: int


def fit_folds(
    workspace: Workspace, wanted: Sequence[FoldFit], loss: Loss
) -> list[list[Scored] | NotConverged]:
    """Return the results of all fits: tables one after another, or side by side in threads."""
    tables = workspace.tables([(item.fold, item.candidate.preprocessing) for item in wanted])
    large = any(workspace.large(wanted[places[0]].candidate.preprocessing) for places in tables)
    result: list[Any] = [None] * len(wanted)

    def on_table(places: list[int], threads: Threads) -> None:
        own = [wanted[place] for place in places]
        for place, answer in zip(places, _on_table(workspace, own, loss, threads), strict=True):
            result[place] = answer

    threads = workspace.data.threads
    if threads.pool is None or large or len(tables) == 1:
        for places in tables:
            on_table(places, threads)
    else:
        list(threads.pool.map(on_table, tables, [ONE_THREAD] * len(tables)))
    return result


def _on_table(
    workspace: Workspace, wanted: list[FoldFit], loss: Loss, threads: Threads
) -> list[list[Scored] | NotConverged]:
    """Return the results of fits that share a table."""
    keys = [(item.fold, item.candidate.preprocessing) for item in wanted]
    folds = {key: workspace.fold(*key) for key in dict.fromkeys(keys)}
    for fold in folds.values():
        fold.threads = threads
    fits = [_begun(item, folds[key], loss) for key, item in zip(keys, wanted, strict=True)]
    run(folds[keys[0]].data, fits, threads)
    result: list[list[Scored] | NotConverged] = []
    for key, fit in zip(keys, fits, strict=True):
        if fit.error is not None:
            result.append(fit.error)
        else:
            order = folds[key].in_order
            result.append([item._replace(scores=order(item.scores)) for item in fit.results])
    return result


def _begun(wanted: FoldFit, fold: FoldData, loss: Loss) -> Fit:
    """Begin a fit, or what may be computed before it."""
    candidate, configurations = wanted.candidate, wanted.configurations
    if configurations:
        return candidate.fit(fold, configurations, loss, np.random.RandomState(wanted.seed))
    result = DirectFit(list)
    result.required = candidate.initial(fold, loss)
    return result
