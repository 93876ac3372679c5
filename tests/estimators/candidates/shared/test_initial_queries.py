"""Initial queries find the signal: in white noise, under gains, and as near to it as AMP can."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.optimize import brentq

import needlescope as ns
from needlescope.estimators import Bags
from needlescope.estimators.bags.preprocessing import Preprocessor
from needlescope.estimators.bags.scaling import no_scaling
from needlescope.estimators.candidates.shared.initial_queries import (
    AMP,
    Contrast,
    OfStrength,
    TwoSteps,
    initial_query,
)
from needlescope.estimators.candidates.shared.readout import best_bias
from needlescope.estimators.engine.batched_pass import answer_all
from needlescope.estimators.engine.computation import compute, run
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.estimators.engine.prepared import PreparedBags
from needlescope.estimators.engine.threads import ONE_THREAD
from needlescope.losses import get_loss
from needlescope.models.blocks import Arrays
from tests.estimators.candidates.known_query import KnownQuery
from tests.estimators.draws import draw

LOSS = get_loss("logistic")


def found_by(kind, X, y, weight):
    data = Arrays(X, y)
    query = kind(FoldData(data, weight))
    compute(data, query)
    return query.q


def signs(y):
    return np.where(y > 0, 1.0, -1.0)


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("L", "theta", "pi"), [(10, 4.0, 0.5), (30, 4.0, 0.3), (50, 5.0, 0.5)])
def test_amp_reaches_the_bayes_optimal_overlap(L, theta, pi):
    """Its squared cosine is that overlap, up to what d = 60 leaves."""
    task, d, n = ns.Task(L=L, R=1, theta=theta, pi=pi), 60, 300
    result = []
    for seed in range(6):
        X, y, xi = draw(task, d, n, seed=seed)
        query = found_by(AMP, X, signs(y), np.full(n, 1.0 / n))
        result.append(cosine(query, xi) ** 2)
    limit = ns.bayes_optimal(task, n / d).overlap
    error = np.std(result, ddof=1) / np.sqrt(6)
    assert np.mean(result) == pytest.approx(limit, abs=4.0 * error + 1.0 / d)


def test_the_part_of_each_instance_itself_is_left_out():
    """Without that correction the cosine after 12 iterations was 0.15 to 0.38 here."""
    X, y, xi = draw(ns.Task(L=100, R=1, theta=4.0, pi=0.5), 300, 200)
    start = partial(AMP, iterations=12)
    assert cosine(found_by(start, X, signs(y), np.full(200, 1 / 200)), xi) > 0.7


def test_a_gain_of_each_bag_does_not_turn_the_contrast():
    rng = np.random.default_rng(0)
    X, y, xi = draw(ns.Task(L=20, R=2, theta=5.0, pi=0.5), 12, 400)
    moved = X + 3.0 * rng.standard_normal((400, 1, 12))
    plain, shifted = (
        found_by(Contrast, item, signs(y), np.full(400, 1 / 400)) for item in (X, moved)
    )
    assert cosine(plain, xi) > 0.9 and cosine(shifted, xi) > 0.9


def test_contrast_points_to_the_far_side():
    X, y, xi = draw(ns.Task(L=20, R=1, theta=6.0, pi=0.5), 8, 300)
    weight = np.full(300, 1 / 300)
    assert cosine(found_by(Contrast, X, signs(y), weight), xi) > 0.9
    assert cosine(found_by(Contrast, -X, signs(y), weight), -xi) > 0.9


@pytest.mark.parametrize("kind", [Contrast, AMP])
def test_bags_of_no_weight_have_no_part(kind):
    X, y, _ = draw(ns.Task(L=10, R=1, theta=4.0, pi=0.5), 6, 200)
    rng = np.random.default_rng(1)
    both = np.concatenate([X, 9.0 * rng.standard_normal((50, 10, 6))])
    labels = np.concatenate([signs(y), signs(rng.integers(0, 2, 50))])
    weight = np.concatenate([np.full(200, 1 / 200), np.zeros(50)])
    alone = found_by(kind, X, signs(y), np.full(200, 1 / 200))
    np.testing.assert_allclose(found_by(kind, both, labels, weight), alone, atol=1e-8)


def test_deviations_count_bags_not_instances():
    rng = np.random.default_rng(0)
    X = [rng.standard_normal((size, 3)) * scale for size, scale in ((2, 1.0), (50, 9.0), (3, 2.0))]
    bags = Bags.from_list(X)
    data = PreparedBags(bags, np.arange(3), np.array([1.0, -1.0, 1.0]), Preprocessor(no_scaling(3)))
    direction, weight = np.array([1.0, -2.0, 0.5]), np.array([0.5, 0.2, 0.3])
    along = [item @ direction for item in X]
    mean = sum(w * item.mean() for w, item in zip(weight, along, strict=True))
    square = sum(w * (item**2).mean() for w, item in zip(weight, along, strict=True))
    query = OfStrength(FoldData(data, weight), KnownQuery(direction), 3.0)
    compute(data, query)
    np.testing.assert_allclose(query.q, 3.0 * direction / np.sqrt(square - mean**2))


@pytest.mark.parametrize("kind", [Contrast, AMP])
def test_a_signal_in_negatives_is_found_by_the_other_sign(kind):
    X, y, _ = draw(ns.Task(L=10, R=1, theta=5.0, pi=0.5), 6, 200)
    weight = np.full(200, 1 / 200)
    plain = found_by(kind, X, signs(y), weight)
    flipped = found_by(partial(kind, sign=-1.0), X, -signs(y), weight)
    np.testing.assert_allclose(flipped, plain, atol=1e-9)


@pytest.mark.parametrize("scores", [None, 0.3])
def test_two_steps_are_those_of_the_formula(scores):
    """The second step is Σ ℓ' Cov w, and projections get the standard deviation κ."""
    X, y, _ = draw(ns.Task(L=5, R=1, theta=4.0, pi=0.3), 6, 80)
    y, weight, means = signs(y), np.full(80, 1 / 80), X.mean(axis=1)
    start = np.full(80, best_bias(y, weight, LOSS) if scores is None else scores)
    given = None if scores is None else start
    q = found_by(lambda fold: TwoSteps(fold, LOSS, 3.0, given), X, y, weight)
    assert (X @ q).std() == pytest.approx(3.0)
    w = -(weight * LOSS.derivative(start, y)) @ means
    moved = start + means @ w / (means @ w).std()
    moved += brentq(lambda shift: float(weight @ LOSS.derivative(moved + shift, y)), -50.0, 50.0)
    centred = X - means[:, None]
    turn = -np.einsum("n,nld,nle,e->d", LOSS.derivative(moved, y), centred, centred, w)
    np.testing.assert_allclose(q / np.linalg.norm(q), turn / np.linalg.norm(turn), atol=1e-6)


