"""Bags with different numbers of instances: their lengths, their signal, and who takes them."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.estimators import PooledClassifier
from needlescope.planning.studies.lengths import bags_of
from needlescope.planning.studies.measures import get_measure
from needlescope.planning.studies.record import key_of
from needlescope.planning.studies.study import Job, run_study

TASK = ns.Task(L=4, R=2, theta=50.0, pi=0.4)
LENGTHS = (2, 5, 5, 9)


@pytest.fixture(scope="module")
def drawn():
    return bags_of(TASK, LENGTHS, 4000, np.eye(3)[0], ns.Noise(), np.random.SeedSequence(1))


def test_lengths_and_labels_have_their_shares_and_do_not_depend_on_each_other(drawn):
    bags, sign = drawn
    lengths = np.array([len(bag) for bag in bags])
    assert set(lengths) == set(LENGTHS)
    assert abs((lengths == 5).mean() - 0.5) < 4.0 * 0.5 / np.sqrt(4000)
    assert abs((sign > 0.0).mean() - 0.4) < 4.0 * 0.5 / np.sqrt(4000)
    gap = lengths[sign > 0.0].mean() - lengths[sign < 0.0].mean()
    assert abs(gap) < 4.0 * lengths.std() / np.sqrt(4000 * 0.4 * 0.6)


def test_r_instances_of_each_positive_carry_the_signal(drawn):
    bags, sign = drawn
    carry = np.array([(bag[:, 0] > 25.0).sum() for bag in bags])
    assert (carry == np.where(sign > 0.0, 2, 0)).all()


def test_noise_is_white_and_bags_differ(drawn):
    bags, _ = drawn
    rest = np.concatenate([bag[:, 1:] for bag in bags])
    assert abs(rest.mean()) < 4.0 / np.sqrt(rest.size)
    assert rest.var() == pytest.approx(1.0, abs=4.0 * np.sqrt(2.0 / rest.size))
    assert len(np.unique(rest)) > 0.99 * rest.size  # no two groups of a length share their noise


def job(lengths):
    measure = get_measure("error", 0.4)
    task = TASK.replace(theta=3.0)
    return Job(PooledClassifier(), task, 5, 80, measure, np.random.SeedSequence(0), lengths)


def test_a_classifier_of_the_package_is_studied_on_such_bags():
    study = run_study(job(LENGTHS))
    assert study.failure == "" and 0.0 < study.value < 0.3
    assert len({key_of(job(lengths)) for lengths in (None, LENGTHS, (2, 5))}) == 3


def test_the_same_length_for_all_is_the_study_of_that_length():
    given = job(None)._replace(n=400)
    each = np.array(
        [
            [run_study(item._replace(seed=np.random.SeedSequence(seed))).value for seed in range(8)]
            for item in (given, given._replace(lengths=(4,)))
        ]
    )
    se = np.sqrt((each.var(axis=1, ddof=1) / 8).sum())
    assert abs(each[0].mean() - each[1].mean()) < 4.0 * se
