"""More bags, or more instances in each: the cheapest of both for a target, at a price each.

Positive bags have the signal at a constant rate, so that more instances show more of it. A learner
with a theory is searched by its rough forward function (`designs`), and with ``interval`` by plans
around the best of these; a classifier is planned for by studies at the theory's best R, half of it
and twice as many.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...answer import Question
from ...grid import choice, real, single, whole, yes_or_no
from ...losses import Loss
from ...noise import Noise
from ...results.planned import BagsOrInstances, Design, Plan
from ...running.processes import Progress
from ...theory.oracle.least_error import oracle
from .. import LEARNERS
from ..classifier import MOST_NUMBERS, study_options
from ..learners import get_learner
from ..plan import PlanOptions, make_plan, plan
from ..solve import LARGEST_L, LEAST_OF_CLASS
from ..spec import PlanSpec, plan_spec
from ..studies.measures import get_measure
from ..studies.search import LEAST_STUDIES
from ..studies.study import check_classifier
from .search import Designs, Prices, fewest_bags, first_R, least, length
from .verdict import notes_of, sentences

SUPPORTED = tuple(name for name in LEARNERS if name != "joint")
MOST_WALKED = 8  # plans around the best, at the most


def bags_or_instances(
    *,
    L: int,
    R: int = 1,
    theta: float,
    pi: float = 0.5,
    d: int,
    prices: tuple[float, float],
    error: float | None = None,
    spend: float | None = None,
    longest: int = LARGEST_L,
    learner: Any = "attention",
    loss: str | Loss = "logistic",
    interval: bool = False,
    tol: float = 5e-4,
    seed: Any = 0,
    noise: Noise | None = None,
    signal: Any = None,
    seconds: float = 150.0,
    studies: int = 120,
    store: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> BagsOrInstances:
    """Find how many bags to collect, and how many instances of each to read, at a price each.

    A positive bag of L instances has R of them with the signal, a constant rate: of twice as many
    instances twice as many have it. The answer is the cheapest L and n for a target ``error``, or,
    with ``spend``, the least error that it buys. As long as that rate holds, more instances in
    fewer bags are cheaper, so that the answer is often at an end, as its ``notes`` say: all the
    instances that there are, or the fewest bags that are planned for.

    Parameters
    ----------
    L : int
        Instances in a bag, for the rate. Those of the answer are in proportion to its R, rounded.
    R : int, default 1
        How many of them carry the signal in a positive bag. That of the answer is 1, 2, 3, …
    theta : float
        The signal's strength, in deviations of the noise.
    pi : float, default 0.5
        The share of positives.
    d : int
        Features of an instance.
    prices : (float, float)
        What a bag costs, and what each of its instances costs on top.
    error : float, optional
        The target; or give ``spend``.
    spend : float, optional
        What there is to spend, for the least error.
    longest : int, default 100,000
        The most instances that a bag has.
    learner : classifier, "attention", "pooled", "vectorized", "bayes_optimal" or "amp", \
