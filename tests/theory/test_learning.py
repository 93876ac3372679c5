"""predict: grids, options, uncertainty, refusals."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.special import ndtr

import needlescope as ns
from needlescope.theory.law import ladder
from needlescope.theory.law.attention import attention_limit
from needlescope.theory.law.ladder import Level
from needlescope.theory.law.limits import LAWS

COVERS = ("solution",)
TASK = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
TRAINING = ns.Training(alpha0=4.0, alpha1=2.0)
LOSSES = ("square", "logistic", "hinge", "squared_hinge")
MODELS = ("attention", "pooled", "vectorized")
ROUGH = 2e-3


@pytest.mark.sampled(4)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("loss", LOSSES)
def test_a_grid_equals_its_points(model, loss):
    alphas = np.array([0.5, 2.0, 8.0])
    ridges = np.array([[1e-3], [1e-1]])
    grid = ns.Training(alpha0=4.0, alpha1=alphas, ridge=ridges, loss=loss)
    result = ns.predict(TASK, grid, model, tol=ROUGH)
    assert result.test_error.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        item = ns.Training(alpha0=4.0, alpha1=alphas[j], ridge=ridges[i, 0], loss=loss)
        point = ns.predict(TASK, item, model, tol=ROUGH)
        allowed = 3.0 * (point.test_error_se + result.test_error_se[i, j]) + 1e-8
        assert abs(point.test_error - result.test_error[i, j]) <= allowed


def test_results_are_plain_floats_for_a_single_problem():
    result = ns.predict(TASK, TRAINING, "pooled")
    assert type(result.test_error) is float
    assert type(result.residual) is float


@pytest.mark.slow
def test_same_inputs_same_bits_in_another_process():
    code = (
        "import needlescope as ns;"
        "training = ns.Training(2.0, [0.5, 3.0], ridge=1e-4);"
        "f = ns.predict(ns.Task(12, 2, 3.0, 0.3), training, tol=2e-3);"
        "print([x.hex() for x in f.test_error], [x.hex() for x in f.test_error_se])"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(runs) == 1
    assert "0x" in runs.pop()


def test_results_do_not_depend_on_what_was_computed_before():
    training = ns.Training(2.0, 3.0, ridge=1e-3)
    before = ns.predict(TASK, training, tol=ROUGH).test_error
    ns.predict(TASK.replace(theta=4.0), training, tol=ROUGH)
    assert ns.predict(TASK, training, tol=ROUGH).test_error == before


@pytest.mark.parametrize("loss", LOSSES)
def test_error_estimates_are_honest(loss):
    """A rough answer lies within its own error of a fine one, far more often than not."""
    scores = []
    for kappa, cosine in ((0.5, 0.9), (2.0, 0.5), (6.0, -0.3), (1.0, 1.0)):
        query = ns.Query(kappa, cosine)
        training = TRAINING.replace(loss=loss)
        fine = ns.predict(TASK, training, query=query, tol=1e-4)
        rough = ns.predict(TASK, training, query=query, tol=5e-3)
        scores.append(
            (rough.test_error - fine.test_error) / np.hypot(rough.test_error_se, fine.test_error_se)
        )
    assert np.sqrt(np.mean(np.square(scores))) < 2.5
    assert np.abs(scores).max() < 5.0


def test_order_parameters_carry_honest_errors():
    """Each of them, rough against fine, in units of their own joint error."""
    query, training = ns.Query(1.5, 0.8), TRAINING.replace(ridge=1e-3)
    fine = ns.predict(TASK, training, query=query, tol=5e-5)
    rough = ns.predict(TASK, training, query=query, tol=5e-3)
    names = ("bias", "signal", "norm", "cosine", "query_part", "signal_part", "rest", "gamma")
    for name in names:
        error = np.hypot(getattr(rough, f"{name}_se"), getattr(fine, f"{name}_se"))
        assert error > 0.0
        assert abs(getattr(rough, name) - getattr(fine, name)) < 5.0 * error
        assert error < 0.02 * abs(getattr(fine, name))


def test_accuracy_is_met_or_refused(monkeypatch):
    result = ns.predict(TASK, TRAINING, tol=2e-4)
    assert 2.0 * result.test_error_se <= 2e-4
    monkeypatch.setattr("needlescope.theory.learning.ladder", lambda *_: (Level(2**12, 64),))
    with pytest.raises(
        ns.NotConverged, match=r"uncertainty of the test error is .*, above tol=1e-12; pass tol="
    ):
        ns.predict(ns.Task(2, 1, 2.0, 0.5), TRAINING.replace(loss="square"), tol=1e-12)


def test_a_flat_query_is_pooling_whatever_its_alignment():
    for cosine in (-1.0, 0.0, 0.3, 1.0):
        flat = ns.predict(TASK, TRAINING, "attention", query=ns.Query(0.0, cosine))
        pooled = ns.predict(TASK, TRAINING, "pooled")
        assert flat.test_error == pytest.approx(pooled.test_error, abs=1e-9)
        assert flat.train_loss == pytest.approx(pooled.train_loss, abs=1e-9)
        assert flat.test_error_se == 0.0


def test_a_faint_query_approaches_pooling():
    faint = ns.predict(TASK, TRAINING, "attention", query=ns.Query(1e-4, 0.7), tol=ROUGH)
    assert faint.test_error == pytest.approx(
        ns.predict(TASK, TRAINING, "pooled").test_error, abs=1e-3
    )


def test_testing_on_the_training_task_changes_nothing():
    here = ns.predict(TASK, TRAINING, tol=ROUGH)
    same = ns.predict(TASK, TRAINING, test_task=ns.Task(10, 1, 5.0, 0.5), tol=ROUGH)
    assert same.test_error == pytest.approx(here.test_error, abs=1e-12)


def test_testing_on_another_task():
    """Pooled on longer sequences: the error is a closed form of the same readout."""
    home = ns.predict(TASK, TRAINING, "pooled")
    away = ns.predict(TASK, TRAINING, "pooled", test_task=ns.Task(L=40, R=4, theta=3.0, pi=0.1))
    s = home.norm / np.sqrt(40)
    signal = 3.0 * 4 / 40 * home.signal
    expected = 0.1 * ndtr(-(signal + home.bias) / s) + 0.9 * ndtr(home.bias / s)
    assert away.test_error == pytest.approx(expected, abs=1e-12)
    assert away.train_loss == home.train_loss


def test_a_flat_classifier_on_another_task():
    """Its score is Gaussian there as well, with the signal θ R/√L along the mean of all tokens."""
    home = ns.predict(TASK, TRAINING, "vectorized")
    away = ns.predict(TASK, TRAINING, "vectorized", test_task=ns.Task(10, 2, 7.0, 0.2))
    signal = 7.0 * 2 / np.sqrt(10) * home.signal
    expected = 0.2 * ndtr(-(signal + home.bias) / home.norm) + 0.8 * ndtr(home.bias / home.norm)
    assert away.test_error == pytest.approx(expected, abs=1e-12)


def test_test_tasks_broadcast():
    lengths = np.array([5, 10, 20])
    result = ns.predict(TASK, TRAINING, test_task=TASK.replace(L=lengths), tol=ROUGH)
    assert result.test_error.shape == (3,)
    assert (np.diff(result.test_error) > 0.0).all()


def test_baselines_may_see_all_the_data():
    more = ns.predict(TASK, TRAINING, "pooled", data="all")
    same = ns.predict(TASK, TRAINING.replace(alpha1=6.0), "pooled")
    assert more.test_error == same.test_error
    attention = [ns.predict(TASK, TRAINING, data=data, tol=ROUGH) for data in ("D1", "all")]
    assert attention[0].test_error == attention[1].test_error


def test_one_known_position_is_a_smaller_problem():
    """A needle always in the same place: the other L − 1 tokens are useless dimensions."""
    task = ns.Task(L=5, R=1, theta=3.0, pi=0.4, positions=ns.Positions([(2,)]))
    result = ns.predict(task, TRAINING, "vectorized")
    # the same as one token in L d dimensions: pooled with L = 1 at α = α1/L
    alone = ns.predict(ns.Task(1, 1, 3.0, 0.4), TRAINING.replace(alpha1=2.0 / 5), "pooled")
    assert result.test_error == pytest.approx(alone.test_error, abs=1e-8)


def test_given_positions_beat_uniform_ones():
    given = TASK.replace(positions=ns.Positions([(0,), (1,)]))
    assert (
        ns.predict(given, TRAINING, "vectorized").test_error
        < ns.predict(TASK, TRAINING, "vectorized").test_error - 0.01
    )


def test_permuting_positions_changes_nothing():
    chances = [0.6, 0.3, 0.1]
    item = TASK.replace(positions=ns.Positions([(0,), (1,), (2,)], chances))
    other = TASK.replace(positions=ns.Positions([(7,), (3,), (9,)], chances))
    errors = [ns.predict(t, TRAINING, "vectorized").test_error for t in (item, other)]
    assert errors[0] == pytest.approx(errors[1], abs=1e-10)


@pytest.mark.slow
def test_the_hinge_collapses_on_rare_positives_with_much_data():
    """The error is π; an SVM fitted at d = 150 had ‖w‖ = 0.0000 and b = −1.0000."""
    task = ns.Task(L=6, R=1, theta=0.0, pi=0.2)
    result = ns.predict(task, ns.Training(1.0, 11.3, loss="hinge", ridge=0.5), "pooled")
    assert (result.norm, result.bias) == (0.0, -1.0)
    assert result.test_error == pytest.approx(0.2)
    assert result.train_loss == pytest.approx(0.4)


def test_hinge_and_squared_hinge_share_the_maximal_margin_limit():
    """On separable data, both tend to the maximal-margin direction as the ridge vanishes."""
    errors = [
        ns.predict(TASK, ns.Training(4.0, 1.0, loss=loss, ridge=1e-8), "pooled").test_error
        for loss in ("hinge", "squared_hinge")
    ]
    assert errors[0] == pytest.approx(errors[1], abs=1e-5)


def test_double_descent_peaks_at_one_sample_per_weight():
    alphas = np.array([0.5, 1.0, 2.0])
    training = ns.Training(4.0, alphas, loss="square", ridge=1e-6)
    errors = ns.predict(TASK, training, "pooled").test_error
    assert errors[1] > errors[0] + 0.05
    assert errors[1] > errors[2] + 0.05


class Steep(ns.Loss):
    """A logistic loss of one's own, twice as steep."""

    name = "steep"

    def value(self, z, y):
        return np.logaddexp(0.0, -2.0 * y * z)

    def derivative(self, z, y):
        return -2.0 * y * np.exp(-np.logaddexp(0.0, 2.0 * y * z))

    def second(self, z, y):
        p = np.exp(-np.logaddexp(0.0, 2.0 * np.abs(z)))
        return 4.0 * p * (1.0 - p)


