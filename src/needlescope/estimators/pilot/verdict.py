"""The plan of a pilot from its answers: numbers of the one to believe, and all in sentences."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from ...answer import Question
from ...planning.expected.classifier_errors import bayes_error
from ...planning.learners import get_learner
from ...planning.others import other_learners
from ...planning.plan import PlanOptions
from ...planning.sentences import capitalised
from ...results.planned import OtherLearner, PilotAnswer, PilotPlan, Plan
from .answers import LABELS, answer_of, believed, measured_by, reason, worth
from .curves import FARTHEST
from .gather import Gathered, Target, spec_of
from .parts import errors_of_parts
from .studies import MOST_TIMES

PROTOCOL = (
    *("n0", "n1", "kappa", "cosine_q", "ridge", "ridge_q", "eta_w", "eta_b", "eta_q", "beta"),
    *("balance", "spend", "limit_error", "limit_error_se", "error_se", "positives"),
)
"""Fields of a `Plan` that belong to a training of the theory."""


def built(
    found: Gathered, target: Target, classifier: Any, named: str | None, options: PlanOptions
) -> PilotPlan:
    """Return the plan."""
    own = found.curves.get("curve")
    answers = []
    for method, curves in found.curves.items():
        answer = answer_of(
            method, curves, (target.amount, target.error), own, found.size, found.measure
        )
        if method == "task" and found.plan is not None:
            answer = _with_plan(answer, found.plan, target)
        answers.append(answer)
    measured = errors_of_parts(found.tested) if found.tested else {}
    seen = None if own is None else measured_by(own, found.size, found.measure)
    chosen = believed(answers, found.drifts)
    answer = next(item for item in answers if item.method == chosen)
    label = type(classifier).__name__ if named is None else get_learner(named).label
    unknown = "error" if target.error is None else "n"
    why = reason(answers, chosen, found.drifts, seen)
    notes = _notes(found, answers, answer, unknown)
    task = found.fitted.task
    values = _values(found, chosen)
    values |= {
        **{"unknown": unknown, "learner": named or label, "pi": found.pi, "bags": len(found.bags)},
        **{"L": int(task.L), "R": int(task.R) if found.has_task else 0, "d": found.bags.d},
        **{"theta": float(task.theta) if found.has_task else np.nan},
        "n": float(target.n or np.nan) if unknown == "error" else answer.value,
        "error": answer.value if unknown == "error" else float(target.error or np.nan),
        "floor": bayes_error(found.fitted.at()) if found.has_task else np.nan,
        "others": _others(found, target, named, options),
        "theta_se": float(found.fitted.theta_se) if found.has_task else np.nan,
        **{"low": answer.low, "high": answer.high, "answers": tuple(answers), "believed": chosen},
        **{"reason": why, "measured": measured, "notes": notes},
        "verdict": " ".join([*_sentences(label, target, answers, answer, why), *notes]),
        "provenance": f"pilot of {len(found.bags)} bags: {LABELS[chosen]}",
        "question": Question(
            "plan_from_pilot", task, None, {"n": target.n, "error": target.error, "learner": label}
        ),
    }
    return PilotPlan(**values)


def _with_plan(answer: PilotAnswer, plan: Plan, target: Target) -> PilotAnswer:
    """Give the answer of a learner with a theory the number of its plan."""
    value = plan.error if target.error is None else _amount(plan, target)
    if not np.isfinite(value):
        return answer._replace(value=np.inf, high=np.inf)
    return answer._replace(
        value=value, low=min(answer.low, value), high=max(answer.high, value)
    )  # fmt: skip


def _amount(plan: Plan, target: Target) -> float:
    return plan.n if target.costs is None else plan.spend


def _values(found: Gathered, chosen: str) -> dict[str, Any]:
    """Return the fields of the training that the theory plans for, if it is the one to believe."""
    values: dict[str, Any] = dict.fromkeys(PROTOCOL, np.nan)
    if found.plan is not None and chosen == "task":
        given = {field.name: getattr(found.plan, field.name) for field in fields(Plan)}
        values |= {name: given[name] for name in (*PROTOCOL, "loss", "shift", "interval")}
    return values


def _others(
    found: Gathered, target: Target, named: str | None, options: PlanOptions
) -> tuple[OtherLearner, ...]:
    """Return a line for each learner of the theory, in the estimated task."""
    if not found.has_task:
        return ()
    if found.plan is not None:
        return found.plan.others
    spec = spec_of(found.fitted, found.fitted.at(), target)
    try:
        return other_learners(
            replace(spec, learner="bayes_optimal"), None, options.loss, options.others
        )
    except ValueError:  # a target beyond what the estimated task has
        return ()


def _sentences(
    label: str, target: Target, answers: list[PilotAnswer], answer: PilotAnswer, why: str
) -> list[str]:
    """Say the answer to believe and why, then the others."""
    unknown = "error" if target.error is None else "n"
    ends = f"between {_end(answer.low, unknown)} and {_end(answer.high, unknown)} (nine of ten)"
    value = worth(answer.value, unknown, target.costs is not None)
    if unknown == "error":
        first = f"{label} trained on {_bags(target)} has a mean test error of {value}, {ends}"
    else:
        first = f"{label} needs {value}, {ends}, for a mean test error of {target.error:g}"
    result = [f"{capitalised(first)}, by {LABELS[answer.method]}: {why}."]
    for other in answers:
        if other.method != answer.method:
            value = worth(other.value, unknown, target.costs is not None)
            result.append(
                f"By {LABELS[other.method]}: {value} ({_end(other.low, unknown)} to "
                f"{_end(other.high, unknown)})."
                if other.value == other.value
                else f"By {LABELS[other.method]} there is no answer: the classifier failed."
            )
    return result


def _bags(target: Target) -> str:
    return f"{target.n:,} bags" if target.spend is None else f"bags for {target.spend:,.4g}"


def _end(value: float, unknown: str) -> str:
    if unknown == "error":
        return f"{value:.3g}"
    return f"{value:,.0f}" if np.isfinite(value) else "more than can be told"


def _notes(
    found: Gathered, answers: list[PilotAnswer], answer: PilotAnswer, unknown: str
) -> tuple[str, ...]:
    """Say what of the answers is not as it seems."""
    result, task = [], found.fitted.task
    if found.has_task:
        result.append(
            f"The pilot is like a task with L = {task.L}, R = {task.R} and "
            f"θ = {task.theta:.2f} ± {found.fitted.theta_se:.2f} in "
            f"{found.fitted.dimension:.0f} dimensions"
            + ("." if task.levels is None else ", in noise with a spectrum.")
        )
    else:
        what = "No task of the theory was found in the pilot"
        if task.theta > 0.0:
            what = (
                f"The strength of the signal in the pilot is not known (θ = {task.theta:.2g} ± "
                f"{found.fitted.theta_se:.2g})"
            )
        result.append(f"{what}: there is one answer.")
    if found.has_task and found.tested and "resampled" not in found.curves:
        result.append("Bags are too large for simulated studies of so many.")
    most = MOST_TIMES * len(found.bags)
    if unknown == "n" and np.isfinite(answer.value) and answer.value > most:
        result.append(f"More than {MOST_TIMES:g} times the bags of the pilot are an extrapolation.")
    if unknown == "n" and not np.isfinite(answer.value):
        result.append(f"Beyond {FARTHEST:g} times the bags of the pilot nothing is told.")
    if any(item.value != item.value for item in answers):
        result.append("The classifier failed on bags that were drawn.")
    return tuple(result)
