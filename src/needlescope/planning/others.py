"""What other learners need or reach, for comparison with a plan."""

from __future__ import annotations

import numpy as np

from ..errors import NoMinimiser, NotConverged
from ..losses import Loss
from ..results.planned import OtherLearner
from ..theory.oracle.least_error import oracle
from . import LEARNERS
from .learners import ORACLES, Learner, get_learner
from .sentences import cannot, counted, has_error
from .solve import rough_root
from .spec import PlanSpec

TOL = 2e-3  # of the test error of another learner


def other_learners(spec: PlanSpec, learner: Learner, loss: str | Loss) -> tuple[OtherLearner, ...]:
    """Return what each other learner, and each oracle, needs or reaches; where unknown, why."""
    others = [get_learner(name, loss) for name in LEARNERS if name != learner.name]
    result = []
    for other in (*others, *ORACLES):
        try:
            value, sentence = _value_and_sentence(spec, other)
        except (NotConverged, NoMinimiser) as problem:
            reason = str(problem).partition(";")[0]
            value, sentence = np.nan, f"{other.label}: not known ({reason})"
        result.append(OtherLearner(other.name, value, sentence))
    return tuple(result)


def _value_and_sentence(spec: PlanSpec, learner: Learner) -> tuple[float, str]:
    """Return the value of the argument that was left out, and a sentence about it."""
    label, unknown = learner.label, spec.unknown
    if unknown == "error":
        budget = spec.budget(spec.n)
        value = float(learner.evaluate(budget, learner.tune(budget), TOL).error)
        return value, f"{has_error(label, value)} in the limit of large d"
    assert spec.error is not None
    if learner in ORACLES and unknown == "n":
        value = float(learner.tune(spec.budget(spec.d)).error)
        return (0.0 if value <= spec.error else np.inf), has_error(label, value)
    if unknown == "n" and learner.name in ("pooled", "vectorized"):
        best = float(oracle(spec.task(), learner.name, tol=1e-3).error)
        if best > spec.error:
            return (
                np.inf,
                f"{cannot(label, spec)}: with a known signal its test error is {best:.3g}",
            )
    root = rough_root(spec, learner)
    if not root.reached:
        nowhere = 0.0 if unknown == "L" else np.inf
        return nowhere, cannot(label, spec, float(root.setting.error))
    if unknown == "n" and spec.costs is not None:
        return root.at, f"{label} needs to spend {root.at:,.4g}"
    if unknown == "n":
        value = float(np.ceil(root.at))
        return value, f"{label} needs {counted(value)}"
    if unknown == "theta":
        return root.at, f"{label} needs a signal of strength {root.at:.3g}"
    value = float(np.floor(root.at))
    return value, f"{label} reaches it among up to {value:,.0f} instances"