@pytest.mark.parametrize("model", ["pooled", "vectorized", "attention"])
def test_a_loss_of_ones_own_obeys_its_scaling(model):
    """log(1 + e^{−2yz}) with readout w equals logistic with 2w: the ridge scales by four."""
    query = ns.Query(0.7, 0.9) if model == "attention" else None
    steep = ns.predict(
        TASK, ns.Training(4.0, 2.0, loss=Steep(), ridge=4e-2), model, query=query, tol=ROUGH
    )
    plain = ns.predict(
        TASK, ns.Training(4.0, 2.0, loss="logistic", ridge=1e-2), model, query=query, tol=ROUGH
    )
    assert steep.test_error == pytest.approx(plain.test_error, abs=1e-7)
    assert 2.0 * steep.norm == pytest.approx(plain.norm, rel=1e-6)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: ns.predict(TASK, TRAINING, "transformer"), "model must be one of 'attention'"),
        (
            lambda: ns.predict(TASK, TRAINING, "pooled", data="D2"),
            "data must be one of 'D1', 'all'",
        ),
        (lambda: ns.predict(TASK, TRAINING, tol=0.0), "tol must be a number in"),
        (lambda: ns.predict(TASK, TRAINING, query=(1.0, 0.5)), "query must be a needlescope.Query"),
        (lambda: ns.predict(TASK, TRAINING, test_task=12), "test_task must be a needlescope.Task"),
        (lambda: ns.predict(TRAINING, TASK), "task must be a needlescope.Task"),
        (lambda: ns.predict(TASK, TASK), "training must be a needlescope.Training"),
        (
            lambda: ns.predict(TASK, TRAINING, "vectorized", test_task=TASK.replace(L=20)),
            "cannot be tested at L=20",
        ),
        (
            lambda: ns.predict(TASK.replace(theta=[1.0, 2.0]), TRAINING.replace(alpha1=[1, 2, 3])),
            "must broadcast",
        ),
    ],
)
def test_bad_input_is_refused_with_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_no_minimiser_without_a_ridge_on_separable_data():
    with pytest.raises(ns.NoMinimiser, match=r"separable up to alpha1 = 2\.95"):
        ns.predict(TASK, ns.Training(4.0, 1.0, ridge=0.0), "pooled")


