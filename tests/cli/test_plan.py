"""``needlescope plan``: an answer in sentences, a table, JSON, and a figure."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import needlescope as ns
from needlescope.cli.plan import command
from needlescope.results.planned import LearningCurves

WORDS = ["--L", "4", "--theta", "4", "--d", "20", "--n", "100", "--learner", "pooled"]


def run(*words: str) -> str:
    done = CliRunner().invoke(command, [*WORDS, *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_it_answers_in_sentences_and_tables(answered):
    told, _ = answered
    assert told.startswith("Mean pooling trained on 100 bags has a test error of 0.")
    assert "nine of ten data sets" in told
    assert "the Bayes-optimal learner has a test error of" in told


@pytest.fixture(scope="module")
def answered():
    """What the command prints, and the plan that it asks for, made once."""
    made, plan = [], ns.plan

    def recorded(**given):
        made.append(plan(**given))
        return made[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("needlescope.planner.default.plan", recorded)
        return run(), made[0]


@pytest.fixture
def at_hand(monkeypatch, answered):
    monkeypatch.setattr("needlescope.planner.default.plan", lambda **given: answered[1])


def test_json_has_all_of_it(at_hand):
    found = json.loads(run("--json"))
    assert found["n"] == 100 and found["unknown"] == "error"
    assert {item["learner"] for item in found["others"]} >= {"attention", "bayes"}


def test_csv_is_a_row(at_hand):
    head, row = run("--csv").splitlines()
    assert len(head.split(",")) == len(row.split(","))


def test_a_figure_is_drawn(tmp_path, monkeypatch: pytest.MonkeyPatch, at_hand):
    names = ("attention", "pooled", "vectorized", "bayes_optimal", "amp")
    errors = dict.fromkeys(names, (0.4, 0.2))
    drawn = LearningCurves((10.0, 100.0), errors, {"bayes": 0.1})
    monkeypatch.setattr("needlescope.planning.learning_curves.learning_curves", lambda plan: drawn)
    run("--figure", str(tmp_path / "plan.png"), "--csv")
    assert (tmp_path / "plan.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("nowhere/plan.png", "is no folder; make it first"),
        ("plan.tree", "has no format that can be drawn; end it in one of ."),
        ("plan", "has no format that can be drawn"),
    ],
)
def test_a_figure_that_cannot_be_drawn_is_refused_before_any_work(
    tmp_path, monkeypatch, path, says
):
    def never(**given):
        raise AssertionError("a plan was made")

    monkeypatch.setattr("needlescope.planner.default.plan", never)
    done = CliRunner().invoke(command, [*WORDS, "--figure", str(tmp_path / path)])
    assert done.exit_code == 2 and says in " ".join(done.output.split())


def test_the_verdict_is_printed_before_anything_is_drawn(tmp_path, monkeypatch, at_hand):
    def fails(found):
        raise RuntimeError("the drawing failed")

    monkeypatch.setattr("needlescope.planning.learning_curves.learning_curves", fails)
    done = CliRunner().invoke(command, [*WORDS, "--figure", str(tmp_path / "plan.png")])
    assert isinstance(done.exception, RuntimeError)
    assert done.output.startswith("Mean pooling trained on 100 bags has a test error of 0.")


CLASSIFIER = ("plan", "--L", "4", "--theta", "4", "--d", "10", "--error", "0.25")


@pytest.mark.parametrize(
    ("words", "name"),
    [((), "AttentionClassifier"), (("--classifier", "mil"), "MILClassifier")],
)
def test_without_a_learner_the_plan_is_for_a_classifier(monkeypatch, words, name):
    def asked(*, learner, **given):
        raise RuntimeError(type(learner).__name__)

    monkeypatch.setattr("needlescope.planner.default.plan", asked)
    done = CliRunner().invoke(command, [*CLASSIFIER[1:], *words])
    assert str(done.exception) == name


def test_a_learner_and_a_classifier_are_one_too_many():
    done = CliRunner().invoke(command, [*WORDS, "--classifier", "pooled"])
    assert done.exit_code == 2 and "give one of the two" in done.output


def test_a_classifier_is_planned_for_by_studies(run, tmp_path):
    store = tmp_path / "studies.jsonl"
    options = ("--classifier", "pooled", "--assurance", "0.8", "--store", str(store), "--json")
    result = json.loads(run(*CLASSIFIER, *options).output)
    assert result["learner"] == "PooledClassifier" and result["assurance"] == 0.8
    assert result["low"] < result["n"] < result["high"]
    kept = store.read_text()
    again = json.loads(run(*CLASSIFIER, *options).output)
    assert again["n"] == result["n"] and store.read_text() == kept


def test_a_classifier_is_drawn_beside_the_theory_and_its_error_alone(run, tmp_path):
    figure = tmp_path / "plan.png"
    words = (*CLASSIFIER, "--classifier", "pooled", "--figure", str(figure))
    run(*words, "--csv")
    assert figure.stat().st_size > 1000
    figure.unlink()
    result = run(*words, "--measure", "auc")
    assert result.exit_code == 2 and "draws errors, and the plan is of 'auc'" in result.output
    assert not figure.exists()


def test_lengths_signals_and_a_scheduler_go_to_the_plan(monkeypatch):
    seen = {}

    def asked(**given):
        seen.update(given)
        raise ValueError("enough")

    monkeypatch.setattr("needlescope.planner.default.plan", asked)
    monkeypatch.setattr("needlescope.experiments.on_dask.dask", lambda address: address)
    words = ("--theta", "4", "--d", "10", "--error", "0.25", "--lengths", "2", "5")
    address = "tcp://10.0.0.1:8786"
    CliRunner().invoke(command, [*words, "--signals", "3", "--scheduler", address])
    assert seen["lengths"] == range(2, 6) and seen["L"] is None
    assert seen["signals"] == 3 and seen["engine"] == address


@pytest.mark.slow
def test_costs_and_positives_of_a_classifier(run):
    task = ("plan", "--L", "3", "--theta", "5", "--d", "10", "--pi", "0.2")
    options = ("--classifier", "pooled", "--seconds", "20", "--json")
    result = json.loads(run(*task, "--costs", "5", "1", "--spend", "200", *options).output)
    assert result["spend"] == 5 * result["positives"] + result["n"] - result["positives"] <= 200
    result = json.loads(run(*task, "--positives", "30", "--n", "60", *options).output)
    assert result["positives"] == 30 and result["balance"] == 0.5
