"""What a simulation is asked, checked before any work starts: a grid of problems."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Unpack

import numpy as np

from ..answer import Question
from ..arrays import FloatArray
from ..grid import check_kind, choice, common_shape, listed, unmasked, whole
from ..losses import get_loss
from ..models import ATTENTION, get_model
from ..models.checks import check_query, check_schedule, check_test
from ..noise import STANDARD, Noise
from ..task import Task
from ..training import DATA, Training
from .measures import REDUCED
from .options import HOW, Options
from .point import Point, Settings
from .training.reduced import FEATURES

REUSE = ("none", "D0", "all")
SAMPLERS = ("auto", "tokens", "reduced")
TESTS = ("auto", "exact", "sampled")
# Trials of all points of a call. They are listed before they run, in a third of a millisecond each,
# and their results take some 3 kB each: this is half a minute and a third of a gigabyte.
MOST_TRIALS = 100_000
ORTHOGONAL = 1e-9  # the largest cosine of vectors that count as orthogonal


@dataclass(frozen=True, eq=False)
class Asked(Settings):
    """A grid of problems: any numeric field of its task, training and query may be an array.

    Examples
    --------
    >>> import needlescope as ns
    >>> from needlescope.models import ATTENTION
    >>> task, training = ns.Task(4, 1, 3.0, 0.5), ns.Training(alpha0=2.0, alpha1=[1.0, 2.0])
    >>> asked = Asked(task, training, ATTENTION, 50, task)
    >>> asked.sampler, asked.test, [one.n for one in asked.points()]
    ('reduced', 'exact', [50, 100])
    """

    def __post_init__(self) -> None:
        """Refuse what is out of range or contradictory, and settle what was left open."""
        check_kind("task", self.task, Task)
        check_kind("training", self.training, Training)
        choice("data", self.data, DATA)
        choice("reuse", self.reuse, REUSE)
        choice("sampler", self.sampler, SAMPLERS)
        choice("test", self.test, TESTS)
        for name, low, high in (
            *(("d", 1, 10**6), ("starts", 0, 1000)),
            *(("n_test", 1, 10**9), ("memory", 1, 1 << 50)),
        ):
            object.__setattr__(self, name, whole(name, getattr(self, name), low, high))
        _check_dimension(self.task, self.d)
        object.__setattr__(self, "signal", _direction(self.signal, self.d, self.task))
        _check_noise(self.noise, self.d)
        check_test(self.model, self.task, self.test_task)
        _check_loss(self)
        _check_options(self)
        object.__setattr__(self, "sampler", _sampler(self))
        object.__setattr__(self, "test", _test(self))
        if self.shape == ():
            self.points()  # which looks at the memory that they need

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the grid: ``()`` for a single problem."""
        parts: list[Any] = [self.task, self.training, self.query, self.test_task]
        return common_shape(*{id(part): part for part in parts if part is not None}.values())

    def points(self) -> list[Point]:
        """List the scalar problems of the grid, in C order."""
        shape = self.shape
        count = int(np.prod(shape, dtype=np.int64))
        queries: list[Any] = [None] * count if self.query is None else self.query.scalars(shape)
        parts = (item.scalars(shape) for item in (self.task, self.training, self.test_task))
        shared = {field.name: getattr(self, field.name) for field in fields(Settings)}
        result = [
            Point(**shared | {"task": t, "training": r, "test_task": s, "query": q})
            for t, r, s, q in zip(*parts, queries, strict=True)
        ]
        for point in result:
            what = f"{point.n} samples of {point.width} features"
            check_memory(what, point.needed, point.memory, point.d)
        return result

    def question(self, call: str, trials: int, seed: Any, given: Options) -> Question:
        """Return what a call was asked, what it left open settled as it was."""
        options = {name: getattr(self, name) for name in given if name not in HOW}
        if self.test_task is self.task:
            options.pop("test_task", None)
        return Question(
            call, self.task, self.training, {"d": self.d, "trials": trials, "seed": seed} | options
        )


def ask(task: Task, training: Training, model: str, d: int, **options: Unpack[Options]) -> Asked:
    """Return what is asked, checked; options that say how the work is done are left aside."""
    chosen: dict[str, Any] = {k: v for k, v in options.items() if k == "memory" or k not in HOW}
    test, noise = chosen.pop("test_task", None), chosen.pop("noise", None)
    return Asked(
        task,
        training,
        get_model(model),
        d,
        task if test is None else test,
        noise=STANDARD if noise is None else noise,
        **chosen,
    )