def test_without_a_ridge_beyond_capacity():
    none = ns.predict(TASK, ns.Training(4.0, 10.0, ridge=0.0), "pooled")
    little = ns.predict(TASK, ns.Training(4.0, 10.0, ridge=1e-9), "pooled")
    assert none.test_error == pytest.approx(little.test_error, abs=1e-7)


@pytest.mark.parametrize("alpha1", [0.3, 0.9, 1.1, 5.0])
@pytest.mark.parametrize("model", ["pooled", "attention"])
def test_square_without_a_ridge_is_the_limit_of_small_ridges(model, alpha1):
    training = ns.Training(4.0, alpha1, loss="square", ridge=0.0)
    none = ns.predict(TASK, training, model, tol=ROUGH)
    little = ns.predict(TASK, training.replace(ridge=1e-10), model, tol=ROUGH)
    assert none.test_error == pytest.approx(little.test_error, abs=1e-6)


def test_the_double_descent_peak_itself_is_refused():
    with pytest.raises(ns.NoMinimiser, match="double-descent peak"):
        ns.predict(TASK, ns.Training(4.0, 1.0, loss="square", ridge=0.0), "pooled")


def test_a_bias_that_could_be_anything_is_refused():
    with pytest.raises(ns.NoMinimiser, match="does not determine the bias"):
        ns.predict(TASK, ns.Training(4.0, 1.0, loss="hinge", ridge=100.0), "pooled")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("L", "R", "theta", "kappa"), [(10, 3, 4.0, 0.5), (20, 5, 2.0, 0.3)])
