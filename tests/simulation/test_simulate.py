"""The front door: what `simulate` returns, what it refuses, and that options mean what they say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from itertools import product

import numpy as np
import pytest
from scipy.stats import beta

import needlescope as ns
from needlescope.losses import Logistic
from needlescope.models import ATTENTION
from needlescope.models.blocks import Joined, features
from needlescope.noise import STANDARD
from needlescope.running.seeds import generator
from needlescope.simulation.checks import specify
from needlescope.simulation.error import attention as exact
from needlescope.simulation.samples.data import tokens
from needlescope.simulation.training import stages
from needlescope.simulation.training.specification import Trial
from tests.memory import PEAK, needs_peak

COVERS = ("checks",)
TASK = ns.Task(L=5, R=1, theta=4.0, pi=0.4)
TRAINING = ns.Training(alpha0=3.0, alpha1=2.0)
JOINT = ns.Training.joint(2.0, ridge=0.05, ridge_q=0.1)
BARE = TRAINING.replace(ridge=0.0)
NUMBERS = ("test_error", "train_loss", "train_error", "bias", "signal", "norm", "cosine", "rest")


def simulate(*args, **options):
    return ns.simulate(*args, **{"n_jobs": 1, "trials": 4, **options})


class Kinked(Logistic):
    kinked = True


class Tilted(ns.Loss):
    """A loss of a user's own, defined where no worker process could import it."""

    name = "tilted"

    def value(self, z, y):
        return np.logaddexp(0.0, -y * z) + 0.01 * z * z

    def derivative(self, z, y):
        return -y / (1.0 + np.exp(y * z)) + 0.02 * z

    def second(self, z, y):
        return 0.25 / np.cosh(0.5 * z) ** 2 + 0.02


# ---------------------------------------------------------------- what comes back


@pytest.mark.parametrize("model", ["attention", "pooled", "vectorized"])
def test_an_outcome_has_the_fields_of_a_prediction(model):
    result = simulate(TASK, TRAINING, model, d=20)
    limit = ns.predict(TASK, TRAINING, model, tol=1e-2)
    assert result.provenance == "simulation" and result.model == model
    for name in NUMBERS:
        value, error = getattr(result, name), getattr(result, f"{name}_se")
        column = result.trials[name]
        assert isinstance(value, float) and isinstance(error, float)
        assert np.isfinite(value) == np.isfinite(getattr(limit, name))
        assert column.shape == (4,)
        assert value == pytest.approx(column.mean())
        assert error == pytest.approx(column.std(ddof=1) / 2.0)
    assert result.residual <= 1e-9
    assert (result.alignment is None) == (model != "attention")
    assert np.isnan(result.kappa) == (model != "attention")


def test_realised_alignment_comes_along():
    result = simulate(TASK, TRAINING, d=30)
    assert result.alignment.provenance == "simulation"
    assert result.alignment.cosine_q == result.cosine_q == result.trials["cosine_q"].mean()
    assert result.alignment.kappa_se > 0.0
    alone = ns.simulate_alignment(TASK, TRAINING, d=30, trials=4, n_jobs=1)
    np.testing.assert_array_equal(alone.trials["norm_q"], result.trials["norm_q"])


def test_a_grid_broadcasts_and_every_point_has_its_own_streams():
    grid = TRAINING.replace(alpha1=np.array([[1.0], [2.0]]), ridge=[1e-2, 1e-1, 1e-1])
    result = simulate(TASK, grid, "pooled", d=20)
    assert result.test_error.shape == (2, 3)
    assert result.trials["test_error"].shape == (2, 3, 4)
    first = simulate(TASK, TRAINING.replace(alpha1=1.0), "pooled", d=20)
    assert result.test_error[0, 0] == first.test_error
    assert result.test_error[0, 1] != result.test_error[0, 2]


def test_one_trial_has_no_standard_error():
    result = simulate(TASK, TRAINING, d=20, trials=1)
    assert np.isnan(result.test_error_se) and np.isfinite(result.test_error)


