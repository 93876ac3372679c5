"""Checks of the planner that take minutes: `make plan-check`.

Plans of random tasks are simulated: at the planned n the error should be the target, as far as d is
large; at four fifths of it, tuned anew, more; and nine of ten data sets should lie in the interval.
`tune` should not lose to any of 200 random settings of its budget.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import needlescope as ns

LOSSES, FIRST = ("logistic", "square", "hinge", "squared_hinge"), ("joint", "sequential")
MOST_BAGS = 5000  # in a data set that is simulated
LEAST_RARE = 8  # bags of the rarer class that train the readout, or a data set may lack it


def random_question(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a task and a target between its floor and what needs no data."""
    while True:
        L = int(np.exp(rng.uniform(np.log(4), np.log(60))))
        R = int(rng.integers(1, max(2, L // 4 + 1)))
        theta, pi = float(rng.uniform(1.5, 6.0)), float(rng.uniform(0.1, 0.7))
        task = ns.Task(L=L, R=R, theta=theta, pi=pi)
        floor, prior = float(ns.oracle(task, "bayes", accuracy=1e-3).error), min(pi, 1 - pi)
        if 0.005 < floor < 0.6 * prior:
            target = floor + float(rng.uniform(0.15, 0.5)) * (prior - floor)
            d = int(rng.integers(40, 151))
            return {"L": L, "R": R, "theta": theta, "pi": pi, "d": d, "error": round(target, 4)}


def plans(count: int, trials: int, seed: int) -> None:
    """Simulate random plans."""
    rng = np.random.default_rng(seed)
    hits, lower, inside, offs, seconds = [], [], [], [], []
    while len(hits) < count:
        asked = random_question(rng)
        start = time.process_time()
        try:
            found = ns.plan(**asked, seed=int(rng.integers(2**31)))
        except ns.NotConverged as problem:
            print(asked, "not converged:", problem, flush=True)
            continue
        seconds.append(time.process_time() - start)
        few = int(0.8 * found.n)
        rare = min(asked["pi"], 1.0 - asked["pi"])
        if not (found.n <= MOST_BAGS and 0.8 * found.n1 * rare >= LEAST_RARE):
            continue
        d, target = asked["d"], asked["error"]
        seen = _errors(found, d, trials, rng)
        less = ns.plan(**{**asked, "error": None}, n=few, interval=False)
        fewer = _errors(less, d, trials, rng)
        se = float(seen.std(ddof=1) / np.sqrt(trials))
        assert found.interval is not None
        allowance = found.interval.mean - found.error
        off = float(seen.mean()) - target
        known = np.hypot(se, found.interval.deviation / np.sqrt(64))
        hits.append(abs(off) <= 2.0 * known)
        both = np.hypot(se, fewer.std(ddof=1) / np.sqrt(trials))
        lower.append((fewer.mean() - target, (fewer.mean() - target) / both, less.error > target))
        share = float(((seen >= found.interval.low) & (seen <= found.interval.high)).mean())
        inside.append(share)
        offs.append((off, allowance, se))
        print(
            f"{len(hits):3d} {asked} n={found.n:.0f} simulated {seen.mean():.4f} ± {se:.4f} "
            f"(limit {found.error:.4f}, expected {found.interval.mean:.4f}) "
            f"{'ok' if hits[-1] else 'OFF'}; 0.8 n {fewer.mean():.4f} (limit {less.error:.4f}); "
            f"in interval {share:.2f}; {seconds[-1]:.1f} s",
            flush=True,
        )
    table = np.array(offs)
    print(f"within two standard errors of the target: {sum(hits)} of {count}")
    above = [one[0] > 0 for one in lower]
    print(f"at 0.8 n above the target: {sum(above)} of {count} simulated, "
          f"{sum(one[2] for one in lower)} in the limit")  # fmt: skip
    print(f"in the interval: {np.mean(inside):.3f} of data sets, tasks {np.min(inside):.2f} to "
          f"{np.max(inside):.2f}")  # fmt: skip

    print(
        f"mean of simulated − target {table[:, 0].mean():.5f}, allowance {table[:, 1].mean():.5f}"
    )
    print(f"a plan took {np.median(seconds):.1f} s of CPU, at most {np.max(seconds):.1f}")


def _errors(found: Any, d: int, trials: int, rng: np.random.Generator) -> np.ndarray:
    seed = int(rng.integers(2**31))
    outcome = ns.simulate(
        found.task, found.training, found.learner, d=d, trials=trials, seed=seed, workers=1
    )
    return np.asarray(outcome.trials["test_error"])


def random_setting(rng: np.random.Generator, task: Any, alpha: float) -> tuple[Any, Any]:
    """Draw a training of a budget, and a query strength."""
    split, loss = float(rng.uniform(0.05, 0.95)), str(rng.choice(LOSSES))
    training = ns.Training(
        alpha0=split * alpha, alpha1=(1.0 - split) * alpha, loss=loss,
        ridge=float(10 ** rng.uniform(-4, 2)), eta_w=float(10 ** rng.uniform(-2, 1.5)),
        eta_b=float(10 ** rng.uniform(-1, 1.5)), first_step=str(rng.choice(FIRST)),
        balanced=bool(rng.random() < 0.5),
    )  # fmt: skip
    kappa = float(10 ** rng.uniform(-1, 1.2))
    unit = ns.align(task, training).kappa
    step = kappa / unit * training.eta_q
    beta = max(float(np.sqrt(step / 1e5)), 1.0)
    return training.replace(eta_q=step / beta**2, beta=beta), kappa


def settings(count: int, each: int, seed: int) -> None:
    """Set random settings against tuned ones."""
    rng = np.random.default_rng(seed)
    worst = -np.inf
    for _ in range(count):
        asked = random_question(rng)
        task = ns.Task(*(asked[name] for name in ("L", "R", "theta", "pi")))
        alpha = float(np.exp(rng.uniform(np.log(1), np.log(30))))
        tuned, best = ns.tune(task, alpha), 1.0
        for _ in range(each):
            try:
                training, _ = random_setting(rng, task, alpha)
                best = min(best, ns.predict(task, training, accuracy=2e-3).test_error)
            except (ns.NotConverged, ns.NoMinimiser, ValueError):
                continue
        lead = tuned.test_error - best
        worst = max(worst, lead)
        print(f"{task} α={alpha:.3g}: tuned {tuned.test_error:.4f}, best of {each} random "
              f"{best:.4f}, untuned {tuned.untuned:.4f}", flush=True)  # fmt: skip
    print(f"tuned is beaten by at most {max(worst, 0.0):.5f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["plans", "settings"], nargs="?", default="plans")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.part == "plans":
        plans(given.count, given.trials, given.seed)
    else:
        settings(given.count, 200, given.seed)
