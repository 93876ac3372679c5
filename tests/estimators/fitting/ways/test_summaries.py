"""Summaries of bags: what they are, what reads them, and what each instance has to do with it."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import MILClassifier
from needlescope.estimators.fitting import ways
from needlescope.estimators.fitting.lockstep.lens import Lens
from needlescope.estimators.fitting.lockstep.moments import summaries, summarise
from needlescope.estimators.fitting.ways.summaries import Linear, forest, linear
from needlescope.losses import Logistic
from needlescope.models.blocks import Arrays
from needlescope.models.segments import Even, Ragged


def spread_bags(n=120, L=8, d=3, seed=0):
    """Return bags whose positives have one feature that varies more, and nothing else."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, L, d)), np.where(np.arange(n) % 2, 1.0, -1.0)
    X[y > 0.0, :, 1] *= 2.5
    return X, y


def test_summaries_are_those_of_numpy():
    X = np.random.default_rng(0).standard_normal((5, 4, 3))
    parts = X.mean(axis=1), X.max(axis=1), X.min(axis=1), X.std(axis=1)
    np.testing.assert_allclose(summarise(X.reshape(-1, 3), Even(4)), np.hstack(parts), atol=1e-14)


def test_bags_of_several_sizes():
    rows = np.random.default_rng(0).standard_normal((7, 2)).astype(np.float32)
    result = summarise(rows, Ragged.at(np.array([0, 1, 7])))
    for own, bag in zip(result, (rows[:1], rows[1:]), strict=True):
        wide = bag.astype(float)
        parts = wide.mean(axis=0), wide.max(axis=0), wide.min(axis=0), wide.std(axis=0)
        np.testing.assert_allclose(own, np.concatenate(parts), atol=1e-6)


@pytest.mark.parametrize("kind", ["linear", "trees"])
def test_what_instances_add_is_the_score(kind):
    X, y = spread_bags()
    data, weight = Arrays(X, y), np.full(len(y), 1.0 / len(y))
    model = forest(summaries(data), y, weight, 0)
    if kind == "linear":
        (model,) = linear(summaries(data), y, weight, Logistic(), [0.1])
    each, score = model.each(X.reshape(-1, 3), Even(8))
    np.testing.assert_allclose(each.reshape(-1, 8).sum(axis=1), score, atol=1e-12)
    np.testing.assert_allclose(model.scores(data), score, atol=1e-12)
    assert ((score > np.median(score)) == (y > 0.0)).mean() > 0.9


def test_a_summary_belongs_to_the_instances_that_make_it():
    """The largest to one; a deviation by its square; a mean to those on its side."""
    rows, nothing = np.array([[-1.0], [0.0], [4.0]]), np.zeros(4)
    shares = {}
    for k, name in enumerate(("mean", "largest", "least", "spread")):
        weights = np.where(np.arange(4) == k, 1.0, 0.0)
        each, score = Linear(nothing, 0.0, weights).each(rows, Even(3))
        shares[name] = each / score
    np.testing.assert_allclose(shares["mean"], [0.0, 0.0, 1.0])
    np.testing.assert_allclose(shares["largest"], [0.0, 0.0, 1.0])
    np.testing.assert_allclose(shares["least"], [1.0, 0.0, 0.0])
    np.testing.assert_allclose(shares["spread"], np.array([4.0, 1.0, 9.0]) / 14.0)


def test_equal_instances_share_what_is_largest():
    model = Linear(np.zeros(4), 0.0, np.array([0.0, 1.0, 0.0, 0.0]))
    each, _ = model.each(np.array([[2.0], [2.0], [1.0]]), Even(3))
    np.testing.assert_allclose(each, [1.0, 1.0, 0.0])


def test_a_feature_that_never_changes_has_no_weight():
    X, y = spread_bags()
    X[:, :, 0] = 7.0
    F = summaries(Arrays(X, y))
    (result,) = linear(F, y, np.full(len(y), 1.0 / len(y)), Logistic(), [0.1])
    assert isinstance(result, Linear)
    np.testing.assert_array_equal(result.weights[::3], 0.0)
    assert np.isfinite(result.scores(Arrays(X, y))).all()


def test_weights_of_bags_count_in_both_readouts():
    X, y = spread_bags()
    F, weight = summaries(Arrays(X, y)), np.where(y > 0.0, 4.0, 1.0)
    weight /= weight.sum()
    even = np.full(len(y), 1.0 / len(y))
    assert forest(F, y, weight, 0).b > 0.75 > 0.55 > forest(F, y, even, 0).b
    sides = [linear(F, y, item, Logistic(), [10.0])[0].of(F).mean() for item in (even, weight)]
    assert sides[1] > sides[0] + 1.0