def test_separability_counts_certified_answers():
    training = TRAINING.replace(alpha1=[0.5, 30.0])
    result = ns.simulate_separability(TASK, training, "pooled", d=15, trials=6, n_jobs=1)
    np.testing.assert_array_equal(result.fraction, [1.0, 0.0])
    assert result.trials["separable"].shape == (2, 6)
    # Six of six leave a chance with Beta's law, by the rule of Laplace.
    assert result.fraction_se == pytest.approx(beta(7, 1).std(), rel=1e-12)


# ---------------------------------------------------------------- seeds and workers


def test_seeds_decide_everything():
    once, again = (simulate(TASK, TRAINING, d=20, seed=7).trials for _ in range(2))
    more = simulate(TASK, TRAINING, d=20, seed=7, trials=6).trials
    other = simulate(TASK, TRAINING, d=20, seed=8).trials
    for name in NUMBERS:
        np.testing.assert_array_equal(once[name], again[name])
        np.testing.assert_array_equal(once[name], more[name][:4])
    assert not np.intersect1d(once["norm"], other["norm"]).size
    rng = np.random.default_rng(3)
    fresh = [simulate(TASK, TRAINING, d=20, seed=rng).test_error for _ in range(2)]
    assert fresh[0] != fresh[1]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("sampler", ["tokens", "reduced"])
def test_results_do_not_depend_on_workers(sampler):
    item, two = (
        ns.simulate(TASK, TRAINING, d=60, trials=5, seed=1, sampler=sampler, n_jobs=n_jobs)
        for n_jobs in (1, 2)
    )
    for name, column in item.trials.items():
        np.testing.assert_array_equal(column, two.trials[name], err_msg=name)


@pytest.mark.slow
def test_a_loss_of_ones_own_reaches_the_workers():
    training = TRAINING.replace(loss=Tilted())
    here = simulate(TASK, training, d=20, trials=3)
    there = ns.simulate(TASK, training, d=20, trials=3, n_jobs=2)
    assert here.test_error == there.test_error


def test_progress_is_reported():
    seen = []
    simulate(
        TASK, TRAINING, d=10, trials=3, progress=lambda done, total: seen.append((done, total))
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_a_failing_trial_says_which():
    with pytest.raises(ns.NoMinimiser, match=r"in trial \d of attention at d=10, n=10, Task\(L=5"):
        simulate(TASK.replace(pi=1e-3), TRAINING.replace(alpha1=1.0), d=10)


# ---------------------------------------------------------------- options


def drawn(training, **options):
    """The data sets of the first trial, and the signal, rebuilt from its streams."""
    seed = np.random.SeedSequence(5, spawn_key=(0, 0))
    (point,) = specify(TASK, training, "attention", 12, sampler="tokens", **options).points()
    trial = Trial(point, seed)
    xi = generator(trial.stream("signal")).standard_normal(12)
    xi /= np.linalg.norm(xi)
    sizes = {"D0": point.n0, "D1": point.n1}
    return xi, *(tokens(TASK, n, xi, STANDARD, trial.stream(name)) for name, n in sizes.items())


@pytest.mark.parametrize(
    ("options", "steps", "readout"),
    [
        ({}, 1, "D1"),
        ({"training": {"query_steps": 4}}, 4, "D1"),
        ({"reuse": "D0"}, 1, "D0"),
        ({"reuse": "all"}, 1, "all"),
    ],
)
@pytest.mark.parametrize("first_step", ["joint", "sequential"])
def test_options_train_on_the_data_they_name(options, steps, readout, first_step):
    options = dict(options)
    more = options.pop("training", {})
    training = ns.Training(alpha0=5.0, alpha1=5.0, first_step=first_step, **more)
    result = ns.simulate(
        TASK, training, d=12, trials=1, seed=5, sampler="tokens", n_jobs=1, **options
    )
    xi, D0, D1 = drawn(training, **options)
    state = stages.first_step(D0, stages.start(12), training)
    for _ in range(steps):
        state = stages.query_step(D0, state, training)
    data = {"D0": D0, "D1": D1, "all": Joined((D0, D1))}[readout]
    fit = stages.readout(features(data, ATTENTION, state.q, 1.0), data.y, training)
    assert result.alignment.norm_q == pytest.approx(np.linalg.norm(state.q), rel=1e-12)
    assert result.signal == pytest.approx(fit.w @ xi, rel=1e-9)
    assert result.train_loss == pytest.approx(
        np.logaddexp(0, -data.y * fit.scores).mean(), rel=1e-9
    )


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("model", "sampler"), [*product(["pooled", "vectorized"], ["tokens", "reduced"])]
)
def test_baselines_may_see_all_data(model, sampler):
    options = {"sampler": sampler, "d": 15, "trials": 200}
    joint = simulate(TASK, TRAINING, model, data="all", **options)
    same = simulate(TASK, TRAINING.replace(alpha1=5.0), model, seed=1, **options)
    error = np.hypot(joint.norm_se, same.norm_se)
    assert abs(joint.norm - same.norm) < 4.5 * error