def test_a_rough_law_that_suffices_is_the_only_one_made(monkeypatch, L, R, theta, kappa):
    """Against a thirtieth of the tolerance, which takes many more samples."""
    seen = []

    def law(*given):
        seen.append(given[5])
        return attention_limit(*given)

    monkeypatch.setitem(LAWS, "attention", law)
    task, query = ns.Task(L=L, R=R, theta=theta, pi=0.3), ns.Query(kappa, 0.8)
    result = ns.predict(task, TRAINING, query=query, tol=3e-4)
    assert set(seen) == {ladder.ROUGH}
    fine = ns.predict(task, TRAINING, query=query, tol=1e-5)
    assert max(level.points for level in seen) > 2**13
    assert 2.0 * result.test_error_se <= ladder.ROUGH_SHARE * 3e-4
    assert abs(result.test_error - fine.test_error) <= 4.0 * result.test_error_se


@pytest.mark.parametrize("model", ["attention", "pooled", "vectorized", "hard", "linear"])
@pytest.mark.parametrize("loss", ["square", "logistic", "hinge"])
def test_noise_of_one_eigenvalue_is_a_change_of_units(model, loss):
    """The ridge on u = √s w is λ/s; without a spectrum it is the same to rounding."""
    s, task = 2.5, ns.Task(6, 1, 4.0, 0.4)
    query = ns.Query(1.5, 0.8) if model in ("attention", "hard", "linear") else None
    scaled = task.replace(theta=4.0 * np.sqrt(s), noise=ns.Noise(spectrum=[s, s]))
    here = ns.predict(scaled, ns.Training(alpha1=2.0, loss=loss, ridge=0.1), model, query=query)
    there = ns.predict(task, ns.Training(alpha1=2.0, loss=loss, ridge=0.1 / s), model, query=query)
    for name in ("test_error", "train_loss", "norm", "signal", "rest", "bias"):
        assert getattr(here, name) == pytest.approx(getattr(there, name), rel=1e-7, abs=1e-10)


