"""Plans: leave out one of n, θ, L and the error, and get it.

Each learner is a forward function from a budget to an error (`learners`), and one inverter finds
the argument that is missing, in the limit of large d (`solve`). The plan then moves to where the
mean error at the given d meets the target (`finite`). `others` says what other learners need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..answer import Question
from ..grid import yes_or_no
from ..losses import Loss, get_loss
from ..noise import Noise
from ..results.planned import OtherLearner, Plan
from ..running.processes import Progress
from ..running.seeds import check_seed
from ..theory.common.arguments import check_tol
from ..theory.common.provenance import of_search
from ..theory.oracle.least_error import oracle
from ..training import Training
from .classifier import plan_classifier, study_options
from .finite import AtDimension, at_dimension
from .inverter import Root
from .learners import Learner, get_learner
from .others import check_others, names_of, other_learners
from .rare_events import rare_event_note
from .sentences import with_verdict
from .solve import Solution, limit_notes, solve
from .spec import PlanSpec, plan_spec
from .studies.measures import get_measure
from .studies.study import check_classifier
from .tuning.budget import Costs
from .tuning.joint import check_joint_loss, other_solution_note

TOL_SHARE = 0.01  # the largest tolerance, relative to a target
ANY_ERROR = 0.5  # of the constant answer's, where another measure has the target
STEPS = ("eta_w", "eta_b", "eta_q", "beta")


def plan(
    *,
    L: int | None = None,
    R: int = 1,
    theta: float | None = None,
    pi: float = 0.5,
    d: int | None = None,
    n: int | None = None,
    error: float | None = None,
    learner: Any = None,
    loss: str | Loss = "logistic",
    positives: int | None = None,
    costs: tuple[float, float] | None = None,
    spend: float | None = None,
    interval: bool = True,
    others: bool | Sequence[str] = True,
    tol: float = 5e-4,
    seed: Any = 0,
    noise: Noise | None = None,
    signal: Any = None,
    signals: int | Sequence[float] | None = None,
    lengths: Sequence[int] | None = None,
    measure: str = "error",
    target: float | None = None,
    specificity: float | None = None,
    assurance: float | None = None,
    seconds: float = 150.0,
    studies: int = 120,
    store: Any = None,
    n_jobs: int | None = None,
    engine: Any = None,
    progress: Progress = None,
) -> Plan:
    """Plan how much data an error needs, how strong a signal, among how many instances.

    Leave out exactly one of ``n``, ``theta``, ``L`` and ``error``: it is what is planned for. The
    plan is for a classifier that is fitted to simulated studies, or for a learner with a theory,
    by its name: its settings of training are the best for the data (`tune`), its error is the mean
    over data sets of this d, which a small simulation measures, and that of the limit of large d at
    fixed n/d is ``limit_error``. L is the largest whole number whose error is at most the target.

    Parameters
    ----------
    L : int, optional
        Instances in a bag.
    R : int, default 1
        How many of them carry the signal in a positive bag.
    theta : float, optional
        The signal's strength, in deviations of the noise.
    pi : float, default 0.5
        The share of positives among the bags met later; training has the same share,
        unless ``positives`` or ``costs`` say otherwise.
    d : int, required
        Features of an instance; effective ones, where features are correlated and ``noise`` does
        not say how.
    n : int, optional
        Bags to train on.
    error : float, optional
        The test error: above the Bayes error (of a known signal), below min(π, 1 − π), which
        needs no data.
    learner : classifier, "attention", "joint", "pooled", "vectorized", "bayes_optimal" or "amp", \
