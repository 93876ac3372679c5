"""What a simulation is asked, checked before any work starts."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..answer import Question
from ..arrays import FloatArray
from ..grid import choice, common_shape, integer, unmasked
from ..losses import get_loss
from ..noise import STANDARD, Noise
from ..query import Query
from ..running.seeds import child
from ..task import Task
from ..training import Training

MODELS = ("attention", "pooled", "vectorized")
DATA = ("D1", "all")
REUSE = ("none", "D0", "all")
SAMPLERS = ("auto", "tokens", "reduced")
TESTS = ("auto", "exact", "sampled")
MEMORY = 1 << 30
# Trials of all points of a call. They are listed before they run, in a third of a millisecond each,
# and their results take some 3 kB each: this is half a minute and a third of a gigabyte.
MOST_TRIALS = 100_000
STREAMS = ("signal", "D0", "D1", "query", "starts", "test")


@dataclass(frozen=True, eq=False)
class Setup:
    """Everything a trial needs; `simulate` says what each field means.

    Examples
    --------
    >>> import needlescope as ns
    >>> task, training = ns.Task(4, 1, 3.0, 0.5), ns.Training(alpha0=2.0, alpha1=[1.0, 2.0])
    >>> setup = Setup(task, training, "attention", 50, task)
    >>> setup.sampler, setup.test, [one.n for one in setup.points()]
    ('reduced', 'exact', [50, 100])
    """

    task: Task
    training: Training
    model: str
    d: int
    test_task: Task
    query: Query | None = None
    data: str = "D1"
    reuse: str = "none"
    query_steps: int = 1
    starts: int = 0
    noise: Noise = STANDARD
    signal: Any = None
    sampler: str = "auto"
    test: str = "auto"
    n_test: int = 10_000
    memory: int = MEMORY
    seed: np.random.SeedSequence = field(default_factory=lambda: np.random.SeedSequence(0))

    def __post_init__(self) -> None:
        """Refuse what is out of range or contradictory, and settle what was left open."""
        for name, kind in (("task", Task), ("training", Training)):
            if not isinstance(getattr(self, name), kind):
                given = getattr(self, name)
                raise ValueError(f"{name} must be a needlescope.{kind.__name__}, got {given!r}")
        choice("model", self.model, MODELS)
        choice("data", self.data, DATA)
        choice("reuse", self.reuse, REUSE)
        choice("sampler", self.sampler, SAMPLERS)
        choice("test", self.test, TESTS)
        for name, low, high in (
            *(("d", 1, 10**6), ("query_steps", 1, 10**6), ("starts", 0, 1000)),
            *(("n_test", 1, 10**9), ("memory", 1, 1 << 50)),
        ):
            object.__setattr__(self, name, whole(name, getattr(self, name), low, high))
        object.__setattr__(self, "signal", _direction(self.signal, self.d))
        _check_noise(self.noise, self.d)
        _check_test(self)
        _check_loss(self)
        _check_options(self)
        object.__setattr__(self, "sampler", _sampler(self))
        object.__setattr__(self, "test", _test(self))
        if self.shape == ():
            _check_memory(self)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the grid: ``()`` for a single problem."""
        parts: list[Any] = [self.task, self.training, self.query, self.test_task]
        return common_shape(*{id(part): part for part in parts if part is not None}.values())

    @property
    def n0(self) -> int:
        """Samples in D0: α0 d, rounded, at least one; none where D0 is not needed nor given."""
        alpha0 = self.training.alpha0
        return 0 if alpha0 is None else max(1, round(alpha0 * self.d))

    @property
    def n1(self) -> int:
        """Samples in D1."""
        samples: int = max(1, round(self.training.alpha1 * self.d))
        return samples

    @property
    def joins(self) -> bool:
        """Whether the readout is trained on D0 ∪ D1."""
        baseline = self.data == "all" and self.model != "attention"
        return baseline or self.reuse == "all" or self.starts > 0

    @property
    def sharpness(self) -> float:
        """The inverse temperature of the softmax: β, or infinite with a query that is."""
        hard = self.query is not None and self.query.kappa == np.inf
        return np.inf if hard else float(self.training.beta)

    @property
    def n(self) -> int:
        """Samples the readout is trained on."""
        return self.n0 + self.n1 if self.joins else self.n0 if self.reuse == "D0" else self.n1

    @property
    def width(self) -> int:
        """Numbers the readout sees of each sample: as many as can matter."""
        if self.model != "vectorized":
            return self.d
        L: int = self.task.L
        d, n = self.d, self.n
        return L * d if self.sampler == "tokens" else L + min(n, L * (d - 1))

    @property
    def seconds(self) -> float:
        """Roughly how long a trial takes: 4 ns for a token's number, 50 ns for a feature's."""
        made = 0
        if self.sampler == "tokens":
            passes = self.n + (1 + self.query_steps) * self.n0 * (self.model == "attention")
            made = passes * self.task.L * self.d * (1 + 100 * self.starts)
        work = 5e-8 * self.n * self.width
        if get_loss(self.training.loss).kinked or self.training.ridge < 1e-3:
            work += 2e-9 * self.n * self.width * min(self.n, self.width)  # factorised systems
        return 4e-9 * made + work + 0.02

    @property
    def needed(self) -> int:
        """Roughly the bytes that a trial needs for blocks, features and solver."""
        L: int = self.task.L
        d, n, width = self.d, self.n, self.width
        block = 12 * max(1 << 20, L * d if self.sampler == "tokens" else L)
        block += 300 * L + (0 if self.noise.covariance is None else 32 * d * d)
        if self.test == "sampled":
            block += 24 * self.n_test
        if self.starts:
            return 2 * block + 4 * n * L * d
        # Flat tokens stay in single precision; a solver may keep copies of the features.
        size = 12 if self.model == "vectorized" and self.sampler == "tokens" else 16
        size += 24 * bool(self.training.ridge == 0.0)
        return block + size * n * width + 24 * min(n, width) ** 2

    @property
    def holds(self) -> bool:
        """Whether the query's data are kept in memory between steps: if there is room."""
        room: bool = self.needed + 4 * self.n0 * self.task.L * self.d <= self.memory
        return room

    def points(self) -> list[Setup]:
        """List the scalar problems of the grid, in C order."""
        shape = self.shape
        count = int(np.prod(shape, dtype=np.int64))
        queries: list[Any] = [None] * count if self.query is None else self.query.scalars(shape)
        parts = (one.scalars(shape) for one in (self.task, self.training, self.test_task))
        return [
            dataclasses.replace(self, task=t, training=r, test_task=s, query=q)
            for t, r, s, q in zip(*parts, queries, strict=True)
        ]

    def question(self, call: str, trials: int, seed: Any, names: tuple[str, ...]) -> Question:
        """Return what a call was asked, what it left open settled as it was."""
        options = {name: getattr(self, name) for name in names}
        if self.test_task is self.task:
            options.pop("test_task", None)
        return Question(
            call, self.task, self.training, {"d": self.d, "trials": trials, "seed": seed} | options
        )

    def stream(self, name: str) -> np.random.SeedSequence:
        """Return the stream of one of the things that a trial draws."""
        return child(self.seed, STREAMS.index(name))


