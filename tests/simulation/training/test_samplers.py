"""Tokens and the reduced law are the same law: at small d, L and n, where an approximation shows.

Two samples of trials are compared quantity by quantity (Kolmogorov–Smirnov) and pair by pair (the
mean product of their ranks, which is bounded and therefore has an honest z-score).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence
from scipy import stats

import needlescope as ns
from needlescope.losses import LOSSES, Loss, get_loss
from needlescope.models import ATTENTION, POOLED, VECTORIZED
from needlescope.models.blocks import features
from needlescope.models.gradient import State, model_scores
from needlescope.noise import STANDARD
from needlescope.running.seeds import child, generator
from needlescope.simulation.checks import specify
from needlescope.simulation.error import attention as exact
from needlescope.simulation.samples.data import Tokens
from needlescope.simulation.training import from_law, from_tokens, reduced, stages
from needlescope.simulation.training.specification import GridPoint, Trial
from needlescope.simulation.trial import align_trial, run_trial

COVERS = ("from_law", "from_tokens", "reduced", "specification", "trained")
ALARM = 1e-5  # for each quantity
SIGMAS = 5.0
TRIALS = 800
MORE = 10_000


def compare(one: Any, other: Any, names: tuple[str, ...] | None = None) -> None:
    """Refuse two tables, trials × quantities, that do not follow the same joint law."""
    one, other = np.round(one, 6), np.round(other, 6)  # 1e-8 and 0, or 1.5 and its neighbour, tie
    assert one.shape[1] == other.shape[1]
    names = tuple(map(str, range(one.shape[1]))) if names is None else names
    assert np.isfinite(one).all()
    assert np.isfinite(other).all()
    for name, a, b in zip(names, one.T, other.T, strict=True):
        assert stats.ks_2samp(a, b, method="asymp").pvalue > ALARM, name
    ranks = stats.rankdata(np.vstack([one, other]), axis=0) / (len(one) + len(other)) - 0.5
    a, b = ranks[: len(one)], ranks[len(one) :]
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1)]
    for i, j in pairs:
        left, right = a[:, i] * a[:, j], b[:, i] * b[:, j]
        spread = np.sqrt(left.var() / len(left) + right.var() / len(right))
        gap = left.mean() - right.mean()
        assert abs(gap) <= SIGMAS * spread + 1e-12, (names[i], names[j], gap / spread)


def trials(run: Callable[[Trial], Any], point: GridPoint, count: int, seed: int) -> Any:
    root = SeedSequence(seed)
    return [run(Trial(point, child(root, k))) for k in range(count)]


def by_both(
    run: Callable[[Trial], dict[str, float]],
    names: tuple[str, ...],
    count: int,
    *args: Any,
    **kw: Any,
) -> None:
    """Compare the numbers of both samplers."""
    tables = []
    for seed, sampler in enumerate(("tokens", "reduced")):
        (point,) = specify(*args, sampler=sampler, **kw).points()
        rows = trials(run, point, count, seed)
        tables.append([[row[name] for name in names] for row in rows])
    compare(*tables, names)


def test_the_comparison_sees_a_wrong_marginal_and_a_wrong_dependence() -> None:
    rng = np.random.default_rng(0)
    a = rng.standard_normal((TRIALS, 2))
    compare(a, rng.standard_normal((TRIALS, 2)))
    with pytest.raises(AssertionError):
        compare(a, 1.25 * rng.standard_normal((TRIALS, 2)))
    b = rng.standard_normal((TRIALS, 2))
    b[:, 1] = 0.3 * b[:, 0] + np.sqrt(1.0 - 0.09) * b[:, 1]
    with pytest.raises(AssertionError):
        compare(a, b)


# ------------------------------------------------- stages 1 to 3

ALIGNED = ("signal_w", "norm_w", "signal_q", "norm_q", "cosine_q", "kappa")
STEPS = {"eta_w": 3.0, "eta_b": 0.7, "eta_q": 2.0, "beta": 1.5}
BOTH_STEPS: list[tuple[ns.Task, int, dict[str, Any]]] = [
    (ns.Task(2, 1, 2.0, 0.5), 2, {"alpha0": 2.0}),
    (ns.Task(3, 2, 1.5, 0.4), 3, {"alpha0": 2.0, "loss": "square", "first_step": "sequential"}),
    (ns.Task(7, 3, 2.0, 0.1), 5, {"alpha0": 2.0, "loss": "hinge", "first_step": "sequential"}),
    (ns.Task(3, 1, 3.0, 0.6), 1, {"alpha0": 4.0, "first_step": "sequential"}),
    (ns.Task(3, 1, 2.0, 0.7), 3, {"alpha0": 3.0, "balanced": True, "loss": "hinge"}),
]
MORE_STEPS: list[tuple[ns.Task, int, dict[str, Any]]] = [  # close to some of those
    (ns.Task(7, 7, 1.0, 0.3), 5, {"alpha0": 1.0}),
    (ns.Task(3, 2, 3.0, 0.5), 5, {"alpha0": 0.2}),
    (ns.Task(7, 3, 2.0, 0.1), 5, {"alpha0": 2.0, "loss": "hinge"}),
    (ns.Task(2, 2, 2.0, 0.5), 3, {"alpha0": 1.0, "loss": "squared_hinge"}),
    (ns.Task(4, 2, 0.0, 0.5), 2, {"alpha0": 1.0, "loss": "square"}),
    (ns.Task(1, 1, 2.0, 0.5), 3, {"alpha0": 2.0, "first_step": "sequential"}),
]


class TestAlignment:
    @pytest.mark.sampled(6)
    @pytest.mark.parametrize(("task", "d", "fields"), BOTH_STEPS)
    def test_both_steps(self, task: ns.Task, d: int, fields: dict[str, Any]) -> None:
        training = ns.Training(alpha1=1.0, **(STEPS | fields))
        by_both(align_trial, ALIGNED, TRIALS // 2, task, training, "attention", d)

    @pytest.mark.slow
    @pytest.mark.parametrize(("task", "d", "fields"), BOTH_STEPS + MORE_STEPS)
    def test_both_steps_with_many_trials(
        self, task: ns.Task, d: int, fields: dict[str, Any]
    ) -> None:
        training = ns.Training(alpha1=1.0, **(STEPS | fields))
        by_both(align_trial, ALIGNED, MORE, task, training, "attention", d)

    def test_a_loss_that_weighs_the_labels(self, pseudo_huber: Loss) -> None:
        training = ns.Training(3.0, 1.0, loss=pseudo_huber, **STEPS)
        task = ns.Task(3, 1, 2.0, 0.3)
        by_both(align_trial, ALIGNED, TRIALS // 2, task, training, "attention", 2)

    def test_given_positions_change_nothing_here(self) -> None:
        task = ns.Task(4, 2, 2.0, 0.5, positions=ns.Positions([(0, 1), (2, 3)], [0.8, 0.2]))
        by_both(
            align_trial, ALIGNED, TRIALS // 2, task, ns.Training(2.0, 1.0, **STEPS), "attention", 3
        )

    def test_one_token_leaves_the_query_at_zero(self) -> None:
        for sampler in ("tokens", "reduced"):
            task, training = ns.Task(1, 1, 2.0, 0.5), ns.Training(2.0, 1.0)
            (point,) = specify(task, training, "attention", 3, sampler=sampler).points()
            result = align_trial(Trial(point, SeedSequence(0)))
            assert (
                result["norm_q"]
                == result["signal_q"]
                == result["cosine_q"]
                == result["kappa"]
                == 0.0
            )


# ------------------------------------------------- stages 2 and 3 from the inside, labels given

LABELLED: list[tuple[ns.Task, int, list[float], dict[str, Any]]] = [
    (ns.Task(2, 1, 2.0, 0.5), 1, [1, -1, 1, -1, -1], {"loss": "square"}),
    (ns.Task(5, 2, 1.0, 0.5), 2, [-1, -1, -1], {"loss": "hinge", "eta_w": 0.01}),
    (ns.Task(4, 3, 2.0, 0.5), 4, [1, -1, -1, -1, 1], {"first_step": "sequential"}),
    (ns.Task(3, 1, 2.0, 0.5), 3, [1, -1, -1, -1], {"balanced": True}),
]
MORE_LABELLED: list[tuple[ns.Task, int, list[float], dict[str, Any]]] = [
    (ns.Task(3, 2, 3.0, 0.5), 2, [1], {}),
    (ns.Task(6, 3, 4.0, 0.5), 3, [1, 1], {"loss": "hinge", "eta_w": 0.01}),
    (ns.Task(3, 1, 2.0, 0.5), 3, [1, -1, -1], {}),
    (ns.Task(5, 2, 1.0, 0.5), 2, [1, 1, 1, 1], {"loss": "hinge", "eta_w": 0.01}),
]


class TestInside:
    """The readout, the scores that it gives its own data, and the query along and across it."""

    @staticmethod
    def numbers(state: State, scores: np.ndarray) -> list[float]:
        norm = float(np.linalg.norm(state.w))
        along = float(state.q @ state.w) / norm
        across = state.q - along * state.w / norm
        steps = [float(state.w[0]), norm, float(state.q[0]), along]
        steps += [float(np.linalg.norm(across))] if len(state.w) > 1 else []
        return [*steps, float(scores[0]), float(scores[-1])]

    def both(self, case: tuple[ns.Task, int, list[float], dict[str, Any]], count: int) -> None:
        task, d, y, fields = case[0], case[1], np.array(case[2], float), case[3]
        training = ns.Training(1.0, 1.0, **(STEPS | fields))
        tables: tuple[list[Any], list[Any]] = ([], [])
        for k in range(count):
            data = token_data(task, y, d, SeedSequence(7, spawn_key=(k,)))
            state = stages.first_step(data, stages.start(d), training)
            if training.balanced:
                state = stages.balance(data, state, get_loss(training.loss), training.beta)
            scores = model_scores(data, ATTENTION, state, training.beta)
            tables[0].append(self.numbers(stages.query_step(data, state, training), scores))
            rng = generator(SeedSequence(8, spawn_key=(k,)))
            state, means = reduced.first_step(task, training, y, d, rng)
            if training.balanced:
                state = reduced.balance(task, training, state, means)
            lift = task.theta * task.R / task.L * state.w[0] * (y > 0.0)
            scores = lift + np.linalg.norm(state.w) * means.noise / np.sqrt(task.L) + state.b
            after = reduced.query_step(task, training, state, means, rng)
            tables[1].append(self.numbers(after, scores))
        scale = np.abs(np.vstack(tables)).mean(axis=0)
        compare(tables[0] / scale, tables[1] / scale)

    @pytest.mark.sampled(6)
    @pytest.mark.parametrize("case", LABELLED)
    def test_both_steps(self, case: tuple[ns.Task, int, list[float], dict[str, Any]]) -> None:
        self.both(case, TRIALS)

    @pytest.mark.slow
    @pytest.mark.parametrize("case", LABELLED + MORE_LABELLED)
    def test_both_steps_with_many_trials(
        self, case: tuple[ns.Task, int, list[float], dict[str, Any]]
    ) -> None:
        self.both(case, MORE)

    @pytest.mark.parametrize("order", ["joint", "sequential"])
    def test_the_means_add_up_to_the_readout(self, order: str) -> None:
        """‖w‖ = −(η/n) Σ gᵢ ⟨X̄ᵢ, ŵ⟩, in every single draw."""
        task, y = ns.Task(5, 2, 1.5, 0.4), np.array([1.0, -1.0, -1.0, 1.0, -1.0, -1.0, -1.0])
        training = ns.Training(1.0, 1.0, first_step=order, **STEPS)
        state, means = reduced.first_step(task, training, y, 4, np.random.default_rng(0))
        at = state.b if order == "sequential" else 0.0
        g = get_loss("logistic").derivative(np.full(7, at), y)
        norm = float(np.linalg.norm(state.w))
        seen = 1.5 * 2 / 5 * state.w[0] / norm * (y > 0.0) + means.noise / np.sqrt(5)
        assert norm == pytest.approx(-3.0 / 7 * float(g @ seen), rel=1e-12)

    @pytest.mark.parametrize("name", sorted(LOSSES))
    def test_balanced_slopes_add_up_to_zero(self, name: str) -> None:
        task, y = ns.Task(5, 2, 1.5, 0.1), np.where(np.arange(40) % 8, -1.0, 1.0)
        training = ns.Training(1.0, 1.0, loss=name, **STEPS)
        first, means = reduced.first_step(task, training, y, 4, np.random.default_rng(0))
        state = reduced.balance(task, training, first, means)
        assert np.array_equal(state.w, first.w) and not state.q.any()
        norm, lift = float(np.linalg.norm(state.w)), 1.5 * 2 / 5 * state.w[0] * (y > 0.0)
        scores = lift + norm * means.noise / np.sqrt(5) + state.b
        assert abs(get_loss(name).derivative(scores, y).mean()) < 1e-13

    @pytest.mark.parametrize("theta", [0.0, 3.0])
    def test_the_query_across_readout_and_signal_has_its_exact_size(self, theta: float) -> None:
        """E‖q⊥‖² = (η_q β/(n L))² (d − 2) Σ hᵢ² E‖P Xᵢ w‖²; many dimensions resolve it."""
        task, d, y = ns.Task(5, 2, theta, 0.5), 1000, np.where(np.arange(300) % 3, -1.0, 1.0)
        training = ns.Training(0.3, 1.0, **STEPS)
        rng = np.random.default_rng(4)
        ratios = []
        for _ in range(400):
            state, means = reduced.first_step(task, training, y, d, rng)
            q = reduced.query_step(task, training, state, means, rng).q
            across = q[1:] - q[1:] @ state.w[1:] / (state.w[1:] @ state.w[1:]) * state.w[1:]
            norm, lift = float(np.linalg.norm(state.w)), theta * state.w[0] * (y > 0.0)
            scores = lift * 2 / 5 + norm * means.noise / np.sqrt(5) + state.b
            h = get_loss("logistic").derivative(scores, y)
            size = (5 - 1) * norm**2 + lift**2 * 2 * (1 - 2 / 5)
            factor = training.eta_q * training.beta / (300 * 5)
            ratios.append(across @ across / (factor**2 * (d - 2) * (h * h) @ size))
        error = np.std(ratios, ddof=1) / np.sqrt(400)
        assert error < 0.006
        assert abs(np.mean(ratios) - 1.0) < 4.5 * error


# ------------------------------------------------- features, given a query


def labels_of(n: int) -> np.ndarray:
    return np.where(np.arange(n) % 3 == 1, -1.0, 1.0)


def invariants(F: np.ndarray) -> list[float]:
    """What a rotation of the features cannot change."""
    gram = F @ F.T
    sizes = np.linalg.eigvalsh(gram if len(F) <= F.shape[1] else F.T @ F)
    n = len(F)
    inner = [gram[0, 1 % n], gram[0, n - 1], gram[1 % n, n // 2]]
    return [gram[0, 0], gram[n - 1, n - 1], *inner, sizes[0], sizes[-1]]


def token_data(task: ns.Task, y: np.ndarray, d: int, seed: SeedSequence) -> Tokens:
    return Tokens(task, y, np.eye(1, d)[0], STANDARD, seed)


ATTENDED = [  # L, R, d, n, κ, s: n below, at and above the number of unmarked directions
    (2, 1, 6, 3, 1.5, 0.6),
    (3, 2, 5, 3, 1.0, -0.3),
    (3, 3, 3, 6, 2.0, 0.8),
    (7, 1, 2, 4, 30.0, 0.5),
    (3, 1, 4, 3, 0.0, 0.4),
]
MORE_ATTENDED = [
    *((7, 3, 5, 2, 0.7, 1.0), (3, 1, 1, 3, 1.2, 1.0), (1, 1, 4, 3, 1.0, 0.4)),
    *((4, 2, 9, 1, 1.0, 0.0), (3, 1, 1, 3, 1.2, -1.0)),
]


class TestFeatures:
    @staticmethod
    def attended(case: tuple[int, int, int, int, float, float], count: int) -> None:
        L, R, d, n, kappa, s = case
        task, y, beta = ns.Task(L, R, 2.0, 0.5), labels_of(n), 1.7
        towards, across = np.eye(1, d)[0], np.eye(1, d, 1)[0]
        along = s * towards + np.sqrt(1.0 - s * s) * across
        beside = np.sqrt(1.0 - s * s) * towards - s * across
        tables: tuple[list[Any], list[Any]] = ([], [])
        for k in range(count):
            data = token_data(task, y, d, SeedSequence(1, spawn_key=(k,)))
            F = features(data, ATTENTION, kappa / beta * along, beta)
            marked = [F[0] @ along, F[-1] @ along]
            tables[0].append(marked + ([F[0] @ beside] if d > 1 else []) + invariants(F))
            rng = generator(SeedSequence(2, spawn_key=(k,)))
            F = reduced.attention_features(task, y, d, kappa, s, rng)
            marked = [F[0, 0], F[-1, 0]]
            tables[1].append(marked + ([F[0, 1]] if d > 1 else []) + invariants(F))
        compare(*tables)

    @pytest.mark.sampled(3)
    @pytest.mark.parametrize("case", ATTENDED, ids=str)
    def test_attention(self, case: tuple[int, int, int, int, float, float]) -> None:
        self.attended(case, TRIALS)

    @pytest.mark.slow
    @pytest.mark.parametrize("case", ATTENDED + MORE_ATTENDED, ids=str)
    def test_attention_with_many_trials(
        self, case: tuple[int, int, int, int, float, float]
    ) -> None:
        self.attended(case, MORE)

    @pytest.mark.sampled(3)
    @pytest.mark.parametrize(
        ("L", "R", "d", "n"),
        [
            *((3, 2, 6, 3), (7, 7, 3, 8), (5, 1, 1, 3)),
            *(pytest.param(*case, marks=pytest.mark.slow) for case in ((2, 1, 4, 3), (1, 1, 8, 2))),
        ],
    )
    def test_pooled(self, L: int, R: int, d: int, n: int) -> None:
        task, y = ns.Task(L, R, 2.0, 0.5), labels_of(n)
        tables: tuple[list[Any], list[Any]] = ([], [])
        for k in range(TRIALS):
            data = token_data(task, y, d, SeedSequence(3, spawn_key=(k,)))
            F = features(data, POOLED, np.zeros(d), 1.0)
            tables[0].append([F[0, 0], F[-1, 0], *invariants(F)])
            F = reduced.pooled_features(task, y, d, generator(SeedSequence(4, spawn_key=(k,))))
            tables[1].append([F[0, 0], F[-1, 0], *invariants(F)])
        compare(*tables)

    @pytest.mark.sampled(4)
    @pytest.mark.parametrize(
        ("L", "R", "d", "n", "positions"),
        [
            (2, 1, 3, 3, "uniform"),
            pytest.param(2, 1, 3, 4, "uniform", marks=pytest.mark.slow),
            (3, 2, 2, 7, "uniform"),
            pytest.param(3, 3, 1, 4, "uniform", marks=pytest.mark.slow),
            (3, 2, 4, 3, ns.Positions([(0, 1), (1, 2)], [0.8, 0.2])),
            (4, 1, 2, 9, ns.Positions([(0,), (3,)], [0.6, 0.4])),
        ],
    )
    def test_vectorized(self, L: int, R: int, d: int, n: int, positions: Any) -> None:
        task, y = ns.Task(L, R, 2.0, 0.5, positions=positions), labels_of(n)
        tables: tuple[list[Any], list[Any]] = ([], [])
        for k in range(TRIALS):
            data = token_data(task, y, d, SeedSequence(5, spawn_key=(k,)))
            F = features(data, VECTORIZED, np.zeros(d), 1.0).astype(float)
            marked = F.reshape(n, L, d)[:, :, 0]
            tables[0].append([*marked[0], *marked[-1], *invariants(F)])
            F = reduced.vectorized_features(task, y, d, generator(SeedSequence(6, spawn_key=(k,))))
            tables[1].append([*F[0, :L], *F[-1, :L], *invariants(F)])
        compare(*tables)

    @pytest.mark.sampled(6)
    @pytest.mark.parametrize(
        ("model", "data"),
        [("attention", "D1"), ("pooled", "D1"), ("pooled", "all"), ("vectorized", "all")],
    )
    def test_what_stage_four_is_given(self, model: str, data: str) -> None:
        """Labels and query drawn too; sizes of the data as asked."""
        task, training = ns.Task(3, 1, 3.0, 0.4), ns.Training(2.0, 1.0, **STEPS)
        tables = []
        for seed, (sampler, room) in enumerate((("tokens", from_tokens), ("reduced", from_law))):
            (point,) = specify(task, training, model, 4, data=data, sampler=sampler).points()
            rows = []
            for trial in trials(room.features, point, TRIALS // 2, seed):
                F, y = np.asarray(trial[0], float), trial[1]
                assert len(F) == len(y) == (12 if data == "all" else 4)
                rows.append([y.sum(), y @ F @ F.T @ y, *invariants(F)])
            tables.append(rows)
        compare(*tables)


# ------------------------------------------------- the whole trial


@pytest.fixture
def rough_integrals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Test errors to about 1e-3, for both samplers: tests/simulation/error tests the integral."""
    monkeypatch.setattr(exact, "TOL", 1.0)
    monkeypatch.setattr(exact, "FIRST", 1 << 6)