default "attention"
        As in `plan`.
    loss : str or Loss, default "logistic"
        The loss that is trained with.
    interval : bool, default False
        Whether to plan with the mean error at this d, which a small simulation measures, for the
        best and its neighbours. Without it all is in the limit of large d, where few bags look
        better than they are.
    tol : float, default 5e-4
        As in `plan`, of the plan at the answer.
    seed : default 0
        Of that simulation, or of a classifier's studies.
    noise, signal : optional
        As in `plan`.
    seconds, studies, store, n_jobs, progress : optional
        As in `plan`, of a classifier's studies, at three lengths together.

    Returns
    -------
    BagsOrInstances

    Raises
    ------
    ValueError
        If an argument is out of its range, or if the target is below the Bayes error of the longest
        bags.

    Examples
    --------
    >>> import needlescope as ns
    >>> result = ns.bags_or_instances(L=10, R=1, theta=4.0, d=50, error=0.2, learner="pooled",
    ...                               prices=(20.0, 1.0), longest=60)
    >>> result.L, result.R, result.spend == result.n * (20.0 + result.L)
    (60, 6, True)
    """
    named = isinstance(learner, str)
    if named:
        choice("learner", learner, SUPPORTED)
    yes_or_no("interval", interval)
    PlanOptions(loss, interval, False, tol, seed).check()
    spec, price = _spec(L, R, theta, pi, d, error, spend, prices, learner if named else None,
                        noise, signal)  # fmt: skip
    if not named:
        measure = get_measure("error", spec.pi)
        check_classifier(learner, measure)
        study_options(measure, error, None, seconds, studies, store, n_jobs, progress)
    most = _most_R(spec, price, spend, whole("longest", longest, spec.L or 1, LARGEST_L))
    rate = spec.R / float(spec.L or 1)
    if not named:
        room = MOST_NUMBERS // (2 * d * int(np.ceil(LEAST_OF_CLASS / min(spec.pi, 1.0 - spec.pi))))
        most = max(min(most, int(room * rate)), 1)
    _check_reachable(spec, most, rate)
    search = Designs(spec, get_learner(spec.learner, loss), rate, price, spend)
    best = least(search.at, first_R(search, most), most)
    search.at(spec.R) if most >= spec.R else None  # what was asked about, to compare with

    def named_plan(at: int) -> Plan:
        root = search.root(at) if at in search.tried else None
        options = PlanOptions(loss, interval, False, tol, seed)
        return make_plan(_planned(search, at), options, root)

    def studied(at: int) -> Plan:
        there = _planned(search, at)
        return plan(
            L=there.L, R=there.R, theta=theta, pi=pi, d=d, error=error, learner=learner,
            n=None if there.n is None else int(there.n), loss=loss, others=False, seed=seed,
            noise=noise, signal=signal, seconds=max(seconds / 3.0, 1.0),
            studies=max(studies // 3, LEAST_STUDIES), store=store, n_jobs=n_jobs, progress=progress,
        )  # fmt: skip

    if named:
        plans = (
            _walk(named_plan, price, best, most, error) if interval else {best: named_plan(best)}
        )
    else:
        lengths = sorted({max(best // 2, 1), best, min(2 * best, most)})
        plans = {at: studied(at) for at in lengths if _reachable(search.spec_at(at))}
    return _build(search, plans, most, learner, named and not interval)


def _spec(
    L: Any, R: Any, theta: Any, pi: Any, d: Any, error: Any, spend: Any, prices: Any,
    learner: str | None, noise: Any, signal: Any,
) -> tuple[PlanSpec, Prices]:  # fmt: skip
    """Validate the arguments: a specification without n, and the prices."""
    for name, value in {"L": L, "theta": theta}.items():
        if value is None:
            raise ValueError(f"{name} must be given: bags_or_instances plans for L and n")
    if (error is None) == (spend is None):
        got = "neither" if error is None else "both"
        raise ValueError(f"give error, the target, or spend, what there is; got {got}")
    amounts = np.asarray(real("prices", prices, 0.0, np.inf, sense=(1e-9, 1e9)))
    if amounts.shape != (2,) or amounts[1] <= 0.0:
        raise ValueError(
            "prices must be two numbers, what a bag costs and what an instance, above 0, costs on "
            f"top; got {prices!r}"
        )
    price = Prices(*amounts.tolist())
    bags = None if spend is None else 4  # to be replaced: n is what the spend buys
    spec = plan_spec(
        L, R, theta, pi, d, bags, error, learner or "attention", noise=noise, signal=signal,
        estimated=True,
    )  # fmt: skip
    if spend is not None:
        money, bags_least = single("spend", spend, 0.0, sense=(1e-9, 1e18)), fewest_bags(spec)
        shortest = length(1, spec.R / float(spec.L or 1))
        if money < bags_least * price.of(shortest):
            raise ValueError(
                f"spend must be at least {bags_least * price.of(shortest):,.6g}, for {bags_least} "
                f"bags of {shortest} instances, {LEAST_OF_CLASS} of the rarer class; got {spend!r}"
            )
    return spec, price


def _most_R(spec: PlanSpec, prices: Prices, spend: float | None, longest: int) -> int:
    """Return the largest R: of the longest bags, or of the fewest that are all spent on."""
    rate = spec.R / float(spec.L or 1)
    if spend is not None:
        longest = min(
            longest, int((spend / fewest_bags(spec) - prices.bag) / prices.instance + 1e-9)
        )
    most = max(int(longest * rate + 1e-9), 1)
    while most > 1 and length(most, rate) > longest:
        most -= 1
    return most


def _check_reachable(spec: PlanSpec, most: int, rate: float) -> None:
    """Refuse a target below the Bayes error of the longest bags."""
    if spec.error is None:
        return
    task = replace(spec, L=length(most, rate), R=most).task()
    floor = float(oracle(task, "bayes", tol=min(1e-3, 0.1 * spec.error)).error)
    if spec.error <= floor:
        raise ValueError(
            f"error must be above {floor:.4g}, the Bayes error with {task.L:,} instances, the "
            f"longest bags: no classifier has a smaller one; got {spec.error:g}; ask for a larger "
            "one, or allow longer ones"
        )


def _reachable(spec: PlanSpec) -> bool:
    """Return whether the target, if there is one, is above the Bayes error."""
    return spec.error is None or float(oracle(spec.task(), "bayes").error) < spec.error


def _planned(search: Designs, R: int) -> PlanSpec:
    """Return the specification of a plan at R."""
    spec = search.spec_at(R)
    if search.spend is None:
        return spec
    assert spec.L is not None
    return replace(spec, n=float(np.floor(search.spend / search.prices.of(spec.L) + 1e-9)))


def _walk(
    planned: Callable[[int], Plan], prices: Prices, start: int, most: int, error: float | None
) -> dict[int, Plan]:
    """Plan around R, from one neighbour to the next, until both sides of the best are worse."""
    plans: dict[int, Plan] = {}

    def loss(R: int) -> float:
        result = plans[R]
        return result.n * prices.of(result.L) if error is not None else result.error

    for _ in range(MOST_WALKED):
        best = min(plans, key=loss) if plans else start
        step = max(round(0.2 * best), 1)
        around = [R for R in (best, best - step, best + step) if 1 <= R <= most and R not in plans]
        if not around:
            break
        plans[around[0]] = planned(around[0])
    return plans


def _build(
    search: Designs, plans: dict[int, Plan], most: int, learner: Any, in_limit: bool
) -> BagsOrInstances:
    """Return the result, the best of the plans; rough designs beside it if it is of the limit."""
    spec, prices, with_target = search.spec, search.prices, search.spend is None
    rough = {R: tried.design for R, tried in search.tried.items()}
    fine = {R: _design(result, prices) for R, result in plans.items()}

    def loss(R: int) -> tuple[float, int]:
        return (fine[R].spend if with_target else fine[R].error), R

    best = min(fine, key=loss)
    result = plans[best]
    named = isinstance(learner, str)
    designs = tuple(value for _, value in sorted((rough | fine if in_limit else fine).items()))
    label = LEARNERS[learner] if named else type(learner).__name__
    notes = notes_of(search, fine, best, most)
    answer = BagsOrInstances(
        learner=result.learner, L=fine[best].L, R=best, n=result.n, spend=fine[best].spend,
        error=result.error, error_se=result.error_se, theta=float(spec.theta or 0.0), pi=spec.pi,
        d=spec.d, prices=(prices.bag, prices.instance), designs=designs, plan=result,
        notes=(*notes, *result.notes), provenance=result.provenance,
        question=Question(
            "bags_or_instances", spec.task(), None,
            {"d": spec.d, "error": spec.error, "spend": search.spend, "learner": result.learner},
        ),
    )  # fmt: skip
    text = [*sentences(answer, label, spec), *answer.notes]
    return replace(answer, verdict=" ".join(text))


def _design(result: Plan, prices: Prices) -> Design:
    """Return what was planned as a design, with the interval of a classifier's plan."""
    price = prices.of(result.L)
    low, high = (getattr(result, name, np.nan) * price for name in ("low", "high"))
    return Design(result.L, result.R, result.n, result.n * price, result.error, low, high)