def test_two_steps_that_lead_nowhere_are_zero():
    X, y = np.ones((4, 3, 2)), np.array([1.0, -1.0, 1.0, -1.0])
    q = found_by(lambda fold: TwoSteps(fold, LOSS, 2.0), X, y, np.full(4, 0.25))
    np.testing.assert_array_equal(q, np.zeros(2))


def test_amp_ends_when_it_has_settled_or_after_its_iterations():
    X, y, _ = draw(ns.Task(L=10, R=1, theta=5.0, pi=0.5), 6, 200)
    fold = FoldData(Arrays(X, signs(y)), np.full(200, 1 / 200))
    counts, found = [], []
    for iterations, settled in ((25, 0.0), (25, 1e-2), (3, 1e-2)):
        query = AMP(fold, iterations, settled)
        counts.append(0)
        while (requests := query.ask()) is not None:
            query.tell(answer_all(fold.data, requests, ONE_THREAD))
            counts[-1] += 1
        found.append(query.q)
    assert counts[0] == 25 > counts[1] > counts[2] == 3
    np.testing.assert_allclose(found[1], found[0], rtol=0.1, atol=0.1)


def test_candidates_of_a_fold_share_initial_queries():
    X, y, _ = draw(ns.Task(L=10, R=1, theta=5.0, pi=0.5), 6, 60)
    fold = FoldData(Arrays(X, signs(y)), np.full(60, 1 / 60))
    plain = initial_query(fold, LOSS, "amp", 0.0, 1.0)
    strong = initial_query(fold, LOSS, "amp", 3.0, 1.0)
    assert strong.required == [plain]
    assert initial_query(fold, LOSS, "amp", 3.0, 1.0) is strong
    assert initial_query(fold, LOSS, "amp", 0.0, -1.0) is not plain
    run(fold.data, [strong])
    assert cosine(strong.q, plain.q) == pytest.approx(1.0)
    assert (X @ strong.q).std() == pytest.approx(3.0)
