"""Validation of the arguments of a simulation, before any work starts."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import MEMORY, FloatArray, in_bytes
from ..grid import check_kind, choice, listed, single, unmasked, whole
from ..losses import PiecewiseQuadratic, get_loss
from ..models import ATTENTION, get_model
from ..models.checks import check_query, check_schedule, check_test
from ..noise import STANDARD, WHITENINGS, Noise
from ..query import Query
from ..task import Task
from ..training import DATA, Training
from .measures import REDUCED
from .training.reduced import FEATURES
from .training.specification import WHERE, GridPoint, Specification

REUSE = ("none", "D0", "all")
SAMPLERS = ("auto", "tokens", "reduced")
TESTS = ("auto", "exact", "sampled")
JOINT_STARTS = 2  # of joint training, where it is not said
# Trials of all points of a call. They are listed before they run, in a third of a millisecond each,
# and their results take some 3 kB each: this is half a minute and a third of a gigabyte.
MOST_TRIALS = 100_000
ORTHOGONAL = 1e-9  # the largest cosine of vectors that count as orthogonal


def specify(
    task: Task,
    training: Training,
    model: str,
    d: int,
    *,
    query: Query | None = None,
    test_task: Task | None = None,
    data: str = "D1",
    reuse: str = "none",
    starts: int | None = None,
    start: str = "random",
    noise: Noise | None = None,
    signal: Any = None,
    sampler: str = "auto",
    test: str = "auto",
    n_test: int = 10_000,
    memory: int = MEMORY,
    whitening: str | None = None,
    shrinkage: Any = "auto",
) -> Specification:
    """Return the arguments of a simulation, validated, ``"auto"`` replaced by what it chooses.

    ``starts`` is None where a call trains nothing end to end.

    Examples
    --------
    >>> import needlescope as ns
    >>> task, training = ns.Task(4, 1, 3.0, 0.5), ns.Training(alpha0=2.0, alpha1=[1.0, 2.0])
    >>> spec = specify(task, training, "attention", 50)
    >>> spec.sampler, spec.test
    ('reduced', 'exact')
    """
    record = get_model(model)
    check_kind("task", task, Task)
    check_kind("training", training, Training)
    choice("data", data, DATA)
    choice("reuse", reuse, REUSE)
    choice("sampler", sampler, SAMPLERS)
    choice("test", test, TESTS)
    choice("start", start, WHERE)
    check_whitening(whitening, shrinkage, task, test_task, noise)
    if whitening == "known":
        task, whitening = task.whitened, None
        test_task = None if test_task is None else test_task.whitened
    d, given = whole("d", d, 1, 10**6), whole("starts", 0 if starts is None else starts, 0, 1000)
    joint = training.is_joint and record.has_query and starts is not None
    usual = 1 if start == "informed" else JOINT_STARTS
    starts = given or usual if joint else given
    n_test, memory = whole("n_test", n_test, 1, 10**9), whole("memory", memory, 1, 1 << 50)
    _check_dimension(task, d)
    _check_noise(task, noise, signal)
    signal = _direction(signal, d, task)
    test_task = task if test_task is None else test_task
    noise = (task.noise or STANDARD) if noise is None else noise
    check_kind("noise", noise, Noise)
    noise = noise.at_dimension(d)
    check_test(record, task, test_task)
    spec = Specification(
        task, training, record, d, test_task, query, data, reuse, starts, start, noise, signal,
        sampler, test, n_test, memory, whitening, shrinkage,
    )  # fmt: skip
    _check_loss(spec)
    _check_options(spec)
    spec = replace(spec, sampler=_sampler(spec), test=_test(spec))
    if spec.shape == ():
        checked_points(spec)
    return spec


def check_whitening(
    whitening: Any, shrinkage: Any, task: Task, test_task: Task | None, noise: Noise | None
) -> None:
    """Refuse a whitening that is none, or does not go with the task."""
    estimated = whitening not in (None, "known")
    if not estimated and shrinkage != "auto":
        raise ValueError(
            f"shrinkage belongs to an estimated whitening, got {shrinkage!r} without one"
        )
    if whitening is None:
        return
    choice("whitening", whitening, WHITENINGS)
    if isinstance(shrinkage, str):
        choice("shrinkage", shrinkage, ("auto",))
    else:
        single("shrinkage", shrinkage, 0.0, 1.0, open_low=True)
    task.need_one_signal("whitening")
    if estimated:
        task.need_one_noise(f"whitening={whitening!r}")
    if noise is not None:
        raise ValueError(
            f"whitening={whitening!r} is of the noise of the task, got noise={noise!r} beside it; "
            "give it as Task(noise=...)"
        )
    if estimated and test_task is not None:
        raise ValueError(
            f"whitening={whitening!r} tests on the task that it is estimated from, got a "
            "test_task; leave it out"
        )


def checked_points(spec: Specification) -> list[GridPoint]:
    """List the points of the grid, or refuse one that needs more memory than allowed."""
    points = spec.points()
    for point in points:
        what = f"{point.n} samples of {point.width} features"
        check_memory(what, point.needed, spec.memory, spec.d)
    return points


def trial_count(trials: Any, shape: tuple[int, ...]) -> int:
    """Return the number of trials of each point of a grid, or refuse it.

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


