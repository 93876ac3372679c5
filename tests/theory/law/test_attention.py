"""The law of attention's features: draws against explicit tokens, and what compression keeps."""

from __future__ import annotations

import hashlib
import itertools
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import ndtr

from needlescope import Task
from needlescope.models import attention, pooled
from needlescope.models.nodes import Limit, Nodes
from needlescope.models.segments import Even
from needlescope.theory.law.attention import Draws, attention_limit, draw
from needlescope.theory.law.compression import compress
from needlescope.theory.law.ladder import LADDER, Level, ladder
from needlescope.theory.oracle.score import below

SMALL = Level(512, 32)
FINE = Level(2**13, 1024)
PROBLEM = (6, 2, 3.0, 1.0, 0.9)  # L, R, theta, kappa, cosine


def statistics(mass: np.ndarray, score: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Averages that any prediction is made of: moments and a test error or two."""
    parts = (
        *(mass, score, A, mass**2, score**2, A**2, mass * score, mass * A, score * A, np.log(A)),
        *(ndtr((2.0 * mass + score - 1.0) / np.sqrt(A)), np.logaddexp(0.0, score - 4.0 * mass)),
    )
    return np.stack(parts)


def smooth(mass: np.ndarray, score: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Functions of a node as smooth as test errors and losses are."""
    parts = [A, score**3, np.exp(-(score**2)), np.sqrt(A)]
    for b1, b2, bias in ((1.0, 0.5, -1.0), (0.3, 0.0, 0.2), (0.6, 1.5, -1.0)):
        m = b1 * score + b2 * mass + bias
        parts += [ndtr(m / np.sqrt(b1**2 / 10.0 + A)), np.logaddexp(0.0, m)]
    return np.stack(parts)


def explicit(
    L: int, R: int, kappa: float, tilt: float, y: int, samples: int, seed: int
) -> np.ndarray:
    """The same from softmax over explicit tokens, one sample at a time."""
    g = np.random.default_rng(seed).standard_normal((samples, L))
    v = (np.arange(L) < R).astype(float)
    logits = kappa * (g + tilt * v * (y > 0))
    a = np.exp(logits - logits.max(axis=1, keepdims=True))
    a /= a.sum(axis=1, keepdims=True)
    mass = (a @ v) * (y > 0)
    return statistics(mass, (a * g).sum(axis=1) - g.mean(axis=1), (a * a).sum(axis=1))


def means(one: Draws) -> tuple[np.ndarray, np.ndarray]:
    rows = statistics(one.mass, one.score, one.A).mean(axis=2)
    return rows.mean(axis=1), rows.std(axis=1, ddof=1) / np.sqrt(rows.shape[1])


def bits(limit: Limit) -> str:
    parts = [*limit.positive, *limit.negative, *limit.coarse[0], *limit.coarse[1]]
    return hashlib.sha256(
        b"".join(np.ascontiguousarray(one).tobytes() for one in parts)
    ).hexdigest()


class TestDraw:
    @pytest.mark.parametrize("y", [1, -1])
    @pytest.mark.parametrize(
        ("L", "R", "kappa", "tilt"),
        [
            (6, 2, 1.0, 2.0),
            (6, 2, 0.2, 4.0),
            (6, 2, 3.0, 1.0),
            (6, 2, 1.5, -2.0),  # a query that points away from the signal
            (6, 2, 12.0, 0.0),
            (2, 1, 1.0, 1.0),
            (5, 5, 1.0, 2.0),
            (45, 3, 1.0, 1.5),  # a bulk of noise tokens
            (45, 40, 1.0, 0.5),  # a bulk of signal tokens
        ],
    )
    def test_it_agrees_with_softmax_over_explicit_tokens(
        self, L: int, R: int, kappa: float, tilt: float, y: int
    ) -> None:
        samples = 100_000 if L < 10 else 30_000
        plain = explicit(L, R, kappa, tilt, y, samples, seed=L + R)
        found, error = means(draw(L, R, kappa, tilt, 2048)[0 if y > 0 else 1])
        spread = np.hypot(error, plain.std(axis=1) / np.sqrt(samples))
        z = (found - plain.mean(axis=1)) / np.where(spread > 1e-12, spread, 1.0)
        assert np.abs(z).max() < 4.5, z.round(1)

    def test_negatives_carry_no_signal(self) -> None:
        positive, negative = draw(6, 2, 1.0, 2.0, 512)
        assert np.all(negative.mass == 0.0)
        assert np.all((positive.mass > 0.0) & (positive.mass < 1.0))

    @pytest.mark.parametrize("kappa", [1e-6, 1.0, 50.0, 1e4])
    @pytest.mark.parametrize("tilt", [-20.0, 0.0, 40.0])
    @pytest.mark.parametrize(("L", "R"), [(1, 1), (6, 2), (6, 6), (300, 1), (300, 299)])
    def test_any_strength_gives_weights_of_a_softmax(
        self, L: int, R: int, kappa: float, tilt: float
    ) -> None:
        for one in draw(L, R, kappa, tilt, 64):
            for part in one:
                assert np.isfinite(part).all()
            assert np.all((one.mass >= 0.0) & (one.mass <= 1.0 + 1e-12))
            # A = ‖a‖² ≥ 1/L; the Gaussian bulk may miss Cauchy–Schwarz by a little
            least = (1.0 if L <= 32 else 0.9) / L
            assert np.all(np.abs(one.A - 0.5 * (1.0 + least)) <= 0.5 * (1.0 - least) + 1e-12)

    def test_one_token_has_no_choice(self) -> None:
        positive, negative = draw(1, 1, 2.0, 3.0, 64)
        assert np.all(positive.mass == 1.0)
        assert np.all(positive.A == 1.0)
        assert np.abs(negative.score).max() < 1e-12

    def test_both_labels_share_their_tokens(self) -> None:
        positive, negative = draw(6, 2, 1.0, 0.0, 512)  # without a tilt they are the same
        assert np.array_equal(positive.score, negative.score)
        assert np.array_equal(positive.A, negative.A)


class TestDeterminism:
    def test_draws_repeat_bit_for_bit(self) -> None:
        for one, other in zip(draw(40, 3, 1.0, 2.0, 512), draw(40, 3, 1.0, 2.0, 512), strict=True):
            for left, right in zip(one, other, strict=True):
                assert np.array_equal(left, right)

    def test_the_compressed_law_repeats_bit_for_bit(self) -> None:
        first = bits(attention_limit(*PROBLEM, SMALL))
        attention_limit.cache_clear()
        assert bits(attention_limit(*PROBLEM, SMALL)) == first

    def test_another_process_computes_the_same_nodes(self) -> None:
        code = (
            "import hashlib, numpy as np; from needlescope.theory.law.attention import *; "
            f"one = attention_limit(*{PROBLEM}, Level{tuple(SMALL)}); "
            "parts = [*one.positive, *one.negative, *one.coarse[0], *one.coarse[1]]; "
            "data = b''.join(np.ascontiguousarray(x).tobytes() for x in parts); "
            "print(hashlib.sha256(data).hexdigest())"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=60
        )
        assert done.stdout.strip() == bits(attention_limit(*PROBLEM, SMALL)), done.stderr


@pytest.fixture(
    scope="module",
    params=[
        (6, 2, 1.0, 3.0),
        (10, 1, 0.7, 4.9),
        (100, 5, 2.0, 2.0),
        (6, 1, 8.0, 1.0),
        (8, 8, 1.0, 1.0),
    ],
    ids=str,
)
def compressed(request: pytest.FixtureRequest) -> list:
    """Draws of each label with their fine and coarse compression."""
    L, R, kappa, tilt = request.param
    return [(one, *compress(one, FINE.cells)) for one in draw(L, R, kappa, tilt, FINE.points)]


def test_the_coarse_law_tells_the_error_of_the_fine_one() -> None:
    """On the whole: over several laws, at the resolution that `predict` uses."""
    errors, gaps = [], []
    for L, R, kappa, tilt in (
        (6, 2, 1.0, 3.0),
        (10, 1, 0.7, 4.9),
        (100, 5, 2.0, 2.0),
        (6, 1, 8.0, 1.0),
        (8, 8, 1.0, 1.0),
        (1000, 3, 3.0, 4.0),
    ):
        for samples in draw(L, R, kappa, tilt, 2048):
            both = compress(samples, 96)
            fine, coarse = (smooth(*one[:3]) @ one[3] for one in both)
            errors.append(np.linalg.norm(fine - smooth(*samples).mean(axis=(1, 2))))
            gaps.append(np.linalg.norm(fine - coarse))
    assert np.linalg.norm(errors) < 0.25 * np.linalg.norm(gaps)
    assert (np.array(errors) < np.array(gaps)).all()


class TestCompression:
    def test_mean_and_covariance_are_kept_exactly(self, compressed: list) -> None:
        for samples, *both in compressed:
            table = np.stack([samples.mass, samples.score, np.log(samples.A)]).reshape(3, -1)
            for mass, score, A, weight, _ in both:
                nodes = np.stack([mass, score, np.log(A)])
                mean = nodes @ weight
                assert mean == pytest.approx(table.mean(axis=1), abs=1e-13)
                covariance = (nodes * weight) @ nodes.T - np.outer(mean, mean)
                assert covariance == pytest.approx(np.cov(table, bias=True), abs=1e-12)

    def test_smooth_functions_are_kept_to_1e_5(self, compressed: list) -> None:
        for samples, (mass, score, A, weight, _), _ in compressed:
            exact = smooth(*samples).mean(axis=(1, 2))
            assert smooth(mass, score, A) @ weight == pytest.approx(exact, abs=1e-5)

    def test_weights_are_probabilities(self, compressed: list) -> None:
        for _, *both in compressed:
            for one in both:
                weight = one[3]
                assert np.all(weight > 0.0)
                assert weight.sum() == pytest.approx(1.0, abs=1e-13)

    def test_replicate_weights_average_to_the_weights(self, compressed: list) -> None:
        for _, *both in compressed:
            for *_, weight, replicas in both:
                assert replicas.shape == (8, len(weight))
                assert replicas.sum(axis=1) == pytest.approx(np.ones(8), abs=1e-12)
                # on an axis shorter than rounding the two ends of a pair are the same point
                pairs = (replicas.mean(axis=0) - weight).reshape(-1, 2).sum(axis=1)
                assert np.abs(pairs).max() < 1e-14

    def test_replicates_average_to_the_law(self, compressed: list) -> None:
        for _, *both in compressed:
            for mass, score, A, weight, replicas in both:
                values = smooth(mass, score, A)
                assert values @ replicas.mean(axis=0) == pytest.approx(values @ weight, abs=1e-8)

    def test_replicates_average_to_the_law_of_a_saturated_softmax(self) -> None:
        samples, _ = draw(6, 1, 2.0, 15.0, 4096)
        mass, score, A, weight, replicas = compress(samples, 32)[0]
        values = smooth(mass, score, A)
        assert values @ replicas.mean(axis=0) == pytest.approx(values @ weight, abs=1e-8)

    def test_a_replicate_has_its_own_mean(self, compressed: list) -> None:
        for samples, fine, _ in compressed:
            mass, score, A, _, replicas = fine
            for column, values in ((samples.mass, mass), (samples.score, score)):
                assert replicas @ values == pytest.approx(column.mean(axis=1), abs=1e-12)
            assert replicas @ np.log(A) == pytest.approx(np.log(samples.A).mean(axis=1), abs=1e-12)

    def test_the_spread_of_replicates_is_that_of_the_draws(self, compressed: list) -> None:
        for samples, fine, _ in compressed:
            mass, score, A, _, replicas = fine
            found = replicas @ ndtr((2.0 * mass + score - 1.0) / np.sqrt(A + 0.1))
            exact = ndtr((2.0 * samples.mass + samples.score - 1.0) / np.sqrt(samples.A + 0.1))
            # each replicate to first order within a cell: what is left is second order
            assert found.std() == pytest.approx(exact.mean(axis=1).std(), rel=0.3, abs=2e-6)

    def test_the_coarse_law_has_a_quarter_of_the_cells(self, compressed: list) -> None:
        for _, fine, coarse in compressed:
            assert len(fine[3]) == 4 * len(coarse[3])

    def test_a_law_that_is_a_point_is_one_node(self) -> None:
        one = Draws(*(np.full((8, 16), value) for value in (0.5, 0.0, 0.25)))
        for mass, score, A, weight, replicas in compress(one, 32):
            values = mass.tolist(), score.tolist(), A.tolist(), weight.tolist(), replicas.tolist()
            assert values == ([0.5], [0.0], [0.25], [1.0], [[1.0]])


class TestLimit:
    @pytest.mark.parametrize("cosine", [-1.0, -0.3, 0.0, 0.8, 1.0])
    def test_without_strength_it_is_one_exact_node(self, cosine: float) -> None:
        L, R, theta = 7, 3, 2.0
        limit = attention_limit(L, R, theta, 0.0, cosine, SMALL)
        assert limit.coarse is None
        across = np.sqrt(1.0 - cosine**2)
        for nodes, share in ((limit.positive, R / L), (limit.negative, 0.0)):
            assert nodes.m == pytest.approx(np.array([[cosine, across]]) * theta * share, abs=1e-15)
            assert nodes.tau == pytest.approx(np.full((1, 2), 1.0 / L))
            assert nodes.A.tolist() == [1.0 / L]
            assert nodes.weight.tolist() == [1.0]
            assert nodes.replicas.tolist() == [[1.0]]

    def test_without_strength_the_signal_is_that_of_pooling(self) -> None:
        one = attention_limit(7, 3, 2.0, 0.0, 0.6, SMALL).positive
        other = pooled.limit(Task(7, 3, 2.0, 0.5)).positive
        assert np.linalg.norm(one.m) == pytest.approx(float(other.m[0, 0]))
        assert pytest.approx(other.A) == one.A

    @pytest.mark.parametrize("kappa", [1e-14, 1e-10, 1e-6, 1e-3])
    def test_it_is_continuous_where_strength_vanishes(self, kappa: float) -> None:
        still = attention_limit(7, 3, 2.0, 0.0, 0.6, SMALL)
        weak = attention_limit(7, 3, 2.0, kappa, 0.6, SMALL)
        for one, other in ((still.positive, weak.positive), (still.negative, weak.negative)):
            # first order in κ: E[g·a − ḡ] = κ(1 − 1/L), E[v·a] moves by κ θ s S/L
            assert other.weight @ other.m == pytest.approx(one.m[0], abs=3.0 * kappa + 1e-14)
            assert other.weight @ other.A == pytest.approx(one.A[0], abs=3.0 * kappa + 1e-14)

    def test_nodes_carry_the_directions_of_query_and_signal(self) -> None:
        L, R, theta, kappa, cosine = PROBLEM
        limit = attention_limit(*PROBLEM, SMALL)
        samples = draw(L, R, kappa, theta * cosine, SMALL.points)
        for nodes, one in zip((limit.positive, limit.negative), samples, strict=True):
            along = theta * cosine * one.mass + one.score
            across = theta * np.sqrt(1.0 - cosine**2) * one.mass
            assert nodes.weight @ nodes.m == pytest.approx([along.mean(), across.mean()], abs=1e-12)
            assert np.all(nodes.tau[:, 0] == 1.0 / L)
            assert np.array_equal(nodes.tau[:, 1], nodes.A)

    @pytest.mark.parametrize("pi", [0.5, 0.03])
    def test_the_joint_law_weighs_the_labels(self, pi: float) -> None:
        limit = attention_limit(*PROBLEM, SMALL)
        for law in (limit.law(pi), limit.coarse_law(pi)):
            assert law.weight.sum() == pytest.approx(1.0)
            assert law.weight[law.y > 0].sum() == pytest.approx(pi)
            assert law.replicas.mean(axis=0) == pytest.approx(law.weight, abs=1e-9)
            assert law.directions == 2

    def test_the_score_of_a_node_has_its_mean_and_variance(self) -> None:
        m, tau = np.array([[1.0, 2.0]]), np.array([[0.1, 0.2]])
        one = Nodes(m, tau, np.array([0.3]), np.ones(1), np.ones((1, 1)))
        mean, V = Limit(one, one).law(0.5).score(np.array([3.0, -1.0]), 0.5, 2.0)
        assert mean.tolist() == [1.5, 1.5]
        assert pytest.approx([0.9 + 0.2 + 1.2] * 2) == V

    def test_features_of_explicit_tokens_follow_the_law(self) -> None:
        """Mean and variance of the features along q̂, ξ⊥ and a third direction, at d = 3."""
        L, R, theta, kappa, cosine = 5, 2, 2.0, 1.2, 0.6
        samples = 60_000
        rng = np.random.default_rng(11)
        across = np.sqrt(1.0 - cosine**2)
        xi = np.array([cosine, across, 0.0])  # coordinates: q̂, ξ⊥, anything else
        v = (np.arange(L) < R).astype(float)
        limit = attention_limit(L, R, theta, kappa, cosine, Level(2**12, 64))
        for y, nodes in ((1.0, limit.positive), (-1.0, limit.negative)):
            X = rng.standard_normal((samples, L, 3)) + (y > 0) * theta * v[:, None] * xi
            f = attention.features(X.reshape(-1, 3), Even(L), np.array([1.0, 0.0, 0.0]), kappa)
            rest = np.zeros((len(nodes.A), 1))
            m = np.concatenate([nodes.m, rest], axis=1)
            tau = np.concatenate([nodes.tau, nodes.A[:, None]], axis=1)
            mean, second = nodes.weight @ m, nodes.weight @ (m**2 + tau)
            z = (f.mean(axis=0) - mean) / (f.std(axis=0) / np.sqrt(samples))
            assert np.abs(z).max() < 4.5
            z = ((f**2).mean(axis=0) - second) / ((f**2).std(axis=0) / np.sqrt(samples))
            assert np.abs(z).max() < 4.5


class TestLadder:
    def test_levels_double(self) -> None:
        points = [level.points for level in LADDER]
        assert all(b == 2 * a for a, b in itertools.pairwise(points))
        assert all(a.cells <= b.cells for a, b in itertools.pairwise(LADDER))

    def test_more_accuracy_never_starts_lower(self) -> None:
        starts = [ladder(a)[0].points for a in (0.5, 1e-2, 1e-3, 1e-4, 1e-5, 1e-8, 1e-30)]
        assert starts == sorted(starts)
        assert all(ladder(a)[-1] == LADDER[-1] for a in (0.5, 1e-4, 1e-30))
        assert all(len(ladder(a)) >= 3 for a in (0.5, 1e-4, 1e-30))

    def test_fine_levels_have_more_cells(self) -> None:
        for one, other in zip(ladder(1e-3), ladder(1e-3, fine=True), strict=True):
            assert other == (one.points, 8 * one.cells)


@pytest.mark.parametrize("L", [5, 64, 130, 400])
@pytest.mark.parametrize("kappa", [0.2, 0.7, 1.5])
def test_draws_have_the_exact_law_of_the_score(L: int, kappa: float) -> None:
    """Against the Fourier integral of `score`, at full alignment, with the mean token smoothed."""
    theta = 3.0
    draws = draw(L, 1, kappa, theta, 2**12)
    for tau in (0.3, 1.0, 2.0):
        exact = below(L, 1, theta, kappa, tau)
        for one, lift, chance in (
            (draws[0], theta, exact.positive),
            (draws[1], 0.0, exact.negative),
        ):
            found = ndtr(np.sqrt(L) * (tau - lift * one.mass - one.score)).mean(axis=1)
            error = found.std(ddof=1) / np.sqrt(len(found))
            assert abs(found.mean() - chance) < 5.0 * error + 5e-5