def trial_count(trials: Any, shape: tuple[int, ...]) -> int:
    """Return the number of trials of each point of a grid, or refuse it; nothing is listed yet.

    Examples
    --------
    >>> trial_count(10**5, (3,))
    Traceback (most recent call last):
    ValueError: trials must be at most 100000 over all points, got 3 points of 100000 ...
    """
    count = whole("trials", trials, 1, 10**9)
    points = math.prod(shape)
    if points * count > MOST_TRIALS:
        raise ValueError(
            f"trials must be at most {MOST_TRIALS} over all points, got {points} points of "
            f"{count} trials; ask for fewer, or for several runs with other seeds"
        )
    return count


def _check_noise(noise: Noise, d: int) -> None:
    check_kind("noise", noise, Noise)
    noise.check_dimension(d)


def one_signal(what: str, task: Task) -> None:
    """Refuse what is no task, or one of several signals."""
    check_kind("task", task, Task)
    task.need_one_signal(what)


def _check_dimension(task: Task, d: int) -> None:
    if task.signals is not None and d <= task.kinds:
        raise ValueError(
            f"d must be above {task.kinds}, the number of orthogonal signals, to leave room for a "
            f"query beside them, got {d}"
        )


def _direction(signal: Any, d: int, task: Task) -> FloatArray | None:
    if signal is None:
        return None
    unmasked("signal", signal)
    if task.signals is not None:
        return _directions(signal, d, task.kinds)
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


def _directions(signal: Any, d: int, kinds: int) -> FloatArray:
    """Return given directions of several signals, rows of unit norm, or refuse them."""
    rows = listed("signal", signal, f"{kinds} vectors")
    if len(rows) != kinds:
        raise ValueError(f"signal must be {kinds} vectors, one for each signal, got {len(rows)}")
    item = Task(L=1, R=1, theta=0.0, pi=0.5)
    result = np.array([_direction(row, d, item) for row in rows])
    products = np.abs(result @ result.T - np.eye(kinds))
    if products.max() > ORTHOGONAL:
        k, other = np.unravel_index(products.argmax(), products.shape)
        raise ValueError(
            f"signal must be vectors that are orthogonal to each other, got a cosine of "
            f"{result[k] @ result[other]:.3g} between the vectors {k + 1} and {other + 1}"
        )
    return result


def _check_loss(asked: Asked) -> None:
    kinked = get_loss(asked.training.loss).kinked
    bare = bool(np.any(np.asarray(asked.training.ridge) == 0.0))
    if bare and (kinked or asked.starts):
        what = f"starts={asked.starts}" if asked.starts else f"loss={asked.training.loss!r}"
        raise ValueError(
            f"ridge must be above 0 with {what}: without it the minimiser need not be unique, "
            "or is at infinity; give a small one, such as 1e-4"
        )
    if kinked and asked.starts:
        raise ValueError(
            f"starts={asked.starts} needs a loss without kinks, got {asked.training.loss!r}; "
            "squared_hinge is one"
        )


def _check_options(asked: Asked) -> None:
    query, training = asked.query, asked.training
    check_query(asked.model, query, asked.task)
    check_schedule(asked.model, training, query)
    if asked.model.has_query and query is None:
        training.need_alpha0("the query is trained on D0")
    if asked.joins or asked.reuse == "D0":
        training.need_alpha0("the readout is trained on D0 too")
    if _trains(asked) or asked.joins or asked.reuse != "none":
        _check_batches(training, asked.d)
    for name, usual in (("reuse", "none"), ("starts", 0)):
        value = getattr(asked, name)
        if not asked.model.has_query and value != usual:
            raise ValueError(
                f"{name} is about attention's query, got {value!r} with model={asked.model.name!r}"
            )
    if asked.starts and asked.model is not ATTENTION:
        raise ValueError(
            f"starts={asked.starts} trains a softmax end to end, got model={asked.model.name!r}; "
            "use model='attention', or leave starts out"
        )
    if not asked.model.bounded and _more_steps(asked):
        raise ValueError(
            f"query_steps must be 1 with model={asked.model.name!r}, got {training.query_steps}: "
            "its first step is that of softmax, a second one is not; give a query instead"
        )
    if query is not None and asked.starts:
        raise ValueError(
            f"starts={asked.starts} would train the query that is given as {query!r}; "
            "leave out one of the two"
        )
    if query is not None and asked.d == 1 and np.any(np.abs(np.asarray(query.cosine)) != 1.0):
        raise ValueError(f"a query's cosine can only be -1 or 1 in d=1, got {query.cosine!r}")
    if asked.reuse == "D0" and np.any(training.alpha0 != np.asarray(training.alpha1)):
        raise ValueError(
            f"reuse='D0' trains the readout on D0 again, so alpha1 must equal alpha0, got "
            f"alpha0={training.alpha0} and alpha1={training.alpha1}; reuse='all' takes both"
        )
    if asked.reuse != "none" and asked.starts:
        raise ValueError(
            f"starts={asked.starts} trains everything on D0 ∪ D1 already; leave reuse at 'none', "
            f"got {asked.reuse!r}"
        )


