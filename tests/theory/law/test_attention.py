"""The law of attention's features: draws against explicit tokens, and what compression keeps."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import ndtr

from needlescope import Task
from needlescope.models import attention, pooled
from needlescope.models.nodes import LimitLaw
from needlescope.models.segments import Even
from needlescope.theory.law.attention import Samples, attention_limit, draw
from needlescope.theory.law.ladder import Level
from needlescope.theory.oracle.score import below

SMALL = Level(512, 32)
PROBLEM = (6, 2, 3.0, 1.0, 0.9)  # L, R, theta, kappa, cosine


def statistics(mass: np.ndarray, score: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Averages that any prediction is made of: moments and a test error or two."""
    parts = (
        *(mass, score, A, mass**2, score**2, A**2, mass * score, mass * A, score * A, np.log(A)),
        *(ndtr((2.0 * mass + score - 1.0) / np.sqrt(A)), np.logaddexp(0.0, score - 4.0 * mass)),
    )
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


def means(one: Samples) -> tuple[np.ndarray, np.ndarray]:
    rows = statistics(one.mass, one.score, one.A).mean(axis=2)
    return rows.mean(axis=1), rows.std(axis=1, ddof=1) / np.sqrt(rows.shape[1])


def bits(limit: LimitLaw) -> str:
    parts = [*limit.positive, *limit.negative, *limit.coarse[0], *limit.coarse[1]]
    return hashlib.sha256(
        b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
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
        result, error = means(draw(L, R, kappa, tilt, 2048)[0 if y > 0 else 1])
        spread = np.hypot(error, plain.std(axis=1) / np.sqrt(samples))
        z = (result - plain.mean(axis=1)) / np.where(spread > 1e-12, spread, 1.0)
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
        for item in draw(L, R, kappa, tilt, 64):
            for part in item:
                assert np.isfinite(part).all()
            assert np.all((item.mass >= 0.0) & (item.mass <= 1.0 + 1e-12))
            # A = ‖a‖² ≥ 1/L; the Gaussian bulk may miss Cauchy–Schwarz by a little
            least = (1.0 if L <= 32 else 0.9) / L
            assert np.all(np.abs(item.A - 0.5 * (1.0 + least)) <= 0.5 * (1.0 - least) + 1e-12)

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
        for item, other in zip(draw(40, 3, 1.0, 2.0, 512), draw(40, 3, 1.0, 2.0, 512), strict=True):
            for left, right in zip(item, other, strict=True):
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
        item = attention_limit(7, 3, 2.0, 0.0, 0.6, SMALL).positive
        other = pooled.limit(Task(7, 3, 2.0, 0.5)).positive
        assert np.linalg.norm(item.m) == pytest.approx(float(other.m[0, 0]))
        assert pytest.approx(other.A) == item.A

    @pytest.mark.parametrize("kappa", [1e-14, 1e-10, 1e-6, 1e-3])
    def test_it_is_continuous_where_strength_vanishes(self, kappa: float) -> None:
        still = attention_limit(7, 3, 2.0, 0.0, 0.6, SMALL)
        weak = attention_limit(7, 3, 2.0, kappa, 0.6, SMALL)
        for item, other in ((still.positive, weak.positive), (still.negative, weak.negative)):
            # first order in κ: E[g·a − ḡ] = κ(1 − 1/L), E[v·a] moves by κ θ s S/L
            assert other.weight @ other.m == pytest.approx(item.m[0], abs=3.0 * kappa + 1e-14)
            assert other.weight @ other.A == pytest.approx(item.A[0], abs=3.0 * kappa + 1e-14)

    def test_nodes_carry_the_directions_of_query_and_signal(self) -> None:
        L, R, theta, kappa, cosine = PROBLEM
        limit = attention_limit(*PROBLEM, SMALL)
        samples = draw(L, R, kappa, theta * cosine, SMALL.points)
        for nodes, sample in zip((limit.positive, limit.negative), samples, strict=True):
            along = theta * cosine * sample.mass + sample.score
            across = theta * np.sqrt(1.0 - cosine**2) * sample.mass
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


@pytest.mark.sampled(4)
@pytest.mark.parametrize("L", [5, 64, 130, 400])
@pytest.mark.parametrize("kappa", [0.2, 0.7, 1.5])
def test_draws_have_the_exact_law_of_the_score(L: int, kappa: float) -> None:
    """Against the Fourier integral of `score`, at full alignment, with the mean token smoothed."""
    theta = 3.0
    draws = draw(L, 1, kappa, theta, 2**12)
    for tau in (0.3, 1.0, 2.0):
        exact = below(L, 1, theta, kappa, tau)
        for item, lift, chance in (
            (draws[0], theta, exact.positive),
            (draws[1], 0.0, exact.negative),
        ):
            result = ndtr(np.sqrt(L) * (tau - lift * item.mass - item.score)).mean(axis=1)
            error = result.std(ddof=1) / np.sqrt(len(result))
            assert abs(result.mean() - chance) < 5.0 * error + 5e-5
