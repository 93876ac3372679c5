"""What `MILClassifier` and `AttentionClassifier` share: search and explanations."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...arrays import FloatArray
from ...grid import choice
from ...losses import Loss
from ...models.segments import Ragged
from ..candidates.shared.readout import attention_features
from ..candidates.shared.search_space import (
    EFFORTS,
    INITS,
    MAX_ITERATIONS,
    MAX_QUERIES,
    RIDGE_RANGE,
    SearchSpec,
    check_auto,
    check_switch,
    is_auto,
)
from ..engine.prepared import PreparedBags
from ..selection.fit import Fitted
from ..selection.summary import summary
from . import multiclass
from .base import BagClassifier
from .diagnostics import describe
from .multiclass import label_names, one_vs_rest, side_by_side

MOST_CANDIDATES = {"quick": 1, "standard": 5, "thorough": 5}
FOLDS = {"quick": 3, "standard": 3, "thorough": 5}
PARTITIONS = {"quick": 1, "standard": 1, "thorough": 2}  # of the bags into folds


class SearchClassifier(BagClassifier):
    """A classifier that selects candidates by cross-validation, and explains its scores."""

    effort: Any
    n_queries: Any
    max_refine_iter: Any
    init: Any
    random_features: Any

    def _shared_spec(self, loss: Loss, pooling: str, kappa: Any = "auto") -> SearchSpec:
        """Return what the shared parameters fix, or refuse them."""
        check_auto("ridge", self.ridge, *RIDGE_RANGE)
        check_auto("max_refine_iter", self.max_refine_iter, 0, MAX_ITERATIONS, whole=True)
        choice("effort", self.effort, EFFORTS)
        choice("init", self.init, ("auto", *INITS))
        check_auto("n_queries", self.n_queries, 1, MAX_QUERIES, whole=True)
        check_switch("random_features", self.random_features)
        iterations = self.max_refine_iter
        if loss.kinked and iterations != 0 and kappa != 0.0:  # mean pooling has nothing to refine
            if not isinstance(iterations, str):
                raise ValueError(
                    f"max_refine_iter={iterations} needs a loss without kinks, got {loss.name!r}; "
                    "squared_hinge is one"
                )
            iterations = 0
        return SearchSpec(
            kappa=kappa,
            ridge=self.ridge,
            max_refine_iter=iterations,
            n_queries=self.n_queries,
            shrinkage=self.shrinkage,
            random_features=self.random_features,
            pooling=pooling,
            init=self.init,
            effort=self.effort,
        )

    @property
    def _cv(self) -> Any:
        return FOLDS[self.effort] if is_auto(self.cv) else self.cv

    def _breadth(self) -> tuple[int, int]:
        return MOST_CANDIDATES[self.effort], PARTITIONS[self.effort]

    @property
    def query_(self) -> FloatArray:
        """The queries, for instances that are not scaled."""
        best = self._fitted().estimators_[0]
        candidate = best.configuration.candidate
        if not candidate.linear:
            raise AttributeError(
                f"there is no query of the instances in {candidate.words}; fit "
                "AttentionClassifier, or see attention_weights for where it attends"
            )
        return self._unscaled(best.model.q)

    @property
    def selection_summary_(self) -> str:
        """Why these candidates were selected, and whether they are better than the base rate."""
        check_is_fitted(self, "classes_")
        if hasattr(self, "binary_"):
            each = zip(self.classes_, self.binary_, strict=True)
            return "\n".join(f"{label}: {binary.selection_summary_}" for label, binary in each)
        text = summary(self._compared, self.estimators_[0].configuration)
        if self.nested_ is not None:
            text += f" {self.nested_.words}"
        return text + self._signal_class()

    def _signal_class(self) -> str:
        """Say in which class a signal was found, if it was sought in both."""
        candidates = [item.configuration.candidate for item in self.estimators_]
        one_sided = [item for item in candidates if item.one_sided]
        if self._positive.known or not self._compared or not one_sided:
            return ""
        label = self.classes_[0 if one_sided[0].in_negatives else 1]
        return (
            " A signal was sought in bags of either class, as pos_label was not given; the best "
            f"candidate finds it in those labelled {label!s}."
        )

    def _describe(self, data: PreparedBags, weight: FloatArray) -> None:
        """Set diagnostics of the queries."""
        self.alignment_ = describe(data, self.estimators_[0].model, weight)

    @one_vs_rest(side_by_side)
    def transform(self, X: Any) -> FloatArray:
        """Return the attention features Xᵀ a of scaled bags, query after query: a = softmax(Xq)."""
        return attention_features(self._prepare(X)[0], self.estimators_[0].model)

    @one_vs_rest(label_names)
    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return names for the columns of `transform`."""
        names, member = self._names(input_features), self._fitted().estimators_[0]
        names += [f"random_feature{k}" for k in range(member.preprocessor.width - len(names))]
        count = len(member.model.q)
        if count == 1:
            return np.array([f"attended_{name}" for name in names], dtype=object)
        return np.array(
            [f"attended{k}_{name}" for k in range(count) for name in names], dtype=object
        )

    def attention_weights(self, X: Any) -> list[FloatArray]:
        """Return the attention weights of each bag, by the best candidate: one for each instance.

        With ``n_queries`` above 1, an array (queries, instances); if it is "auto", the mean over
        queries, each by the ``importance`` that ``alignment_`` has of it. An appended mean is not
        among them. If the best candidate does not attend, the weights of a bag are uniform.
        """
        data, member = self._prepare(X)[0], self.estimators_[0]
        count = member.configuration.candidate.n_queries
        importance = np.maximum(self.alignment_["importance"][:count], np.finfo(float).tiny)
        result: list[FloatArray] = []
        for block in data.blocks():
            a = member.model.attention(block.table, block.segments)[:count]
            if self.n_queries == "auto":
                a = np.average(a, axis=0, weights=importance)[None]
            ends = np.cumsum(data.bags.lengths[block.rows])
            result += np.split(a, ends[:-1], axis=1)
        return [a[0] for a in result] if len(result[0]) == 1 else result

    def _keep_explainer(self, fitted: Fitted) -> None:
        self.explainer_, self.explainer_auc_ = fitted.explainer, None
        if not fitted.choice.compared and fitted.estimators[0].configuration.candidate.attends:
            self.explainer_ = fitted.estimators[0]  # there are no others
        if fitted.choice.explainer is not None:
            self.explainer_auc_ = fitted.choice.explainer[1:]

    @one_vs_rest(multiclass.instance_scores)
    def instance_scores(self, X: Any, explain: str = "all") -> list[FloatArray]:
        """Return the instance contributions to the log odds: an array for each bag.

        They add up to ``decision_function`` exactly, for any candidate. What belongs to no
        instance, such as the intercept, is spread evenly over a bag. With more than two classes,
        each array has a column for each class.

        With ``explain="attention"`` they are those of ``explainer_``, the best candidate that
        attends, and add up to its log odds: summaries and trees may tell bags apart better, but say
        less of instances. ``explainer_auc_`` says what it costs.
        """
        choice("explain", explain, ("all", "attention"))
        members = self._fitted().estimators_
        if explain == "attention":
            if self.explainer_ is None:
                raise ValueError(
                    'explain="attention" needs a candidate that attends, and none was compared on '
                    'every fold; pass explain="all", or fit AttentionClassifier'
                )
            members = [self.explainer_]
        prepared = self._prepare(X, members)
        bags = prepared[0].bags
        segments = Ragged.at(bags.starts)
        each, total = np.zeros(int(bags.starts[-1])), np.zeros(len(bags))
        for data, member in zip(prepared, members, strict=True):
            for block in data.blocks():
                result, score = member.model.contributions(block.table, block.segments)
                odds = member.calibration.log_odds(score)
                first, last = bags.starts[block.rows.start], bags.starts[block.rows.stop]
                each[first:last] += member.weight * member.calibration.slope * result
                total[block.rows] += member.weight * odds
        if len(members) > 1:
            each, total = self.blend_.slope * each, self.blend_.log_odds(total)
        each += segments.spread((total - segments.sum(each)) / segments.lengths)
        return np.split(self._positive.sign * each, bags.starts[1:-1])
