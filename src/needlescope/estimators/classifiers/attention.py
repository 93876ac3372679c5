"""Single-layer attention, fitted to bags."""

from __future__ import annotations

from typing import Any

from ...grid import choice
from ...losses import Loss
from ...running.progress import Progress
from ..candidates.shared.search_space import MAX_KAPPA, SearchSpec, check_auto, check_switch
from ..candidates.shared.splitting import SPLITS
from .search import SearchClassifier


class AttentionClassifier(SearchClassifier):
    """Single-layer attention on bags, wᵀ Xᵀ softmax(X q) + b: as in the theory, or tuned.

    Parameters that are "auto" are chosen by cross-validation: preprocessing, initialisation, ridge
    and refinement. `MILClassifier` compares other poolings, too.

    Parameters
    ----------
    effort, n_queries, ridge, max_refine_iter, init, random_features : optional
        As in `MILClassifier`.
    kappa : "auto" or float, default "auto"
        Strength of the initial query, 0 to 10⁶: the standard deviation of its projections, which
        says how sharply it attends. 0 is mean pooling.
    append_mean : "auto" or bool, default "auto"
        Whether the mean instance is appended to the attended ones.
    shrinkage, loss, class_weight, cv, random_state, n_jobs, progress, pos_label : optional
        As in `MILClassifier`.
    split : "reuse", "split" or "crossfit", default "reuse"
        What the readout is trained on: the bags of the query again, the other half of the bags, or
        every bag with a query that was trained without it.

    Attributes
    ----------
    classes_, binary_, estimators_, best_params_, cv_results_, nested_, selection_summary_
    cv_decision_function_, query_, readout_, intercept_, alignment_
        As in `MILClassifier`.

    Examples
    --------
    >>> from needlescope.estimators import AttentionClassifier, make_digit_bags
    >>> X, y = make_digit_bags(bags=200, L=10, random_state=0)
    >>> clf = AttentionClassifier(random_state=0).fit(X[:150], y[:150])
    >>> clf.score(X[150:], y[150:]) > 0.8
    True
    >>> clf.attention_weights(X[150:])[0].shape
    (10,)
    """

    def __init__(
        self,
        effort: str = "standard",
        kappa: Any = "auto",
        n_queries: Any = 1,
        ridge: Any = "auto",
        max_refine_iter: Any = "auto",
        init: str = "auto",
        append_mean: Any = "auto",
        random_features: Any = "auto",
        shrinkage: Any = "auto",
        split: str = "reuse",
        loss: str | Loss = "logistic",
        class_weight: Any = None,
        cv: Any = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
        pos_label: Any = None,
    ) -> None:
        self.effort = effort
        self.kappa = kappa
        self.n_queries = n_queries
        self.ridge = ridge
        self.max_refine_iter = max_refine_iter
        self.init = init
        self.append_mean = append_mean
        self.random_features = random_features
        self.shrinkage = shrinkage
        self.split = split
        self.loss = loss
        self.class_weight = class_weight
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.pos_label = pos_label

    def _spec(self, loss: Loss) -> SearchSpec:
        check_auto("kappa", self.kappa, 0.0, MAX_KAPPA)
        choice("split", self.split, SPLITS)
        check_switch("append_mean", self.append_mean)
        pooling = "mean" if self.kappa == 0.0 else "attention"
        spec = self._shared_spec(loss, pooling, self.kappa)
        return spec._replace(append_mean=self.append_mean, split=self.split)
