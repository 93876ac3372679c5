"""From bags to a fitted, calibrated model: configurations are chosen by held-out bags, then fitted.

Nothing here knows which classifier it is: candidates say how they are fitted, and models score.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...errors import NotConverged
from ...losses import Loss
from ...running.progress import Progress
from ...solvers.calibration import AS_IS, Platt
from ..bags.preprocessing import Preprocessor
from ..bags.scaling import check_whitened
from ..candidates.shared.candidate import Configuration
from ..engine.prepared import MAX_HELD, PreparedBags
from ..engine.shared_table import FitData
from ..engine.threads import Threads
from ..engine.workspace import Workspace, Workspaces
from .choice import Choice, Compared, Selected, centre, choose
from .cross_validation import Candidates, CrossValidation, Labelled
from .drawing import draw, even_count
from .fold_fits import FoldFit, fit_folds
from .rounds import compare

VALIDATION = MAX_HELD // 2  # numbers that a choice looks at; of more, bags are drawn,
ENOUGH = 500  # but not fewer than this many


class Options(NamedTuple):
    """How configurations are compared, and how many are combined."""

    folds: int  # by which they are compared, unless folds are given; 0 compares none
    relative: bool  # whether ridges are in proportion to the number of features per bag
    most: int = 1  # candidates whose log odds may be combined
    partitions: int = 1  # how often bags are cut into folds anew


class FittedCandidate(NamedTuple):
    """A fitted model, its configuration, how instances are preprocessed, and its calibration."""

    configuration: Configuration
    preprocessor: Preprocessor
    model: Any  # a `Model`
    calibration: Platt
    weight: float  # of its log odds


class Fitted(NamedTuple):
    """The fitted candidates, best first, how they were chosen, and what the first is fitted to."""

    estimators: list[FittedCandidate]
    choice: Choice
    data: PreparedBags
    share: FloatArray
    explainer: FittedCandidate | None = None


def fit_bags(
    bags: Labelled,
    candidates: Candidates,
    loss: Loss,
    options: Options,
    random: Any,
    progress: Progress,
    threads: Threads,
) -> Fitted:
    """Choose configurations, fit them to all bags, and calibrate the scores."""
    seed = int(random.randint(2**31 - 1))  # of random features: the same for all folds
    for item in candidates:
        check_whitened(bags.bags.d, 1.0 if item.shrinkage is None else float(item.shrinkage))
    data = FitData(
        *bags[:4],
        whitens=any(item.shrinkage is not None and item.shrinkage < 1.0 for item in candidates),
        contrasts=any(item.contrasts for item in candidates),
        seed=seed,
        progress=progress,
        threads=threads,
        groups=bags.groups,
    )
    choice, workspaces = _choose(bags, candidates, loss, options, data, random)
    workspace = (Workspaces(data, []) if workspaces is None else workspaces).whole
    share = bags.weight / bags.weight.sum()
    selected = list(choice.selected)
    if choice.explainer is not None:
        selected.append(choice.explainer.selected)
    fitted = _fit_selected(workspace, selected, loss, random, bags.y, share)
    explainer = None if choice.explainer is None else fitted.pop()
    prepared = PreparedBags(bags.bags, bags.used, bags.y, fitted[0].preprocessor, progress)
    return Fitted(fitted, choice, prepared, share, explainer)


def _fit_selected(
    workspace: Workspace,
    selected: list[Selected],
    loss: Loss,
    random: Any,
    y: FloatArray,
    share: FloatArray,
) -> list[FittedCandidate]:
    """Fit selected configurations to all bags, each once."""
    every, result = workspace.everything, []
    configurations = list(dict.fromkeys(item.configuration for item in selected))
    wanted = [
        FoldFit(every, item.candidate, [item], int(random.randint(2**31 - 1)))
        for item in configurations
    ]
    fits = dict(zip(configurations, fit_folds(workspace, wanted, loss), strict=True))
    for configuration, calibration, weight in selected:
        fit = fits[configuration]
        if isinstance(fit, NotConverged):
            raise fit
        ((model, scores),) = fit
        if calibration != AS_IS:
            calibration = calibration.counted_from(centre(scores, y, share))
        preprocessor = workspace.preprocessor(every, configuration.candidate.preprocessing)
        result.append(FittedCandidate(configuration, preprocessor, model, calibration, weight))
    return result


def _choose(
    bags: Labelled,
    candidates: Candidates,
    loss: Loss,
    options: Options,
    data: FitData,
    random: Any,
) -> tuple[Choice, Workspaces | None]:
    """Choose configurations and calibrate, on held-out bags; on some bags only if there are many.

    Where all bags were looked at, their workspaces serve the last fit too.
    """
    configurations = [item for some in candidates.values() for item in some]
    nothing = dict.fromkeys(configurations, np.zeros(0))
    if options.folds == 0 and bags.folds is None:
        if len(configurations) > 1:
            raise ValueError(
                'cv=0 leaves nothing to choose parameters by that are "auto"; give '
                "them values, or cv=3"
            )
        return choose(nothing, bags.y, bags.weight, []), None
    total = even_count(bags.y, bags.weight)
    lengths, d = bags.bags.lengths[bags.used], bags.bags.d
    everything = int(lengths.sum()) * d
    room = max(int(VALIDATION // max(1.0, float(lengths.mean()) * d)), ENOUGH)
    drawn = len(bags.used) > room
    if drawn:
        bags = bags.some(*draw(bags.y, bags.weight, room, random))
        data = data._replace(used=bags.used, y=bags.y, weight=bags.weight, groups=bags.groups)
    more = total / even_count(bags.y, bags.weight) if options.relative else 1.0
    held = everything <= MAX_HELD  # else each candidate and fold more would read all bags again
    folds = bags.split(options.folds, random, options.partitions if held else 1)
    if not folds:
        return choose(nothing, bags.y, bags.weight, []), None
    validation = CrossValidation(loss, bags, folds, more, data, random)
    scores, dropped = compare(candidates, validation)
    if not scores:
        raise validation.failed[0]
    choice = validation.choose(scores, options.most if held else 1)
    early = [
        Compared(item.best, item.worse, item.error, float("nan"), 0.0)
        for item in sorted(dropped.values(), key=lambda item: item.worse)
    ]
    choice = choice._replace(compared=choice.compared + early)
    return choice, None if drawn else validation.workspaces
