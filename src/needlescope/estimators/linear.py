"""The two linear classifiers: mean pooling, and all instances concatenated."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..losses import Loss, get_loss
from ..models import VECTORIZED
from ..models.blocks import features
from ..running.progress import Progress
from ..solvers.minimise import minimise_path
from .bags.bags import Bags
from .base import BagClassifier
from .fitting import steps
from .fitting.comparison import Recipe
from .fitting.lockstep.conductor import Job
from .fitting.lockstep.lens import Lens
from .fitting.lockstep.sight import Sight
from .fitting.prepared import Prepared
from .fitting.settings import RIDGE_RANGE, Setting, check_auto
from .fitting.steps import READOUT_TOLERANCE, Scored
from .fitting.ways.catalogue import SearchSpec
from .multiclass import label_names, one_vs_rest, side_by_side


class PooledClassifier(BagClassifier):
    """A linear classifier of the mean instance: wᵀ X̄ + b.

    Parameters
    ----------
    ridge : "auto" or float, default "auto"
        Penalty (ridge/2)‖w‖² added to the mean loss, 10⁻¹² to 10¹⁰⁰. "auto" compares values in
        proportion to the number of features per bag.
    shrinkage : float in (0, 1] or None, default 1
        As in `MILClassifier`.
    loss, class_weight, cv, random_state, n_jobs, progress : optional
        As in `MILClassifier`.

    Attributes
    ----------
    readout_ : array (1, features)
        w for instances that are not scaled, and ``intercept_`` the constant: the score of a bag X
        is ``X.mean(axis=0) @ readout_[0] + intercept_``; beyond the scores of nearly all held-out
        bags it grows logarithmically.
    classes_, best_params_, cv_results_, cv_decision_function_, binary_
        As in `MILClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from needlescope.estimators import PooledClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 100)
    >>> X = rng.standard_normal((100, 5, 3)) + y[:, None, None]
    >>> PooledClassifier(random_state=0).fit(X[:50], y[:50]).score(X[50:], y[50:]) > 0.9
    True
    """

    def __init__(
        self,
        ridge: Any = "auto",
        shrinkage: float | None = 1.0,
        loss: str | Loss = "logistic",
        class_weight: Any = None,
        cv: Any = 3,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.ridge = ridge
        self.shrinkage = shrinkage
        self.loss = loss
        self.class_weight = class_weight
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def _spec(self, loss: Loss) -> SearchSpec:
        check_auto("ridge", self.ridge, *RIDGE_RANGE)
        return SearchSpec(ridge=self.ridge, shrinkage=self.shrinkage, pooling="mean")

    @one_vs_rest(side_by_side)
    def transform(self, X: Any) -> FloatArray:
        """Return the mean of each bag's scaled instances."""
        return steps.features(self._prepare(X)[0], self.estimators_[0].model.q)

    @one_vs_rest(label_names)
    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return names for the columns of `transform`."""
        return np.array([f"mean_{name}" for name in self._names(input_features)], dtype=object)


class _Flat(NamedTuple):
    w: FloatArray
    b: float


class VectorizedClassifier(PooledClassifier):
    """A linear classifier of all instances concatenated, ⟨W, X⟩ + b; for bags of one size.

    Parameters
    ----------
    ridge : "auto" or float, default "auto"
        Penalty (ridge/2)‖W‖² added to the mean loss, 10⁻¹² to 10¹⁰⁰. "auto" compares values in
        proportion to the number of weights per bag.
    shrinkage, loss, class_weight, cv, random_state, n_jobs, progress : optional
        As in `PooledClassifier`.

    Attributes
    ----------
    readout_ : array (instances, features)
        W for instances that are not scaled; the score of a bag X is
        ``(X * readout_).sum() + intercept_``, with the same exception as of `PooledClassifier`.
    classes_, best_params_, cv_results_, cv_decision_function_, binary_
        As in `MILClassifier`.

    Raises
    ------
    ValueError
        As from `MILClassifier`, and if bags differ in size.

    Examples
    --------
    >>> import numpy as np
    >>> from needlescope.estimators import VectorizedClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 200)
    >>> X = rng.standard_normal((200, 5, 3))
    >>> X[:, 2] += 2.0 * y[:, None]  # always the third instance
    >>> VectorizedClassifier(random_state=0).fit(X[:100], y[:100]).score(X[100:], y[100:]) > 0.9
    True
    """

    def _width(self, bags: Bags, candidate: Setting) -> int:
        return bags.d * int(bags.lengths[0])

    def _recipe(self, loss: Loss) -> Recipe:
        return super()._recipe(loss)._replace(train=self._train, scores=self._scores)

    def _train(self, sight: Sight, settings: list[Setting], random: Any) -> Job[list[Scored]]:
        yield []  # nothing is asked: all instances are features
        F, ridges = self._features(sight.data, sight.lens), [setting.ridge for setting in settings]
        fits = minimise_path(
            F, sight.y, get_loss(self.loss), ridges, sight.weight, tolerance=READOUT_TOLERANCE
        )
        return [Scored(_Flat(fit.w, fit.b), fit.scores) for fit in fits]

    def _scores(self, data: Prepared, model: Any) -> FloatArray:
        F = self._features(data)
        if F.shape[1] != len(model.w):
            size = len(model.w) // data.tokens[1]
            raise ValueError(
                f"VectorizedClassifier was fitted to bags of {size} instances, got bags of "
                f"{data.tokens[0]}; PooledClassifier and MILClassifier take any size"
            )
        return np.asarray(F @ model.w + model.b)

    @one_vs_rest(side_by_side)
    def transform(self, X: Any) -> FloatArray:
        """Return the scaled instances of each bag, concatenated."""
        return np.asarray(self._features(self._prepare(X)[0]))

    @one_vs_rest(label_names)
    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return names for the columns of `transform`."""
        names = self._names(input_features)
        places = range(len(self.estimators_[0].model.w) // len(names))
        return np.array([f"{name}_{place}" for place in places for name in names], dtype=object)

    def _features(self, data: Any, lens: Lens | None = None) -> Any:
        if data.tokens[0] == 0:
            lengths = data.bags.lengths
            raise ValueError(
                "VectorizedClassifier needs bags of one size, got bags of "
                f"{lengths.min()} to {lengths.max()} instances; PooledClassifier and "
                "MILClassifier take any size"
            )
        result = features(data, VECTORIZED, np.zeros(data.tokens[1]), 1.0)
        if lens is None:
            return result
        rows = result.reshape(-1, data.tokens[1])
        return lens.show(rows).astype(rows.dtype).reshape(result.shape)
