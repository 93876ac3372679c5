"""Random nonlinear features, before a classifier."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from needlescope.estimators import AttentionClassifier, Bags, RandomFeatures
from tests.estimators.draws import correlated


def rings(n, seed):
    """Needles whose length, not their direction, is unusual."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, 6, 3)).astype(np.float32)
    X /= np.linalg.norm(X, axis=2, keepdims=True)
    X[y == 1, 0] *= 2.5
    return X, y


def test_they_show_what_no_direction_does():
    (X, y), test = rings(300, 0), rings(400, 1)
    plain = AttentionClassifier(
        pooling="attention",
        init="two_steps",
        append_mean=False,
        random_features=False,
        random_state=0,
    )
    assert plain.fit(X, y).score(*test) < 0.8
    assert make_pipeline(RandomFeatures(random_state=0), clone(plain)).fit(X, y).score(*test) > 0.9


def test_inner_products_are_a_gaussian_kernel():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 1, 4))
    found = RandomFeatures(count=20_000, random_state=0).fit(X).transform(X[:3])
    z, waves = found.instances[:, :4], found.instances[:, 4:]
    kernel = 2.0 * waves @ waves.T / 20_000
    distance = ((z[:, None] - z[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(kernel, np.exp(-distance / (2.0 * 4)), atol=0.03)


def test_same_for_the_same_random_state_and_precision_kept():
    X, _ = rings(20, 0)
    one, other = (RandomFeatures(5, random_state=2).fit(X).transform(X) for _ in range(2))
    np.testing.assert_array_equal(one.instances, other.instances)
    assert one.instances.dtype == np.float32 and one.d == 8


@pytest.mark.parametrize("value", [0, 2.5, -1, "many", None, True])
def test_counts_that_are_none_are_refused(value):
    with pytest.raises(ValueError, match=f"count must be a whole number of .*, got {value!r}"):
        RandomFeatures(count=value).fit(np.zeros((3, 2, 1)))


@pytest.mark.parametrize("value", [0, 0.0, -1.0, np.nan, np.inf, "a", None, True, [1.0]])
def test_sharpness_that_is_none_is_refused(value):
    with pytest.raises(ValueError, match="sharpness must be a finite number above 0, got "):
        RandomFeatures(sharpness=value).fit(np.zeros((3, 2, 1)))


def test_refusals():
    with pytest.raises(ValueError, match="X has 3 features, but RandomFeatures is expecting 1"):
        RandomFeatures().fit(np.zeros((3, 2, 1))).transform(np.zeros((2, 2, 3)))
    with pytest.raises(ValueError, match="there must be at least one bag, got none"):
        RandomFeatures().fit(Bags.from_array(np.zeros((3, 2, 1)))[:0])
    with pytest.raises(ValueError, match="there must be at least one bag, got none"):
        RandomFeatures().fit(np.zeros((3, 2, 1))).transform(
            Bags.from_array(np.zeros((3, 2, 1)))[:0]
        )


def test_its_bags_carry_names_and_what_the_table_called_them():
    frame = pd.DataFrame(np.arange(8.0).reshape(4, 2), columns=["u", "v"])
    bags = Bags.from_table(frame, ["b", "a", "b", "a"])
    made = RandomFeatures(2, random_state=0).fit(bags)
    assert made.feature_names_in_.tolist() == ["u", "v"] and made.n_features_in_ == 2
    assert made.get_feature_names_out().tolist() == ["u", "v", "cosine0", "cosine1"]
    found = made.transform(bags)
    assert found.names == ["u", "v", "cosine0", "cosine1"] and found.ids.tolist() == ["b", "a"]
    assert made.transform(list(bags)).names == found.names  # those of the fit
    plain = made.fit(list(bags))
    assert plain.transform(list(bags)).names == ["x0", "x1", "cosine0", "cosine1"]
    assert not hasattr(plain, "feature_names_in_")


def test_renamed_features_are_refused():
    bags = Bags.from_array(np.arange(12.0).reshape(3, 2, 2))
    bags.names = ["u", "v"]
    made = RandomFeatures(2).fit(bags)
    other = bags[:]
    other.names = ["v", "u"]
    with pytest.raises(ValueError, match="'v' is where 'u' was"):
        made.transform(other)


@pytest.mark.parametrize("output", ["pandas", "polars", "default"])
def test_bags_stay_bags_whatever_the_output_and_the_last_step_makes_a_table(output):
    if output == "polars":
        pytest.importorskip("polars")
    X, y = rings(20, 0)
    last = AttentionClassifier(kappa=1.0, ridge=0.1, max_refine_iter=0, cv=0)
    pipe = make_pipeline(RandomFeatures(2, random_state=0), last).set_output(transform=output)
    found = pipe.fit(X, y).transform(X)
    names = [f"attended_{name}" for name in ("x0", "x1", "x2", "cosine0", "cosine1")]
    assert pipe.get_feature_names_out().tolist() == names
    assert isinstance(pipe[:-1].transform(X), Bags)
    if output == "default":
        assert isinstance(found, np.ndarray)
    else:
        assert type(found).__module__.startswith(output)
        assert list(found.columns) == names
    plain = clone(pipe).set_output(transform="default").fit(X, y).transform(X)
    np.testing.assert_allclose(np.asarray(found), plain)


def test_the_index_of_a_table_of_bags_counts_them():
    X, y = rings(20, 0)
    bags = Bags.from_table(X.reshape(-1, 3), np.repeat([f"b{k}" for k in range(20)], 6))
    last = AttentionClassifier(kappa=1.0, ridge=0.1, max_refine_iter=0, cv=0)
    pipe = make_pipeline(RandomFeatures(2), last).set_output(transform="pandas").fit(bags, y)
    assert pipe.transform(bags).index.equals(pd.RangeIndex(20))
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(RandomFeatures(2).fit_transform(bags), Bags)


def test_random_features_scale_bags_as_those_of_the_fit():
    X, _ = correlated()
    made = RandomFeatures(5, random_state=0).fit(X[:80])
    whole = list(made.transform(X))
    for rows in (slice(0, 1), slice(7, 20), slice(80, 100)):
        part = made.transform(Bags.from_array(X)[rows])
        np.testing.assert_allclose(np.stack(list(part)), np.stack(whole[rows]), rtol=1e-12)
