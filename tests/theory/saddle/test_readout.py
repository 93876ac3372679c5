"""The trained readout: its order parameters satisfy the published equations."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import get_loss
from needlescope.models import get_model
from needlescope.theory.law.ladder import LADDER
from needlescope.theory.law.limits import train_limit
from needlescope.theory.saddle.readout import train_readout

TASK = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
LOSSES = ("square", "logistic", "hinge", "squared_hinge")
MODELS = ("attention", "pooled", "vectorized")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("model", MODELS)
def test_order_parameters_satisfy_the_published_equations(model, loss):
    """The five stationarity equations, evaluated here by plain quadrature over the law's nodes."""
    query = ns.Query(0.7, 0.8)
    limit = train_limit(get_model(model), TASK, query, LADDER[0])
    kind, ridge, alpha = get_loss(loss), 1e-2, 3.0
    readout = train_readout(limit, kind, TASK.pi, alpha, ridge)
    law, at, delta = readout.problem.law, readout.point, alpha / limit.dim
    assert readout.residual <= 1e-8
    G = np.linspace(-8.0, 8.0, 4001)
    wG = np.exp(-0.5 * G**2) / np.sqrt(2 * np.pi) * (G[1] - G[0])
    mean, V = law.score(at.mu, at.b, at.rho)
    c = mean[:, None] + np.sqrt(V)[:, None] * G
    g = (law.A / at.t)[:, None]
    slope = np.stack(
        [(cc - kind.prox(cc, gg, int(y))) / gg for cc, gg, y in zip(c, g, law.y, strict=True)]
    )
    w = law.weight
    assert abs(w @ (slope @ wG)) < 1e-6
    power = w @ (law.A * (slope**2 @ wG))
    assert at.rho**2 == pytest.approx(delta / at.t**2 * power, rel=1e-5)
    if model == "attention":
        # E[ℓ' m1] + λ μ1 = 0 with m1's own Gaussian part, by regression on G
        share = at.mu[0] * law.tau[:, 0] / np.sqrt(V)
        first = w @ (law.m[:, 0] * (slope @ wG)) + w @ (share * ((slope * G) @ wG))
        assert first + ridge * at.mu[0] == pytest.approx(0.0, abs=1e-6)
    # E[ℓ' m2] + μ2/(δγ) = 0
    last = w @ (law.m[:, -1] * (slope @ wG)) + at.mu[-1] * at.t / delta
    assert last == pytest.approx(0.0, abs=1e-6)
