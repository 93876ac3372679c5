"""The number and names of the features, kept and checked as scikit-learn does."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .bags import Bags


class BagEstimator(TransformerMixin, BaseEstimator):
    """An estimator of bags that keeps the features it was fitted to, and refuses others."""

    n_features_in_: int
    feature_names_in_: Any

    def __sklearn_tags__(self) -> Any:
        """Say that X is bags."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags

    def _keep_features(self, bags: Bags) -> None:
        self.n_features_in_ = bags.d
        if bags.names is not None:
            self.feature_names_in_ = np.array(bags.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_features(self, bags: Bags) -> None:
        """Refuse bags whose features are not those of the fit."""
        if bags.d != self.n_features_in_:
            raise ValueError(
                f"X has {bags.d} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        known = getattr(self, "feature_names_in_", None)
        if known is not None and bags.names is not None and list(known) != bags.names:
            place = _first_other(bags.names, known)
            raise ValueError(
                "The feature names should match those that were passed during fit, in the same "
                f"order; {bags.names[place]!r} is where {known[place]!r} was"
            )

    def _names(self, given: Any = None) -> list[str]:
        """Return the names of the features, those given if they fit; x0, x1, ... by default."""
        check_is_fitted(self, "n_features_in_")
        known = getattr(self, "feature_names_in_", None)
        if given is None:
            default = [f"x{k}" for k in range(self.n_features_in_)]
            return default if known is None else list(known)
        names = [str(name) for name in given]
        if len(names) != self.n_features_in_:
            raise ValueError(
                "input_features should have length equal to number of features "
                f"({self.n_features_in_}), got {len(names)}"
            )
        if known is not None and names != list(known):
            place = _first_other(names, known)
            raise ValueError(
                f"input_features is not equal to feature_names_in_: {names[place]!r} is where "
                f"{known[place]!r} was in the fit"
            )
        return names


def _first_other(names: list[str], known: Any) -> int:
    return next(k for k, (a, b) in enumerate(zip(names, known, strict=True)) if a != b)
