"""Candidates: what describes them, and what their configurations are told apart by."""

from __future__ import annotations

import pytest

from needlescope.estimators.bags.preprocessing import N_RANDOM_FEATURES, Preprocessing
from needlescope.estimators.candidates.attention import Attention
from needlescope.estimators.candidates.forest import Forest
from needlescope.estimators.candidates.log_mean_exp import LogMeanExp
from needlescope.estimators.candidates.mean import Mean
from needlescope.estimators.candidates.shared.candidate import Configuration, no_query, ridges_of
from needlescope.estimators.candidates.summaries import Summaries

WORDS = {
    Mean(shrinkage=0.02, random_features=True): (
        "the mean of whitened instances with random Fourier features"
    ),
    Mean(shrinkage=None): "the mean of instances as they are",
    Summaries(): "summaries of standardised instances",
    Forest(): "a random forest on summaries of standardised instances",
    LogMeanExp(init="mean"): (
        "log-mean-exp pooling initialised by the readout of the mean, on standardised instances"
    ),
    Attention(n_queries=4, init="amp", in_negatives=True): (
        "attention of 4 queries initialised by AMP, on standardised instances, the signal sought "
        "in negative bags"
    ),
}


@pytest.mark.parametrize("item", WORDS, ids=repr)
def test_words(item):
    assert item.words == WORDS[item]


BASE = ["pooling", "shrinkage", "random_features"]


@pytest.mark.parametrize(
    ("item", "names"),
    [
        (Mean(), ["ridge"]),
        (Summaries(), ["ridge"]),
        (Forest(), []),
        (LogMeanExp(), ["ridge", "init", "max_refine_iter", "in_negatives"]),
        (Attention(), ["ridge", "init", "max_refine_iter", "kappa", "n_queries", "append_mean"]),
        (
            Attention(init="amp"),
            [
                "ridge",
                "init",
                "max_refine_iter",
                "kappa",
                "n_queries",
                "append_mean",
                "in_negatives",
            ],
        ),
    ],
    ids=repr,
)
def test_parameters_are_those_that_apply(item, names):
    params = Configuration(item, 0.1, 7).params
    assert set(params) == {*BASE, *names} and list(params)[:3] == BASE
    values = {"pooling": item.pooling, "ridge": 0.1, "max_refine_iter": 7}
    for name, value in params.items():
        assert value == (values[name] if name in values else getattr(item, name))


def test_preprocessing_is_put_on_and_read_off():
    expanded = Preprocessing(0.3, True)
    for item in (Mean(n_queries=2), Summaries(), Attention(kappa=3.0, init="amp")):
        other = item.on(expanded)
        assert type(other) is type(item) and other.preprocessing == expanded
        assert other.on(item.preprocessing) == item != other
        assert other.family == (item.pooling, True) != item.family
    assert Mean().on(expanded).width(10) == 10 + N_RANDOM_FEATURES
    assert Summaries().width(10) == Forest().width(10) == 40


def test_candidates_that_differ_in_anything_are_different():
    assert len({Attention(), Attention(kappa=2.0), Attention(split="split"), Mean(), Forest()}) == 4
    assert Configuration(Mean(), 0.1) == Configuration(Mean(), 0.1) != Configuration(Forest(), 0.1)


def test_the_class_that_has_the_signal_has_a_sign():
    assert LogMeanExp().sign == Attention(init="amp").sign == 1.0
    assert LogMeanExp(in_negatives=True).sign == -1.0
    kinds = [Mean(), Summaries(), Forest(), Attention()]
    assert not any(item.one_sided or item.in_negatives for item in kinds)
    assert LogMeanExp().one_sided and Attention(init="contrastive_pca").one_sided


def test_covariances_are_compared_by_contrastive_pca_alone():
    assert Attention(init="contrastive_pca").contrasts
    others = [Mean(), Summaries(), Forest(), LogMeanExp(), Attention(), Attention(init="amp")]
    assert not any(item.contrasts for item in others)


def test_ridges_are_listed_once_in_their_order():
    listed = [Configuration(Attention(), ridge, k) for ridge in (1.0, 0.1) for k in (0, 5)]
    assert ridges_of(listed) == [1.0, 0.1]
    assert no_query(3, 2).shape == (2, 3) and not no_query(3, 2).any()
