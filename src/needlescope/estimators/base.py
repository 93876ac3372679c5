"""What the three classifiers share: checks at the door, labels, weights, choice, calibration."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils import check_random_state, compute_sample_weight
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..arrays import FloatArray, IndexArray
from ..losses import Loss, check_loss, get_loss
from ..simulation.progress import check_progress
from .bags import Bags, as_bags
from .prepared import HOLD, Prepared
from .scaling import Scaling, fit_scaling, no_scaling
from .selection import AS_IS, Choice, choose
from .settings import Setting, check_auto

VALIDATION = HOLD // 4  # numbers that the choice of a setting looks at; more are subsampled


class BagClassifier(TransformerMixin, ClassifierMixin, BaseEstimator):
    """A classifier of bags, with parameters chosen by bags held out, and calibrated scores."""

    ridge: Any
    shrinkage: Any
    loss: Any
    class_weight: Any
    validation: Any
    random_state: Any
    progress: Any

    @abstractmethod
    def _settings(self, loss: Loss) -> list[Setting]:
        """List the settings that the parameters leave open, or refuse them."""

    @abstractmethod
    def _train(
        self, data: Prepared, weight: FloatArray, settings: list[Setting], random: Any
    ) -> Iterator[tuple[Setting, Any]]:
        """Train a model in every setting."""

    @abstractmethod
    def _scores(self, data: Prepared, model: Any) -> FloatArray:
        """Return the scores of bags before calibration."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train on bags.

        Parameters
        ----------
        X
            `Bags`, an array (bags, instances, features), or a list of arrays.
        y
            A label for each bag, of two kinds; the one that sorts last is the positive class.
        sample_weight
            A weight for each bag; its class weight multiplies it.
        """
        loss = get_loss(self.loss)
        check_loss(loss)
        settings = self._settings(loss)
        self._check()
        check_progress(self.progress)
        bags = as_bags(X)
        signs = self._labels(bags, y)
        weight = self._weights(bags, y, signs, sample_weight)
        used = np.flatnonzero(weight > 0.0)
        self._check_classes(signs[used], "with a weight above zero ")
        self.n_features_in_ = bags.d
        if bags.names is not None:
            self.feature_names_in_ = np.array(bags.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        random = check_random_state(self.random_state)
        choice = self._choose(bags, used, signs, weight, settings, random)
        self.scaling_ = self._scale(bags, used, weight[used])
        data = Prepared(bags, used, signs[used], self.scaling_, self.progress)
        share = weight[used] / weight[used].sum()
        ((_, self.model_),) = self._train(data, share, [choice.setting], random)
        self.setting_, self.validation_losses_ = choice.setting, choice.losses
        self.calibration_ = choice.calibration
        self._describe(data)
        return self

    def _describe(self, data: Prepared) -> None:
        """Keep diagnostics of what was trained."""

    def decision_function(self, X: Any) -> FloatArray:
        """Return calibrated scores: the logarithm of the odds that a bag is positive."""
        data = self._prepare(X)
        found: FloatArray = self.calibration_.log_odds(self._scores(data, self.model_))
        return found

    def predict(self, X: Any) -> Any:
        """Return the more probable label of each bag."""
        positive = self.decision_function(X) > 0.0
        return self.classes_[positive.astype(int)]

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities of both classes, in the order of ``classes_``."""
        positive = 1.0 / (1.0 + np.exp(-np.clip(self.decision_function(X), -700.0, 700.0)))
        return np.stack([1.0 - positive, positive], axis=1)

    def __sklearn_tags__(self) -> Any:
        """Say that X is bags, and y two classes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        tags.classifier_tags.multi_class = False
        return tags

    def _check(self) -> None:
        shrinkage, folds = self.shrinkage, self.validation
        if shrinkage is not None:
            check_auto("shrinkage", shrinkage, 0.0)
            if isinstance(shrinkage, str) or not 0.0 < shrinkage <= 1.0:
                raise ValueError(
                    f"shrinkage must be None or a number in (0, 1], got {shrinkage!r}; 1 "
                    "standardises each feature, less removes correlations too"
                )
        whole = isinstance(folds, int | np.integer) and not isinstance(folds, bool)
        if not whole or folds < 0 or folds == 1:
            raise ValueError(
                f"validation must be a number of folds from 2 on, or 0 for none, got {folds!r}"
            )

    def _labels(self, bags: Bags, y: Any) -> FloatArray:
        """Return labels −1 and +1; keep which two there are."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        y = column_or_1d(y, warn=True)
        if len(y) != len(bags):
            raise ValueError(f"y must have a label for each of the {len(bags)} bags, got {len(y)}")
        try:
            kind = type_of_target(y, input_name="y", raise_unknown=True)
            self.classes_, place = np.unique(y, return_inverse=True)
        except TypeError:  # they cannot be put in order
            kinds = ", ".join(sorted({type(one).__name__ for one in y}))
            raise ValueError(
                f"y must have labels of one kind, such as all numbers or all words, got {kinds}"
            ) from None
        if kind not in ("binary", "multiclass"):
            raise ValueError(f"Unknown label type: {kind}; y must have two labels")
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{kind}; y must have two labels, got {len(self.classes_)}: {self.classes_[:5]}"
            )
        self._check_classes(self.classes_, "")
        return np.where(place == 1, 1.0, -1.0)

    def _check_classes(self, labels: Any, which: str) -> None:
        kinds = np.unique(labels)
        if len(kinds) < 2:
            one = self.classes_[-1] if kinds[0] == 1.0 else self.classes_[0]
            raise ValueError(
                f"y must have two classes, but the bags {which}have one class only: {one}"
            )

    def _weights(self, bags: Bags, y: Any, signs: FloatArray, given: Any) -> FloatArray:
        weight = np.ones(len(bags)) if given is None else np.asarray(given, float)
        if weight.ndim == 0:
            weight = np.full(len(bags), float(weight))
        if weight.shape != (len(bags),) or not np.isfinite(weight).all() or (weight < 0.0).any():
            raise ValueError(
                f"sample_weight must be {len(bags)} finite numbers of at least 0, got shape "
                f"{weight.shape}"
            )
        if self.class_weight is not None:
            weight = weight * compute_sample_weight(self.class_weight, np.asarray(y))
        if not weight.sum() > 0.0:
            raise ValueError("sample_weight must not be zero for all bags")
        return weight / weight.sum()

    def _scale(self, bags: Bags, used: IndexArray, weight: FloatArray) -> Scaling:
        if self.shrinkage is None:
            return no_scaling(bags.d)
        return fit_scaling(bags, used, weight, float(self.shrinkage))

    def _choose(
        self,
        bags: Bags,
        used: IndexArray,
        signs: FloatArray,
        weight: FloatArray,
        settings: list[Setting],
        random: Any,
    ) -> Choice:
        """Choose a setting and calibrate, on bags held out; on some bags only if there are many."""
        if self.validation == 0:
            if len(settings) > 1:
                raise ValueError(
                    'validation=0 leaves nothing to choose parameters by that are "auto"; give '
                    "them values, or validation=3"
                )
            return Choice(settings[0], {}, AS_IS)
        room = int(VALIDATION // max(1.0, float(bags.lengths[used].mean()) * bags.d))
        if len(used) > room:
            used = np.sort(random.permutation(used)[:room])

        def train(known: IndexArray, test: IndexArray) -> Iterator[tuple[Setting, FloatArray]]:
            inside, outside = used[known], used[test]
            share = weight[inside] / weight[inside].sum()
            scaling = self._scale(bags, inside, share)
            data = Prepared(bags, inside, signs[inside], scaling)
            held = Prepared(bags, outside, signs[outside], scaling)
            for setting, model in self._train(data, share, settings, random):
                yield setting, self._scores(held, model)

        return choose(train, settings, signs[used], weight[used], self.validation, random)

    def _fitted(self) -> Any:
        check_is_fitted(self, "model_")
        return self

    def _names(self) -> list[str]:
        """Return the names of the features, x0, x1, ... if they have none."""
        known = getattr(self._fitted(), "feature_names_in_", None)
        return [f"x{k}" for k in range(self.n_features_in_)] if known is None else list(known)

    def _prepare(self, X: Any) -> Prepared:
        self._fitted()
        bags = as_bags(X)
        if not len(bags):
            raise ValueError("there must be at least one bag, got none")
        if bags.d != self.n_features_in_:
            raise ValueError(
                f"X has {bags.d} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        known = getattr(self, "feature_names_in_", None)
        if known is not None and bags.names is not None and list(known) != bags.names:
            odd = next(a for a, b in zip(bags.names, known, strict=True) if a != b)
            raise ValueError(
                "The feature names should match those that were passed during fit, in the same "
                f"order; {odd!r} is where {known[bags.names.index(odd)]!r} was"
            )
        return Prepared(bags, np.arange(len(bags)), np.ones(len(bags)), self.scaling_)
