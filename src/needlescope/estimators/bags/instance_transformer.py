"""Transformers of scikit-learn, as a scaler or PCA, applied to the instances of bags."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from .bags import Bags, as_bags
from .conversion.numeric import as_float_table
from .features import BagEstimator
from .labels import read_labels
from .moments import chunks

LARGEST_FIT = 1 << 26  # numbers that a transformer is fitted to at once: 256 or 512 MB


class InstanceTransformer(BagEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Fit a transformer to the instances of all bags, and transform each instance.

    From bags to bags: ids and metadata stay, names are the feature names of the transformer's
    output. ``set_output`` has no effect. Missing values, NaN, are passed on: ``SimpleImputer()``
    fills them in.

    Parameters
    ----------
    transformer : transformer of scikit-learn
        As ``PCA(20)`` or ``StandardScaler()``; a copy of it is fitted. Every instance counts the
        same, and has the label of its bag. Beyond 2²⁶ numbers, a transformer with ``partial_fit``
        is fitted in chunks, so that memory stays bounded.

    Attributes
    ----------
    transformer_ : transformer
        The fitted copy.
    n_features_in_ : int
        The number of features; ``feature_names_in_`` their names, if they have any.

    Raises
    ------
    ValueError
        From `fit` and `transform`: if the transformer is none, bags are not valid, or its output
        is not a table of finite numbers with a row for each instance.

    Examples
    --------
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.pipeline import make_pipeline
    >>> from needlescope.estimators import InstanceTransformer, PooledClassifier, load_musk1
    >>> X, y = load_musk1()
    >>> reduced = InstanceTransformer(PCA(20, random_state=0))
    >>> clf = make_pipeline(reduced, PooledClassifier()).fit(X, y)
    >>> clf[:-1].transform(X)
    <92 bags of 2 to 40 instances, 20 features, float32>

    Random Fourier features appended to standardised instances, for classifiers that are linear in
    an instance:

    >>> from sklearn.kernel_approximation import RBFSampler
    >>> from sklearn.pipeline import make_union
    >>> from sklearn.preprocessing import StandardScaler
    >>> both = make_union("passthrough", RBFSampler(gamma="scale", random_state=0))
    >>> InstanceTransformer(make_pipeline(StandardScaler(), both)).fit_transform(X)
    <92 bags of 2 to 40 instances, 266 features, float32>
    """

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer

    def fit(self, X: Any, y: Any = None) -> InstanceTransformer:
        """Fit the transformer to the instances of bags."""
        item, bags = self._fresh(), as_bags(X, missing=True)
        labels = None if y is None else np.repeat(read_labels(y, len(bags)), bags.lengths)
        supervised = get_tags(item).target_tags.required
        if (
            bags.starts[-1] * bags.d > LARGEST_FIT
            and hasattr(item, "partial_fit")
            and not supervised
        ):
            for members in chunks(bags, np.arange(len(bags))):
                item.partial_fit(bags.rows(members))
        else:
            item.fit(bags.instances, labels)
        self._keep_features(bags)
        self.transformer_ = item
        return self

    def transform(self, X: Any) -> Bags:
        """Return bags of transformed instances."""
        check_is_fitted(self, "transformer_")
        bags = as_bags(X, missing=True)
        self._check_features(bags)
        output: Any = None
        for members in chunks(bags, np.arange(len(bags))):
            rows = slice(bags.starts[members[0]], bags.starts[members[-1] + 1])
            part = as_float_table(self.transformer_.transform(bags.rows(members)))
            if len(part) != rows.stop - rows.start:
                raise ValueError(
                    f"{type(self.transformer_).__name__} must return a row for each instance, got "
                    f"{len(part)} of {rows.stop - rows.start}"
                )
            if output is None:
                output = np.empty((bags.starts[-1], part.shape[1]), part.dtype)
            output[rows] = part
        try:
            names = list(self.get_feature_names_out())
        except AttributeError:  # the transformer, or a part of it, does not name its output
            names = None
        return bags.with_instances(output, names)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the feature names of the transformer's output."""
        check_is_fitted(self, "transformer_")
        names = np.array(self._names(input_features), dtype=object)
        return np.asarray(self.transformer_.get_feature_names_out(names), dtype=object)

    def set_output(self, *, transform: Any = None) -> InstanceTransformer:
        """Accept any container; the output is always bags."""
        return self

    def _fresh(self) -> Any:
        item = self.transformer
        if isinstance(item, type) or not (hasattr(item, "fit") and hasattr(item, "transform")):
            raise ValueError(
                "transformer must have methods fit and transform, as PCA(20) has, got "
                f"{item.__name__ if isinstance(item, type) else repr(item)}"
            )
        return clone(item)