def _check_noise(task: Task, noise: Noise | None, signal: Any) -> None:
    """Refuse a noise or a signal of the simulation's own where the task has one."""
    for name, given in (("noise", noise), ("signal", signal)):
        if given is not None and task.noise is not None:
            raise ValueError(
                f"{name} must be left out where the task says it, got a task with "
                f"noise={task.noise!r} and signal={task.signal!r:.80}"
            )


def _check_dimension(task: Task, d: int) -> None:
    if task.signals is not None and d <= task.kinds:
        raise ValueError(
            f"d must be above {task.kinds}, the number of orthogonal signals, to leave room for a "
            f"query beside them, got {d}"
        )


def _direction(signal: Any, d: int, task: Task) -> FloatArray | None:
    """Return a given signal as unit vectors, a row each if there are several, or refuse it."""
    if signal is None:
        return None
    unmasked("signal", signal)
    return _unit(signal, d) if task.signals is None else _units(signal, d, task.kinds)


def _unit(signal: Any, d: int) -> FloatArray:
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


def _units(signal: Any, d: int, kinds: int) -> FloatArray:
    rows = listed("signal", signal, f"{kinds} vectors")
    if len(rows) != kinds:
        raise ValueError(f"signal must be {kinds} vectors, one for each signal, got {len(rows)}")
    result = np.array([_unit(row, d) for row in rows])
    products = np.abs(result @ result.T - np.eye(kinds))
    if products.max() > ORTHOGONAL:
        k, other = np.unravel_index(products.argmax(), products.shape)
        raise ValueError(
            f"signal must be vectors that are orthogonal to each other, got a cosine of "
            f"{result[k] @ result[other]:.3g} between the vectors {k + 1} and {other + 1}"
        )
    return result


def _check_loss(spec: Specification) -> None:
    kinked = get_loss(spec.training.loss).kinked
    bare = bool(np.any(np.asarray(spec.training.ridge) == 0.0))  # joint training has refused both
    if bare and (kinked or spec.starts):
        what = f"starts={spec.starts}" if spec.starts else f"loss={spec.training.loss!r}"
        raise ValueError(
            f"ridge must be above 0 with {what}: without it the minimiser need not be unique, "
            "or is at infinity; give a small one, such as 1e-4"
        )
    rounds = isinstance(get_loss(spec.training.loss), PiecewiseQuadratic)
    if kinked and spec.starts and not rounds:
        raise ValueError(
            f"starts={spec.starts} needs a loss without kinks, or a PiecewiseQuadratic, whose "
            f"kinks it can round, got {spec.training.loss!r}"
        )