def test_end_to_end_training_fits_better_than_the_stages():
    training = ns.Training(alpha0=4.0, alpha1=4.0, ridge=1e-2)
    staged = simulate(TASK, training, d=15, trials=3, reuse="all")
    whole = simulate(TASK, training, d=15, trials=3, starts=3)

    def objective(one):
        penalty = one.trials["norm"] ** 2 + one.trials["norm_q"] ** 2
        return one.trials["train_loss"] + 0.5 * 1e-2 * penalty

    assert (objective(whole) <= objective(staged) + 1e-9).all()
    assert whole.residual <= 1e-5


def test_a_query_may_be_given():
    query = ns.Query(kappa=2.0, cosine=-0.3)
    for sampler in ("tokens", "reduced"):
        result = simulate(TASK, TRAINING, d=20, query=query, sampler=sampler)
        np.testing.assert_allclose(result.trials["kappa"], 2.0, rtol=1e-12)
        np.testing.assert_allclose(result.trials["cosine_q"], -0.3, rtol=1e-9)
        assert np.isnan(result.alignment.signal_w)


def test_a_signal_may_be_given():
    signal = np.arange(1.0, 21.0)
    result = simulate(TASK, TRAINING, d=20, signal=signal, trials=3)
    assert result.alignment.cosine_q > 0.3
    for scale in (5.0, 1e200, 1e-290):
        scaled = simulate(TASK, TRAINING, d=20, signal=scale * signal, trials=3)
        assert scaled.test_error == pytest.approx(result.test_error, rel=1e-9)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "noise",
    [ns.Noise("rademacher"), ns.Noise("student", df=5.0)],
    ids=repr,
)
def test_other_entries_reach_the_same_errors(noise):
    # With a signal spread over all dimensions, and four moments, the entries' law does not show.
    query = ns.Query(1.0, 0.8)
    options = {"d": 100, "trials": 30, "query": query, "test": "sampled", "n_test": 2000}
    usual = simulate(TASK, TRAINING, **options, sampler="tokens")
    result = simulate(TASK, TRAINING, **options, noise=noise, seed=1)
    error = np.hypot(result.test_error_se, usual.test_error_se)
    assert abs(result.test_error - usual.test_error) < 4.0 * error


def test_correlated_noise_changes_the_answer():
    d = 30
    signal = np.eye(1, d)[0]
    loud = np.eye(d)
    loud[0, 0] = 9.0
    options = {"d": d, "trials": 10, "signal": signal}
    usual = simulate(TASK, TRAINING, "pooled", **options)
    buried = simulate(TASK, TRAINING, "pooled", noise=ns.Noise(covariance=loud), **options)
    assert buried.test_error > usual.test_error + 5 * buried.test_error_se
    tied = simulate(TASK, TRAINING, "pooled", noise=ns.Noise(token_correlation=0.9), **options)
    assert tied.test_error > usual.test_error + 5 * tied.test_error_se  # means average less out