def _check_batches(training: Training, d: int) -> None:
    """Refuse a schedule with less than a sample for a step: it would need more data than D0 has."""
    if training.schedule is None:
        return
    share, alpha0 = min(training.schedule.shares), float(np.min(training.alpha0))
    if share * alpha0 * d < 1.0 - 1e-9:
        raise ValueError(
            f"schedule.shares must give every step a sample: the smallest, {share:.3g} of "
            f"alpha0 * d = {alpha0 * d:.3g} samples, is {share * alpha0 * d:.2g}; raise d={d} or "
            "alpha0, or take fewer steps"
        )


def _sampler(asked: Asked) -> str:
    """Settle on a sampler, or say why the reduced law does not serve."""
    beyond = {
        f"noise={asked.noise!r}": not asked.noise.standard,
        f"reuse={asked.reuse!r}": asked.reuse != "none",
        f"query_steps={asked.training.query_steps}": _more_steps(asked),
        "a schedule": _trains(asked) and asked.training.schedule is not None,
        f"starts={asked.starts}": asked.starts > 0,
        "a signal of your own": asked.signal is not None,
        f"model={asked.model.name!r}": not {asked.model.name} <= FEATURES.keys() & REDUCED.keys(),
    }
    reasons = [reason for reason, present in beyond.items() if present]
    if asked.sampler == "reduced" and reasons:
        raise ValueError(
            "sampler='reduced' knows the law of the theory's own setting only, not with "
            f"{reasons[0]}; pass sampler='tokens'"
        )
    if asked.sampler == "auto":
        return "tokens" if reasons else "reduced"
    return asked.sampler


def _more_steps(asked: Asked) -> bool:
    """Whether a query is trained, by more than one step."""
    return _trains(asked) and bool(np.any(np.asarray(asked.training.query_steps) != 1))


def _trains(asked: Asked) -> bool:
    return asked.model.has_query and asked.query is None


def _test(asked: Asked) -> str:
    gaussian, known = asked.noise.gaussian, asked.model.name in REDUCED
    if asked.test == "exact" and not gaussian:
        raise ValueError(
            f"test='exact' integrates over Gaussian noise, got {asked.noise!r}; pass test='sampled'"
        )
    if asked.test == "exact" and not known:
        raise ValueError(
            f"test='exact' knows {', '.join(REDUCED)}, got model={asked.model.name!r}; pass "
            "test='sampled'"
        )
    return ("exact" if gaussian and known else "sampled") if asked.test == "auto" else asked.test


def check_memory(what: str, needed: int, memory: int, d: int) -> None:
    """Refuse what would need more bytes than may be used.

    Examples
    --------
    >>> check_memory("400 samples of 50 features", 1 << 30, 1 << 20, 50)
    Traceback (most recent call last):
    ValueError: 400 samples of 50 features need about 1 GiB, above memory=1048576 (1 MiB); ...
    """
    if needed > memory:
        raise ValueError(
            f"{what} need about {_bytes(needed)}, above memory={memory} ({_bytes(memory)}); lower "
            f"d={d} or alpha, or pass memory={needed}"
        )


def _bytes(count: int) -> str:
    return f"{count / (1 << 30):.3g} GiB" if count >= 1 << 29 else f"{count / (1 << 20):.3g} MiB"
