"""Sentences about a plan for a classifier: its verdict and its notes."""

from __future__ import annotations

import numpy as np

from ...results.planned import ClassifierPlan
from .balance import Race
from .drawn import Drawn
from .search import DEVIATION_TOL, Found

LEAST_SHIFT = 0.05  # of log odds, that is worth a sentence


def notes_of(
    unknown: str, drawn: Drawn, found: Found, least_of_class: int, seconds: float, studies: int
) -> tuple[str, ...]:
    """Say what of the answer is not as it seems: its limits, its budget, failures."""
    result = []
    least = drawn.least(least_of_class)
    if found.at_low_end:
        result.append(
            _least(drawn, least, least_of_class)
            if unknown == "n"
            else "Weaker signals were not tried."
            if unknown == "theta"
            else "Longer bags were not tried."
        )
    if found.spent:
        left = {"seconds": f"{seconds:g} seconds", "studies": f"{studies} studies"}
        result.append(
            f"The search ended with its {left[found.spent]}, before the answer was known to "
            f"{DEVIATION_TOL:.0%}."
            if unknown != "error"
            else f"The search ended with its {left[found.spent]}."
        )
    failed = [study for study in found.studies if np.isnan(study.value)]
    if failed:
        result.append(
            f"The classifier failed on {len(failed)} of {len(found.studies)} studies, "
            f"which are left out: {failed[0].failure}."
        )
    return tuple(result)


def theory_notes(
    signals: tuple[float, ...] | None, lengths: tuple[int, ...] | None
) -> tuple[str, ...]:
    """Say where the theory answers for another task than the studies have.

    >>> theory_notes(None, (20, 40))
    ('Bags have 20 to 40 instances; lines of the theory are for bags of the mean, 30.',)
    """
    result = []
    if signals is not None:
        result.append(
            f"A positive bag carries one of {len(signals)} signals; lines of the theory are for a "
            "single one."
        )
    if lengths is not None:
        result.append(
            f"Bags have {min(lengths):,} to {max(lengths):,} instances; lines of the theory are "
            f"for bags of the mean, {round(float(np.mean(lengths))):,}."
        )
    return tuple(result)


def _least(drawn: Drawn, least: float, of_class: int) -> str:
    """Say which budgets are too small to be tried."""
    if drawn.costs is not None:
        return f"To spend less than {least:,.4g}, {of_class} of the rarer class, was not tried."
    if drawn.positives is not None:
        return f"Fewer than {least:,.0f} bags, {2 * of_class} negatives, were not tried."
    return f"Fewer than {least:,.0f} bags, {of_class} of the rarer class, were not tried."


def race_notes(race: Race | None) -> tuple[str, ...]:
    """Say which shares of positives were compared, if any were."""
    if race is None or not race.studies:
        return ()
    *others, last = (f"{share:.3g}" for share in race.searches)
    return (
        f"Of shares of positives of {', '.join(others)} and {last}, {race.balance:.3g} was the "
        f"best at the same spend, in {race.studies} studies.",
    )


def sentences(result: ClassifierPlan) -> list[str]:
    """Say what is needed, how sure that is, and what studies scatter."""
    what = {"error": "test error", "auc": "AUC", "log_loss": "log loss"}.get(
        result.measure, result.measure.replace("_", " ")
    )
    assured = np.isfinite(result.assurance)
    given = _given(result)
    if result.unknown == "error":
        first = (
            f"{result.learner} trained on {given} has a mean {what} of "
            f"{result.error:.3g} ± {result.error_se:.1g}."
        )
        share = f"{result.assurance:.0%} of studies have {result.assured:.3g} or better."
        return [first, *[share] * bool(assured), _scatter(result, what), *_moved(result)]
    goal = (
        f"{result.assurance:.0%} of studies to have {_a(what)} of {result.target:g} or better"
        if assured
        else f"a mean {what} of {result.target:g}"
    )
    if not result.reached:
        most = f"where most was tried its mean {what} is {result.error:.3g}"
        return [f"{result.learner} was not seen to reach {goal}: {most}."]
    value = {
        "n": f"{given}, between {result.low:,.0f} and {result.high:,.0f}",
        "theta": f"a signal of strength {result.theta:.3g}, between {result.low:.3g} and "
        f"{result.high:.3g}",
        "L": f"at most {result.L:,} instances, between {result.low:,.0f} and {result.high:,.0f}",
    }[result.unknown]
    verb = "allows" if result.unknown == "L" else "needs"
    bags = f" with {given}" if result.unknown != "n" and result.shift else ""
    first = f"{result.learner} {verb} {value} (nine of ten),{bags} for {goal}."
    return [first, _scatter(result, what), *_moved(result)]


def _given(result: ClassifierPlan) -> str:
    """Say how many bags, how many are positive where that is chosen, and what they cost."""
    text = f"{result.n:,.0f} bags"
    if result.shift or np.isfinite(result.spend):
        text += f", {result.positives:,.0f} of them positive"
    if np.isfinite(result.spend):
        spend = f"{result.spend:,.0f}" if result.spend >= 1e3 else f"{result.spend:.4g}"
        text += f", which cost {spend}"
    return text


def _moved(result: ClassifierPlan) -> tuple[str, ...]:
    """Say by how much log odds move, where training has another balance of classes."""
    return (f"Log odds move by {result.shift:.3g} after training, for later bags.",) * bool(
        result.shift
    )


def _scatter(result: ClassifierPlan, what: str) -> str:
    assert result.interval is not None
    return (
        f"Nine of ten studies have {_a(what)} between {result.interval.low:.3g} and "
        f"{result.interval.high:.3g} there."
    )


def _a(what: str) -> str:
    """Return a measure with its article.

    >>> _a("AUC"), _a("test error")
    ('an AUC', 'a test error')
    """
    return f"{'an' if what[0] in 'aeioA' else 'a'} {what}"
