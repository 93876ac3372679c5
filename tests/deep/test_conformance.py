"""scikit-learn's own checks of DeepClassifier, on bags of one instance each."""

from __future__ import annotations

import pytest
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from needlescope.deep.classifier import DeepClassifier
from needlescope.estimators.classifiers import base
from tests.conformance.tables import OF_OUTPUT, OneInstance, read_table
from tests.deep.few import TINY

BATCHES = "batches are drawn bag by bag: one that is repeated is in other batches than a heavy one"
LEARNS = {
    "rates": (0.1,),
    "decays": (1.0,),
    "epochs": 12,
    "random_state": 0,
}  # quick, and enough for blobs


class Deep(OneInstance, DeepClassifier):
    pass


@pytest.fixture(autouse=True)
def tables(monkeypatch):
    monkeypatch.setattr(base, "as_bags", read_table)


@parametrize_with_checks(
    [
        Deep("gated_hidden", width=8, cv=2, **LEARNS),
        Deep("block", width=8, heads=2, cv=0, **LEARNS),
    ],
    expected_failed_checks=lambda estimator: {
        "check_sample_weight_equivalence_on_dense_data": BATCHES
    },
)
@pytest.mark.filterwarnings("ignore")
def test_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", OF_OUTPUT)
@pytest.mark.filterwarnings("ignore")
def test_check_of_output(check):
    getattr(estimator_checks, check)("Deep", Deep(cv=0, **TINY))