default AttentionClassifier()
        A classifier of bags with ``fit``, such as ``estimators.AttentionClassifier()``: it is
        fitted to simulated studies, and the plan is a `ClassifierPlan`. Or the name of a learner
        with a theory: one of three models, of which attention is trained by two steps
        ("attention") or end to end ("joint"; in white noise, and L up to 100 where it is left
        out), the Bayes-optimal learner, or approximate message passing (AMP).
    loss : str or Loss, default "logistic"
        The loss that is trained with; without kinks for "joint".
    positives : int, optional
        How many of the bags are positive, whatever n.
    costs : (float, float), optional
        What a positive and a negative bag cost, in place of n; the balance of classes is then the
        best (of a classifier, the best of the theory's, π and a half by a few studies of each). The
        bias of a classifier that was trained with another balance is moved; answers and
        probabilities of one of bags, which must have ``predict_proba``, are those of Bayes' rule.
    spend : float, optional
        With costs: what there is to spend, in place of n.
    interval : bool, default True
        Whether to measure the mean error and its range over data sets of this d, by a small
        simulation. A data set that cannot be trained on, as one of a single class, counts with the
        error of always answering the more frequent class. Without it, and for "bayes_optimal" and
        "amp", a plan is for the limit of large d, as its ``notes`` say.
    others : bool or sequence of str, default True
        Whether to compute what the other learners need or reach, or the names of those. True
        leaves out "joint", which takes longer than all others together, unless a plan for a
        classifier can have it in seconds; its line says how to ask.
    tol : float, default 5e-4
        Largest numerical error of the test error; at most a hundredth of a target. Of "joint",
        "bayes_optimal" and "amp" not below 1e-3, or a hundredth of min(π, 1 − π) where that is
        less.
    seed : default 0
        Of that simulation.
    noise, signal : optional
        As in `Task`: noise with a spectrum or a covariance, and the place of the signal in it. The
        classifiers see features as they are; for whitened ones plan for ``task.whitened``.
    signals : int or sequence of float, optional
        Of a classifier: how many orthogonal signals there are, of which each positive bag carries
        one; or the probability of each, as in `Task`. Lines of the theory are for one signal.
    lengths : sequence of int, optional
        Of a classifier, in place of L: numbers of instances that bags are drawn with, each as
        likely, such as those of your own bags, or ``range(20, 81)``. The classifier is given lists
        of arrays. Lines of the theory are for bags of the mean length.
    measure, target : str, default "error"; float
        Of a classifier: what the target is of. "auc", "balanced_accuracy", "log_loss" or
        "sensitivity" take a ``target`` in place of an ``error``.
    specificity : float, optional
        With "sensitivity": where it is measured.
    assurance : float, optional
        Of a classifier: the probability with which a study is to meet the target, such as 0.8; by
        default the mean is to meet it.
    seconds, studies : float, default 150; int, default 120
        What the search may use. It ends before a round that would go beyond, so with at least four
        studies.
    store : path, optional
        A file that keeps finished studies; a search with the same arguments goes on from it. It
        cannot see that the code of a classifier has changed: name another file then.
    n_jobs : int, optional
        How many processes studies are made in, one for each core by default. With an engine, how
        many studies are made at a time: four, unless told otherwise.
    engine : callable, optional
        Of a classifier: what makes its studies, in place of processes of this machine, such as
        ``dask("tcp://10.0.0.1:8786")`` of `needlescope.experiments.on_dask`.
    progress : bool or callable, optional
        As in `simulate`; it counts the studies done and allowed. What the theory says comes
        before the first study: it is written where progress is shown, and handed to
        ``progress.message`` if there is such a method.

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        If an argument is out of its range, if not exactly one is left out, if the target needs no
        data or is below the Bayes error.
    NotConverged
        If an error cannot be computed to the tolerance.

    Examples
    --------
    >>> import needlescope as ns
    >>> result = ns.plan(L=4, theta=4.0, d=100, error=0.2, learner="pooled", others=False)
    >>> result.unknown, result.training.loss, result.interval.low < 0.2 < result.interval.high
    ('n', 'logistic', True)
    """
    options = PlanOptions(loss, interval, others, tol, seed)
    options.check()
    named, numbers = isinstance(learner, str), (positives, costs, spend)
    if named:
        _check_only_studies(
            measure, target=target, specificity=specificity, assurance=assurance, store=store,
            signals=signals, lengths=lengths, engine=engine,
        )  # fmt: skip
    elif target is not None:
        if measure == "error" or error is not None:
            raise ValueError(
                "target goes with a measure other than 'error', whose target is error=; got "
                f"measure={measure!r}, target={target!r} and error={error!r}"
            )
        error = ANY_ERROR * min(float(pi), 1.0 - float(pi))  # so that it is not what is left out
    spec = plan_spec(
        L, R, theta, pi, d, n, error, learner if named else "bayes_optimal", *numbers,
        noise=noise, signal=signal, signals=signals, lengths=lengths,
        estimated=measure != "error",
    )  # fmt: skip
    if named:
        return make_plan(spec, options)
    chosen = get_measure(measure, spec.pi, specificity)
    check_classifier(learner, chosen, positives is not None or costs is not None)
    how = study_options(
        chosen, spec.error if measure == "error" else target, assurance, seconds, studies, store,
        n_jobs, progress, engine,
    )  # fmt: skip
    return plan_classifier(spec, learner, how, loss, others, seed)


def _check_only_studies(measure: str, **given: Any) -> None:
    """Refuse what belongs to a classifier's studies."""
    wrong = [name for name, value in given.items() if value is not None]
    wrong = ["measure"] * (measure != "error") + wrong
    if wrong:
        raise ValueError(
            f"{wrong[0]} goes with a classifier, whose studies are simulated; give "
            "learner=AttentionClassifier(), or leave it out"
        )


class PlanOptions(NamedTuple):
    """How a plan is made, whatever it is for: the parameters of `plan` of these names."""

    loss: str | Loss = "logistic"
    interval: bool = True
    others: bool | Sequence[str] = True
    tol: float = 5e-4
    seed: Any = 0

    def check(self) -> None:
        """Refuse options that are out of their range or of the wrong kind."""
        yes_or_no("interval", self.interval)
        check_others(self.others)
        get_loss(self.loss)
        check_tol(self.tol)
        check_seed(self.seed)


def make_plan(spec: PlanSpec, options: PlanOptions, root: Root | None = None) -> Plan:
    """Return the plan of a specification, from a rough root if there is one."""
    tol, loss = options.tol, options.loss
    if "joint" in (spec.learner, *names_of(options.others)):
        spec.check_joint()
        check_joint_loss(loss)
    if spec.error is not None:
        tol = min(tol, TOL_SHARE * spec.error)
    learner = get_learner(spec.learner, loss)
    solution = solve(spec, learner, tol, root)
    measured = at_dimension(spec, learner, solution, tol, options.seed, options.interval)
    others = other_learners(spec, learner, loss, options.others)
    return _build(spec, learner, measured, others, tol)


def _build(
    spec: PlanSpec,
    learner: Learner,
    measured: AtDimension,
    others: tuple[OtherLearner, ...],
    tol: float,
) -> Plan:
    result, reached = measured.solution, measured.solution.reached
    unreachable = reached is None
    task = spec.task(None if unreachable else result.at)
    training = None if reached is None else reached.training
    n, n0, n1 = _bags(spec, result)
    fields: dict[str, Any] = {
        **{"unknown": spec.unknown, "learner": learner.name, "n": n, "n0": n0, "n1": n1},
        **{"L": int(task.L) if not (unreachable and spec.unknown == "L") else 0, "R": int(task.R)},
        **{"theta": np.inf if unreachable and spec.unknown == "theta" else float(task.theta)},
        **{"pi": float(task.pi), "d": spec.d, "others": others, "interval": measured.interval},
        "floor": float(oracle(task, "bayes", tol=1e-3).error),
        **_errors(measured),
        **_class_counts(spec, measured, n),
    }
    if reached is not None:
        fields |= {"kappa": reached.kappa, "cosine_q": reached.cosine}
    if training is not None:
        fields |= {name: float(getattr(training, name)) for name in _settings_of(training)}
        fields["loss"] = get_loss(training.loss).name
    options = {**spec.given(), "learner": learner.name, "tol": tol}
    basis = reached.provenance if reached is not None else learner.label
    caveats = _caveats(spec, learner, result)
    answer = Plan(
        **fields,
        notes=(*limit_notes(spec, result), *measured.notes, *caveats),
        provenance=of_search(basis),
        question=Question("plan", task, training, options),
    )
    return with_verdict(answer, spec, learner.label)


def _settings_of(training: Training) -> tuple[str, ...]:
    """Return the names of the numbers that a training is set by."""
    return ("ridge", "ridge_q") if training.is_joint else ("ridge", *STEPS)


def _caveats(spec: PlanSpec, learner: Learner, result: Solution) -> tuple[str, ...]:
    """Say what of the limit is not to be trusted."""
    if result.reached is None:
        return ()
    if learner.name == "joint":
        return (*result.reached.notes, *other_solution_note(result.root.setting))
    return rare_event_note(spec, learner.model, result)


def _errors(measured: AtDimension) -> dict[str, float]:
    """Return the mean error at this d and that of the limit, with standard errors."""
    reached, interval = measured.solution.reached, measured.interval
    if reached is None:
        best, root = measured.solution.best, measured.solution.root
        return {"error": best, "error_se": np.nan, "limit_error": np.nan if root.reached else best}
    limit, limit_se = reached.error, reached.error_se
    error, error_se = limit, limit_se
    if interval is not None:
        error, error_se = interval.mean, float(np.hypot(limit_se, interval.mean_se))
    return {
        **{"error": error, "error_se": error_se},
        **{"limit_error": limit, "limit_error_se": limit_se},
    }


def _class_counts(spec: PlanSpec, measured: AtDimension, n: float) -> dict[str, float]:
    """Return how many bags are positive, and what all of them cost."""
    reached, costs = measured.solution.reached, spec.costs
    if reached is None:
        return {"positives": np.nan}
    only_positives = reached.training is None and costs is not None
    balance = 1.0 if only_positives else reached.balance
    result = {"positives": np.nan, "balance": balance, "shift": reached.shift}
    if np.isfinite(balance):
        result["positives"] = float(round(balance * n))
    if costs is not None:
        result["positives"] = _affordable(result["positives"], n, costs, spec.n)
        result["spend"] = costs.total(result["positives"], n)
    return result


def _affordable(positives: float, n: float, costs: Costs, most: float | None) -> float:
    """Return a whole number of positives among n bags that costs no more than there is."""
    if most is None or costs.total(positives, n) <= most * (1.0 + 1e-9):
        return positives
    fewer = positives - 1.0 if costs.positive > costs.negative else positives + 1.0
    return float(np.clip(fewer, 1.0, max(n - 1.0, 1.0)))


def _bags(spec: PlanSpec, result: Solution) -> tuple[float, float, float]:
    """Return n, n0 and n1 as whole numbers of bags.

    The Bayes-optimal learner learns from positives only, and all that there is to spend buys them.
    """
    training = None if result.reached is None else result.reached.training
    if training is not None:
        n0 = 0.0 if training.alpha0 is None else float(round(training.alpha0 * spec.d))
        whole = np.round if spec.costs is None else np.ceil if spec.unknown == "n" else np.floor
        n1 = float(whole(round(training.alpha1 * spec.d, 9)))  # no more than there is to spend
        return n0 + n1, n0, n1
    each = 1.0 if spec.costs is None else spec.costs.positive
    if spec.unknown == "n":
        return float(np.ceil(result.at / each - 1e-9)), np.nan, np.nan
    assert spec.n is not None
    return float(np.floor(spec.n / each + 1e-9)), np.nan, np.nan