@pytest.mark.slow
def test_sequences_longer_than_the_dimension(monkeypatch):
    monkeypatch.setattr(exact, "TOL", 1.0)  # of a trial: about 1e-3, without bias
    long = ns.Task(L=40, R=4, theta=3.0, pi=0.5)
    training = ns.Training(alpha0=10.0, alpha1=20.0)
    query = ns.Query(1.0, 0.9)
    item, two = (
        simulate(long, training, d=6, trials=60, seed=k, sampler=sampler, query=query)
        for k, sampler in enumerate(("tokens", "reduced"))
    )
    error = np.hypot(item.test_error_se, two.test_error_se)
    assert abs(item.test_error - two.test_error) < 4.5 * error


def test_testing_on_another_task():
    longer = TASK.replace(L=20)
    here = simulate(TASK, TRAINING, d=30)
    there = simulate(TASK, TRAINING, d=30, test_task=longer)
    np.testing.assert_array_equal(here.trials["norm"], there.trials["norm"])
    assert there.test_error > here.test_error


def test_tokens_that_do_not_fit_are_made_twice():
    task, memory = ns.Task(L=40, R=1, theta=4.0, pi=0.5), 24 * 2**20
    training = ns.Training(alpha0=4.0, alpha1=4.0)  # 26 MB of tokens in each of D0 and D1
    simulate(task, training, d=10, trials=1, sampler="tokens")
    tracemalloc.start()
    try:
        small = simulate(task, training, d=200, trials=1, sampler="tokens", memory=memory)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < memory
    large = simulate(task, training, d=200, trials=1, sampler="tokens")
    assert small.test_error == large.test_error


MEASURED = """
import sys, re, json
import needlescope as ns
model, sampler, d, loss, starts = json.loads(sys.argv[1])
task = ns.Task(L=8, R=1, theta=4.0, pi=0.5)
training = ns.Training(alpha0=2.0, alpha1=3.0, ridge=1e-2, loss=loss)
call = lambda d, **more: ns.simulate(
    task, training, model, d, 1, sampler=sampler, n_jobs=1, starts=starts, **more
)
call(10)
try:
    call(d, memory=1)
except ValueError as refusal:
    need = int(re.search(r"pass memory=(\\d+)", str(refusal))[1])
before = peak()
call(d, memory=need)
print(need, peak() - before)
"""


