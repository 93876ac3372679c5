"""scikit-learn's own checks, on bags of one instance each.

The checks hand over tables (samples, features). A table is bags of one instance: `tables` has how
the classifiers are made to read it so, and everything behind the door is what users run.
"""

from __future__ import annotations

import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from needlescope.estimators.bags import instance_transformer
from needlescope.estimators.classifiers import base
from needlescope.estimators.classifiers.attention import AttentionClassifier
from needlescope.estimators.classifiers.linear import PooledClassifier, VectorizedClassifier
from needlescope.estimators.classifiers.mil import MILClassifier
from tests.conformance.tables import OF_OUTPUT, OneInstance, read_table

FOLDS = (
    "the check sets cv to folds of its own, and bags within them are drawn otherwise when one is "
    "repeated instead of weighted; with cv=0 it is the same: "
    "tests/estimators/classifiers/test_weights.py"
)


class MIL(OneInstance, MILClassifier):
    pass


class Attention(OneInstance, AttentionClassifier):
    pass


class Pooled(OneInstance, PooledClassifier):
    pass


class Vectorized(OneInstance, VectorizedClassifier):
    pass


class Each(OneInstance, instance_transformer.InstanceTransformer, auto_wrap_output_keys=None):
    pass


@pytest.fixture(autouse=True)
def tables(monkeypatch):
    for module in (base, instance_transformer):
        monkeypatch.setattr(module, "as_bags", read_table)


def expected(estimator):
    if not hasattr(estimator, "cv"):
        return {}
    return dict.fromkeys(("check_sample_weight_equivalence_on_dense_data",), FOLDS)


@pytest.mark.sampled(102)
@parametrize_with_checks(
    [
        MIL(effort="quick", cv=2),
        Attention(kappa=1.0, ridge=0.1, max_refine_iter=3, cv=0),
        Pooled(),
        Vectorized(ridge=0.1, cv=0),
        Each(StandardScaler()),
    ],
    expected_failed_checks=expected,
)
@pytest.mark.filterwarnings("ignore")
def test_check(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        Attention(kappa=1.0, ridge=0.1, max_refine_iter=0, n_queries=2, cv=0),
        Pooled(ridge=0.1, cv=0),
        Vectorized(),
        Each(PCA(1)),
    ],
    expected_failed_checks=expected,
)
@pytest.mark.filterwarnings("ignore")
def test_check_in_other_settings(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", [Attention, Pooled, Vectorized])
@pytest.mark.parametrize("check", OF_OUTPUT)
@pytest.mark.filterwarnings("ignore")
def test_check_of_output(kind, check):
    fixed = {"kappa": 1.0, "max_refine_iter": 0} if kind is Attention else {}
    estimator = kind(ridge=0.1, cv=0, **fixed)
    getattr(estimator_checks, check)(kind.__name__, estimator)
