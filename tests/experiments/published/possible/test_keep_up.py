"""The experiment "keep_up": what it claims of the two steps, checked without its own code."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.experiments.engine import local, run_units
from needlescope.experiments.published.possible.keep_up import (
    EXPERIMENT,
    OVERLAP,
    SHARPNESS,
    STRENGTHS,
    growth,
    learners_need,
    steps_needed,
)
from needlescope.experiments.stores.store import Store

SOME = (100, 1000, 10_000)


def asked(L):
    return ns.Task(L=L, R=1, theta=STRENGTHS[L], pi=0.5)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    units = [unit for unit in EXPERIMENT.units(False) if unit.arguments["task"]["L"] in SOME]
    units = [unit for unit in units if unit.arguments.get("seed", [0])[-1] < 8]
    with Store(tmp_path_factory.mktemp("keep_up") / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        return store.to_pandas(units)


@pytest.mark.parametrize("full", [False, True])
def test_every_dot_has_its_line_and_two_sizes(full):
    units = EXPERIMENT.units(full)
    assert len({unit.key for unit in units}) == len(units)

    def points(call):
        return {
            (u.arguments["task"]["L"], u.arguments["training"]["alpha0"])
            for u in units
            if u.call == call
        }

    assert points("simulate_alignment") < points("align")
    sizes = {u.arguments["d"] for u in units if "d" in u.arguments}
    assert sizes == ({1000, 500} if full else {200, 100})


@pytest.mark.parametrize("L", [10, 100, 10_000])
def test_those_who_know_the_signal_err_ten_per_cent(L):
    found = ns.oracle(asked(L), "bayes")
    assert abs(found.error - 0.1) < 1e-4 + 3.0 * found.error_se


def test_the_query_needs_what_the_leading_order_in_one_over_L_says(table):
    """tan² = 4/x + 16 θ²/x² with x = α0 θ⁴/L, and κ = η_q θ³/(16 s L²); for w, 4 L/(θ² α0)."""
    found = steps_needed(table).set_index("L").loc[10_000]
    theta, tan2 = STRENGTHS[10_000], 1.0 / OVERLAP - 1.0
    x = (2.0 + np.sqrt(4.0 + 16.0 * theta**2 * tan2)) / tan2
    assert found["query"] == pytest.approx(x * 1e4 / theta**4, rel=2e-3)
    assert found["readout"] == pytest.approx(4.0 * 1e4 / (theta**2 * tan2), rel=2e-3)
    step = SHARPNESS * theta * 16.0 * np.sqrt(OVERLAP) * 1e8 / theta**3
    assert found["step"] == pytest.approx(step, rel=2e-3)


def test_what_is_needed_gives_the_cosine_and_the_strength(table):
    for row in steps_needed(table).itertuples():
        task = asked(int(row.L))
        training = ns.Training(alpha0=[row.query, row.readout], alpha1=1.0)
        found = ns.align(task, training)
        assert [found.cosine_q[0], found.cosine_w[1]] == pytest.approx([0.9, 0.9], abs=5e-4)
        # β² in place of the step, which may be longer than a training allows
        sharp = ns.align(task, training.replace(beta=np.sqrt(row.step / training.eta_q)))
        assert sharp.kappa[0] == pytest.approx(SHARPNESS * task.theta, rel=1e-3)


def test_the_growth_is_that_of_the_caption(table):
    steps, learners = steps_needed(table), learners_need(table)
    assert growth(steps, "query") == pytest.approx(0.855, abs=0.005)
    assert growth(steps, "step") == pytest.approx(1.91, abs=0.005)
    assert growth(learners, "quick") == pytest.approx(0.814, abs=0.005)
    assert growth(learners, "best") < 0.0
    ratio = steps["query"] / learners["quick"]
    assert ratio.to_numpy()[1:] == pytest.approx([64.4, 70.7], abs=0.1)


def test_the_best_learner_and_the_quick_one_get_there_and_not_before(table):
    for row in learners_need(table).itertuples():
        task, around = asked(int(row.L)), np.array([0.98, 1.02])
        best = ns.bayes_optimal(task, row.best * around, tol=1e-2)
        quick = ns.bayes_optimal(task, row.quick * around, tol=1e-2)
        assert best.overlap[0] < OVERLAP < best.overlap[1]
        assert quick.amp_overlap[0] < OVERLAP < quick.amp_overlap[1]


def test_half_the_strength_of_the_signal_is_about_the_best_sharpness():
    task, shares = asked(100), np.array([0.2, 0.3, 0.4, SHARPNESS, 0.6, 0.8, 1.0])
    query = ns.Query(shares * task.theta, np.sqrt(OVERLAP))
    error = ns.predict(task, ns.Training(alpha1=4.0), query=query, tol=2e-3).test_error
    assert error[3] < error.min() + 0.01 < error[-1]


def test_simulation_agrees_with_theory(table):
    scores = EXPERIMENT.compare(table)
    assert len(scores) == 3 * 3 * 3  # lengths, amounts of data, quantities
    assert scores["z"].abs().max() < 5.0
    theory = table.call == "align"
    wrong = table.assign(cosine_q=table.cosine_q.where(~theory, 0.8 * table.cosine_q))
    assert EXPERIMENT.compare(wrong)["z"].abs().max() > 5.0
    drawn = steps_needed(table, "simulate_alignment")
    near = np.abs(drawn["query"] / steps_needed(table)["query"] - 1.0)
    assert len(drawn) == 3 and near.max() < 0.25