@pytest.mark.sampled(3)
@needs_peak
@pytest.mark.parametrize(
    "case",
    [
        ("attention", "tokens", 500, "logistic", 0),
        ("attention", "tokens", 100, "logistic", 1),
        ("pooled", "reduced", 900, "square", 0),
        *(
            pytest.param(case, marks=pytest.mark.slow)
            for case in (
                ("attention", "reduced", 900, "logistic", 0),
                ("vectorized", "tokens", 300, "logistic", 0),
                ("vectorized", "reduced", 300, "squared_hinge", 0),
                ("attention", "reduced", 300, "hinge", 0),
            )
        ),
    ],
    ids=str,
)
def test_memory_stays_below_its_bound(case):
    command = [sys.executable, "-c", PEAK + MEASURED, json.dumps(case)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    need, grown = map(int, done.stdout.split())
    assert grown < need
    assert case[-1] or grown > need / 20  # and the bound means something


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"d": 0}, r"d must be an integer in 1..1000000, got 0"),
        ({"d": 2.5}, r"d must be a single integer in 1..1000000, got 2.5"),
        ({"d": [10, 20]}, r"d must be a single integer in 1..1000000, got \[10, 20\]"),
        ({"trials": 0}, r"trials must be an integer in 1..1000000000, got 0"),
        ({"trials": True}, r"trials must be a single integer in 1..1000000000, got True"),
        ({"n_jobs": 5000}, r"n_jobs must be an integer in 1..\d+, got 5000: this machine has"),
        ({"n_jobs": 0}, r"n_jobs must be an integer in 1..\d+, got 0"),
        ({"seed": 1.5}, r"seed must be an integer of at least 0, .* got 1.5"),
        ({"seed": "lucky"}, r"seed must be an integer of at least 0, .* got 'lucky'"),
        ({"seed": -1}, r"seed must be an integer of at least 0, .* got -1"),
        (
            {"model": "mean"},
            r"model must be one of 'attention', .*, got 'mean'",
        ),
        ({"sampler": "gpu"}, r"sampler must be one of 'auto', 'tokens', 'reduced', got 'gpu'"),
        ({"test": "none"}, r"test must be one of 'auto', 'exact', 'sampled', got 'none'"),
        ({"data": "D0"}, r"data must be one of 'D1', 'all', got 'D0'"),
        ({"reuse": True}, r"reuse must be one of 'none', 'D0', 'all', got True"),
        ({"reuse": "D0"}, r"alpha1 must equal alpha0, got alpha0=3.0 and alpha1=2.0"),
        ({"reuse": "all", "model": "pooled"}, r"reuse is about attention's query, got 'all'"),
        ({"training": BARE, "starts": 2}, r"ridge must be above 0 with starts=2"),
        ({"training": BARE.replace(loss="hinge")}, r"ridge must be above 0 with loss='hinge'"),
        ({"training": TRAINING.replace(loss=Kinked()), "starts": 1}, r"a loss without kinks, or"),
        ({"starts": 2, "reuse": "all"}, r"starts=2 trains everything on D0 ∪ D1 already"),
        ({"start": "far"}, r"start must be one of 'random', 'small', 'informed', got 'far'"),
        ({"start": "small"}, r"start is about joint training, got 'small' without a ridge_q"),
        (
            {"training": ns.Training.joint(2.0), "start": "informed", "starts": 3},
            r"starts must be 1 with start='informed', which is one place, got 3",
        ),
        ({"query": (1.0, 0.5)}, r"query must be a needlescope.Query\(kappa, cosine\)"),
        (
            {"training": TRAINING.replace(query_steps=2), "sampler": "reduced"},
            r"not with query_steps=2",
        ),
        (
            {"training": TRAINING.replace(schedule=ns.Schedule.even(2)), "sampler": "reduced"},
            r"supports the theory's own setting only, not with a schedule; pass sampler='t",
        ),
        ({"query": ns.Query(1.0, 0.5), "starts": 2}, r"starts=2 would train the query"),
        (
            {"query": ns.Query(1.0, 0.5), "training": JOINT},
            r"^joint training would train the query",
        ),
        ({"training": JOINT, "reuse": "all"}, r"^joint training trains everything on all data alr"),
        ({"training": JOINT, "model": "hard"}, r"^joint training .*, or leave ridge_q out"),
        ({"training": JOINT, "sampler": "reduced"}, r"not with starts=2; pass sampler='tokens'"),
        ({"query": ns.Query(1.0, 0.5), "d": 1}, r"cosine can only be -1 or 1 in d=1, got 0.5"),
        ({"noise": "student"}, r"noise must be a needlescope.Noise, got 'student'"),
        ({"noise": ns.Noise(covariance=np.eye(3))}, r"covariance must be 20 × 20 to go with d=20"),
        ({"noise": ns.Noise("rademacher"), "sampler": "reduced"}, r"not with noise=.*'tokens'"),
        ({"noise": ns.Noise("rademacher"), "test": "exact"}, r"pass test='sampled'"),
        ({"starts": 1, "sampler": "reduced"}, r"not with starts=1; pass sampler='tokens'"),
        ({"signal": np.zeros(20)}, r"signal must be a vector of d=20 finite numbers"),
        (
            {"signal": np.ones(3)},
            r"signal must be .* got an array of shape \(3,\)",
        ),
        ({"n_test": 0}, r"n_test must be an integer in 1"),
        ({"memory": 1000}, r"need about .* MiB, above memory=1000 .* or pass memory=\d+"),
        ({"test_task": 5}, r"test_task must be a needlescope.Task, got 5"),
        (
            {"model": "vectorized", "test_task": TASK.replace(L=9)},
            r"one weight for each of its L=5 tokens and cannot be tested at L=9",
        ),
    ],
    ids=lambda value: str(value)[:60],
)
def test_bad_input_gets_a_sentence_before_any_work(options, sentence, monkeypatch):
    def never(*args, **kwargs):
        raise AssertionError("work has started")

    monkeypatch.setattr("needlescope.simulation.simulate.run", never)
    with pytest.raises(ValueError, match=sentence):
        ns.simulate(TASK, **{"training": TRAINING, "d": 20, "trials": 2, **options})


