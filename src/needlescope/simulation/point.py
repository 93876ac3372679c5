"""A problem to be simulated: its settings, one point of a grid with its sizes, one trial of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..losses import get_loss
from ..models import Model
from ..noise import STANDARD, Noise
from ..query import Query
from ..running.seeds import child
from ..task import Task
from ..training import Training

MEMORY = 1 << 30
STREAMS = ("signal", "D0", "D1", "query", "starts", "test")


@dataclass(frozen=True, eq=False)
class Settings:
    """What is trained on what, and how; `simulate` says what each field means."""

    task: Task
    training: Training
    model: Model
    d: int
    test_task: Task
    query: Query | None = None
    data: str = "D1"
    reuse: str = "none"
    starts: int = 0
    noise: Noise = STANDARD
    signal: Any = None
    sampler: str = "auto"
    test: str = "auto"
    n_test: int = 10_000
    memory: int = MEMORY

    @property
    def joins(self) -> bool:
        """Whether the readout is trained on D0 ∪ D1."""
        baseline = self.data == "all" and not self.model.has_query
        return baseline or self.reuse == "all" or self.starts > 0


@dataclass(frozen=True, eq=False)
class Point(Settings):
    """A single problem: every number is one number. It knows how large it is.

    Examples
    --------
    >>> import needlescope as ns
    >>> from needlescope.models import get_model
    >>> task, training = ns.Task(4, 1, 3.0, 0.5), ns.Training(alpha0=2.0, alpha1=1.0)
    >>> point = Point(task, training, get_model("vectorized"), 50, task, sampler="tokens")
    >>> point.n0, point.n, point.width
    (100, 50, 200)
    """

    @property
    def n0(self) -> int:
        """Samples in D0: α0 d, rounded, at least one; none where D0 is not needed nor given."""
        return sum(self.batches)

    @property
    def batches(self) -> tuple[int, ...]:
        """Samples in each part of D0: one part, or one for each step of a schedule."""
        alpha0, schedule = self.training.alpha0, self.training.schedule
        if alpha0 is None:
            return ()
        shares = (1.0,) if schedule is None else schedule.shares
        return tuple(max(1, round(share * alpha0 * self.d)) for share in shares)

    @property
    def n1(self) -> int:
        """Samples in D1."""
        samples: int = max(1, round(self.training.alpha1 * self.d))
        return samples

    @property
    def n(self) -> int:
        """Samples the readout is trained on."""
        return self.n0 + self.n1 if self.joins else self.n0 if self.reuse == "D0" else self.n1

    @property
    def sharpness(self) -> float:
        """The inverse temperature of the softmax: β, or infinite with a query that is."""
        hard = self.query is not None and self.query.kappa == np.inf
        return np.inf if hard else float(self.training.beta)

    @property
    def width(self) -> int:
        """Numbers the readout sees of each sample: as many as can matter."""
        many = self.model.weights(self.task.L)
        if self.sampler == "tokens" or not self.model.fixed_length:
            return many * self.d
        kinds: int = self.task.kinds
        return many * kinds + min(self.n, many * (self.d - kinds))

    @property
    def seconds(self) -> float:
        """Roughly how long a trial takes: 4 ns for a token's number, 50 ns for a feature's."""
        made = 0
        if self.sampler == "tokens":
            looks = 1
            if self.training.schedule is None:
                looks += self.training.query_steps + self.training.balanced
            passes = self.n + looks * self.n0 * self.model.has_query
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
        size = 12 if self.model.fixed_length and self.sampler == "tokens" else 16
        size += 24 * bool(self.training.ridge == 0.0)
        return block + size * n * width + 24 * min(n, width) ** 2

    @property
    def holds(self) -> bool:
        """Whether the query's data are kept in memory between steps: if there is room."""
        room: bool = self.needed + 4 * self.n0 * self.task.L * self.d <= self.memory
        return room

    def trial(self, seed: np.random.SeedSequence) -> Trial:
        """Return one repetition of this problem."""
        return Trial(**vars(self), seed=seed)


@dataclass(frozen=True, eq=False)
class Trial(Point):
    """A point and the seed of one repetition of it."""

    seed: np.random.SeedSequence = field(kw_only=True)

    def stream(self, name: str) -> np.random.SeedSequence:
        """Return the stream of one of the things that a trial draws."""
        return child(self.seed, STREAMS.index(name))
