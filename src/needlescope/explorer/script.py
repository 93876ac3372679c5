"""A Python script that computes again what is shown."""

from __future__ import annotations

from .lines import BAYES_POINTS, FINE, JOINT_POINTS, POINTS, TOL
from .state import HIGHEST_ALPHA, LOWEST_ALPHA, State

HEAD = '''"""What the explorer of needlescope showed."""

import numpy as np

import needlescope as ns

task = {task}


def axis(points):
    """Bags for each dimension."""
    return np.geomspace({low:g}, {high:g}, points)


def training(alpha):
    """The training with alpha bags for each dimension in all."""
{training}


'''
BODY = """tol = {tol:g}
lines = {{}}
x = axis({attention})
lines["attention"] = x, ns.predict(task, training(x), tol=tol, on_error="nan").test_error
x = axis({points})
for model in ("pooled", "vectorized"):
    linear = ns.Training(x * {share0!r}, x * {share1!r}, {loss!r}, ridge={ridge!r})
    found = ns.predict(task, linear, model, data="all", tol=tol, on_error="nan")
    lines[model] = x, found.test_error
x = axis({bayes})
found = ns.bayes_optimal(task, x, tol=tol, on_error="nan")
lines["bayes_optimal"], lines["amp"] = (x, found.test_error), (x, found.amp_test_error)
x = axis(2)
lines["known"] = x, np.full(2, ns.oracle(task, "bayes", tol=1e-3).error)

for name, (x, y) in lines.items():
    print(name, np.c_[x, np.asarray(y)].round(4).tolist())
"""


def script_of(state: State) -> str:
    """Return the script of a state.

    Examples
    --------
    >>> "theta=4.0" in script_of(State()) and "ns.predict" in script_of(State())
    True
    """
    share0 = 0.0 if state.kind == "joint" else state.alpha0 / state.alpha
    shares = {"share0": share0, "share1": 1.0 - share0}
    if state.kind == "joint":  # linear models are trained on all data, however it is split
        shares = {"share0": 0.5, "share1": 0.5}
    head = HEAD.format(
        task=_task(state), low=LOWEST_ALPHA, high=HIGHEST_ALPHA, training=_training(state)
    )
    body = BODY.format(
        tol=TOL[FINE], points=POINTS[FINE], bayes=BAYES_POINTS[FINE], loss=state.loss,
        attention=JOINT_POINTS if state.kind == "joint" else POINTS[FINE], ridge=state.ridge,
        **shares,
    )  # fmt: skip
    return head + body


def _task(state: State) -> str:
    given = f"L={state.L}, R={state.R}, theta={state.theta!r}, pi={state.pi!r}"
    if state.noise == "white":
        return f"ns.Task({given})"
    spectrum = state.spectrum()
    levels = f"{list(spectrum.eigenvalues)!r}, {list(spectrum.shares)!r}"
    noise = f"ns.Noise(spectrum=ns.Spectrum({levels}))"
    return f"ns.Task(\n    {given},\n    noise={noise},\n    signal={state.signal!r},\n)"


def _training(state: State) -> str:
    """Return the body of the function that makes a training."""
    if state.kind == "joint":
        return (
            f"    return ns.Training.joint(alpha, {state.loss!r}, {state.ridge!r}, "
            f"{state.ridge_q!r})"
        )
    share0, share1 = state.alpha0 / state.alpha, state.alpha1 / state.alpha
    steps = "".join(
        f", {name}={getattr(state, name)!r}" for name in ("beta", "eta_w", "eta_b", "eta_q")
    )
    schedule = f", schedule=ns.Schedule.even({state.steps})" if state.kind == "schedule" else ""
    lines = [
        f"    made = ns.Training(alpha * {share0!r}, alpha * {share1!r}, {state.loss!r}, "
        f"{state.ridge!r}{steps}{schedule})"
    ]
    if state.query == "kappa" and state.kind == "two_steps":
        lines += [
            "    kappa = np.maximum(ns.align(task, made).kappa, 1e-9)  # of this step",
            f"    made = made.replace(eta_q=made.eta_q * {state.kappa!r} / kappa)",
        ]
    return "\n".join([*lines, "    return made"])