def whole(name: str, value: Any, low: int, high: int = 10**9) -> int:
    """Return a single integer in low..high, or refuse it."""
    if np.ndim(value) or isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ValueError(f"{name} must be a single integer in {low}..{high}, got {value!r}")
    return int(integer(name, value, low, high))


def trial_count(trials: Any, shape: tuple[int, ...]) -> int:
    """Return the number of trials of each point of a grid, or refuse it; nothing is listed yet.

    Examples
    --------
    >>> trial_count(10**5, (3,))
    Traceback (most recent call last):
    ValueError: trials must be at most 100000 over all points, got 3 points of 100000 ...
    """
    count = whole("trials", trials, 1)
    points = math.prod(shape)
    if points * count > MOST_TRIALS:
        raise ValueError(
            f"trials must be at most {MOST_TRIALS} over all points, got {points} points of "
            f"{count} trials; ask for fewer, or for several runs with other seeds"
        )
    return count


def _check_noise(noise: Noise, d: int) -> None:
    if not isinstance(noise, Noise):
        raise ValueError(f"noise must be a needlescope.Noise, got {noise!r}")
    noise.check_dimension(d)


def _direction(signal: Any, d: int) -> FloatArray | None:
    if signal is None:
        return None
    unmasked("signal", signal)
    try:
        if np.iscomplexobj(signal):
            raise TypeError
        vector = np.asarray(signal, float)
    except (TypeError, ValueError):
        vector = np.zeros(0)
    if vector.shape != (d,) or not np.isfinite(vector).all() or not vector.any():
        given = repr(signal) if np.ndim(signal) == 0 else f"an array of shape {np.shape(signal)}"
        raise ValueError(
            f"signal must be a vector of d={d} finite numbers, not all of them zero, got {given}"
        )
    vector = vector / np.abs(vector).max()  # first, so that no square overflows
    unit: FloatArray = vector / np.linalg.norm(vector)
    return unit


