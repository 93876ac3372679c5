"""Transformers of scikit-learn, put to the instances of bags."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.decomposition import PCA, IncrementalPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import RBFSampler
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from needlescope.estimators import (
    AttentionClassifier,
    Bags,
    InstanceTransformer,
    PooledClassifier,
)
from needlescope.estimators.bags import instance_transformer, moments
from tests.estimators.draws import needles

RNG = np.random.default_rng(0)
SIZES = np.arange(40) % 4 + 1


def slides(d=5, dtype=np.float64):
    table = (RNG.standard_normal((SIZES.sum(), d)) @ RNG.standard_normal((d, d)) + 3.0).astype(
        dtype
    )
    return Bags(
        table,
        np.concatenate([[0], np.cumsum(SIZES)]),
        names=[f"f{k}" for k in range(d)],
        ids=[f"s{k}" for k in range(40)],
        metadata={"coords": np.arange(2 * SIZES.sum()).reshape(-1, 2)},
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_it_is_fitted_to_all_instances_and_put_to_each(dtype):
    bags = slides(dtype=dtype)
    made = InstanceTransformer(PCA(2, svd_solver="full")).fit(bags[:30])
    wanted = PCA(2, svd_solver="full").fit(bags[:30].instances)
    result = made.transform(bags)
    np.testing.assert_array_equal(result.instances, wanted.transform(bags.instances))
    assert result.instances.dtype == dtype and result.names == ["pca0", "pca1"]
    np.testing.assert_array_equal(result.starts, bags.starts)
    assert result.ids.tolist() == bags.ids.tolist()
    np.testing.assert_array_equal(result.metadata["coords"], bags.metadata["coords"])
    assert made.n_features_in_ == 5 and made.feature_names_in_.tolist() == bags.names


def test_the_one_given_is_not_fitted():
    scaler = StandardScaler()
    made = InstanceTransformer(scaler).fit(slides())
    assert not hasattr(scaler, "mean_") and made.transformer is scaler
    assert made.get_feature_names_out().tolist() == [f"f{k}" for k in range(5)]
    assert made.fit(slides(d=3)).transformer_.n_features_in_ == 3


def test_parts_give_what_the_whole_gives(monkeypatch):
    bags = slides()
    whole = InstanceTransformer(StandardScaler()).fit(bags)
    wanted = whole.transform(bags).instances
    monkeypatch.setattr(instance_transformer, "LARGEST_FIT", 10)
    monkeypatch.setattr(instance_transformer, "chunks", lambda *given: moments.chunks(*given, 60))
    calls = []
    count = FunctionTransformer(lambda rows: calls.append(len(rows)) or rows)
    np.testing.assert_array_equal(
        InstanceTransformer(count).fit(bags).transform(bags).instances, bags.instances
    )
    assert len(calls) > 5 and sum(calls) == len(bags.instances)
    parts = InstanceTransformer(StandardScaler()).fit(bags)
    np.testing.assert_allclose(parts.transform(bags).instances, wanted, rtol=1e-10, atol=1e-12)
    assert (
        InstanceTransformer(IncrementalPCA(2)).fit(bags).transformer_.n_samples_seen_ == SIZES.sum()
    )


def test_in_a_pipeline_with_a_grid():
    X, y = needles(60)
    pipe = make_pipeline(
        InstanceTransformer(StandardScaler()),
        InstanceTransformer(PCA()),
        AttentionClassifier(kappa=1.0, ridge=0.1, max_refine_iter=0, cv=0),
    )
    names = (
        "instancetransformer-2__transformer__n_components",
        "instancetransformer-1__transformer__with_mean",
    )
    assert set(names) <= set(pipe.get_params())
    grid = GridSearchCV(pipe, {names[0]: [1, 4], names[1]: [True]}, cv=2, error_score="raise")
    result = grid.fit(Bags.from_array(X), y).best_estimator_
    assert result[1].transformer_.n_components == grid.best_params_[names[0]]
    twin = clone(result)
    assert twin[1].transformer.n_components == grid.best_params_[names[0]]
    assert not hasattr(twin[1], "transformer_")
    assert "InstanceTransformer(transformer=PCA" in repr(InstanceTransformer(PCA(2)))
    assert result.score(X, y) > 0.8


def test_a_scaler_of_instances_changes_nothing_for_a_classifier_that_scales():
    X, y = needles(60)
    plain = PooledClassifier(ridge=0.1, cv=0).fit(X, y)
    scaled = make_pipeline(InstanceTransformer(StandardScaler()), clone(plain)).fit(X, y)
    np.testing.assert_allclose(scaled.decision_function(X), plain.decision_function(X), rtol=1e-8)


def test_transformers_that_need_labels_get_those_of_the_bags():
    X, y = needles(60, theta=6.0)
    bags = Bags.from_array(X)
    for item in (SelectKBest(k=1), LinearDiscriminantAnalysis()):
        made = InstanceTransformer(item).fit(bags, np.where(y, "yes", "no"))
        direct = clone(item).fit(bags.instances, np.repeat(y, 6))
        np.testing.assert_allclose(
            made.transform(bags).instances, direct.transform(bags.instances), rtol=1e-10
        )
        with pytest.raises(ValueError, match="requires y to be passed"):
            InstanceTransformer(item).fit(bags)


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_bags_stay_bags_whatever_the_output(output):
    bags = slides()
    with sklearn.config_context(transform_output=output):
        result = InstanceTransformer(PCA(2)).fit_transform(bags)
    assert isinstance(result, Bags) and result.names == ["pca0", "pca1"]
    made = InstanceTransformer(PCA(2)).set_output(transform=output).fit(bags)
    assert isinstance(made.transform(bags), Bags)


class Bare:
    """Has what is needed, and no more."""

    def get_params(self, deep=True):
        return {}

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X[:, :1]

    def __sklearn_tags__(self):
        return StandardScaler().__sklearn_tags__()


def test_a_transformer_without_names():
    result = InstanceTransformer(Bare()).fit(slides()).transform(slides())
    assert result.d == 1 and result.names is None
    part = make_union(FunctionTransformer(), StandardScaler())  # the first has no names
    assert InstanceTransformer(part).fit_transform(slides()).names is None


@pytest.mark.parametrize(
    ("one", "sentence"),
    [
        (PCA, "transformer must have methods fit and transform, as PCA\\(20\\) has, got PCA"),
        (None, "transformer must have .* got None"),
        (PooledClassifier.fit, "transformer must have"),
        (InstanceTransformer(PCA()), "Bags.from_table"),
        (FunctionTransformer(lambda rows: rows[:1]), "must return a row for each instance, got 1 "),
        (
            FunctionTransformer(lambda rows: rows * np.inf),
            r"bag 0 .* has a NaN or infinity in",
        ),
        (OneHotEncoder(handle_unknown="ignore"), "sparse instances"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_refusals(one, sentence):
    with pytest.raises(ValueError, match=sentence):
        InstanceTransformer(one).fit(slides()).transform(slides())


def test_other_features_are_refused():
    made = InstanceTransformer(StandardScaler()).fit(slides())
    with pytest.raises(
        ValueError, match="X has 3 features, but InstanceTransformer is expecting 5"
    ):
        made.transform(slides(3))
    other = slides()
    other.names = other.names[::-1]
    with pytest.raises(ValueError, match="'f4' is where 'f0' was"):
        made.transform(other)
    with pytest.raises(ValueError, match="at least one bag, got none"):
        made.transform(slides()[:0])
    with pytest.raises(sklearn.exceptions.NotFittedError):
        InstanceTransformer(StandardScaler()).transform(slides())


def test_missing_numbers_are_filled_in_by_a_pipeline_and_refused_without():
    rng = np.random.default_rng(0)
    y, X = np.arange(40) % 2, rng.standard_normal((40, 3, 2))
    X += 3.0 * y[:, None, None]
    X[3, 2, 1] = np.nan
    frame = pd.DataFrame(X.reshape(-1, 2), columns=["u", "v"])
    bags = Bags.from_table(frame, np.repeat([f"s{k}" for k in range(40)], 3))
    last = PooledClassifier(ridge=0.1, cv=0)
    filled = make_pipeline(InstanceTransformer(SimpleImputer()), last)
    scaled = make_pipeline(InstanceTransformer(StandardScaler()), *filled)  # which hands a gap on
    for given in (bags, X, list(X)):
        assert filled.fit(given, y).score(given, y) > 0.9
        assert scaled.fit(given, y).score(given, y) > 0.9
    where = r"bag 3 \('s3'\) has a NaN or infinity in instance 2, feature 'v'; .*SimpleImputer"
    handed_on = InstanceTransformer(StandardScaler()).fit(bags).transform(bags)
    for given in (bags, handed_on, Bags.concatenate([bags[:9], bags[9:]])):
        with pytest.raises(ValueError, match=where):
            last.fit(given, y)
    with pytest.raises(ValueError, match=where):
        filled[-1].score(bags, y)
    last.fit(bags[4:], y[4:])  # the gap is not among these
    with pytest.raises(ValueError, match=r"infinity in instance 0, feature 0; drop .* fill it in$"):
        Bags.from_array(np.full((2, 3, 4), np.inf))


def rings(n, seed):
    """Needles whose length, not their direction, is unusual."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, 6, 3)).astype(np.float32)
    X /= np.linalg.norm(X, axis=2, keepdims=True)
    X[y == 1, 0] *= 2.5
    return X, y


def test_random_fourier_features_show_what_no_direction_does():
    (X, y), test = rings(300, 0), rings(400, 1)
    plain = AttentionClassifier(
        init="two_steps", append_mean=False, random_features=False, random_state=0
    )
    assert plain.fit(X, y).score(*test) < 0.8
    kernel = RBFSampler(gamma="scale", n_components=256, random_state=0)
    both = make_pipeline(StandardScaler(), make_union("passthrough", kernel))
    assert make_pipeline(InstanceTransformer(both), clone(plain)).fit(X, y).score(*test) > 0.9


def test_the_index_of_a_table_of_bags_counts_them():
    X, y = rings(20, 0)
    bags = Bags.from_table(X.reshape(-1, 3), np.repeat([f"b{k}" for k in range(20)], 6))
    last = AttentionClassifier(kappa=1.0, ridge=0.1, max_refine_iter=0, cv=0)
    pipe = make_pipeline(InstanceTransformer(StandardScaler()), last)
    pipe.set_output(transform="pandas").fit(bags, y)
    assert pipe.transform(bags).index.equals(pd.RangeIndex(20))
