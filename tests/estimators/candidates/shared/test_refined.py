"""Paths of L-BFGS: continued where they were left, and scored wherever they stop."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad

from needlescope.estimators.candidates.attention import Attention
from needlescope.estimators.candidates.log_mean_exp import LogMeanExp
from needlescope.estimators.candidates.shared.candidate import Configuration
from needlescope.estimators.candidates.shared.refined import _Refinement
from needlescope.estimators.engine.computation import compute
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.losses import get_loss
from needlescope.solvers.smooth.lbfgs import LBFGS
from tests.estimators.engine.fits import (
    CONFIGURATIONS,
    TRAINED,
    WEIGHT,
    D,
    fitted,
    prepared,
    same,
)

REFINED = CONFIGURATIONS[1:]
SHORT = Configuration(Attention(), 3.0, 3000)  # ends long before


@pytest.mark.parametrize(
    "item", [*REFINED, SHORT], ids=lambda item: f"{item.candidate.words}, {item.ridge}"
)
def test_held_out_bags_may_be_scored_at_the_end(item, monkeypatch):
    """A fit whose passes leave them out gives them the same scores."""
    monkeypatch.setattr("needlescope.estimators.engine.prepared.TOKEN_BLOCK", 60)
    rows = prepared()
    wanted = fitted(FoldData(rows, WEIGHT), item)
    result = fitted(FoldData(rows, WEIGHT, fold_id="own"), item)
    same(result, wanted)


def several(fold, candidate, *stops):
    """Fit some configurations of a candidate, each a ridge and a number of iterations."""
    listed = [Configuration(candidate, *stop) for stop in stops]
    fit = candidate.fit(fold, listed, get_loss("logistic"), np.random.RandomState(0))
    compute(fold.data, fit)
    return fit.results


@pytest.mark.parametrize("fold_id", [None, "own"])
@pytest.mark.parametrize("candidate", [Attention(), LogMeanExp()], ids=lambda item: item.pooling)
def test_a_path_is_continued_where_it_was_left(candidate, fold_id):
    """In the order of the configurations, and as if all had been asked for at once."""
    fold = FoldData(prepared(), WEIGHT, fold_id=fold_id)
    stops = [(0.1, 5), (1.0, 0), (0.1, 0), (1.0, 8), (0.1, 8)]
    once = several(FoldData(prepared(), WEIGHT, fold_id=fold_id), candidate, *stops)
    parts = several(fold, candidate, *stops[:3])
    queries = [item for key, item in fold.cache.items() if key != candidate]
    parts += several(fold, candidate, *stops[3:])
    assert [item for key, item in fold.cache.items() if key != candidate] == queries
    for item, other in zip(once, parts, strict=True):
        same(item, other, rtol=1e-9)
        np.testing.assert_allclose(item.scores, item.model.scores(fold.data), atol=1e-6)


@pytest.mark.parametrize(
    "candidate",
    [
        Attention(n_queries=2, append_mean=True),
        Attention(init="amp", in_negatives=True),
        LogMeanExp(),
        LogMeanExp(in_negatives=True),
    ],
    ids=lambda item: item.words,
)
def test_the_gradient_is_that_of_the_objective(candidate):
    """Both queries and readouts are penalised, and the bias is not."""
    fold = FoldData(prepared(), WEIGHT)
    several(fold, candidate, (0.3, 0))
    paths = fold.cache[candidate]
    size = len(paths.paths[0.3].start)

    def point(at):
        paths.paths[0.3] = LBFGS(at)
        compute(fold.data, _Refinement(paths, 0.3, [0]))
        return paths.paths[0.3].path[0]

    at = 0.3 * np.random.default_rng(0).standard_normal(size)
    result = point(at)
    model = paths.unpack(at)
    loss = WEIGHT @ get_loss("logistic").value(model.scores(fold.data), fold.y)
    assert result.value == pytest.approx(loss + 0.15 * (at[:-1] ** 2).sum())
    np.testing.assert_allclose(paths.pack(model), at)
    assert check_grad(lambda x: point(x).value, lambda x: point(x).gradient, at) < 1e-5


def test_passes_for_every_point_are_few_where_bags_are_read_again(monkeypatch):
    """At most one for each iteration, and a few more."""
    monkeypatch.setattr("needlescope.estimators.engine.prepared.MAX_HELD", 10)
    rows = prepared()
    fold = FoldData(rows, WEIGHT, fold_id=0, streamed=True, means=np.zeros((len(WEIGHT), D)))
    several(fold, Attention(init="amp"), (1e-3, 0))
    begun = rows.passes
    several(fold, Attention(init="amp"), (1e-3, 25))
    assert 10 < rows.passes - begun <= 25 + 2 + 1


def test_few_configurations_are_without_iterations_or_of_the_middling_ridge():
    item = Attention()
    listed = [Configuration(item, r, k) for r in (0.3, 0.03, 0.003) for k in (0, 10, 25)]
    assert [(entry.ridge, entry.max_refine_iter) for entry in item.few(listed)] == [
        (0.3, 0),
        (0.03, 0),
        (0.03, 10),
        (0.003, 0),
    ]
    many = [Configuration(item, r, k) for r in (0.3, 0.03) for k in (25, 60)]
    assert [(entry.ridge, entry.max_refine_iter) for entry in item.few(many)] == [(0.03, 25)]


def test_bags_of_no_weight_are_in_no_loss():
    labels = prepared()
    labels.y = np.where(TRAINED, labels.y, -labels.y)
    for item in REFINED:
        one = fitted(FoldData(prepared(), WEIGHT), item)
        same(one, fitted(FoldData(labels, WEIGHT), item))
