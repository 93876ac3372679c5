"""The experiment "keep_up": what it claims of the two steps, checked without its own code."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import needlescope as ns
from needlescope import figures
from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores.store import Store
from needlescope.figures.marks import Dots, Line
from needlescope.gallery import registry
from needlescope.gallery.bayes.keep_up import (
    OVERLAP,
    SHARPNESS,
    STRENGTHS,
    growth,
    learners_need,
    steps_needed,
)
from needlescope.gallery.registry import published

drawing = partial(registry.drawing, "keep_up")
FIGURE = published("keep_up")
SOME = (100, 1000, 10_000)


def asked(L):
    return ns.Task(L=L, R=1, theta=STRENGTHS[L], pi=0.5)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    units = [unit for unit in FIGURE.units(False) if unit.arguments["task"]["L"] in SOME]
    units = [unit for unit in units if unit.arguments.get("seed", [0])[-1] < 8]
    with Store(tmp_path_factory.mktemp("keep_up") / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        return store.to_pandas(units)


@pytest.mark.parametrize("full", [False, True])
def test_every_dot_has_its_line_and_two_sizes(full):
    units = FIGURE.units(full)
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
    result = ns.oracle(asked(L), "bayes")
    assert abs(result.error - 0.1) < 1e-4 + 3.0 * result.error_se


@pytest.mark.slow
def test_the_query_needs_what_the_leading_order_in_one_over_L_says(ran):
    """tan² = 4/x + 16 θ²/x² with x = α0 θ⁴/L, and κ = η_q θ³/(16 s L²); for w, 4 L/(θ² α0)."""
    result = steps_needed(ran).set_index("L").loc[10_000]
    theta, tan2 = STRENGTHS[10_000], 1.0 / OVERLAP - 1.0
    x = (2.0 + np.sqrt(4.0 + 16.0 * theta**2 * tan2)) / tan2
    assert result["query"] == pytest.approx(x * 1e4 / theta**4, rel=2e-3)
    assert result["readout"] == pytest.approx(4.0 * 1e4 / (theta**2 * tan2), rel=2e-3)
    step = SHARPNESS * theta * 16.0 * np.sqrt(OVERLAP) * 1e8 / theta**3
    assert result["step"] == pytest.approx(step, rel=2e-3)


@pytest.mark.slow
def test_what_is_needed_gives_the_cosine_and_the_strength(ran):
    for row in steps_needed(ran).itertuples():
        task = asked(int(row.L))
        training = ns.Training(alpha0=[row.query, row.readout], alpha1=1.0)
        result = ns.align(task, training)
        assert [result.cosine_q[0], result.cosine_w[1]] == pytest.approx([0.9, 0.9], abs=5e-4)
        # β² in place of the step, which may be longer than a training allows
        sharp = ns.align(task, training.replace(beta=np.sqrt(row.step / training.eta_q)))
        assert sharp.kappa[0] == pytest.approx(SHARPNESS * task.theta, rel=1e-3)


@pytest.mark.slow
def test_the_growth_is_that_of_the_caption(ran):
    steps, learners = steps_needed(ran), learners_need(ran)
    assert growth(steps, "query") == pytest.approx(0.855, abs=0.005)
    assert growth(steps, "step") == pytest.approx(1.91, abs=0.005)
    assert growth(learners, "amp") == pytest.approx(0.814, abs=0.005)
    assert growth(learners, "bayes_optimal") < 0.0
    ratio = steps["query"] / learners["amp"]
    assert ratio.to_numpy()[1:] == pytest.approx([64.4, 70.7], abs=0.1)


@pytest.mark.slow
def test_the_best_learner_and_the_quick_one_get_there_and_not_before(ran):
    for row in learners_need(ran).itertuples():
        task, around = asked(int(row.L)), np.array([0.98, 1.02])
        best = ns.bayes_optimal(task, row.bayes_optimal * around, tol=1e-2)
        quick = ns.bayes_optimal(task, row.amp * around, tol=1e-2)
        assert best.overlap[0] < OVERLAP < best.overlap[1]
        assert quick.amp_overlap[0] < OVERLAP < quick.amp_overlap[1]


def test_half_the_strength_of_the_signal_is_about_the_best_sharpness():
    task, shares = asked(100), np.array([0.2, 0.3, 0.4, SHARPNESS, 0.6, 0.8, 1.0])
    query = ns.Query(shares * task.theta, np.sqrt(OVERLAP))
    error = ns.predict(task, ns.Training(alpha1=4.0), query=query, tol=2e-3).test_error
    assert error[3] < error.min() + 0.01 < error[-1]


@pytest.mark.slow
def test_simulation_agrees_with_theory(ran):
    scores = FIGURE.scores(ran)
    assert len(scores) == 3 * 3 * 3  # lengths, amounts of data, quantities
    assert scores["z"].abs().max() < 5.0
    theory = ran.call == "align"
    wrong = ran.assign(cosine_q=ran.cosine_q.where(~theory, 0.8 * ran.cosine_q))
    assert FIGURE.scores(wrong)["z"].abs().max() > 5.0
    drawn = steps_needed(ran, "simulate_alignment")
    near = np.abs(drawn["query"] / steps_needed(ran)["query"] - 1.0)
    assert len(drawn) == 3 and near.max() < 0.25


LENGTHS = (10, 100, 1000)


def overlap(samples, needed):
    """Half at a third of what is needed, and 0.81 there; odds are a power of the samples."""
    odds = (0.81 / 0.19) ** (1.0 + np.log(samples / needed) / np.log(3.0))
    return odds / (1.0 + odds)


@pytest.fixture
def table():
    rows = []
    for L in LENGTHS:
        task = {"task.L": L, "task.theta": 4.0}
        for alpha0 in (0.1 * L, 0.5 * L, 2.0 * L, 20.0 * L):
            row = {**task, "training.alpha0": alpha0, "training.eta_q": 10.0, "kappa": 1.0 / L**2}
            q, w = overlap(alpha0, 1.0 * L) ** 0.5, overlap(alpha0, 7.0 * L) ** 0.5
            rows.append({**row, "call": "align", "cosine_q": q, "cosine_w": w})
            for d, shift in ((100, -0.1), (200, -0.01), (200, 0.01)):
                drawn = {"cosine_q": q + shift, "cosine_w": w, "d": d}
                rows.append({**row, "call": "simulate_alignment", **drawn})
        for alpha in (0.1, 1.0, 30.0):
            limit = {"alpha": alpha, "overlap": overlap(alpha, 0.5), "call": "bayes_optimal"}
            easy = limit["overlap"] if L < 1000 or alpha > 9.0 else 0.02
            rows.append({**task, **limit, "amp_overlap": easy})
        boundary = 9.0 if L == 1000 else np.nan
        rows.append({**task, "call": "phase_boundaries", "alpha_amp": boundary})
    yield pd.DataFrame(rows)
    plt.close("all")


def lines(panel):
    return {mark.name.partition(":")[0]: mark for mark in panel.marks if isinstance(mark, Line)}


def test_lines_are_where_the_rows_cross_a_cosine_of_nine_tenths(table):
    samples, step = drawing(table).panels
    result = lines(samples)
    assert [*result] == ["one step", "two steps", "AMP (theory)", "Bayes-optimal"]
    assert all(mark.x == LENGTHS for mark in result.values())
    assert result["two steps"].y == pytest.approx(LENGTHS)
    assert result["one step"].y == pytest.approx(7.0 * np.array(LENGTHS))
    assert result["Bayes-optimal"].y == pytest.approx([0.5] * 3)
    assert result["AMP (theory)"].y == pytest.approx([0.5, 0.5, 9.0])
    assert result["two steps"].name == "two steps: $L^{1.00}$"
    [sharp] = lines(step).values()  # κ = θ/2 = 2, and 1/L² at a step of 10
    assert sharp.y == pytest.approx(20.0 * np.array(LENGTHS, float) ** 2)
    assert sharp.name.endswith("$L^{2.00}$")


def test_dots_are_of_the_largest_dimension_with_bars(table):
    samples, step = drawing(table).panels
    [dots] = [mark for mark in samples.marks if isinstance(mark, Dots)]
    assert dots.y == pytest.approx(LENGTHS)
    assert np.min(dots.se) > 0.0 and np.max(np.divide(dots.se, dots.y)) < 0.2
    [dots] = [mark for mark in step.marks if isinstance(mark, Dots)]
    assert dots.se == pytest.approx([0.0] * 3)  # κ is the same in all trials


@pytest.mark.parametrize("panel", ["samples", "step"])
def test_a_single_panel_into_given_axes(table, panel):
    figure, ax = plt.subplots()
    assert figures.keep_up(table, ax=ax, panel=panel) is figure
    assert figure.axes == [ax] and ax.lines


def test_what_is_not_crossed_is_left_out(table):
    short = table[table["training.alpha0"].isna() | (table["training.alpha0"] < 1.0 * LENGTHS[0])]
    samples, step = drawing(short).panels
    assert [*lines(samples)] == ["AMP (theory)", "Bayes-optimal"]
    assert not lines(step) and any("not in the table" in str(mark) for mark in step.marks)


def test_a_quick_learner_without_its_boundary_is_known_where_it_does_not_jump(table):
    result = lines(drawing(table[table.call != "phase_boundaries"]).panels[0])
    assert result["AMP (theory)"].y[:2] == pytest.approx([0.5, 0.5])
