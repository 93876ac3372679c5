"""The classifiers that are compared; those that are not installed are named and left out.

All are made with the same ``class_weight``, "balanced" or None, but for milwrap: its classifier is
one of instances, whose classes are not those of bags, and does better without.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

from needlescope.deep.classifier import DeepClassifier
from needlescope.deep.torch_needed import need_torch
from needlescope.estimators.bags.instance_transformer import InstanceTransformer
from needlescope.estimators.classifiers.attention import AttentionClassifier
from needlescope.estimators.classifiers.linear import PooledClassifier
from needlescope.estimators.classifiers.mil import MILClassifier

from .cheap import BoostedSummaries, CosinesLogistic, MeanLogistic

MIL, POOLED = "MIL", "pooled"
SEED = 0


Make = Callable[[str | None], Any]
"""From a class weight to a new classifier."""


def _mil(weight: str | None, **parameters: Any) -> Any:
    return MILClassifier(class_weight=weight, random_state=SEED, **parameters)


def _as_the_theory(weight: str | None, **more: Any) -> Any:
    """Return attention with the theory's initialisation and preprocessing."""
    return AttentionClassifier(
        init="two_steps",
        append_mean=False,
        random_features=False,
        shrinkage=1.0,
        class_weight=weight,
        random_state=SEED,
        **more,
    )


def _several(weight: str | None) -> Any:
    return _as_the_theory(weight, n_queries="auto")


def _expanded(weight: str | None) -> Any:
    kernel = RBFSampler(gamma="scale", n_components=256, random_state=SEED)
    instances = make_pipeline(StandardScaler(), make_union("passthrough", kernel))
    return make_pipeline(InstanceTransformer(instances), _as_the_theory(weight))


def _log_mean_exp(weight: str | None) -> Any:
    return _mil(weight, pooling="log_mean_exp")


def _pooled(weight: str | None) -> Any:
    return PooledClassifier(class_weight=weight, random_state=SEED)


def _abmil(weight: str | None) -> Any:
    module = importlib.import_module(".abmil", __package__)
    return module.Abmil(hidden=0, class_weight=weight, random_state=SEED)


def _hidden_abmil(weight: str | None) -> Any:
    module = importlib.import_module(".abmil", __package__)
    return module.Abmil(class_weight=weight, random_state=SEED)


def _deep(architecture: str) -> Make:
    """Train an architecture of ours end to end, where torch is installed."""

    def make(weight: str | None) -> Any:
        need_torch("DeepClassifier")
        return DeepClassifier(architecture, class_weight=weight, random_state=SEED)

    return make


def _counted(weight: str | None) -> Any:
    module = importlib.import_module(".counted", __package__)
    base = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000))
    return module.Counted(base, random_state=SEED)


def _two_steps(split: str) -> Make:
    """Share the bags between query and readout in one of three ways; nothing is refined."""
    return lambda weight: _as_the_theory(weight, split=split, max_refine_iter=0)


def _effort(effort: str) -> Make:
    return lambda weight: _mil(weight, effort=effort)


ENTRANTS: dict[str, Make] = {
    MIL: _mil,
    "MIL, quick": _effort("quick"),
    "MIL, thorough": _effort("thorough"),
    "attention, two steps": _as_the_theory,
    "attention, several queries": _several,
    "attention, random features": _expanded,
    "log-mean-exp": _log_mean_exp,
    POOLED: _pooled,
    "mean logistic": MeanLogistic,
    "cosines logistic": CosinesLogistic,
    "boosted summaries": BoostedSummaries,
    "milwrap": _counted,
    "ABMIL": _abmil,
    "ABMIL, hidden layer": _hidden_abmil,
    "deep, block": _deep("block"),
    "deep, gated": _deep("gated"),
    "deep, multihead": _deep("multihead"),
    "reuse": _two_steps("reuse"),
    "crossfit": _two_steps("crossfit"),
    "split": _two_steps("split"),
}
CHEAP = ("mean logistic", "cosines logistic", "boosted summaries")  # a dozen lines each
ASKED = (  # that run only if they are named
    *("MIL, thorough", "attention, several queries", "attention, random features"),
    *("log-mean-exp", "deep, gated", "deep, multihead", "reuse", "crossfit", "split"),
)


def available(
    weight: str | None = "balanced",
) -> tuple[dict[str, Callable[[], Any]], dict[str, str]]:
    """Return the entrants that can be made here, with a class weight, and what the others lack."""
    result: dict[str, Callable[[], Any]] = {}
    lacking = {}
    for name, make in ENTRANTS.items():
        try:
            make(weight)
        except ImportError as error:
            lacking[name] = str(error.name or error)
        else:
            result[name] = partial(make, weight)
    return result, lacking
