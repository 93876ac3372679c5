"""scikit-learn's own checks, on bags of one instance each.

The checks hand over tables (samples, features). A table is bags of one instance: `conftest` lets
the classifiers read it so, and everything behind the door is what users run.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_array

from needlescope.estimators import base
from needlescope.estimators.attention import AttentionClassifier
from needlescope.estimators.bags import each_instance, random_features
from needlescope.estimators.bags.bags import Bags, as_bags
from needlescope.estimators.linear import PooledClassifier, VectorizedClassifier

FOLDS = (
    "folds within the training bags differ when a bag is repeated instead of weighted; with "
    "validation=0 the check is passed"
)


class OneInstance:
    """Bags of one instance, for checks that know tables only."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


class Attention(OneInstance, AttentionClassifier):
    pass


class Pooled(OneInstance, PooledClassifier):
    pass


class Vectorized(OneInstance, VectorizedClassifier):
    pass


class Each(OneInstance, each_instance.EachInstance, auto_wrap_output_keys=None):
    pass


class Features(OneInstance, random_features.RandomFeatures, auto_wrap_output_keys=None):
    pass


def read_table(X):
    """Read a table as bags of one instance, as strictly as scikit-learn reads tables."""
    if isinstance(X, Bags) or (isinstance(X, np.ndarray) and X.ndim == 3):
        return as_bags(X)
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    table = check_array(X, dtype=[np.float64, np.float32], estimator="BagClassifier")
    return Bags(table, np.arange(len(table) + 1), names=names)


@pytest.fixture(autouse=True)
def tables(monkeypatch):
    for module in (base, each_instance, random_features):
        monkeypatch.setattr(module, "as_bags", read_table)


def expected(estimator):
    if getattr(estimator, "validation", 0) == 0:
        return {}
    return dict.fromkeys(("check_sample_weight_equivalence_on_dense_data",), FOLDS)


@parametrize_with_checks(
    [
        Attention(effort="quick", validation=2),
        Attention(kappa=1.0, ridge=0.1, refine=3, validation=0),
        Attention(kappa=1.0, ridge=0.1, refine=0, queries=2, validation=0),
        Pooled(),
        Pooled(ridge=0.1, validation=0),
        Vectorized(),
        Vectorized(ridge=0.1, validation=0),
        Features(3),
        Each(StandardScaler()),
        Each(PCA(1)),
    ],
    expected_failed_checks=expected,
)
@pytest.mark.filterwarnings("ignore")
def test_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", [Attention, Pooled, Vectorized])
@pytest.mark.parametrize(
    "check",
    [
        "check_transformer_get_feature_names_out",
        "check_transformer_get_feature_names_out_pandas",
        "check_set_output_transform",
        "check_set_output_transform_pandas",
        "check_global_output_transform_pandas",
        "check_set_output_transform_polars",  # these two pass by where there is no polars
        "check_global_set_output_transform_polars",
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_check_of_output(kind, check):
    fixed = {"kappa": 1.0, "refine": 0} if kind is Attention else {}
    estimator = kind(ridge=0.1, validation=0, **fixed)
    getattr(estimator_checks, check)(kind.__name__, estimator)