NUMBERS = (
    *("test_error", "train_loss", "train_error", "bias", "signal", "norm", "cosine"),
    *("signal_part", "rest"),
)
FEW = 200


@pytest.mark.usefixtures("rough_integrals")
class TestTrials:
    TASK = ns.Task(3, 1, 2.5, 0.5)
    TRAINING = ns.Training(6.0, 6.0, ridge=0.1, **STEPS)

    @pytest.mark.sampled(3)
    @pytest.mark.parametrize("d", [1, 2, 4])
    def test_attention(self, d: int) -> None:
        names = (*NUMBERS, *(() if d == 1 else ("query_part",)), "kappa", "cosine_q")
        training = self.TRAINING.replace(alpha0=24.0 / d, alpha1=24.0 / d)
        by_both(run_trial, names, FEW, self.TASK, training, "attention", d)

    @pytest.mark.slow
    def test_attention_with_a_given_query(self) -> None:
        names, query = (*NUMBERS, "query_part", "kappa", "cosine_q"), ns.Query(1.5, 0.7)
        training = self.TRAINING.replace(beta=2.0)
        by_both(
            run_trial, names, FEW, self.TASK, training, "attention", 4, query=query,
            test_task=ns.Task(5, 2, 2.0, 0.3),
        )  # fmt: skip

    @pytest.mark.sampled(4)
    @pytest.mark.parametrize("loss", ["square", "logistic"])
    @pytest.mark.parametrize("data", ["D1", "all"])
    def test_pooled(self, loss: str, data: str) -> None:
        training = self.TRAINING.replace(loss=loss)
        by_both(run_trial, NUMBERS, FEW, self.TASK, training, "pooled", 4, data=data)

    @pytest.mark.parametrize("alpha1", [2.0, 6.0])
    def test_vectorized_with_less_and_with_more_samples_than_weights(self, alpha1: float) -> None:
        training = self.TRAINING.replace(alpha1=alpha1, loss="square")
        by_both(run_trial, NUMBERS, FEW, self.TASK, training, "vectorized", 4)

    def test_vectorized_with_given_positions(self) -> None:
        task = self.TASK.replace(R=2, positions=ns.Positions([(0, 1), (1, 2)], [0.8, 0.2]))
        training = self.TRAINING.replace(loss="square")
        by_both(run_trial, NUMBERS, FEW, task, training, "vectorized", 3)

    @pytest.mark.slow
    def test_one_dimension_and_one_token(self) -> None:
        """No query to train, and yet a signal to find."""
        task, training = ns.Task(1, 1, 2.5, 0.5), self.TRAINING.replace(alpha0=24.0, alpha1=24.0)
        by_both(run_trial, NUMBERS[:6], 200, task, training, "attention", 1)

    @pytest.mark.sampled(2)
    @pytest.mark.parametrize("cosine", [0.9, pytest.param(0.0, marks=pytest.mark.slow), -1.0])
    def test_a_query_without_strength(self, cosine: float) -> None:
        """Both say the same about a query that is given as κ = 0 with some cosine."""
        names, query = (*NUMBERS[:6], "kappa", "cosine_q"), ns.Query(0.0, cosine)
        if cosine > -1.0:  # the readout along and across it, which are there
            names = (*names, "query_part", "signal_part", "rest")
        by_both(
            run_trial, names, 200, self.TASK, self.TRAINING, "attention", 4, query=query
        )  # fmt: skip

    @pytest.mark.slow
    @pytest.mark.parametrize("model", ["attention", "pooled", "vectorized"])
    @pytest.mark.parametrize("loss", ["square", "logistic", "hinge"])
    def test_all_models_with_many_trials(self, model: str, loss: str) -> None:
        training, task = self.TRAINING.replace(loss=loss), ns.Task(4, 2, 2.0, 0.4)
        by_both(run_trial, NUMBERS, 2000, task, training, model, 5)