def _check_options(spec: Specification) -> None:
    query, training = spec.query, spec.training
    check_query(spec.model, query, spec.task)
    check_schedule(spec.model, training, query)
    if spec.model.has_query and query is None and not spec.together:
        training.need_alpha0("the query is trained on D0")
    if (spec.joins or spec.reuse == "D0") and not spec.together:
        training.need_alpha0("the readout is trained on D0 too")
    if spec.trains_query or spec.joins or spec.reuse != "none":
        _check_batches(training, spec.d)
    for name, usual in (("reuse", "none"), ("starts", 0)):
        value = getattr(spec, name)
        if not spec.model.has_query and value != usual:
            raise ValueError(
                f"{name} is about attention's query, got {value!r} with model={spec.model.name!r}"
            )
    what = "joint training" if spec.together else f"starts={spec.starts}"
    if spec.starts and spec.model is not ATTENTION:
        raise ValueError(
            f"{what} trains a softmax end to end, got model={spec.model.name!r}; "
            f"use model='attention', or leave {'ridge_q' if spec.together else 'starts'} out"
        )
    if not spec.model.bounded and spec.repeats_steps:
        raise ValueError(
            f"query_steps must be 1 with model={spec.model.name!r}, got {training.query_steps}: "
            "its first step is that of softmax, a second one is not; give a query instead"
        )
    if query is not None and spec.starts:
        raise ValueError(
            f"{what} would train the query that is given as {query!r}; leave out one of the two"
        )
    if query is not None and spec.d == 1 and np.any(np.abs(np.asarray(query.cosine)) != 1.0):
        raise ValueError(f"a query's cosine can only be -1 or 1 in d=1, got {query.cosine!r}")
    if spec.reuse == "D0" and np.any(training.alpha0 != np.asarray(training.alpha1)):
        raise ValueError(
            f"reuse='D0' trains the readout on D0 again, so alpha1 must equal alpha0, got "
            f"alpha0={training.alpha0} and alpha1={training.alpha1}; reuse='all' takes both"
        )
    if spec.start == "informed" and spec.starts > 1:
        raise ValueError(
            f"starts must be 1 with start='informed', which is one place, got {spec.starts}"
        )
    if spec.start != WHERE[0] and not spec.together:
        raise ValueError(
            f"start is about joint training, got {spec.start!r} without a ridge_q; leave it out"
        )
    if spec.reuse != "none" and spec.starts:
        raise ValueError(
            f"{what} trains everything on {'all data' if spec.together else 'D0 ∪ D1'} already; "
            f"leave reuse at 'none', got {spec.reuse!r}"
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


def _sampler(spec: Specification) -> str:
    """Return the sampler, or say why the reduced law does not apply."""
    beyond = {
        f"noise={spec.noise!r}": not spec.noise.standard,
        f"whitening={spec.whitening!r}": spec.whitening is not None,
        f"reuse={spec.reuse!r}": spec.reuse != "none",
        f"query_steps={spec.training.query_steps}": spec.repeats_steps,
        "a schedule": spec.trains_query and spec.training.schedule is not None,
        f"starts={spec.starts}": spec.starts > 0,
        "a signal of your own": spec.signal is not None,
        f"model={spec.model.name!r}": not {spec.model.name} <= FEATURES.keys() & REDUCED.keys(),
    }
    reasons = [reason for reason, present in beyond.items() if present]
    if spec.sampler == "reduced" and reasons:
        raise ValueError(
            "sampler='reduced' supports the theory's own setting only, not with "
            f"{reasons[0]}; pass sampler='tokens'"
        )
    if spec.sampler == "auto":
        return "tokens" if reasons else "reduced"
    return spec.sampler


def _test(spec: Specification) -> str:
    gaussian, has_law = spec.noise.gaussian, spec.model.name in REDUCED
    if spec.task.signal_noise is not None:
        if spec.test == "exact":
            raise ValueError(
                "test='exact' integrates over tokens of one noise, got "
                f"signal_noise={spec.task.signal_noise!r}; pass test='sampled'"
            )
        return "sampled"
    if spec.test == "exact" and not gaussian:
        raise ValueError(
            f"test='exact' integrates over Gaussian noise, got {spec.noise!r}; pass test='sampled'"
        )
    if spec.test == "exact" and not has_law:
        raise ValueError(
            f"test='exact' supports {', '.join(REDUCED)}, got model={spec.model.name!r}; pass "
            "test='sampled'"
        )
    return ("exact" if gaussian and has_law else "sampled") if spec.test == "auto" else spec.test


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
            f"{what} need about {in_bytes(needed)}, above memory={memory} ({in_bytes(memory)}); "
            f"lower d={d} or alpha, or pass memory={needed}"
        )
