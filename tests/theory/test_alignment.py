"""align: the two gradient steps against a simulation of them, and their limits."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import get_loss
from needlescope.theory.alignment import balanced_step, first_step, second_step

LOSSES = ("square", "logistic", "hinge", "squared_hinge")


def two_steps(task, training, d, rng):
    """The actual gradients of the actual model on explicit tokens; returns cosines of w and q."""
    n, L = int(training.alpha0 * d), task.L
    loss = get_loss(training.loss)
    y = np.where(rng.random(n) < task.pi, 1, -1)
    X = rng.standard_normal((n, L, d))
    for i in np.flatnonzero(y > 0):
        kind = rng.choice(task.kinds, p=task.signals) if task.signals else 0
        X[i, rng.choice(L, task.R, replace=False), kind] += task.theta
    pooled = X.mean(axis=1)
    g = loss.derivative(np.zeros(n), y)
    bias = -training.eta_b * g.mean()
    if training.first_step == "sequential":
        g = loss.derivative(np.full(n, bias), y)
    w = -training.eta_w * (g @ pooled) / n
    if training.balanced:
        low, high = -1e3, 1e3
        for _ in range(80):
            bias = 0.5 * (low + high)
            up = loss.derivative(pooled @ w + bias, y).mean() > 0.0
            low, high = (low, bias) if up else (bias, high)
    h = loss.derivative(pooled @ w + bias, y)
    centred = X @ w
    centred -= centred.mean(axis=1, keepdims=True)
    q = -training.eta_q * training.beta / (n * L) * np.einsum("n,nl,nld->d", h, centred, X)
    along = slice(0, task.kinds)
    return *w[along], np.linalg.norm(w), *q[along], np.linalg.norm(q)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("first_step", ["joint", "sequential"])
@pytest.mark.parametrize("balanced", [False, True])
def test_two_gradient_steps_on_explicit_tokens_agree(loss, first_step, balanced):
    task = ns.Task(L=6, R=2, theta=4.0, pi=0.3)
    steps = {"first_step": first_step, "balanced": balanced, "eta_w": 2.0, "eta_q": 3.0}
    training = ns.Training(3.0, 1.0, loss=loss, **steps)
    theory = ns.align(task, training)
    rng = np.random.default_rng(7)
    runs = np.array([two_steps(task, training, 300, rng) for _ in range(12)])
    mean, error = runs.mean(axis=0), runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
    expected = [theory.signal_w, theory.norm_w, theory.signal_q, theory.norm_q]
    z = (mean - expected) / np.hypot(error, 1.0 / 300 * np.abs(expected))  # O(1/d) allowed
    assert np.abs(z).max() < 4.0


@pytest.mark.sampled(3)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("first_step", "balanced"), [("joint", False), ("sequential", True)])
def test_two_gradient_steps_see_several_signals(loss, first_step, balanced):
    task = ns.Task(L=6, R=2, theta=4.0, pi=0.4, signals=(0.5, 0.3, 0.2))
    steps = {"first_step": first_step, "balanced": balanced, "eta_w": 2.0, "eta_q": 3.0}
    training = ns.Training(4.0, 1.0, loss=loss, **steps)
    theory = ns.align(task, training)
    rng = np.random.default_rng(7)
    runs = np.array([two_steps(task, training, 150, rng) for _ in range(12)])
    mean, error = runs.mean(axis=0), runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
    w, q = (norm * np.array(cosines) for norm, cosines in (
        (theory.norm_w, theory.cosines_w), (theory.norm_q, theory.cosines_q)))  # fmt: skip
    expected = np.array([*w, theory.norm_w, *q, theory.norm_q])
    z = (mean - expected) / np.hypot(error, 1.0 / 150 * np.abs(expected))  # O(1/d) allowed
    assert np.abs(z).max() < 4.0


@pytest.mark.parametrize("balanced", [False, True])
def test_of_several_signals_that_never_come_nothing_changes(balanced):
    task, training = ns.Task(10, 1, 5.0, 0.3), ns.Training(4.0, 1.0, balanced=balanced)
    item, two = ns.align(task, training), ns.align(task.replace(signals=(0.0, 1.0)), training)
    assert two.cosines_q == (0.0, item.cosine_q) and two.cosine_w == item.cosine_w
    assert (two.kappa, two.constant) == (item.kappa, item.constant)
    assert two.query == ns.Query(item.kappa, cosines=(0.0, item.cosine_q))


def test_the_query_drops_the_rarer_signal_as_the_square_of_its_share():
    """A small step leaves all slopes alike: A_k goes as p_k m_k, and m_k as p_k."""
    task = ns.Task(10, 1, 5.0, 0.5, signals=(0.6, 0.3, 0.1))
    result = ns.align(task, ns.Training(4.0, 1.0, eta_w=1e-6))
    ratios = np.array(result.cosines_q) / result.cosines_q[0]
    assert ratios == pytest.approx([1.0, 0.25, 1.0 / 36.0], rel=1e-4)
    assert np.array(result.cosines_w) / result.cosines_w[0] == pytest.approx([1, 0.5, 1 / 6])


def test_the_constant_of_several_signals_is_that_of_their_span():
    task = ns.Task(L=10, R=3, theta=6.0, pi=0.2, signals=(0.7, 0.3))
    result = ns.align(task, ns.Training(1e5, 1.0, eta_w=0.5, eta_b=0.5))
    span = np.linalg.norm(result.cosines_q)
    assert (1.0 - span) * 1e5 == pytest.approx(result.constant, rel=1e-3)


def test_a_grid_of_several_signals_has_cosines_and_no_query():
    task = ns.Task(10, 1, [4.0, 5.0], 0.5, signals=(0.7, 0.3))
    result = ns.align(task, ns.Training(4.0, 1.0))
    assert [item.shape for item in result.cosines_q] == [(2,), (2,)]
    assert "cosines_q_2" in result.to_pandas()
    with pytest.raises(ValueError, match=r"a grid of shape \(2,\); align one point at a time"):
        _ = result.query


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("first_step", ["joint", "sequential"])
@pytest.mark.parametrize("balanced", [False, True])
def test_the_constant_is_the_limit_of_its_definition(loss, first_step, balanced):
    task = ns.Task(L=10, R=3, theta=6.0, pi=0.2)
    steps = {"first_step": first_step, "balanced": balanced, "eta_w": 0.5, "eta_b": 0.5}
    training = ns.Training(1e5, 1.0, loss=loss, **steps)
    result = ns.align(task, training)
    assert (1.0 - result.cosine_q) * 1e5 == pytest.approx(result.constant, rel=1e-3)


@pytest.mark.sampled(21)
@pytest.mark.parametrize("loss", [*LOSSES, "of ones own"])
@pytest.mark.parametrize("pi", [1e-3, 0.03, 0.3, 0.5, 0.9, 0.999])
@pytest.mark.parametrize(("eta_w", "alpha0"), [(1e-2, 0.1), (1.0, 4.0), (50.0, 30.0)])
def test_nothing_pulls_a_balanced_query_along_the_readout(loss, pi, eta_w, alpha0, pseudo_huber):
    task = ns.Task(L=10, R=1, theta=4.0, pi=pi)
    kind = pseudo_huber if loss == "of ones own" else get_loss(loss)
    first = first_step(task, kind, eta_w, 0.0)
    result = balanced_step(task, kind, first, alpha0, 0.0)
    assert result.B == 0.0 and result.signals == (-result.A[0],)
    again = balanced_step(task, kind, first, alpha0, 7.0)
    assert [*again.A, again.N, again.norm] == pytest.approx(
        [*result.A, result.N, result.norm], 1e-7
    )
    if loss == "hinge":
        return  # its bias may be closer to the kink than its rounding
    low, high = -1e4, 1e4
    for _ in range(200):
        bias = 0.5 * (low + high)
        B = second_step(task, kind, first, alpha0, bias).B
        low, high = (low, bias) if B > 0.0 else (bias, high)
    here = second_step(task, kind, first, alpha0, bias)
    assert abs(here.B) < 1e-10
    assert pytest.approx(here.A, rel=1e-6) == result.A
    assert pytest.approx(here.N, rel=1e-6) == result.N


@pytest.mark.parametrize("loss", LOSSES)
def test_half_of_the_labels_balance_as_scores_become_small(loss):
    """Losses are mirrored by the label, so the first step alone leaves nothing to balance."""
    task, training = ns.Task(10, 1, 4.0, 0.5), ns.Training(3.0, 1.0, loss=loss, eta_w=1e-4)
    plain, balanced = ns.align(task, training), ns.align(task, training.replace(balanced=True))
    assert balanced.cosine_q == pytest.approx(plain.cosine_q, rel=1e-4)
    assert balanced.kappa == pytest.approx(plain.kappa, rel=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_of_a_joint_first_step_the_bias_is_forgotten(loss):
    task = ns.Task(10, 1, 4.0, 0.1)
    result = ns.align(task, ns.Training(8.0, 1.0, loss=loss, balanced=True, eta_b=[0.0, 1.0, 9.0]))
    assert np.ptp(result.cosine_q) < 1e-9 and np.ptp(result.kappa) < 1e-9


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_rare_positives_turn_the_plain_query_away_and_not_the_balanced(loss):
    task = ns.Task(L=10, R=1, theta=3.5, pi=[0.05, 0.1])
    training = ns.Training(alpha0=20.0, alpha1=1.0, loss=loss)
    assert (ns.align(task, training).cosine_q < -0.2).all()
    assert (ns.align(task, training.replace(balanced=True)).cosine_q > 0.5).all()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("L", [10, 100_000])
def test_a_kink_is_met_closer_than_a_bias_is_rounded(L):
    """All scores are on the kink together, and whatever their size the same share is beyond it."""
    task, training = ns.Task(L, 1, 4.0, 0.1), ns.Training(4.0, 1.0, loss="hinge", balanced=True)
    result = ns.align(task, training.replace(eta_w=[1e-3, 1e-9, 1e-15]))
    assert result.cosine_q == pytest.approx(result.cosine_q[0], rel=1e-3)
    assert result.constant == pytest.approx(result.constant[0], rel=1e-3)
    assert result.kappa / result.norm_w == pytest.approx(
        result.kappa[0] / result.norm_w[0], rel=1e-3
    )


def test_scores_that_differ_by_less_than_their_rounding():
    """A bias of 33 leaves hardly any slope, and so hardly a readout."""
    task = ns.Task(978, 31, 1.08, 0.99977)
    training = ns.Training(4101.0, 1.0, eta_w=0.09, eta_b=67.6, first_step="sequential")
    for balanced in (False, True):
        assert np.isfinite(ns.align(task, training.replace(balanced=balanced)).cosine_q)


def test_a_balanced_query_without_a_signal_of_its_own_is_noise():
    """Where all tokens carry the signal none stands out; only the readout could turn the query."""
    training = ns.Training(4.0, 1.0, balanced=True)
    result = ns.align(ns.Task(5, 5, 2.0, 0.2), training)
    assert result.cosine_q == 0.0 and result.constant == np.inf and result.norm_q > 0.0
    assert ns.align(ns.Task(5, 1, 0.0, 0.2), training).cosine_q == 0.0


def test_grids_broadcast():
    result = ns.align(
        ns.Task(10, 1, np.array([[1.0], [5.0]]), 0.5), ns.Training([0.5, 2.0, 8.0], 1.0)
    )
    assert result.cosine_q.shape == (2, 3)
    assert (np.diff(result.cosine_q, axis=1) > 0.0).all()
    assert (np.diff(result.cosine_q, axis=0) > 0.0).all()


def test_without_a_signal_nothing_aligns():
    result = ns.align(ns.Task(10, 1, 0.0, 0.5), ns.Training(4.0, 1.0))
    assert result.cosine_q == 0.0
    assert result.constant == np.inf


def test_a_single_token_leaves_no_query():
    result = ns.align(ns.Task(1, 1, 3.0, 0.5), ns.Training(4.0, 1.0))
    assert result.norm_q == 0.0
    assert result.query == ns.Query(0.0, 0.0)


def test_beta_enters_the_step_and_the_softmax():
    item = ns.align(ns.Task(10, 1, 5.0, 0.5), ns.Training(4.0, 1.0, beta=1.0))
    two = ns.align(ns.Task(10, 1, 5.0, 0.5), ns.Training(4.0, 1.0, beta=2.0))
    assert two.norm_q == pytest.approx(2.0 * item.norm_q)
    assert two.kappa == pytest.approx(4.0 * item.kappa)


class TestSpectrum:
    SCALE = 3.0

    @pytest.mark.parametrize("loss", LOSSES)
    @pytest.mark.parametrize("more", [{}, {"first_step": "sequential"}, {"balanced": True}])
    def test_one_eigenvalue_is_a_change_of_units(self, loss, more):
        """Tokens √s times as large: gradients of w and q are as with s times the step."""
        s = self.SCALE
        task = ns.Task(5, 2, 3.0, 0.3)
        scaled = task.replace(theta=3.0 * np.sqrt(s), noise=ns.Noise(spectrum=[s]))
        here = ns.align(scaled, ns.Training(2.0, 1.0, loss=loss, eta_w=0.8, eta_q=0.6, **more))
        there = ns.align(
            task, ns.Training(2.0, 1.0, loss=loss, eta_w=0.8 * s, eta_q=0.6 * s, **more)
        )
        for name in ("kappa", "cosine_w", "cosine_q", "norm_w", "signal_w", "norm_q", "signal_q"):
            assert getattr(here, name) == pytest.approx(getattr(there, name), rel=1e-12), name

    def test_a_matrix_is_its_spectrum(self):
        rng = np.random.default_rng(0)
        basis = np.linalg.qr(rng.standard_normal((6, 6)))[0]
        sigma = basis @ np.diag([4.0, 4.0, 1.0, 1.0, 1.0, 0.1]) @ basis.T
        xi = basis @ np.sqrt([0.3, 0.2, 0.1, 0.1, 0.1, 0.2])
        task = ns.Task(6, 1, 4.0, 0.4, noise=ns.Noise(covariance=sigma), signal=xi)
        spectrum = ns.Noise(spectrum=ns.Spectrum([4.0, 1.0, 0.1], [2, 3, 1]))
        other = task.replace(noise=spectrum, signal=(0.5, 0.3, 0.2))
        training = ns.Training(3.0, 2.0)
        for name in ("kappa", "cosine_w", "cosine_q"):
            here, there = (getattr(ns.align(item, training), name) for item in (task, other))
            assert here == pytest.approx(there, rel=1e-10)
        here, there = (ns.predict(item, training).test_error for item in (task, other))
        assert here == pytest.approx(there, abs=1e-8)

    def test_there_is_no_constant_of_a_full_alignment(self):
        noise = ns.Noise(spectrum=[2.0, 0.5])
        task = ns.Task(6, 1, 4.0, 0.4, noise=noise)
        assert np.isnan(ns.align(task, ns.Training(3.0, 2.0)).constant)
        assert ns.align(task, ns.Training(1e6, 2.0)).cosine_q < 0.999


def test_balanced_steps_without_a_signal_have_no_constant():
    """With θ = 0 nothing is balanced at infinite data: hinge scores have no spread there."""
    task = ns.Task(10, 1, 0.0, 0.2)
    result = ns.align(task, ns.Training(2.0, 1.0, loss="hinge", balanced=True))
    assert result.constant == np.inf
