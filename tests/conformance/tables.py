"""For scikit-learn's checks, which know tables only: a table is bags of one instance each."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_array

from needlescope.estimators.bags.bags import Bags, as_bags

OF_OUTPUT = (
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_global_output_transform_pandas",
    "check_set_output_transform_polars",  # these two pass by where there is no polars
    "check_global_set_output_transform_polars",
)


class OneInstance:
    """Bags of one instance, for checks that know tables only."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


def read_table(X, *, missing=False):
    """Read a table as bags of one instance, as strictly as scikit-learn reads tables."""
    if isinstance(X, Bags) or (isinstance(X, np.ndarray) and X.ndim == 3):
        return as_bags(X, missing=missing)
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    table = check_array(X, dtype=[np.float64, np.float32], estimator="BagClassifier")
    return Bags(table, np.arange(len(table) + 1), names=names)
