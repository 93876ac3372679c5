"""DeepClassifier on bags: the same bits each time, any bags, any architecture, and what it says."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import needlescope as ns
from needlescope.deep import ARCHITECTURES, DeepClassifier, classifier
from needlescope.errors import NotConverged
from needlescope.estimators import AttentionClassifier, Bags
from tests.deep.few import deep, hay

COVERS = ("candidate", "fitting", "training_spec")
ALL = tuple(ARCHITECTURES)
IN_ORDER = ("gru", "convolution")


@pytest.mark.parametrize("architecture", ALL)
def test_every_architecture_is_fitted_the_same_each_time_and_after_pickling(architecture):
    X, y = hay()
    item, other = (clone(deep(architecture)).fit(X, y) for _ in range(2))
    result = item.decision_function(X)
    assert result.dtype == np.float64 and np.isfinite(result).all()
    np.testing.assert_array_equal(result, other.decision_function(X))
    again = pickle.loads(pickle.dumps(item))
    np.testing.assert_array_equal(result, again.decision_function(X))
    assert item.predict(X).shape == (40,) and set(item.predict(X)) <= {"hay", "needle"}
    np.testing.assert_allclose(item.predict_proba(X).sum(axis=1), 1.0)
    assert (item.rate_, item.parameters_) == (0.03, again.parameters_) and 0 <= item.epochs_ <= 8


def test_other_random_states_start_elsewhere():
    X, y = hay()
    item, other = (deep(random_state=k).fit(X, y).decision_function(X) for k in (0, 1))
    assert not np.allclose(item, other)


@pytest.mark.parametrize("architecture", ["gated_hidden", "multihead", "gru"])
def test_it_learns_what_it_is_shown(architecture):
    X, y = hay(n=160)
    clf = deep(architecture, width=8, epochs=100).fit(X, y)
    assert clf.score(*hay(n=200, seed=1)) > 0.85
    loss = np.mean(
        np.logaddexp(0.0, np.where(y == "needle", -1.0, 1.0) * clf.cv_decision_function_)
    )
    assert loss < 0.5  # calibrated: 0.69 knows nothing


def test_attention_finds_the_needle():
    X, y = hay(n=160)
    clf = deep("solvable", epochs=60).fit(X, y)
    X, y = hay(n=100, seed=1)
    own = y == "needle"
    where = np.array([attention_weight.argmax() for attention_weight in clf.attention_weights(X)])
    assert (where[own] == X[own, :, 0].argmax(axis=1)).mean() > 0.8


def test_arrays_lists_and_bags_give_the_same():
    X, y = hay()
    result = [deep().fit(bags, y).decision_function(X) for bags in (X, list(X), Bags.from_array(X))]
    np.testing.assert_array_equal(result[0], result[1])
    np.testing.assert_array_equal(result[0], result[2])


@pytest.mark.parametrize("architecture", ALL)
def test_bags_of_any_size_and_no_score_knows_the_bags_beside_it(architecture):
    X, y = hay(L=7)
    bags = [item[: 1 + k % 7] for k, item in enumerate(X)]
    clf = deep(architecture).fit(bags, y)
    result = clf.decision_function(bags)
    alone = np.concatenate([clf.decision_function([bag]) for bag in bags[:9]])
    np.testing.assert_allclose(result[:9], alone, rtol=1e-9, atol=1e-9)
    if architecture not in IN_ORDER:
        turned = clf.decision_function([bag[::-1] for bag in bags])
        np.testing.assert_allclose(result, turned, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("architecture", [item for item in ALL if item not in IN_ORDER])
def test_attention_is_shared_by_the_instances_of_a_bag(architecture):
    X, y = hay(L=7)
    bags = [item[: 1 + k % 7] for k, item in enumerate(X)]
    weights = deep(architecture).fit(bags, y).attention_weights(bags)
    heads = ARCHITECTURES[architecture].heads
    shapes = [weight.shape for weight in weights]
    assert shapes == [(len(bag),) if heads is None else (heads, len(bag)) for bag in bags]
    sums = np.array([weight.sum(axis=-1) for weight in weights])
    if "CLS" in ARCHITECTURES[architecture].attention:  # a part of which it keeps for itself
        assert (sums > 0.0).all() and (sums < 1.0).all()
    else:
        np.testing.assert_allclose(sums, 1.0, rtol=1e-9)
    if architecture != "linear":
        assert all((weight >= 0.0).all() for weight in weights)


@pytest.mark.parametrize("architecture", IN_ORDER)
def test_what_does_not_attend_says_so(architecture):
    X, y = hay()
    clf = deep(architecture, cv=0).fit(X, y)
    with pytest.raises(ValueError, match=f"architecture='{architecture}' has no attention to ret"):
        clf.attention_weights(X)


def test_a_weight_of_zero_stands_for_absence():
    X, y = hay()
    weight = np.where(np.arange(40) % 5 == 3, 0.0, 1.0)
    kept = np.flatnonzero(weight)
    weighed = deep().fit(X, y, sample_weight=weight)
    without = deep().fit(X[kept], y[kept])
    np.testing.assert_array_equal(weighed.decision_function(X), without.decision_function(X))


def test_weights_and_class_weights_move_the_scores():
    X, y = hay(n=80, theta=3.0)
    weight = np.where(y == "needle", 5.0, 1.0)
    plain = deep(cv=0).fit(X, y)
    heavy = deep(cv=0).fit(X, y, sample_weight=weight)
    same = deep(cv=0, class_weight={"needle": 5.0, "hay": 1.0}).fit(X, y)
    assert heavy.decision_function(X).mean() > plain.decision_function(X).mean() + 0.5
    np.testing.assert_array_equal(heavy.decision_function(X), same.decision_function(X))


def test_garbage_of_almost_no_weight_does_no_harm():
    X, y = hay(n=80)
    rng = np.random.default_rng(1)
    both = np.concatenate([X, 3.0 * rng.standard_normal((80, *X.shape[1:]))])
    labels = np.concatenate([y, rng.permutation(y)])
    clf = deep(width=8, epochs=40)
    clf.fit(both, labels, np.where(np.arange(160) < 80, 1.0, 1e-9))
    assert clf.score(*hay(n=200, seed=2)) > 0.85


@pytest.mark.parametrize("light", [1e-100, 1e-8])
def test_weights_within_their_range_are_fitted(light):
    X, y = hay(n=20)
    weight = np.where(np.arange(20) < 10, light, 1.0)
    assert np.isfinite(deep().fit(X, y, sample_weight=weight).predict_proba(X)).all()


def test_patients_are_on_one_side_of_what_is_held_out(monkeypatch):
    from needlescope.deep import fitting

    X, y = hay(n=48)
    groups = np.arange(48) // 4
    seen = []
    plain = fitting._hold_out

    def split(y, own, random):
        result = plain(y, own, random)
        seen.append((set(own[result.train.numpy()]), set(own[result.held_out.numpy()])))
        return result

    monkeypatch.setattr(fitting, "_hold_out", split)
    deep().fit(X, y, groups=groups)
    assert len(seen) == 3  # two folds, and all bags
    assert all(known and held and not known & held for known, held in seen)


def test_a_class_of_one_patient_is_held_out_bag_by_bag():
    X, y = hay(n=24)
    groups = np.where(y == "needle", 0, np.arange(24))
    assert deep(cv=0).fit(X, y, groups=groups).predict(X).shape == (24,)


def test_several_classes():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.standard_normal((60, 4, 3))
    X[np.arange(60), 0, y] += 6.0
    clf = deep(epochs=20, width=8).fit(X, y)
    assert clf.score(X, y) > 0.6 and clf.predict_proba(X).shape == (60, 3)
    assert clf.transform(X).shape == (60, 3)
    assert list(clf.get_feature_names_out()) == ["0_log_odds", "1_log_odds", "2_log_odds"]
    assert clf.binary_[0].rate_ == 0.03
    with pytest.raises(AttributeError, match="with 3 classes each has its own"):
        clf.attention_weights(X)


def test_threads_make_no_difference():
    import torch

    X, y = hay()
    before = torch.get_num_threads()
    result = [deep("block", n_jobs=k).fit(X, y).decision_function(X) for k in (None, 2, 5)]
    np.testing.assert_array_equal(result[0], result[1])
    np.testing.assert_array_equal(result[0], result[2])
    assert torch.get_num_threads() == before
    assert not torch.are_deterministic_algorithms_enabled()


def test_random_numbers_of_torch_are_left_alone():
    import torch

    X, y = hay()
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    deep().fit(X, y).predict(X)
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_progress_is_told_to_a_function(n_jobs):
    X, y = hay()
    report = []
    deep(
        rates=(0.01, 0.03), decays=(3.0,), n_jobs=n_jobs, progress=lambda *both: report.append(both)
    ).fit(X, y)
    assert report.count((16, 16)) >= 3 and all(total == 16 and done <= 16 for done, total in report)


def test_searches_and_pipelines():
    X, y = hay(n=60)
    bags = Bags.from_array(X)
    assert cross_val_score(deep(cv=0), bags, y, cv=2).shape == (2,)
    search = GridSearchCV(deep(cv=0), {"architecture": ["gated", "max"]}, cv=2)
    assert search.fit(list(X), y).best_params_["architecture"] in ("gated", "max")
    pipe = make_pipeline(deep(cv=0), LogisticRegression()).fit(bags, y)
    assert pipe.predict(bags).shape == (60,)
    assert list(pipe[:-1].get_feature_names_out()) == ["log_odds"]


def test_shrinkage_is_compared_if_it_is_left_open():
    X, y = hay()
    clf = deep(shrinkage="auto").fit(X, y)
    assert sorted(clf.cv_results_["param_shrinkage"]) == [0.02, 1.0]
    assert deep(shrinkage="auto", cv=0).fit(X, y).best_params_ == {"shrinkage": 1.0}
    assert deep(shrinkage=None).fit(X, y).best_params_ == {"shrinkage": None}


def test_extremes_have_answers():
    rng = np.random.default_rng(0)
    y = np.array([0, 1] * 10)
    single = rng.standard_normal((20, 1, 3)) + y[:, None, None]
    assert deep().fit(single, y).attention_weights(single)[0].tolist() == [1.0]
    flat = deep().fit(np.zeros((20, 4, 3)), y).predict_proba(np.zeros((20, 4, 3)))
    np.testing.assert_allclose(flat, 0.5, atol=0.05)
    few = deep().fit(single[:2], y[:2])  # one bag of each class
    assert few.predict(single).shape == (20,)
    far = single.copy()
    far[3] = 1e140
    for architecture in ("block", "linear", "gru"):
        clf = deep(architecture).fit(single, y)
        assert np.isfinite(clf.decision_function(far)).all()


def test_a_training_that_diverges_is_reported(monkeypatch):
    X, y = hay()
    loop = "needlescope.deep.training.loop._loss"
    monkeypatch.setattr(loop, lambda network, samples, rows: network.bias * np.inf)
    with pytest.raises(NotConverged, match=r"diverged at every learning rate, 0\.03: "):
        deep("linear").fit(X, y)


def test_what_it_cannot_have_is_said():
    X, y = hay()
    clf = deep(cv=0).fit(X, y)
    for name in ("readout_", "intercept_"):
        assert not hasattr(clf, name)
        with pytest.raises(AttributeError, match=f"DeepClassifier has no {name}: layers stand"):
            getattr(clf, name)


def test_more_than_can_be_held_is_refused(monkeypatch):
    X, y = hay()
    monkeypatch.setattr(classifier.prepared, "MAX_HELD", 1199)
    with pytest.raises(ValueError, match="1199 numbers at most, got 1200; pass fewer bags, or f"):
        deep().fit(X, y)


def test_a_refit_leaves_nothing_of_the_fit_before():
    X, y = hay()
    clf = deep(cv=0).fit(X, y)
    fresh = deep(cv=0).fit(X[:, :, :4], y)
    np.testing.assert_array_equal(
        clf.fit(X[:, :, :4], y).decision_function(X[:, :, :4]),
        fresh.decision_function(X[:, :, :4]),
    )


def test_solvable_attention_is_the_attention_that_is_there():
    """The same model, trained in another way: both look at the same instances."""
    X, y = hay(n=120)
    ours = AttentionClassifier(kappa=2.0, ridge=0.1, max_refine_iter=10, cv=0).fit(X, y)
    clf = deep("solvable", epochs=60, cv=0).fit(X, y)
    weights = [np.concatenate(item.attention_weights(X)) for item in (clf, ours)]
    assert np.corrcoef(*weights)[0, 1] > 0.7


def test_the_names_of_the_room_load_when_they_are_asked_for():
    import needlescope.deep as room

    assert room.DeepClassifier is DeepClassifier and {"DeepClassifier"} <= set(dir(room))
    with pytest.raises(AttributeError, match="has no attribute 'ShallowClassifier'"):
        _ = room.ShallowClassifier


def test_it_is_planned_for_by_studies_of_bags_of_any_length():
    learner = deep("gated", width=4, epochs=20)
    result = ns.plan(
        lengths=[2, 5], theta=8.0, d=4, n=60, learner=learner, others=False, studies=12, n_jobs=1
    )
    assert result.learner == "DeepClassifier" and result.error < 0.3
    assert len(result.studies) == 12 and np.isfinite([row.measured for row in result.studies]).all()
    assert len({row.measured for row in result.studies}) > 1
    assert not hasattr(learner, "estimators_")  # a copy is fitted