def test_without_a_ridge_noise_with_a_spectrum_is_white():
    noise = ns.Noise(spectrum=ns.Spectrum([5.0, 1.0, 0.2], [1, 2, 3]))
    task = ns.Task(6, 1, 3.0, 0.4, noise=noise, signal="flat")
    for loss, alpha in (("square", 3.0), ("logistic", 20.0)):
        training = ns.Training(alpha1=alpha, loss=loss, ridge=0.0)
        here = ns.predict(task, training, "pooled").test_error
        assert here == pytest.approx(ns.predict(task.whitened, training, "pooled").test_error)


def test_the_least_norm_solution_is_the_limit_of_small_ridges():
    noise = ns.Noise(spectrum=ns.Spectrum([5.0, 1.0, 0.2], [1, 2, 3]))
    task = ns.Task(6, 1, 3.0, 0.4, noise=noise, signal="quiet")
    bare, small = (
        ns.predict(task, ns.Training(alpha1=0.5, loss="square", ridge=ridge), "pooled")
        for ridge in (0.0, 1e-7)
    )
    assert bare.test_error == pytest.approx(small.test_error, abs=1e-5)
    white = ns.predict(task.whitened, ns.Training(alpha1=0.5, loss="square", ridge=0.0), "pooled")
    assert abs(bare.test_error - white.test_error) > 1e-2


def test_order_parameters_solve_the_equations_in_the_coordinates_of_the_tokens():
    """m = −E1 ξᵀRξ with R = 1/(λ + χ s): pooling, square loss, five equations written anew."""
    s, p, omega = np.array([4.0, 0.5]), np.array([0.3, 0.7]), np.array([0.6, 0.4])
    noise = ns.Noise(spectrum=ns.Spectrum(s, p))
    task = ns.Task(5, 1, 4.0, 0.3, noise=noise, signal=tuple(omega))
    lam, alpha = 0.2, 1.5
    result = ns.predict(task, ns.Training(alpha1=alpha, loss="square", ridge=lam), "pooled")
    gain = float(np.sqrt(omega @ (1.0 / s)))
    m, b, A, gamma = result.signal * gain, result.bias, 1.0 / 5.0, result.gamma
    nu2, lift = result.norm**2, 4.0 / 5.0
    shrink = 1.0 / (1.0 + gamma * A)  # the slope at the prox over that at c
    chi, R = A * shrink, 1.0 / (lam + A * shrink * s)
    positive, negative = lift * m + b - 1.0, b + 1.0
    E1 = 0.3 * lift * positive * shrink
    E3 = A * shrink**2 * (0.3 * positive**2 + 0.7 * negative**2 + A * nu2)
    assert 0.3 * positive + 0.7 * negative == pytest.approx(0.0, abs=1e-10)
    assert m == pytest.approx(-E1 * (omega @ R), rel=1e-8)
    assert gamma == pytest.approx(float(p @ (s * R)) / alpha, rel=1e-8)
    expected = E1**2 * (omega @ (R**2 * s)) + E3 / alpha * (p @ (s * R) ** 2)
    assert nu2 == pytest.approx(expected, rel=1e-8)
    assert chi > 0.0
