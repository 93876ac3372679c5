"""What a readout achieves: by drawing scores and taking the prox, and slopes by differences."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.losses import HINGE, SQUARED_HINGE, Loss, PiecewiseQuadratic
from needlescope.models import pooled, vectorized
from needlescope.models.nodes import JointLaw
from needlescope.task import Positions, Task
from needlescope.theory.saddle.measures import error_slope, error_slope_rest, measure
from needlescope.theory.saddle.measures import test_error as error_on
from needlescope.theory.saddle.problem import OrderParameters
from needlescope.theory.saddle.readout import train_readout
from tests.theory.saddle.laws import random_law, random_point

TASK = Task(L=4, R=2, theta=2.0, pi=0.3)
PAIRS = TASK.replace(positions=Positions([(0, 1), (1, 2)], [0.75, 0.25]))
LIMITS = {"pooled": pooled.limit(TASK), "positions": vectorized.limit(PAIRS)}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", LIMITS)
def test_each_measure_by_drawing(name: str, loss: Loss) -> None:
    """Scores of fresh samples are Gaussian at a node; those trained on are their prox."""
    limit, pi, n = LIMITS[name], 0.3, 400_000
    readout = train_readout(limit, loss, pi, 3.0 * limit.dim, 0.05)
    law, at = limit.law(pi), readout.point
    result = measure(readout, law, (law, law))
    rng = np.random.default_rng(0)
    node = rng.choice(len(law.y), n, p=law.weight)
    mean, V = law.score(at.mu, at.b, at.rho)
    fresh, y = mean[node] + np.sqrt(V[node]) * rng.standard_normal(n), law.y[node]
    seen, values = np.empty(n), np.empty(n)
    for label in (1, -1):
        here = y == label
        seen[here] = loss.prox(fresh[here], law.A[node[here]] / at.t, label)
        values[here] = loss.value(seen[here], label)
    drawn = (y * fresh < 0.0, values, y * seen < 0.0)
    for value, item in zip(result.values, drawn, strict=True):
        rare = 10.0 / n  # what happens less often may not be among those drawn
        assert value == pytest.approx(item.mean(), abs=5.0 * float(item.std()) / np.sqrt(n) + rare)
    assert not result.errors.any()  # the law is exact


def shifted(at: OrderParameters, k: int, by: float) -> OrderParameters:
    return at.shifted(by * np.eye(len(at.mu) + 3)[k])


@pytest.mark.parametrize("seed", range(3))
def test_slopes_of_the_test_error_are_finite_differences(seed: int) -> None:
    rng, step = np.random.default_rng(seed), 1e-5
    law: JointLaw = random_law(rng, 7, 2)
    at = random_point(rng, 2)
    wanted = [
        (error_on(law, shifted(at, k, step)) - error_on(law, shifted(at, k, -step))) / (2.0 * step)
        for k in range(5)
    ]
    assert error_slope(law, at) == pytest.approx(wanted, abs=1e-8)
    assert 2.0 * at.rho * error_slope_rest(law, at) == pytest.approx(wanted[3], abs=1e-8)


def test_a_collapsed_readout_answers_with_its_bias() -> None:
    """Rare positives, the hinge and much data: w is zero, and all positives are missed."""
    limit = pooled.limit(TASK.replace(theta=0.1))
    readout = train_readout(limit, HINGE, 0.1, 50.0, 0.5)
    assert readout.local is None
    law, test = limit.law(0.1), limit.law(0.4)
    result = measure(readout, test, (law, test))
    assert result.values == pytest.approx([0.4, 0.2, 0.1])  # the hinge at −1: 2 for one in ten


RESTS = [0.01, 1e-4, 1e-6]  # ridges that leave separable data next to no loss


@pytest.mark.parametrize("one", [HINGE, SQUARED_HINGE], ids=lambda item: item.name)
def test_no_train_loss_is_below_the_least_of_its_loss(one: PiecewiseQuadratic) -> None:
    """Where next to nothing is left, E M + g E M_g cancels to rounding of either sign."""
    lowered = PiecewiseQuadratic(one.knots, one.pieces - [0.0, 0.0, 3.0], name="lowered")
    for limit in LIMITS.values():
        law = limit.law(0.3)
        for alpha in (0.05, 0.2, 0.5):
            for ridge in RESTS:
                result = measure(train_readout(limit, one, 0.3, alpha, ridge), law, (law, law))
                assert result.values[1] >= 0.0
        low = measure(train_readout(limit, lowered, 0.3, 0.5, 0.01), law, (law, law))
        assert low.values[1] == pytest.approx(-3.0, abs=0.01)  # its own least, not zero
