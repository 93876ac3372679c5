"""The deletion test: what is taken away, what is compared with it, and what is said."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import DeletionTest, MILClassifier, deletion_test
from needlescope.estimators.bags.bags import as_bags


class Sum:
    """A classifier whose log odds are the sum of a feature: what an instance adds is known."""

    classes_ = np.array(["no", "yes"])

    def decision_function(self, X):
        return np.array([bag[:, 0].sum() for bag in as_bags(X)])

    def instance_scores(self, X):
        return [bag[:, 0] for bag in as_bags(X)]


BAGS = [np.array(bag)[:, None] for bag in ([5.0, -1, 2, 0], [-3.0, 1, -0.5], [4.0], [-1.0, 0.5])]


def test_what_adds_most_to_the_answer_goes_and_one_instance_stays():
    result = deletion_test(Sum(), BAGS, repeats=3)
    np.testing.assert_array_equal(result.removed, [1, 1, 0, 1])
    np.testing.assert_allclose(result.before, [6.0, -2.5, 4.0, -0.5])
    np.testing.assert_allclose(result.after, [1.0, 0.5, 4.0, 0.5])
    np.testing.assert_allclose(result.moved, [5.0, 3.0, 0.0, 1.0])
    assert result.changed.tolist() == [False, True, False, True]
    two = deletion_test(Sum(), BAGS, count=2)
    np.testing.assert_array_equal(two.removed, [2, 2, 0, 1])
    np.testing.assert_allclose(two.after, [-1.0, 1.0, 4.0, 0.5])


def test_a_share_of_each_bag():
    np.testing.assert_array_equal(deletion_test(Sum(), BAGS, share=0.7).removed, [3, 2, 0, 1])
    np.testing.assert_array_equal(deletion_test(Sum(), BAGS, share=0.01).removed, [1, 1, 0, 1])


def test_at_random_every_instance_goes_equally_often():
    bag = np.array([[3.0], [1.0], [0.0], [-1.0]])
    result = deletion_test(Sum(), [bag] * 500, repeats=4)
    gone = result.before - result.after_random
    for value in bag[:, 0]:
        share = (gone == value).mean()
        assert abs(share - 0.25) < 4.0 * np.sqrt(0.25 * 0.75 / gone.size)
    np.testing.assert_allclose(result.moved_at_random, gone.mean(axis=0))
    assert result.changed_at_random.mean() == (gone == 3.0).mean()  # 0 is not called "yes"


def test_it_says_what_changed_and_what_stayed():
    said = str(deletion_test(Sum(), BAGS, repeats=200))
    assert said.startswith("2 bags predicted no: 100 % change to yes without the instance that ")
    two = str(deletion_test(Sum(), BAGS, count=2, repeats=2))
    assert "without the 1 to 2 instances that contribute most" in two
    assert "without the 2 instances that contribute most" in two
    assert "\nwithout 2 at random" in two and "\nwithout the same number at random" in two
    assert "\n1 bag predicted yes: 0 % change to no " in said
    assert said.endswith("\n1 bag of one instance: unchanged.")
    only = DeletionTest(np.array([0, 1]), np.zeros(2, int), np.ones(2), np.ones(2), np.ones((1, 2)))
    assert str(only) == "2 bags of one instance: unchanged."


def test_needles_matter_and_hay_does_not():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = rng.standard_normal((200, 8, 6))
    X[y == 1, 0, 0] += 5.0
    clf = MILClassifier("quick", random_state=0).fit(X[:100], y[:100])
    result = deletion_test(clf, X[100:])
    right = result.positive & (y[100:] == 1)
    assert result.changed[right].mean() > 0.8
    assert abs(result.changed_at_random[right].mean() - 1.0 / 8.0) < 0.1  # the needle itself
    same = deletion_test(clf, X[100:])
    np.testing.assert_array_equal(result.after_random, same.after_random)


def test_refusals():
    class Three(Sum):
        classes_ = np.arange(3)

        def decision_function(self, X):
            return np.zeros((len(X), 3))

    with pytest.raises(ValueError, match="clf must be fitted to two classes, got one of 3"):
        deletion_test(Three(), BAGS)