def _check_test(setup: Setup) -> None:
    task, test = setup.task, setup.test_task
    if not isinstance(test, Task):
        raise ValueError(f"test_task must be a needlescope.Task, got {test!r}")
    common_shape(task, test)
    if setup.model == "vectorized" and np.any(np.asarray(test.L) != np.asarray(task.L)):
        raise ValueError(
            f"the vectorized model has one weight for each of its L={task.L} tokens and cannot be "
            f"tested at L={test.L}; give a test_task with the same L, or use pooled or attention"
        )


def _check_loss(setup: Setup) -> None:
    kinked = get_loss(setup.training.loss).kinked
    bare = bool(np.any(np.asarray(setup.training.ridge) == 0.0))
    if bare and (kinked or setup.starts):
        what = f"starts={setup.starts}" if setup.starts else f"loss={setup.training.loss!r}"
        raise ValueError(
            f"ridge must be above 0 with {what}: without it the minimiser need not be unique, "
            "or is at infinity; give a small one, such as 1e-4"
        )
    if kinked and setup.starts:
        raise ValueError(
            f"starts={setup.starts} needs a loss without kinks, got {setup.training.loss!r}; "
            "squared_hinge is one"
        )


def _check_options(setup: Setup) -> None:
    query, training = setup.query, setup.training
    if query is not None and not isinstance(query, Query):
        raise ValueError(f"query must be a needlescope.Query(kappa, cosine), got {query!r}")
    if query is not None and setup.model != "attention":
        raise ValueError(
            f"query is for model='attention', got {query!r} with model={setup.model!r}, which has "
            "none; leave it out"
        )
    if setup.model == "attention" and query is None:
        training.need_alpha0("the query is trained on D0")
    if setup.joins or setup.reuse == "D0":
        training.need_alpha0("the readout is trained on D0 too")
    for name, usual in (("reuse", "none"), ("starts", 0), ("query_steps", 1)):
        value = getattr(setup, name)
        if setup.model != "attention" and value != usual:
            raise ValueError(
                f"{name} is about attention's query, got {value!r} with model={setup.model!r}"
            )
    for name, usual in (("query_steps", 1), ("starts", 0)):
        value = getattr(setup, name)
        if query is not None and value != usual:
            raise ValueError(
                f"{name}={value} would train the query that is given as {query!r}; "
                "leave out one of the two"
            )
    if query is not None and setup.d == 1 and np.any(np.abs(np.asarray(query.cosine)) != 1.0):
        raise ValueError(f"a query's cosine can only be -1 or 1 in d=1, got {query.cosine!r}")
    if setup.reuse == "D0" and np.any(training.alpha0 != np.asarray(training.alpha1)):
        raise ValueError(
            f"reuse='D0' trains the readout on D0 again, so alpha1 must equal alpha0, got "
            f"alpha0={training.alpha0} and alpha1={training.alpha1}; reuse='all' takes both"
        )
    if setup.reuse != "none" and setup.starts:
        raise ValueError(
            f"starts={setup.starts} trains everything on D0 ∪ D1 already; leave reuse at 'none', "
            f"got {setup.reuse!r}"
        )


def _sampler(setup: Setup) -> str:
    """Settle on a sampler, or say why the reduced law does not serve."""
    beyond = {
        f"noise={setup.noise!r}": not setup.noise.standard,
        f"reuse={setup.reuse!r}": setup.reuse != "none",
        f"query_steps={setup.query_steps}": setup.query_steps != 1,
        f"starts={setup.starts}": setup.starts > 0,
        "a signal of your own": setup.signal is not None,
    }
    reasons = [reason for reason, present in beyond.items() if present]
    if setup.sampler == "reduced" and reasons:
        raise ValueError(
            "sampler='reduced' knows the law of the theory's own setting only, not with "
            f"{reasons[0]}; pass sampler='tokens'"
        )
    if setup.sampler == "auto":
        return "tokens" if reasons else "reduced"
    return setup.sampler


def _test(setup: Setup) -> str:
    gaussian = setup.noise.gaussian
    if setup.test == "exact" and not gaussian:
        raise ValueError(
            f"test='exact' integrates over Gaussian noise, got {setup.noise!r}; pass test='sampled'"
        )
    return ("exact" if gaussian else "sampled") if setup.test == "auto" else setup.test


def _check_memory(setup: Setup) -> None:
    if setup.needed > setup.memory:
        raise ValueError(
            f"{setup.n} samples of {setup.width} features need about {_bytes(setup.needed)}, above "
            f"memory={setup.memory} ({_bytes(setup.memory)}); lower d={setup.d} or alpha, "
            f"or pass memory={setup.needed}"
        )


def _bytes(count: int) -> str:
    return f"{count / (1 << 30):.3g} GiB" if count >= 1 << 29 else f"{count / (1 << 20):.3g} MiB"
