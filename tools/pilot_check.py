"""Plans from pilots, put to the rest of their sets: ``make pilot-check ARGS="FOLDER"``.

FOLDER has sets of bags as .npz files with X (instances × features), bag (of each instance) and y
(0 or 1 for each bag). From each set random pilots are taken, with the same share of each class. The
three answers of `plan_from_pilot`, and the one that it believes, are compared with what the set
shows by subsampling: the mean error at twice and four times as many bags, over classifiers fitted
to random bags of the set and tested on all others; and the number of bags for an error, for that
measured at twice as many.

It reports how often the truth is in the interval that says nine of ten (an error of the truth of
its own is allowed for), and which answer is the nearest.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from needlescope.estimators import AttentionClassifier, Bags, PooledClassifier
from needlescope.estimators.pilot.answers import answer_of, believed
from needlescope.estimators.pilot.gather import How, Target, gather
from needlescope.planning.plan import PlanOptions
from needlescope.planning.studies.curve import noise_in_t, to_t
from needlescope.running.seeds import streams

CLASSIFIERS = {
    "attention": AttentionClassifier(),
    "quick": AttentionClassifier(effort="quick"),
    "pooled": PooledClassifier(),
}
TIMES = (2, 4)  # the pilot's bags
LEAST_TESTED = 60  # bags of a set that are left for tests
NINE_OF_TEN = 1.6449
METHODS = ("task", "resampled", "curve", "believed")


class Row(NamedTuple):
    """One answer about one pilot, beside the truth; errors as t, bags as logs."""

    data: str
    pilot: int
    asked: str
    method: str
    value: float
    low: float
    high: float
    truth: float
    truth_se: float

    @property
    def holds(self) -> bool:
        """Whether the truth is where it should be in nine of ten, its own error allowed for."""
        low, high = (
            np.sign(end - self.value) * np.hypot(end - self.value, NINE_OF_TEN * self.truth_se)
            for end in (self.low, self.high)
        )
        return bool(low <= self.truth - self.value <= high)


def take(signs: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return random bags, with the same share of each class."""
    parts = []
    for sign in (-1.0, 1.0):
        places = rng.permutation(np.flatnonzero(signs == sign))
        parts.append(places[: max(round(count * len(places) / len(signs)), 5)])
    return np.sort(np.concatenate(parts))


def truth_at(
    bags: Bags, signs: np.ndarray, classifier: Any, n: int, repeats: int, seed: int
) -> tuple[float, float]:
    """Return the mean error with n bags of a set, and its standard error."""
    errors = []
    for k in range(repeats):
        rng = np.random.default_rng([seed, n, k])
        known = take(signs, n, rng)
        rest = np.setdiff1d(np.arange(len(signs)), known)
        fitted = classifier.__class__(**{**classifier.get_params(), "random_state": k})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted.fit(bags[known], signs[known])
        errors.append(float((fitted.predict(bags[rest]) != signs[rest]).mean()))
    rest_size = len(signs) - n
    error = float(np.mean(errors))
    sampled = error * (1.0 - error) / len(signs)  # the set itself is a sample
    spread = float(np.var(errors, ddof=1)) / repeats
    return error, float(np.sqrt(spread + sampled * n / (n + rest_size)))


