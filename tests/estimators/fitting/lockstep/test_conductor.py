"""Lockstep: each training finds what it finds alone, and passes are those of the longest."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from needlescope.errors import NotConverged
from needlescope.estimators import Bags
from needlescope.estimators.bags.preprocessing import Preprocessor
from needlescope.estimators.bags.scaling import Scaling, fit_scaling, no_scaling
from needlescope.estimators.fitting import prepared
from needlescope.estimators.fitting.lockstep.asks import Along, Covary, Features
from needlescope.estimators.fitting.lockstep.conductor import alone, side_by_side, together
from needlescope.estimators.fitting.lockstep.lens import Lens
from needlescope.estimators.fitting.lockstep.sight import Sight
from needlescope.estimators.fitting.prepared import Prepared
from needlescope.estimators.fitting.schemes import train_states
from needlescope.estimators.fitting.settings import Setting
from needlescope.losses import get_loss
from needlescope.models.blocks import Arrays
from needlescope.models.gradient import attention_scores

COVERS = ("asks", "lens", "moments", "runs", "sight", "threads")

RNG = np.random.default_rng(0)
N, D = 40, 5
LENGTHS = RNG.integers(1, 9, N)
BAGS = Bags.from_list([RNG.standard_normal((length, D)) * 3.0 + 1.0 for length in LENGTHS])
Y = np.where(np.arange(N) % 2 == 0, 1.0, -1.0)
TRAINED = np.arange(N) % 4 != 1
WEIGHT = np.where(TRAINED, RNG.random(N), 0.0)
WEIGHT /= WEIGHT.sum()
WAYS = [
    Setting(0.0, 0.1, pooling="mean"),
    Setting(2.0, 0.1, 6),
    Setting(2.0, 0.1, 6, init="contrastive_pca", append_mean=True),
    Setting(2.0, 0.1, 3, n_queries=2, init="amp", append_mean=True),
    Setting(0.0, 0.1, 6, pooling="log_mean_exp", init="amp"),
    Setting(0.0, 0.1, 6, pooling="log_mean_exp", init="mean"),
]


def data(view=None, used=None):
    used = np.arange(N) if used is None else used
    return Prepared(BAGS, used, Y[used], Preprocessor(no_scaling(D)) if view is None else view)


def job(sight, way, scheme="reuse"):
    random = np.random.RandomState(0)
    return train_states(sight, [way], random, loss=get_loss("logistic"), scheme=scheme)


def same(one, other, rtol=1e-6):
    for a, b in zip((*one.model, one.scores), (*other.model, other.scores), strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-7)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(prepared, "TOKEN_BLOCK", 60)


def test_trainings_find_together_what_they_find_alone(small_blocks):
    rows = data()
    assert len(list(rows.blocks())) > 5
    both = together(rows, [job(Sight(rows, WEIGHT), way) for way in WAYS])
    for way, (result,) in zip(WAYS, both, strict=True):
        same(result, alone(rows, job(Sight(rows, WEIGHT), way))[0])


@pytest.mark.parametrize("scheme", ["reuse", "split", "crossfit"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.words)
def test_bags_of_no_weight_are_scored_and_have_no_say(way, scheme):
    """One table of all bags, seen through a lens, is to a fold what a table of its own is."""
    known = np.flatnonzero(TRAINED)
    scaling = fit_scaling(BAGS, known, WEIGHT[known], 0.3)
    kept = Scaling(np.full(D, 0.7), np.full(D, 0.4))
    rows, own = data(Preprocessor(kept)), data(Preprocessor(scaling), known)
    (result,) = alone(
        rows,
        job(Sight(rows, WEIGHT, Lens.between(kept, scaling), 0.0 + means(scaling)), way, scheme),
    )
    (wanted,) = alone(own, job(Sight(own, WEIGHT[known]), way, scheme))
    same(result._replace(scores=result.scores[known]), wanted, rtol=1e-5)
    whole = data(Preprocessor(scaling))
    if way.pooling != "log_mean_exp":
        np.testing.assert_allclose(
            result.scores, attention_scores(whole, result.model, 1.0), atol=1e-6
        )


def means(scaling):
    return np.stack([scaling.apply(bag).mean(axis=0) for bag in BAGS])


SHORT = Setting(2.0, 3.0, 3000)  # ends long before


@pytest.mark.parametrize("way", [*WAYS[1:], SHORT], ids=lambda way: f"{way.words}, {way.ridge}")
def test_bags_held_out_may_be_scored_in_the_end(way, small_blocks):
    """A training that does not look at them on the way gives them the same scores."""
    rows = data()
    (wanted,) = alone(rows, job(Sight(rows, WEIGHT), way))
    (result,) = alone(rows, job(Sight(rows, WEIGHT, training="own"), way))
    same(result, wanted)


def test_threads_do_not_change_a_bit(small_blocks):
    rows = data()

    def all_of(*hands):
        return together(rows, [job(Sight(rows, WEIGHT), way) for way in WAYS], *hands)

    with ThreadPoolExecutor(3) as pool:
        for (item,), (other,) in zip(all_of(), all_of(pool, 3), strict=True):
            for a, b in zip((*item.model, item.scores), (*other.model, other.scores), strict=True):
                np.testing.assert_array_equal(a, b)


def test_passes_are_those_of_the_longest(monkeypatch):
    monkeypatch.setattr(prepared, "HOLD", 10)
    rows = data()

    def waits(count):
        for _ in range(count):
            yield [Along(sight, np.ones(D))]
        return count

    sight = Sight(rows, WEIGHT, means=np.zeros((N, D)))
    assert together(rows, [waits(k) for k in (0, 2, 5, 3)]) == [0, 2, 5, 3]
    assert rows.passes == 5


def test_one_that_does_not_converge_leaves_the_others():
    rows = data()

    def fails():
        yield [Along(Sight(rows, WEIGHT), np.ones(D))]
        raise NotConverged("no", 1.0)

    def works():
        yield []
        yield []
        return 7

    failed, result = together(rows, [fails(), works()])
    assert isinstance(failed, NotConverged) and result == 7
    with pytest.raises(NotConverged):
        alone(rows, side_by_side([works(), fails()]))


def test_what_several_need_is_found_once():
    rows, result = data(), []
    sight = Sight(rows, WEIGHT)

    def find():
        result.append(1)
        yield [Along(sight, np.ones(D))]
        return 3

    def needs():
        return (yield from sight.once("key", find))

    assert together(rows, [needs(), needs(), needs()]) == [3, 3, 3] and len(result) == 1


def test_each_ask_against_its_formula():
    X = RNG.standard_normal((N, 7, D))
    rows = Arrays(X, Y)
    sight, direction, share = Sight(rows, WEIGHT), RNG.standard_normal(D), RNG.standard_normal(N)

    def asks():
        return (
            yield [
                Covary(sight, direction, share),
                Along(sight, direction),
                Features(sight, np.stack([direction, 0.0 * direction])),
            ]
        )

    covary, along, features = alone(rows, asks())
    centred = X - X.mean(axis=1, keepdims=True)
    wanted = np.einsum("n,nld,nle,e->d", share / 7.0, centred, centred, direction)
    np.testing.assert_allclose(covary, wanted)
    seen = X @ direction
    parts = (seen.mean(axis=1), (seen**2).mean(axis=1), seen.max(axis=1), seen.min(axis=1))
    np.testing.assert_allclose(along, np.stack(parts))
    a = np.exp(seen) / np.exp(seen).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(features[:, 0], np.einsum("nl,nld->nd", a, X))
    np.testing.assert_allclose(features[:, 1], X.mean(axis=1))
