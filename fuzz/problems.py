"""Draw random valid problems over the whole range.

L 2…4096, R 1…L, θ 0…50, π 0.001…0.999, α 0.05…200, ridge 1e-8…1e2, all losses and models. Of the
models with a query half are given it, κ 0…50 and s −1…1; the others learn it by two steps, by two
with balanced slopes, or by a schedule of one to six. A quarter of those without a schedule have
noise with a spectrum: one to 200 eigenvalues over up to six decades, and any place of the signal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import needlescope as ns
from needlescope.models import get_model

LOSSES = ("square", "logistic", "hinge", "squared_hinge")
MODELS = {"attention": 0.4, "pooled": 0.1, "vectorized": 0.1, "hard": 0.2, "linear": 0.2}
STEPS = ("eta_w", "eta_b", "eta_q")
MOST_STEPS = 6
NOISY = 0.25  # the share of problems in noise with a spectrum
PLACES = ("flat", "quiet", "loud", "exponent", "weights")


class Problem(NamedTuple):
    """One random problem; without a query it is learned, or the model has none."""

    task: ns.Task
    training: ns.Training
    query: ns.Query | None
    model: str

    @property
    def protocol(self) -> str:
        """How its query comes about."""
        if not get_model(self.model).has_query:
            return "no query"
        if self.query is not None:
            return "query given"
        if self.training.schedule is not None:
            return "schedule"
        return "balanced steps" if self.training.balanced else "two steps"


class Draws:
    """Random numbers over ranges, whose ends come up on purpose."""

    def __init__(self, seed: int, index: int) -> None:
        self.rng = np.random.default_rng([seed, index])

    def spread(self, low: float, high: float) -> float:
        """Draw evenly on a logarithmic scale."""
        return float(np.clip(np.exp(self.rng.uniform(np.log(low), np.log(high))), low, high))

    def one_of(self, *choices: float) -> float:
        """Draw one of several numbers."""
        return choices[self.rng.integers(len(choices))]

    def task(self, L: int) -> ns.Task:
        """Draw a task of L tokens."""
        rng, spread, one_of = self.rng, self.spread, self.one_of
        R = int(one_of(1, L, round(spread(1, L)), round(spread(1, L))))
        theta = one_of(0.0, 50.0, *rng.uniform(0.0, 50.0, 3), spread(0.01, 50.0), spread(0.1, 10.0))
        rare = spread(0.001, 0.5)
        pi = one_of(0.5, 0.001, 0.999, rng.uniform(0.001, 0.999), rare, 1.0 - rare)
        return ns.Task(L=L, R=R, theta=float(theta), pi=float(pi))

    def noise(self, task: ns.Task) -> ns.Task:
        """Put a task into noise with a spectrum, its mean eigenvalue not far from one."""
        rng, spread = self.rng, self.spread
        count = round(spread(1, 200))
        s = np.exp(rng.uniform(0.0, spread(0.01, 14.0), count))
        s *= spread(0.3, 3.0) / s.mean()
        spectrum = ns.Spectrum(s, rng.dirichlet(np.ones(count)) + 1e-9)
        place = PLACES[rng.integers(len(PLACES))]
        more = {
            "exponent": float(rng.uniform(-2.0, 2.0)),
            "weights": tuple(rng.dirichlet(np.full(count, 0.5)).tolist()),
        }
        theta = min(float(task.theta), 50.0 * float(np.sqrt(s.min())))
        noise = ns.Noise(spectrum=spectrum)
        return task.replace(theta=theta, noise=noise, signal=more.get(place, place))

    def query(self) -> ns.Query:
        """Draw a query."""
        rng, spread, one_of = self.rng, self.spread, self.one_of
        kappa = one_of(0.0, 50.0, rng.uniform(0.0, 50.0), *(spread(0.01, 50.0) for _ in range(3)))
        return ns.Query(float(kappa), float(one_of(-1.0, 1.0, 0.0, *rng.uniform(-1.0, 1.0, 4))))

    def steps(self, task: ns.Task, training: ns.Training, schedule: bool) -> ns.Training:
        """Draw two steps, balanced or not, or a schedule of some.

        The step of the query is drawn by where the two would end, κ 0.01…50; one in ten is wild.
        """
        rng, spread = self.rng, self.spread
        sizes = {name: spread(0.01, 10.0) for name in STEPS}
        training = training.replace(balanced=bool(rng.random() < 0.5), **sizes)
        if rng.random() < 0.9:
            reached = ns.align(task, training).kappa
            longer = spread(0.01, 50.0) / reached if reached > 0.0 else 1.0
        else:
            longer = spread(1.0, 100.0 * task.L)
        training = training.replace(eta_q=float(np.clip(longer * training.eta_q, 1e-9, 1e5)))
        if not schedule:
            return training
        steps = int(rng.integers(1, MOST_STEPS + 1))
        each = {
            name: [spread(0.5, 2.0) * float(getattr(training, name)) / steps for _ in range(steps)]
            for name in STEPS
            if rng.random() < 0.5
        }
        shares = rng.dirichlet(np.full(steps, 3.0))
        return training.replace(balanced=False, schedule=ns.Schedule(shares, **each))


def draw(seed: int, index: int) -> Problem:
    """Return problem ``index`` of the sequence ``seed``."""
    draws = Draws(seed, index)
    rng, spread, one_of = draws.rng, draws.spread, draws.one_of
    task = draws.task(round(spread(2, 4096)))
    alphas = [one_of(0.05, 200.0, *(spread(0.05, 200.0) for _ in range(6))) for _ in range(2)]
    ridge = one_of(1e-8, 1e2, *(spread(1e-8, 1e2) for _ in range(6)))
    model = str(rng.choice(list(MODELS), p=list(MODELS.values())))
    given, schedule = rng.random() < 0.5, rng.random() < 0.5 and model != "linear"
    query = draws.query() if given and get_model(model).has_query else None
    training = ns.Training(
        alpha0=float(alphas[0]),
        alpha1=float(alphas[1]),
        loss=LOSSES[rng.integers(len(LOSSES))],
        ridge=float(ridge),
    )
    training = draws.steps(task, training, schedule)
    if training.schedule is None and rng.random() < NOISY:
        task = draws.noise(task)
    return Problem(task, training, query, model)