def test_bags_of_no_weight_have_no_part():
    """Bags held out are among those summarised: what they show must not be learned."""
    X, y = spread_bags()
    F, weight = summaries(Arrays(X, y)), np.where(np.arange(len(y)) < 80, 1.0 / 80, 0.0)
    wrong = np.where(weight > 0.0, y, -y)
    models = [forest(F, item, weight, 0) for item in (y, wrong)]
    models += [linear(F, item, weight, Logistic(), [0.1])[0] for item in (y, wrong)]
    alone = linear(F[:80], y[:80], weight[:80], Logistic(), [0.1])[0]
    for item, other in (models[:2], models[2:]):
        np.testing.assert_array_equal(item.of(F), other.of(F))
    np.testing.assert_allclose(alone.of(F), models[2].of(F), rtol=1e-3, atol=1e-3)
    grown = forest(F[:80], y[:80], weight[:80], 0)
    np.testing.assert_array_equal(grown.of(F), models[0].of(F))


def test_summaries_seen_through_a_lens():
    X, y = spread_bags(n=6)
    scale, data = np.array([0.5, 2.0, 3.0]), Arrays(X, y)
    lens = Lens(np.array([1.0, 0.0, -1.0]), scale)
    seen = Arrays(lens.show(X.reshape(-1, 3)).reshape(X.shape), y)
    np.testing.assert_allclose(lens.summaries(summaries(data)), summaries(seen), atol=1e-12)
    turned = Lens(lens.centre, np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0])
    seen = Arrays(turned.show(X.reshape(-1, 3)).reshape(X.shape), y)
    np.testing.assert_allclose(summaries(data, turned.show), summaries(seen), atol=1e-12)


@pytest.mark.parametrize("read", ["summaries", "forest"])
def test_the_classifier_reads_summaries_and_explains_them(read):
    X, y = spread_bags()
    clf = MILClassifier(pooling=read, random_features=False, shrinkage=1.0, random_state=0).fit(
        X, y
    )
    fresh, labels = spread_bags(seed=1)
    assert clf.score(fresh, labels) > 0.85
    each = clf.instance_scores(fresh)
    total = np.array([item.sum() for item in each])
    np.testing.assert_allclose(total, clf.decision_function(fresh), atol=1e-9)
    np.testing.assert_array_equal(clf.attention_weights(fresh)[0], 1 / 8)
    assert "Attention is uniform" in clf.selection_summary_
    with pytest.raises(AttributeError, match="summaries of bags have no readout of instances"):
        _ = clf.readout_


@pytest.mark.slow
def test_summaries_are_found_where_a_spread_tells():
    """No direction of attention shows that one feature varies more on both sides."""
    X, y = spread_bags(n=160)
    clf = MILClassifier(random_state=0).fit(X, y)
    assert (
        clf.best_params_["pooling"] in ("summaries", "forest")
        or clf.best_params_["random_features"]
    )
    assert "summaries" in clf.cv_results_["param_pooling"]


@pytest.mark.slow
def test_trees_are_grown_once_for_every_fold_and_once_for_all(monkeypatch):
    grown = []

    def watched(found, y, weight, seed):
        grown.append(int((weight > 0.0).sum()))
        return forest(found, y, weight, seed)

    monkeypatch.setattr(ways.summaries, "forest", watched)
    X, y = spread_bags(n=160)
    clf = MILClassifier(random_state=0).fit(X, y)
    assert "forest" in [member.setting.pooling for member in clf.estimators_]
    assert sorted(grown) == [106, 107, 107, 160]


def test_summaries_of_many_bags_in_order():
    X, y = spread_bags(n=6)
    result = summaries(Arrays(X, y))
    np.testing.assert_array_equal(result[2:4], summaries(Arrays(X[2:4], y[2:4])))


@pytest.mark.parametrize(("positives", "fewest", "most"), [(20, 10, 25), (1, 0, 3)])
def test_trees_that_no_bags_were_held_out_for_call_the_more_probable_class(positives, fewest, most):
    """Their votes are shares from 0 to 1, which say as much for either class at one half."""
    X, _ = spread_bags(60)
    y = np.arange(60) < positives
    X[y] += 2.0
    given = {"pooling": "forest", "random_state": 0, **({"cv": 0} if positives > 1 else {})}
    clf = MILClassifier(shrinkage=1.0, random_features=False, **given).fit(X, y)
    fresh = spread_bags(60, seed=1)[0]
    fresh[y] += 2.0
    assert fewest <= clf.predict(fresh).sum() <= most
    np.testing.assert_allclose(
        [instance_score.sum() for instance_score in clf.instance_scores(fresh)],
        clf.decision_function(fresh),
        atol=1e-9,
    )
