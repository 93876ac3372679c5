"""Random nonlinear features of instances, for signals that no single direction shows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ...grid import whole
from .bags import Bags, as_bags
from .extremes import check_fit, check_reach
from .features import BagEstimator
from .scaling import fit_scaling
from .views import View, Waves, draw_waves

SHARPEST = 1e6  # beyond, a cosine's argument in single precision leaves its phase open


class RandomFeatures(BagEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Put random cosines of the standardised instances beside them; from bags to bags.

    Its bags carry the names of the features; ``set_output`` leaves them bags.

    Parameters
    ----------
    count : int, default 256
        How many cosines, at least 1.
    sharpness : float, default 1
        Size of their arguments, above 0 and at most 10⁶: how fast they change, relative to the
        distance of instances.
    random_state : int, RandomState or None, default None
        For their directions and phases.

    Attributes
    ----------
    scaling_ : Scaling
        How instances are standardised.
    weights_ : array (features, count)
        The directions W of the cosines.
    phases_ : array (count,)
        Their phases c.
    n_features_in_ : int
        Features of the instances; ``feature_names_in_`` their names, if they have any.

    Raises
    ------
    ValueError
        From `fit` and `transform`: if a parameter is outside of its range, or bags cannot be read.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from needlescope.estimators import AttentionClassifier, RandomFeatures, digit_bags
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
        count, sharp = whole("count", self.count, 1), self.sharpness
        number = isinstance(sharp, int | float | np.integer | np.floating)
        if isinstance(sharp, bool) or not number or not 0.0 < sharp < np.inf:
            raise ValueError(f"sharpness must be a finite number above 0, got {sharp!r}")
        if sharp > SHARPEST:
            raise ValueError(f"sharpness must be at most {SHARPEST:g}, got {sharp!r}")
        bags, random = as_bags(X), check_random_state(self.random_state)
        every = np.arange(len(bags))
        check_fit(bags, every, scaled=True, chosen=False)
        self._keep_features(bags)
        self.scaling_ = fit_scaling(bags, every, np.ones(len(bags)), 1.0)
        self.weights_, self.phases_ = draw_waves(bags.d, count, float(sharp), float(sharp), random)
        return self

    def transform(self, X: Any) -> Bags:
        """Return bags of standardised instances with their cosines."""
        check_is_fitted(self, "weights_")
        bags = as_bags(X)
        self._check_features(bags)
        check_reach(bags, self.scaling_)
        view = View(self.scaling_, Waves(self.weights_, self.phases_))
        names = list(self.get_feature_names_out())
        return bags.with_instances(view.apply(bags.instances), names)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the features, and cosine0, cosine1, ..."""
        names = self._names(input_features)
        cosines = [f"cosine{k}" for k in range(len(self.phases_))]
        return np.array([*names, *cosines], dtype=object)

    def set_output(self, *, transform: Any = None) -> RandomFeatures:
        """Accept any container: bags are not a table, and stay what they are."""
        return self
