"""Random nonlinear features of instances, for signals that no single direction shows.

A scaled instance z becomes (z, cos(z W + c)) with W Gaussian and c uniform: inner products of the
second part approximate a Gaussian kernel (random Fourier features), so that a linear query of the
features is a nonlinear one of the instance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .bags import Bags, as_bags
from .scaling import fit_scaling


class RandomFeatures(TransformerMixin, BaseEstimator):
    """Put random cosines of the standardised instances beside them; from bags to bags.

    Parameters
    ----------
    count : int
        How many cosines.
    sharpness : float
        Size of their arguments: how fast they change, relative to the distance of instances.
    random_state : int, RandomState or None

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from needlescope.estimators import AttentionClassifier, digit_bags
    >>> X, y = digit_bags(bags=300, L=10, random_state=0)
    >>> looks = AttentionClassifier(random_state=0)
    >>> clf = make_pipeline(RandomFeatures(random_state=0), looks).fit(X[:200], y[:200])
    >>> clf.score(X[200:], y[200:]) > 0.85
    True
    """

    def __init__(self, count: int = 256, sharpness: float = 1.0, random_state: Any = None) -> None:
        self.count = count
        self.sharpness = sharpness
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> RandomFeatures:
        """Fit the scaling to bags, and draw the features."""
        count = self.count
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise ValueError(f"count must be a whole number of at least 1, got {count!r}")
        if not 0.0 < self.sharpness < np.inf:
            raise ValueError(f"sharpness must be a finite number above 0, got {self.sharpness!r}")
        bags, random = as_bags(X), check_random_state(self.random_state)
        self.n_features_in_ = bags.d
        self.scaling_ = fit_scaling(bags, np.arange(len(bags)), np.ones(len(bags)), 1.0)
        self.weights_ = self.sharpness / np.sqrt(bags.d) * random.normal(size=(bags.d, int(count)))
        self.phases_ = random.uniform(0.0, 2.0 * np.pi, int(count))
        return self

    def transform(self, X: Any) -> Bags:
        """Return bags of standardised instances with their cosines."""
        check_is_fitted(self, "weights_")
        bags = as_bags(X)
        if bags.d != self.n_features_in_:
            raise ValueError(
                f"X has {bags.d} features, but RandomFeatures is expecting "
                f"{self.n_features_in_} features as input"
            )
        z = self.scaling_.apply(bags.instances)
        waves = np.cos(z @ self.weights_.astype(z.dtype) + self.phases_.astype(z.dtype))
        return Bags(np.hstack([z, waves]), bags.starts, ids=bags.ids)

    def __sklearn_tags__(self) -> Any:
        """Say that X is bags."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags
