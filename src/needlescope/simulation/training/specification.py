"""What a simulation computes: the validated arguments of a call, a point of its grid, a trial."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...answer import Question
from ...arrays import MEMORY
from ...grid import common_shape
from ...losses import get_loss
from ...models import Model
from ...noise import STANDARD, Noise
from ...query import Query
from ...running.seeds import child
from ...task import Task
from ...training import Training

WHERE = ("random", "small", "informed")
"""Where joint training may start."""
STREAMS = ("signal", "D0", "D1", "query", "starts", "test")


@dataclass(frozen=True, eq=False)
class Specification:
    """The arguments of a call as `checks.specify` validates them; `simulate` describes each.

    Any numeric field of the task, training and query may be an array.

    Examples
    --------
    >>> import needlescope as ns
    >>> from needlescope.models import ATTENTION
    >>> task, training = ns.Task(4, 1, 3.0, 0.5), ns.Training(alpha0=2.0, alpha1=[1.0, 2.0])
    >>> spec = Specification(task, training, ATTENTION, 50, task)
    >>> spec.shape, [point.n for point in spec.points()]
    ((2,), [50, 100])
    """

    task: Task
    training: Training
    model: Model
    d: int
    test_task: Task
    query: Query | None = None
    data: str = "D1"
    reuse: str = "none"
    starts: int = 0
    start: str = WHERE[0]
    noise: Noise = STANDARD
    signal: Any = None
    sampler: str = "auto"
    test: str = "auto"
    n_test: int = 10_000
    memory: int = MEMORY
    whitening: str | None = None
    shrinkage: Any = "auto"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the grid: ``()`` for a single point."""
        parts: list[Any] = [self.task, self.training, self.query, self.test_task]
        return common_shape(*{id(part): part for part in parts if part is not None}.values())

    @property
    def joins(self) -> bool:
        """Whether the readout is trained on D0 ∪ D1."""
        baseline = self.data == "all" and not self.model.has_query
        return baseline or self.reuse == "all" or self.starts > 0

    @property
    def together(self) -> bool:
        """Whether query and readout are trained together, on D1 alone."""
        return self.training.is_joint and self.starts > 0

    @property
    def trains_query(self) -> bool:
        """Whether a query is trained, and not given."""
        return self.model.has_query and self.query is None

    @property
    def repeats_steps(self) -> bool:
        """Whether a query is trained by more than one step."""
        return self.trains_query and bool(np.any(np.asarray(self.training.query_steps) != 1))

    def points(self) -> list[GridPoint]:
        """List the points of the grid, in C order."""
        shape = self.shape
        count = int(np.prod(shape, dtype=np.int64))
        queries: list[Any] = [None] * count if self.query is None else self.query.scalars(shape)
        parts = (item.scalars(shape) for item in (self.task, self.training, self.test_task))
        return [
            GridPoint(replace(self, task=t, training=r, test_task=s, query=q))
            for t, r, s, q in zip(*parts, queries, strict=True)
        ]

    def question(self, call: str, trials: int, seed: Any, options: Iterable[str]) -> Question:
        """Return the arguments of a call by name, for its result, defaults resolved."""
        values = {name: getattr(self, name) for name in options}
        if self.task.noise is not None:
            values = {name: value for name, value in values.items() if name != "noise"}
        if self.test_task is self.task:
            values.pop("test_task", None)
        return Question(
            call, self.task, self.training, {"d": self.d, "trials": trials, "seed": seed} | values
        )


@dataclass(frozen=True, eq=False)
class GridPoint:
    """A point of a grid, whose specification has scalars only, and its sizes.

    Examples
    --------
    >>> import needlescope as ns
    >>> from needlescope.models import get_model
    >>> task, training = ns.Task(4, 1, 3.0, 0.5), ns.Training(alpha0=2.0, alpha1=1.0)
    >>> spec = Specification(task, training, get_model("vectorized"), 50, task, sampler="tokens")
    >>> point = GridPoint(spec)
    >>> point.n0, point.n, point.width
    (100, 50, 200)
    """

    spec: Specification

    @property
    def n0(self) -> int:
        """Samples in D0: α0 d, rounded, at least one; none where D0 is not needed nor given."""
        return sum(self.batches)

    @property
    def batches(self) -> tuple[int, ...]:
        """Samples in each part of D0: one part, or one for each step of a schedule."""
        alpha0, schedule = self.spec.training.alpha0, self.spec.training.schedule
        if alpha0 is None:
            return ()
        shares = (1.0,) if schedule is None else schedule.shares
        return tuple(max(1, round(share * alpha0 * self.spec.d)) for share in shares)

    @property
    def n1(self) -> int:
        """Samples in D1."""
        samples: int = max(1, round(self.spec.training.alpha1 * self.spec.d))
        return samples

    @property
    def n(self) -> int:
        """Samples that the readout is trained on."""
        if self.spec.joins:
            return self.n0 + self.n1
        return self.n0 if self.spec.reuse == "D0" else self.n1

    @property
    def beta(self) -> float:
        """The inverse temperature of the softmax; infinite if the given query's κ is."""
        query = self.spec.query
        hard = query is not None and query.kappa == np.inf
        return np.inf if hard else float(self.spec.training.beta)

    @property
    def width(self) -> int:
        """The number of features of a sample; with the reduced law, those that can matter."""
        spec = self.spec
        blocks = spec.model.weights(spec.task.L)
        if spec.sampler == "tokens" or not spec.model.fixed_length:
            return blocks * spec.d
        kinds: int = spec.task.kinds
        return blocks * kinds + min(self.n, blocks * (spec.d - kinds))

    @property
    def seconds(self) -> float:
        """A rough time of a trial: 4 ns for a token's number, 50 ns for a feature's."""
        spec, training, made = self.spec, self.spec.training, 0
        if spec.sampler == "tokens":
            passes = 1
            if training.schedule is None and not spec.together:
                passes += training.query_steps + training.balanced
            samples = self.n + passes * self.n0 * spec.model.has_query
            made = samples * spec.task.L * spec.d * (1 + 100 * spec.starts)
        work = 5e-8 * self.n * self.width
        if get_loss(training.loss).kinked or training.ridge < 1e-3:
            work += 2e-9 * self.n * self.width * min(self.n, self.width)  # factorised systems
        return 4e-9 * made + work + 0.02

    @property
    def needed(self) -> int:
        """Roughly the bytes that a trial needs for blocks, features and solver."""
        spec, n, width = self.spec, self.n, self.width
        L: int = spec.task.L
        block = 12 * max(1 << 20, L * spec.d if spec.sampler == "tokens" else L)
        block += 300 * L + (0 if spec.noise.covariance is None else 32 * spec.d * spec.d)
        if spec.test == "sampled":
            block += 24 * spec.n_test
        if spec.starts:
            return 2 * block + 4 * n * L * spec.d
        # Flat tokens stay in single precision; a solver may keep copies of the features.
        size = 12 if spec.model.fixed_length and spec.sampler == "tokens" else 16
        size += 24 * bool(spec.training.ridge == 0.0)
        return block + size * n * width + 24 * min(n, width) ** 2

    @property
    def holds(self) -> bool:
        """Whether there is room to keep the query's data in memory between steps."""
        spec = self.spec
        room: bool = self.needed + 4 * self.n0 * spec.task.L * spec.d <= spec.memory
        return room


@dataclass(frozen=True, eq=False)
class Trial:
    """One repetition of a grid point, by its seed."""

    point: GridPoint
    seed: np.random.SeedSequence

    @property
    def spec(self) -> Specification:
        """The specification of the point."""
        return self.point.spec

    def stream(self, name: str) -> np.random.SeedSequence:
        """Return the seed of one of the things that a trial draws."""
        return child(self.seed, STREAMS.index(name))