def main() -> None:
    """Take pilots, plan from them, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", nargs="*", help="names of sets; by default all")
    parser.add_argument("--bags", type=int, default=60, help="in a pilot")
    parser.add_argument("--pilots", type=int, default=6)
    parser.add_argument("--repeats", type=int, default=10, help="fits of the truth")
    parser.add_argument("--classifier", choices=tuple(CLASSIFIERS), default="attention")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=Path, help="add the answers to this file")
    given = parser.parse_args()
    classifier, rows = CLASSIFIERS[given.classifier], []
    seconds: list[float] = []
    for path in sorted(given.folder.glob("*.npz")):
        if given.sets and path.stem not in given.sets:
            continue
        rows += check(path, classifier, given, seconds)
    summarise(rows)
    print(f"a plan's answers took {np.median(seconds):.0f} s, at most {max(seconds):.0f}")
    if given.rows:
        with given.rows.open("a") as file:
            file.writelines(json.dumps([given.classifier, given.bags, *row]) + "\n" for row in rows)


def check(path: Path, classifier: Any, given: Any, seconds: list[float]) -> list[Row]:
    """Plan from pilots of one set."""
    with np.load(path) as data:
        X, bag, y = data["X"], data["bag"], data["y"]
    order = np.argsort(bag, kind="stable")
    X, starts = X[order], np.append(0, np.cumsum(np.bincount(bag, minlength=len(y))))
    bags, signs = Bags(X, starts), np.where(y > 0, 1.0, -1.0)
    sizes = [times * given.bags for times in TIMES]
    sizes = [n for n in sizes if len(signs) - n >= LEAST_TESTED]
    if not sizes:
        print(f"{path.stem}: too few bags", flush=True)
        return []
    truth = {n: truth_at(bags, signs, classifier, n, given.repeats, given.seed) for n in sizes}
    print(path.stem, {n: f"{error:.3f} ± {se:.3f}" for n, (error, se) in truth.items()}, flush=True)
    rows = []
    for k in range(given.pilots):
        known = take(signs, given.bags, np.random.default_rng([given.seed, 1000 + k]))
        start = time.perf_counter()
        try:
            rows += answered(path.stem, k, bags[known], signs[known], classifier, truth, sizes)
        except ValueError as problem:
            print(f"  pilot {k}: {problem}", flush=True)
        seconds.append(time.perf_counter() - start)
    return rows


def answered(
    name: str, k: int, bags: Bags, signs: np.ndarray, classifier: Any, truth: Any, sizes: list[int]
) -> list[Row]:
    """Return all answers about a pilot."""
    how = How(8, 4, streams(k, 5), None, False)
    target = Target(sizes[-1], None, "bayes_optimal")
    found = gather(bags, bags, signs, target, classifier, None, PlanOptions(others=False), how)
    measure, own = found.measure, found.curves["curve"]
    asked: list[tuple[str, tuple[Any, Any], float, float]] = []
    for n in sizes:
        t, se = to_t(np.array(truth[n]), measure)[0], truth[n][1]
        se = float(noise_in_t(np.array([truth[n][0]]), np.array([se]), measure)[0])
        asked.append((f"error at {n}", (float(n), None), float(t), se))
    error, se = truth[sizes[0]]
    rows, lines = [], []
    if error < measure.worst:
        asked.append((f"bags for {error:.3f}", (None, error), float(np.log(sizes[0])), np.nan))
    for words, about, true, true_se in asked:
        answers = [
            answer_of(method, curves, about, own, found.size, measure)
            for method, curves in found.curves.items()
        ]
        chosen = believed(answers, found.drifts)
        named = [*answers, next(item for item in answers if item.method == chosen)]
        labels = [*(item.method for item in answers), "believed"]
        for method, answer in zip(labels, named, strict=True):
            ends = np.array(answer[1:4], float)
            if about[0] is None:
                shown = np.log(ends)
                slope_se = se / max(measure.worst, 1e-9)
                own_se = 4.0 * slope_se  # a slope of −0.25 in t for each unit of log n
            else:
                shown, own_se = to_t(ends, measure), true_se
            rows.append(Row(name, k, words, method, *map(float, shown), true, float(own_se)))
            lines.append(f"{method} {answer.value:.3g} ({answer.low:.3g}, {answer.high:.3g})")
        lines.append(f"[{words}: {chosen}]")
    offs = {answer.method: round(answer.off, 1) for answer in answers}
    print(f"  pilot {k}: {offs} {'drifts' if found.drifts else ''} {'; '.join(lines)}", flush=True)
    return rows


def summarise(rows: list[Row]) -> None:
    """Print coverage, distances, and who was nearest."""
    for kind in ("error", "bags"):
        of_kind = [row for row in rows if row.asked.startswith(kind)]
        groups: dict[tuple[str, int, str], dict[str, float]] = {}
        for row in of_kind:
            away = abs(row.value - row.truth) if np.isfinite(row.value) else np.inf
            groups.setdefault((row.data, row.pilot, row.asked), {})[row.method] = away
        for method in METHODS:
            mine = [row for row in of_kind if row.method == method]
            if not mine:
                continue
            held = sum(row.holds for row in mine)
            away = [abs(row.value - row.truth) for row in mine]
            width = [row.high - row.low for row in mine]
            three = [group for group in groups.values() if len(group) == len(METHODS)]
            nearest = sum(min(METHODS[:3], key=group.__getitem__) == method for group in three)
            print(
                f"{kind}, {method}: {held} of {len(mine)} in the interval; median distance "
                f"{np.median(away):.2f} ({'t' if kind == 'error' else 'log n'}), median width "
                f"{np.median(width):.2f}; nearest of three in {nearest} of {len(three)}"
            )


if __name__ == "__main__":
    assert float(ndtri(0.95)) - NINE_OF_TEN < 1e-3
    sys.exit(main())
