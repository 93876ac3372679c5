"""Names of features, as scikit-learn asks for them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from needlescope.estimators import (
    AttentionClassifier,
    Bags,
    InstanceTransformer,
    PooledClassifier,
    VectorizedClassifier,
)

ALL = (
    AttentionClassifier(kappa=1.0, ridge=0.1, max_refine_iter=0, cv=0),
    PooledClassifier(ridge=0.1, cv=0),
    VectorizedClassifier(ridge=0.1, cv=0),
    InstanceTransformer(StandardScaler()),
)


def data(names=None):
    bags = Bags.from_array(np.random.default_rng(0).standard_normal((20, 2, 3)))
    bags.names = names
    return bags, np.arange(20) % 2


@pytest.mark.parametrize("estimator", ALL, ids=lambda item: type(item).__name__)
def test_given_names_stand_in_for_none(estimator):
    fitted = estimator.fit(*data())
    for names in (["u", "v", "w"], np.array(["u", "v", "w"]), ("u", "v", "w")):
        result = fitted.get_feature_names_out(names)
        named = [name.replace("x0", "u").replace("x1", "v").replace("x2", "w") for name in result]
        assert result.dtype == object and result.tolist() == named
        assert result.tolist() != fitted.get_feature_names_out().tolist()
    for few in (["u"], ["u", "v", "w", "x"]):
        with pytest.raises(ValueError, match=rf"number of features \(3\), got {len(few)}"):
            fitted.get_feature_names_out(few)


@pytest.mark.parametrize("estimator", ALL, ids=lambda item: type(item).__name__)
def test_given_names_must_be_those_of_the_fit(estimator):
    fitted = estimator.fit(*data(["u", "v", "w"]))
    known = fitted.get_feature_names_out()
    assert fitted.get_feature_names_out(["u", "v", "w"]).tolist() == known.tolist()
    with pytest.raises(
        ValueError, match="not equal to feature_names_in_: 'w' is where 'v' was in the fit"
    ):
        fitted.get_feature_names_out(["u", "w", "v"])