def test_the_problem_must_be_a_problem():
    with pytest.raises(ValueError, match=r"task must be a needlescope.Task, got 3"):
        ns.simulate(3, TRAINING)
    with pytest.raises(ValueError, match=r"training must be a needlescope.Training, got None"):
        ns.simulate(TASK, None)


def test_a_covariance_that_is_none():
    with pytest.raises(ValueError, match="covariance must be positive definite, got a smallest"):
        ns.Noise(covariance=np.ones((3, 3)) - 2 * np.eye(3))


@pytest.mark.parametrize(("points", "trials"), [(1, 100_001), (1, 10**9), (3, 33_334), (1000, 101)])
def test_more_trials_than_can_be_listed_are_refused_at_once(points, trials):
    task = ns.Task(4, 1, np.linspace(1.0, 2.0, points), 0.5)
    sentence = f"trials must be at most 100000 over all points, got {points} points of {trials}"
    for call in (
        lambda: ns.simulate(task, ns.Training(1.0, 1.0), "pooled", 10, trials),
        lambda: ns.simulate_alignment(task, ns.Training(1.0, 1.0), 10, trials),
        lambda: ns.simulate_oracle(task, "pooled", 100, trials),
    ):
        with pytest.raises(ValueError, match=sentence):
            call()


def test_a_grid_of_a_billion_points_is_refused_at_once():
    axis = np.linspace(1.0, 2.0, 1000)
    training = ns.Training(axis[:, None], axis[:, None, None])
    with pytest.raises(ValueError, match="got 1000000000 points of 1 trials; ask for fewer"):
        ns.simulate(ns.Task(4, 1, axis, 0.5), training, "pooled", 10, 1)


class TestJointTraining:
    """Query and readout trained together, on all data, with a ridge for each."""

    def test_the_same_objective_as_from_two_sets_with_one_ridge(self) -> None:
        """At equal ridges, starts= on D0 ∪ D1 and joint training on as many samples agree."""
        joint = ns.simulate(TASK, JOINT.replace(ridge_q=0.05), d=40, trials=30, seed=1, n_jobs=1)
        split = ns.Training(1.0, 1.0, ridge=0.05)
        old = ns.simulate(TASK, split, d=40, trials=30, seed=2, starts=2, n_jobs=1)
        for name in ("test_error", "train_loss", "signal", "norm"):
            gap = getattr(joint, name) - getattr(old, name)
            error = np.hypot(getattr(joint, f"{name}_se"), getattr(old, f"{name}_se"))
            assert abs(gap) < 4.0 * error, name

    def test_each_ridge_is_that_of_its_own(self) -> None:
        """A query that cannot grow leaves pooling, of the same data."""
        joint = ns.simulate(TASK, JOINT.replace(ridge_q=1e4), d=30, trials=3, seed=1, n_jobs=1)
        plain = ns.simulate(
            TASK, JOINT, "pooled", d=30, trials=3, seed=1, sampler="tokens", n_jobs=1
        )
        np.testing.assert_allclose(
            joint.trials["train_loss"], plain.trials["train_loss"], rtol=2e-3
        )
        assert joint.kappa < 1e-3

    def test_the_alignment_is_that_of_the_trained_parameters(self) -> None:
        result = ns.simulate(TASK, JOINT, d=30, trials=3, seed=1, n_jobs=1)
        assert result.alignment.norm_w == pytest.approx(result.norm)
        assert result.alignment.signal_w == pytest.approx(result.signal)
        assert result.alignment.kappa == result.alignment.norm_q == pytest.approx(result.kappa)
        assert result.options["starts"] == 2
