"""Results carry their question: they print it, and become tables that figures draw."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import needlescope as ns
from needlescope.answer import Question
from needlescope.results import Capacity

TASK = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
TRAINING = ns.Training(alpha0=4.0, alpha1=[1.0, 2.0, 4.0], ridge=0.05)
SMALL = {"d": 30, "trials": 3, "seed": 7, "n_jobs": 1}

ANSWERS = {
    "predict": lambda: ns.predict(TASK, TRAINING, "pooled", data="all"),
    "align": lambda: ns.align(TASK, TRAINING),
    "focus": lambda: ns.focus(TASK, TRAINING, tol=1e-2),
    "capacity": lambda: ns.capacity(TASK, "pooled"),
    "asymptote": lambda: ns.asymptote(TASK, "pooled"),
    "crossover": lambda: ns.crossover(TASK.replace(L=5, R=5), 1.0, tol=1e-2),
    "oracle": lambda: ns.oracle(TASK, "pooled"),
    "oracle_threshold": lambda: ns.oracle_threshold(TASK, "pooled", 0.1),
    "training_threshold": lambda: ns.training_threshold(TASK, TRAINING, 0.1, "pooled"),
    "bayes_optimal": lambda: ns.bayes_optimal(TASK, 1.0),
    "bayes_threshold": lambda: ns.bayes_threshold(TASK, 1.0, 0.1),
    "phase_boundaries": lambda: ns.phase_boundaries(TASK),
    "simulate": lambda: ns.simulate(TASK, TRAINING, "pooled", **SMALL),
    "simulate_alignment": lambda: ns.simulate_alignment(TASK, TRAINING, **SMALL),
    "simulate_focus": lambda: ns.simulate_focus(TASK, TRAINING, n_test=50, **SMALL),
    "simulate_separability": lambda: ns.simulate_separability(TASK, TRAINING, "pooled", **SMALL),
    "simulate_amp": lambda: ns.simulate_amp(TASK, 1.0, iterations=3, **SMALL),
    "simulate_oracle": lambda: ns.simulate_oracle(TASK, "pooled", 200, 3, n_jobs=1),
}


@pytest.fixture(params=ANSWERS)
def answered(request):
    return request.param, ANSWERS[request.param]()


def test_an_answer_knows_what_was_asked(answered):
    call, result = answered
    assert result.question.call == call
    assert result.task.theta in (1.0, 5.0)  # a threshold ignores its task's strength
    trained = ("predict", "align", "focus", "simulate", "training_threshold")
    trains = call in (*trained, *(f"simulate_{item}" for item in ("alignment", "focus")))
    assert (result.training is TRAINING) == (trains or call == "simulate_separability")
    assert "n_jobs" not in result.options


def test_an_answer_prints_its_question_and_numbers_in_a_few_lines(answered):
    _, result = answered
    text = str(result)
    assert text == repr(result)
    assert 4 <= len(text.splitlines()) <= 11
    assert text.startswith(type(result).__name__)
    assert text.splitlines()[1].split(maxsplit=1) == ["provenance", result.provenance]
    assert f"L={result.task.L}" in text
    if result.training is not None:
        assert "alpha1=[1 … 4]" in text and "ridge=0.05" in text and "eta_q=10" in text


def test_a_table_has_a_row_for_each_point_and_the_defaults_too(answered):
    call, result = answered
    table = result.to_pandas()
    assert len(table) == int(np.prod(result.shape, dtype=int))
    assert (table["call"] == call).all()
    assert (table["task.L"] == result.task.L).all()
    if result.training is not None:
        assert table["training.alpha1"].tolist() == [1.0, 2.0, 4.0]
        assert (table["training.eta_q"] == 10.0).all() and (table["training.beta"] == 1.0).all()


def test_numbers_of_a_table_are_those_of_the_fields():
    task = TASK.replace(theta=[[4.0], [5.0]])
    result = ns.predict(task, TRAINING, "pooled")
    table = result.to_pandas()
    assert table["test_error"].tolist() == result.test_error.ravel().tolist()
    assert table["task.theta"].tolist() == [4.0] * 3 + [5.0] * 3
    assert table["training.alpha1"].tolist() == [1.0, 2.0, 4.0] * 2
    assert (table["model"] == "pooled").all() and (table["provenance"] == result.provenance).all()


def test_a_query_and_another_task_stand_in_the_table_under_their_own_names():
    query, longer = ns.Query(1.0, [0.5, 0.9]), TASK.replace(L=20)
    training = ns.Training(alpha1=1.0)
    table = ns.predict(TASK, training, query=query, test_task=longer, tol=1e-2).to_pandas()
    assert table["query.cosine"].tolist() == [0.5, 0.9]
    assert table["test_task.L"].tolist() == [20, 20] and table["task.L"].tolist() == [10, 10]


def test_a_signal_of_ones_own_does_not_spread_over_the_grid():
    result = ns.simulate(TASK, TRAINING, "pooled", signal=np.ones(30), **SMALL)
    table = result.to_pandas()
    assert len(table) == 3 and table["signal"].tolist() == result.signal.tolist()
    assert (
        "signal"
        not in ns.simulate_alignment(TASK, TRAINING, signal=np.ones(30), **SMALL).to_pandas()
    )


def test_arrays_that_are_no_axes_are_told_apart_in_the_table():
    def errors(size):
        noise = ns.Noise(covariance=size * np.eye(30))
        return ns.simulate(TASK, TRAINING, "pooled", noise=noise, **SMALL).to_pandas()

    both = pd.concat([errors(1.0), errors(0.5)])
    assert both["noise.covariance"].nunique() == 2
    assert both["noise.covariance"].str.startswith("array (30, 30) #").all()
    with pytest.raises(ValueError, match=r"noise\.covariance"):
        ns.figures.reuse(both.assign(model="attention"))
    legend = ns.figures.errors(both).legends[1]
    assert len(legend.get_texts()) == 2
    plt.close("all")
    given = ns.simulate(TASK, TRAINING, "pooled", signal=np.arange(30.0), **SMALL).to_pandas()
    assert given["signal.given"].str.startswith("array (30,) #").all()


@pytest.mark.slow
def test_noise_stands_in_the_table_by_its_fields_as_in_a_store():
    noise = ns.Noise("student", df=5.0)
    table = ns.simulate(TASK, TRAINING, "pooled", noise=noise, **SMALL).to_pandas()
    assert table["noise.entries"].tolist() == ["student"] * 3 and "noise" not in table
    assert table["noise.df"].tolist() == [5.0] * 3 and "noise.root" not in table


def test_figures_draw_tables_of_answers():
    fig, ax = plt.subplots()
    result = [
        ns.predict(TASK, TRAINING, "pooled"),
        ns.simulate(TASK, TRAINING, "pooled", **SMALL),
    ]
    ns.figures.errors(pd.concat([item.to_pandas() for item in result]), ax=ax)
    drawn = [line.get_ydata() for line in ax.lines]
    assert any(len(item) == 3 and np.all(np.diff(item) < 0.0) for item in drawn)
    plt.close(fig)


def test_a_result_built_by_hand_needs_no_question():
    result = Capacity("pooled", 2.0, 0.0, "made up")
    assert result.task is None and result.training is None and result.options == {}
    assert str(result).splitlines() == [
        "Capacity pooled",
        "  provenance  made up",
        "  alpha       2",
    ]
    assert result.to_pandas()["alpha"].tolist() == [2.0]


def test_what_was_lost_is_counted_when_printed():
    question = Question("capacity", TASK)
    result = Capacity("pooled", np.array([1.0, np.nan]), np.zeros(2), "?", question=question)
    assert "1 to 1, shape (2,), 1 NaN" in str(result)
