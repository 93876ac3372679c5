"""Signal tokens with a noise of their own: against one noise, brute force, and other paths."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import get_loss
from needlescope.models import get_model
from needlescope.theory.two_noises.law import law_of
from needlescope.theory.two_noises.pair import Direction, given_direction, pair_of
from needlescope.theory.two_noises.resolvent import resolvent, tangent
from needlescope.theory.two_noises.saddle import Problem, envelope_at, solve
from needlescope.theory.two_noises.steps import two_steps
from tests.covariances import spread

COVERS = ("law", "pair", "prediction", "resolvent", "saddle", "steps")
TWO = ns.Spectrum.two_levels(high=4.0, low=0.25, share=0.2)
ONE = ns.Task(6, 1, 4.0, 0.4, noise=ns.Noise(spectrum=TWO), signal="loud")
HARDLY = ns.Noise(spectrum=ns.Spectrum(TWO.s * (1.0 + 1e-9), TWO.shares))  # another, by rounding
SAME = ONE.replace(signal_noise=HARDLY)
FIELDS = ("test_error", "train_loss", "train_error", "bias", "signal", "norm", "gamma")
MORE = ("query_part", "signal_part", "rest")


@pytest.mark.parametrize("loss", ["square", "logistic", "hinge", "squared_hinge"])
def test_equal_noises_are_one_noise_to_pooling(loss: str) -> None:
    training = ns.Training(alpha1=3.0, loss=loss, ridge=0.1)
    one, two = (ns.predict(task, training, "pooled") for task in (ONE, SAME))
    for name in FIELDS:
        assert getattr(two, name) == pytest.approx(getattr(one, name), rel=1e-6), name


@pytest.mark.parametrize("loss", ["square", "logistic"])
def test_equal_noises_are_one_noise_to_attention(loss: str) -> None:
    training = ns.Training(4.0, 3.0, loss=loss, ridge=0.1, eta_q=30.0)
    one, two = (ns.predict(task, training, tol=4e-4) for task in (ONE, SAME))
    for name in (*FIELDS, *MORE):
        # both are integrals: 5 standard errors, and where these are not known 1e-3
        error = np.hypot(*(getattr(item, f"{name}_se") for item in (one, two)))
        assert getattr(two, name) == pytest.approx(getattr(one, name), abs=5.0 * error + 1e-6), name


@pytest.mark.parametrize("more", [{}, {"balanced": True}, {"first_step": "sequential"}])
@pytest.mark.parametrize("loss", ["square", "logistic"])
def test_equal_noises_are_one_noise_to_the_two_steps(loss: str, more: dict[str, object]) -> None:
    training = ns.Training(2.0, 1.0, loss=loss, eta_w=2.0, **more)  # type: ignore[arg-type]
    task = ns.Task(6, ns.SignalCount([1, 3], [0.7, 0.3]), 3.0, 0.2, noise=ONE.noise, signal="loud")
    task = task.replace(label_noise=(0.1, 0.05))
    one, two = (ns.align(item, training) for item in (task, task.replace(signal_noise=HARDLY)))
    for name in ("signal_w", "norm_w", "cosine_w", "signal_q", "norm_q", "cosine_q", "kappa"):
        assert getattr(two, name) == pytest.approx(getattr(one, name), rel=1e-6), name


def test_a_spectrum_is_a_diagonal_matrix() -> None:
    place = np.repeat([0, 1], [1, 4])
    first, second, xi = np.array([3.0, 0.5])[place], np.array([0.4, 2.0])[place], np.ones(5)
    matrices = ns.Task(
        *(5, 2, 3.0, 0.4),
        noise=ns.Noise(covariance=np.diag(first)),
        signal_noise=ns.Noise(covariance=np.diag(second)),
        signal=tuple(xi),
    )
    levels = ns.Task(
        *(5, 2, 3.0, 0.4),
        noise=ns.Noise(spectrum=ns.Spectrum([3.0, 0.5], [1, 4])),
        signal_noise=ns.Noise(spectrum=ns.Spectrum([0.4, 2.0], [1, 4])),
    )
    training = ns.Training(3.0, 2.0, loss="square", ridge=0.2, eta_q=20.0)
    one, two = (ns.predict(task, training, tol=1e-2) for task in (matrices, levels))
    white, pale = (ns.predict(task.whitened, training, tol=1e-2) for task in (matrices, levels))
    for name in (*FIELDS, *MORE, "kappa"):
        assert getattr(one, name) == pytest.approx(getattr(two, name), rel=1e-6), name
        assert getattr(white, name) == pytest.approx(getattr(pale, name), rel=1e-6), name


def matrices(d: int = 12) -> ns.Task:
    """A task whose covariances do not commute."""
    xi = np.random.default_rng(3).standard_normal(d)
    noise, other = (ns.Noise(covariance=spread(d, seed)) for seed in (0, 1))
    return ns.Task(5, 1, 3.0, 0.4, noise=noise, signal_noise=other, signal=tuple(xi))


def test_a_rotation_changes_nothing() -> None:
    task, turn = matrices(), np.linalg.qr(np.random.default_rng(5).standard_normal((12, 12)))[0]
    noises = [
        ns.Noise(covariance=turn @ n.covariance @ turn.T) for n in (task.noise, task.signal_noise)
    ]
    turned = task.replace(
        noise=noises[0], signal_noise=noises[1], signal=tuple(turn @ np.array(task.signal))
    )
    training = ns.Training(3.0, 2.0, loss="square", ridge=0.2, eta_q=20.0)
    one, two = (ns.predict(item, training, tol=1e-2) for item in (task, turned))
    for name in (*FIELDS, *MORE):
        assert getattr(two, name) == pytest.approx(getattr(one, name), rel=1e-5), name


def test_whitening_makes_the_first_noise_white_and_keeps_the_best_direction() -> None:
    task, white = matrices(), matrices().whitened
    assert pytest.approx(np.eye(12), abs=1e-12) == white.noise.covariance
    old, new = (np.linalg.eigvals(np.linalg.solve(t.noise.covariance, t.signal_noise.covariance))
                for t in (task, white))  # fmt: skip
    assert np.sort(old.real) == pytest.approx(np.sort(new.real), rel=1e-9)
    zeta = np.linalg.solve(np.linalg.cholesky(task.noise.covariance), np.array(task.signal))
    size = np.linalg.norm(np.array(task.signal))
    assert white.theta == pytest.approx(3.0 * np.linalg.norm(zeta) / size)


def test_the_query_is_that_of_vectors_drawn_with_these_covariances() -> None:
    task = matrices(60)
    training = ns.Training(3.0, 1.0, loss="square", eta_w=2.0)
    pair, q = pair_of(task), two_steps(task, training).direction
    assert q.square(pair, pair.sigma[0]) == pytest.approx(1.0)
    found = ns.simulate_alignment(task, training, d=60, trials=100, seed=1, n_jobs=1)
    limit = ns.align(task, training)
    for name in ("cosine_w", "norm_w", "cosine_q", "norm_q"):
        gap = getattr(found, name) - getattr(limit, name)
        # what finite d adds is within 2 %: 5 standard errors of 100 trials are as much
        assert abs(gap) < 5.0 * getattr(found, f"{name}_se") + 0.02 * abs(getattr(limit, name)), (
            name
        )


def test_loud_signal_tokens_turn_scores_and_deviations_together() -> None:
    """Where the deviations of tokens and their mean count as independent, ‖q‖ is 20 % off or more.

    They are not within a sample, nor are the noise of w and that of q.
    """
    task = ns.Task(2, 1, 1.0, 0.5, signal_noise=ns.Noise(spectrum=[30.0]))
    training = ns.Training(8.0, 1.0, eta_w=6.0)
    limit = ns.align(task, training)
    small, large = (
        ns.simulate_alignment(task, training, d=d, trials=300, seed=[2, d], n_jobs=1)
        for d in (60, 120)
    )
    for name in ("norm_w", "norm_q"):
        value = 2.0 * getattr(large, name) - getattr(small, name)
        error = np.hypot(2.0 * getattr(large, f"{name}_se"), getattr(small, f"{name}_se"))
        assert error < 0.03 * value  # so that 20 % are seen
        assert abs(value - getattr(limit, name)) < 4.0 * error, name


def brute(L: int, R: int, kappa: float, tau: float, tilt: float) -> np.ndarray:
    """Means of v·a, (g·a)₀, (g·a)₁, ‖a₀‖², ‖a₁‖² over plain random tokens."""
    g = np.random.default_rng(0).standard_normal((400_000, L))
    v = np.arange(L) < R
    logits = kappa * np.where(v, tau * g + tilt, g)
    a = np.exp(logits - logits.max(axis=1, keepdims=True))
    a /= a.sum(axis=1, keepdims=True)
    parts = (a * v, g * a * ~v, g * a * v, a**2 * ~v, a**2 * v)
    return np.array([part.sum(axis=1).mean() for part in parts])


@pytest.mark.parametrize("R", [1, 3])
def test_the_law_is_that_of_softmax(R: int) -> None:
    task = ns.Task(4, R, 2.0, 0.999, signal_noise=ns.Noise(spectrum=[4.0]))
    law = law_of(get_model("attention"), task, 1.3, 2.0, 0.7, 2**11)
    own = law.y > 0.0
    weight = law.weight[own] / law.weight[own].sum()
    m = weight @ law.m[own] / [2.0, 1.0, 1.0]
    # of 400,000 draws of numbers of order one
    assert np.append(m, weight @ law.A[own]) == pytest.approx(brute(4, R, 1.3, 2.0, 0.7), abs=5e-3)


def test_forms_are_those_of_vectors_drawn_with_the_querys_covariance() -> None:
    task, d = matrices(), 12
    pair = pair_of(task)
    q = given_direction(pair, ns.Query(1.0, 0.6))
    exact = resolvent(pair, 0.3, q)
    chi = np.array([0.7, 0.4])
    first, second = pair.sigma
    R = np.linalg.inv(0.3 * np.eye(d) + 0.7 * first + 0.4 * second)
    root = np.linalg.cholesky(q.spread / d)
    draws = q.fixed[:, None] + root @ np.random.default_rng(0).standard_normal((d, 200_000))
    tau = np.sqrt(q.square(pair, second))
    vectors = np.stack([np.tile(pair.xi[:, None], 200_000), first @ draws, second @ draws / tau])
    for M, form in ((R, exact.traces(chi).G), (R @ second @ R, exact.traces(chi).squares[1])):
        seen = np.einsum("adn,de,ben->ab", vectors, M, vectors, optimize=True) / 200_000
        assert form == pytest.approx(seen, rel=0.02, abs=0.02)
    traces = exact.traces(chi)
    assert traces.second[0, 1] == pytest.approx(np.trace(first @ R @ second @ R) / d)
    near = tangent(exact, chi).traces(chi * [1.02, 0.97])
    for old, new in zip(near, exact.traces(chi * [1.02, 0.97]), strict=True):
        assert old == pytest.approx(new, rel=2e-3)


@pytest.mark.parametrize("loss", ["square", "logistic", "hinge"])
def test_the_solution_satisfies_the_equations(loss: str) -> None:
    task = matrices()
    pair, query = pair_of(task), given_direction(pair_of(task), ns.Query(1.5, 0.7))
    tau = float(np.sqrt(query.square(pair, pair.sigma[1])))
    tilt = task.theta * float(query.fixed @ pair.xi)
    law = law_of(get_model("attention"), task, 1.5, tau, tilt, 2**7)
    delta, own = 2.0, resolvent(pair, 0.2, query)
    problem = Problem(own, law, get_loss(loss), delta)
    at = solve(problem).at
    e, *_ = envelope_at(problem, at)
    w, A = law.weight, law.A
    chi = 2.0 * (w * e.V) @ A
    there = own.traces(chi)
    F = (w * e.m) @ law.m - np.append(0.0, chi * at.m[1:])
    noise = (-2.0 * w * e.g) @ A
    size = [F @ G @ F + there.second[j] @ noise / delta for j, G in enumerate(there.squares)]
    assert at.m == pytest.approx(-there.G @ F, rel=1e-6)
    assert float((w * e.m).sum()) == pytest.approx(0.0, abs=1e-8)
    assert at.nu2 + at.m[1:] ** 2 == pytest.approx(size, rel=1e-6)
    assert at.gamma == pytest.approx(there.first / delta, rel=1e-6)


def test_a_direction_scales() -> None:
    pair, q = pair_of(matrices()), Direction(np.ones(12), np.eye(12))
    assert q.scaled(3.0).square(pair, pair.sigma[0]) == pytest.approx(
        9.0 * q.square(pair, pair.sigma[0])
    )
