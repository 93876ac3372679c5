"""The limit against classifiers fitted to explicit tokens at finite d.

Written from the definition of the model alone: tokens, softmax, ridge-regularised loss with an
unpenalised bias minimised by L-BFGS. The allowance for finite d is measured: the same at half
the dimension gives the slope in 1/d.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

import needlescope as ns

TASK = ns.Task(L=6, R=1, theta=4.0, pi=0.3)
QUERY = ns.Query(1.2, 0.8)
TRIALS = 8


def features(model, X, q, kappa):
    if model == "pooled":
        return X.mean(axis=1)
    if model == "vectorized":
        return X.reshape(len(X), -1)
    a = np.exp(kappa * (X @ q))
    return np.einsum("nl,nld->nd", a / a.sum(axis=1, keepdims=True), X)


def sample(task, n, d, rng):
    y = np.where(rng.random(n) < task.pi, 1.0, -1.0)
    X = rng.standard_normal((n, task.L, d))
    for i in np.flatnonzero(y > 0):
        X[i, rng.choice(task.L, task.R, replace=False), 0] += task.theta
    return X, y


def slope_and_loss(loss, u):
    if loss == "logistic":
        return -1.0 / (1.0 + np.exp(u)), np.logaddexp(0.0, -u)
    if loss == "square":
        return u - 1.0, 0.5 * (1.0 - u) ** 2
    gap = np.maximum(1.0 - u, 0.0)
    return -gap, 0.5 * gap**2


def trial(model, loss, d, alpha, ridge, rng):
    """Fit and test once; returns test error, train loss, train error."""
    q = np.zeros(d)
    q[:2] = QUERY.cosine, np.sqrt(1.0 - QUERY.cosine**2)
    X, y = sample(TASK, int(alpha * d), d, rng)
    F = features(model, X, q, QUERY.kappa)

    def objective(at):
        slope, values = slope_and_loss(loss, y * (F @ at[:-1] + at[-1]))
        pull = slope * y / len(y)
        gradient = np.append(F.T @ pull + ridge * at[:-1], pull.sum())
        return values.mean() + 0.5 * ridge * at[:-1] @ at[:-1], gradient

    options = {"maxiter": 5000, "maxfun": 10000, "ftol": 1e-14, "gtol": 1e-9}
    at = minimize(
        objective, np.zeros(F.shape[1] + 1), jac=True, method="L-BFGS-B", options=options
    ).x
    fit = y * (F @ at[:-1] + at[-1])
    fresh, z = sample(TASK, 3000, d, rng)
    wrong = z * (features(model, fresh, q, QUERY.kappa) @ at[:-1] + at[-1]) <= 0
    return wrong.mean(), slope_and_loss(loss, fit)[1].mean(), (fit <= 0).mean()


LOSSES = ("logistic", "square", "squared_hinge")
MODELS = ("attention", "pooled", "vectorized")
QUICK = [*zip(MODELS, LOSSES, strict=True)]  # each model and each loss once


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("model", "loss"),
    [
        pytest.param(*pair, marks=() if pair in QUICK else pytest.mark.slow)
        for pair in product(MODELS, LOSSES)
    ],
)
def test_prediction_agrees_with_fitted_classifiers(model, loss):
    alpha, ridge = 2.0, 0.02
    rng = np.random.default_rng(11)
    runs = {
        d: np.array([trial(model, loss, d, alpha, ridge, rng) for _ in range(TRIALS)])
        for d in (60, 120)
    }
    mean = {d: run.mean(axis=0) for d, run in runs.items()}
    error = {d: run.std(axis=0, ddof=1) / np.sqrt(TRIALS) for d, run in runs.items()}
    # value(d) = limit + c/d: extrapolate, with the errors of both dimensions
    limit = 2.0 * mean[120] - mean[60]
    noise = np.sqrt(4.0 * error[120] ** 2 + error[60] ** 2)
    query = QUERY if model == "attention" else None
    training = ns.Training(1.0, alpha, loss=loss, ridge=ridge)
    result = ns.predict(TASK, training, model, query=query, tol=1e-3)
    expected = np.array([result.test_error, result.train_loss, result.train_error])
    z = (limit - expected) / np.hypot(noise, 5e-4)
    assert np.abs(z).max() < 4.0
