"""Sweeps: a grid in a file, as units."""

from __future__ import annotations

import re
from datetime import date

import numpy as np
import pytest

import needlescope as ns
from needlescope.experiments.axes import MAX_UNITS
from needlescope.experiments.engine import run_units
from needlescope.experiments.sweep import Sweep, read_sweep
from needlescope.experiments.units import calls
from needlescope.experiments.units.unit import Unit

COVERS = ("axes", "checks")
TASK = {"L": 4, "R": 1, "theta": [1.0, 2.0], "pi": 0.5}
TRAINING = {"alpha0": 1.0, "alpha1": [1.0, 2.0, 3.0]}
SEVERAL = TASK | {"signals": [0.5, 0.5]}


def test_everything_is_combined_with_everything():
    sweep = Sweep(
        ["predict", "simulate"],
        {"task": TASK, "training": TRAINING},
        {"model": ["pooled", "vectorized"], "d": [5, 10]},
        trials=4,
    )
    units = sweep.units()
    assert sum(unit.call == "predict" for unit in units) == 2 * 3 * 2  # theory knows no d
    assert sum(unit.call == "simulate" for unit in units) == 2 * 3 * 2 * 2 * 4


def test_calls_without_training_do_without():
    units = Sweep("oracle", {"task": TASK, "training": TRAINING}, {"model": "pooled"}).units()
    assert len(units) == 2 and all("training" not in unit.arguments for unit in units)


def test_what_no_call_takes_is_told():
    tables = {"task": TASK, "query": {"kappa": 1.0, "cosine": [0.5, 0.6]}}
    sweep = Sweep("oracle", tables, {"model": "pooled", "d": [100, 200]})
    assert sweep.left_out == ["d", "query"] and len(sweep.units()) == 2
    both = Sweep(["oracle", "simulate"], tables, {"model": "pooled", "d": [100, 200]})
    assert both.left_out == []


def test_weights_and_cosines_of_several_signals_are_lists_that_may_be_swept():
    query = {"kappa": 1.0, "cosines": [0.6, 0.8]}
    tables = {"task": SEVERAL, "training": {"alpha1": 1.0}, "query": query}
    units = Sweep(["predict", "best_query"], tables).units()
    assert len(units) == 2 * 2 and units[0].arguments["task"]["signals"] == [0.5, 0.5]
    given = SEVERAL | {"signals": [[0.5, 0.5], [0.1, 0.9]]}
    assert len(Sweep("predict", tables | {"task": given}, {"model": "pooled"}).units()) == 4


def test_a_single_signal_has_the_key_it_had():
    task = ns.Task(L=4, R=1, theta=2.0, pi=0.5)
    keys = {
        Unit("predict", {"task": item, "training": {"alpha1": 1.0}, "model": "pooled"}).key
        for item in (task, task.replace(signals=(1.0,)), {"L": 4, "R": 1, "theta": 2.0, "pi": 0.5})
    }
    assert len(keys) == 1


def test_label_noise_is_an_axis_of_numbers_and_pairs():
    task = {**TASK, "theta": 1.0, "label_noise": [0.0, 0.1, [0.2, 0.1]]}
    units = Sweep("predict", {"task": task, "training": {"alpha1": 1.0}}, {"model": "pooled"})
    result = [unit.arguments["task"].get("label_noise") for unit in units.units()]
    assert result == [0.0, 0.1, [0.2, 0.1]]
    errors = [unit.run()["test_error"] for unit in units.units()]
    plain = ns.predict(ns.Task(4, 1, 1.0, 0.5), ns.Training(alpha1=1.0), "pooled").test_error
    assert plain == errors[0] < errors[1] < errors[2]


def test_a_file_can_give_a_random_number_of_signal_tokens(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(
        'call = "predict"\nmodel = "pooled"\n[task]\nL = 4\ntheta = 3.0\npi = 0.5\n'
        "[task.R]\nvalues = [1, 2]\nprobabilities = [0.75, 0.25]\n[training]\nalpha1 = 1.0\n"
    )
    [unit] = read_sweep(path).units()
    task = ns.Task(4, ns.SignalCount([1, 2], [0.75, 0.25]), 3.0, 0.5)
    result = ns.predict(task, ns.Training(alpha1=1.0), "pooled")
    assert unit.run()["test_error"] == result.test_error


def test_seeds_differ_between_sweeps():
    item, two = (
        Sweep("simulate", {"task": TASK, "training": TRAINING}, {"model": "pooled"}, seed=seed)
        for seed in (0, 1)
    )
    assert not {u.key for u in item.units()} & {u.key for u in two.units()}


def test_a_file_says_the_same(tmp_path):
    path = tmp_path / "sweep.toml"
    head = "call = 'oracle'\nmodel = ['pooled', 'bayes']\n"
    path.write_text(head + "[task]\nL = [2, 3]\nR = 1\ntheta = 1.0\npi = 0.5")
    assert len(read_sweep(path).units()) == 4


def test_a_file_can_ask_for_balance(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(
        "call = ['align', 'simulate_alignment']\nd = 30\ntrials = 1\n"
        "[task]\nL = 5\nR = 1\ntheta = 4.0\npi = 0.1\n"
        "[training]\nalpha0 = 20.0\nalpha1 = 1.0\nbalanced = [false, true]"
    )
    units = read_sweep(path).units()
    assert [unit.arguments["training"]["balanced"] for unit in units] == [False, True] * 2
    cosines = [unit.run()["cosine_q"] for unit in units]
    assert cosines[1] - cosines[0] > 0.5 and cosines[3] - cosines[2] > 0.5


def test_a_file_can_ask_for_covariances(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(
        "call = 'simulate'\nmodel = 'pooled'\nd = 5\ntrials = 1\n"
        "[task]\nL = 2\nR = 1\ntheta = 1.0\npi = 0.5\n[training]\nalpha0 = 1.0\nalpha1 = 3.0\n"
        "[noise]\ncovariance_decay = [0.2, 0.9]"
    )
    units = read_sweep(path).units()
    assert [unit.arguments["noise"]["covariance_decay"] for unit in units] == [0.2, 0.9]
    assert all(0.0 < unit.run()["test_error"] < 1.0 for unit in units)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"call": "guess"}, "call must be one of"),
        ({"tables": {"tsak": TASK}}, "table must be one of 'task'"),
        ({"tables": {"task": 3}}, r"\[task\] must be a table of fields, got task = 3"),
        ({"call": []}, r"call must have at least one value, got \[\]"),
        (
            {"call": [["oracle"]]},
            r"call must be one value or a list of single ones, got \['",
        ),
        ({"trials": 0}, "trials must be a single whole number of at least 1, got 0"),
        ({"seed": -1}, "seed must be a single whole number of at least 0, got -1"),
        ({"trials": True}, "got True"),
    ],
)
def test_bad_sweeps_are_refused(change, sentence):
    fields = {"call": "oracle", "tables": {"task": TASK}, **change}
    with pytest.raises(ValueError, match=sentence):
        Sweep(**fields)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"task": TASK | {"tetha": 5.0}}, "[task] has no field 'tetha'; its fields are L, R, the"),
        ({"task": {"L": 4, "R": 1, "pi": 0.5}}, "[task] needs a line `theta = ...`"),
        ({"task": TASK | {"L": "ten"}}, "[task] L must be an integer, or an array of them, got 't"),
        ({"task": TASK | {"R": [1, 9]}}, "[task] R must be an integer in 1..L, got 9 with L=4"),
        ({"task": TASK | {"L": [[4, 5], [6]]}}, "[task] L must be one value or a list of single"),
        ({"task": TASK | {"theta": []}}, "[task] theta must have at least one value, got []"),
        ({"task": TASK | {"theta": float("nan")}}, "[task] theta must be a finite number of"),
        ({"task": TASK | {"L": date(2020, 1, 1)}}, "[task] L must be an integer, or an array of"),
        ({"task": TASK | {"positions": {"set": [[1]]}}}, "[task] positions has no field 'set'"),
        ({"query": {"kappa": 1.0}}, "[query] needs a line `cosine = ...`"),
        ({"task": TASK | {"signals": [0.5, 0.4]}}, "[task] signals must be probabilities that sum"),
        (
            {"task": SEVERAL, "model": "attention", "training": {"alpha1": 1.0}},
            "predict: alpha0 must be given: the query is trained on D0",
        ),
        (
            {"task": SEVERAL, "call": "oracle"},
            "oracle: oracle supports only tasks with one signal, got signal",
        ),
        ({"training": {"alpha0": 1.0, "alpha1": -1.0}}, "[training] alpha1 must be a finite"),
        ({"noise": {"entries": "pink"}}, "[noise] entries must be one of 'gaussian'"),
        ({"noise": {"covariance_decay": [0.5, 2.0]}}, "[noise] covariance_decay must be a number"),
        ({"training": None}, "predict needs a table [training]"),
        ({"call": "oracle_threshold"}, "oracle_threshold needs a line `error = ...`"),
        ({"call": "crossover", "kappa": -1.0}, "crossover: kappa must be a finite number of at"),
        ({"call": "capacity", "model": "attention"}, "capacity: attention needs a table [query]"),
        ({"model": "attn"}, "predict: model must be one of 'attention', 'pooled', 'vectorized'"),
        ({"model": []}, "model must have at least one value, got []"),
        ({"data": "D2"}, "predict: data must be one of 'D1', 'all', got 'D2'"),
        ({"tol": float("inf")}, "predict: tol must be a number in (0, 1], got inf"),
        ({"d": -50}, "simulate: d must be an integer in 1..1000000, got -50"),
        ({"d": [20, 2.5]}, "simulate: d must be a single integer in 1..1000000, got 2.5"),
        ({"n_test": 0}, "simulate: n_test must be an integer in 1.."),
        ({"reuse": "all"}, "simulate: reuse is about attention's query, got 'all' with model='po"),
        ({"test_task": TASK | {"L": 8}, "model": "vectorized"}, "cannot be tested at L=8"),
    ],
)
def test_bad_units_are_refused_before_any_work(change, sentence):
    given = {"call": ["predict", "simulate"], "d": 20, "model": "pooled", "task": TASK}
    given |= {"training": TRAINING} | change
    call = given.pop("call")
    tables = {name: given.pop(name) for name in calls.TABLES if name in given}
    tables = {name: fields for name, fields in tables.items() if fields is not None}
    with pytest.raises(ValueError, match=re.escape(sentence)):
        Sweep(call, tables, given).units()


def test_a_decaying_covariance_needs_a_dimension_and_is_not_built_to_be_checked(monkeypatch):
    tables = {"task": TASK, "training": TRAINING, "noise": {"covariance_decay": 0.5}}
    with pytest.raises(ValueError, match=r"\[noise\] covariance_decay describes a d × d matrix"):
        Sweep("simulate", tables, {"model": "pooled"}).units()
    sizes = []
    monkeypatch.setattr(calls, "_decaying", lambda decay, d: sizes.append(d) or np.eye(d))
    assert Sweep("simulate", tables, {"model": "pooled", "d": 4000, "memory": 1 << 40}).units()
    assert sizes == [2]


def test_a_file_that_is_no_text_is_named(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_bytes(b'call = "\xff"')
    with pytest.raises(ValueError, match=r"sweep.toml is not UTF-8 text, .* at byte 8; save it"):
        read_sweep(path)


def test_what_only_another_call_takes_is_left_out_and_what_none_takes_is_refused():
    tables = {
        "task": {**TASK, "theta": 2.0},
        "training": {"alpha0": 1.0, "alpha1": 1.0},
        "noise": {"entries": "rademacher"},
    }
    axes = {"model": "pooled", "d": 20, "n_test": 100}
    predict, simulate = Sweep(["predict", "simulate"], tables, axes, trials=1).units()
    assert set(predict.arguments) == {"task", "training", "model"}
    assert {"noise", "d", "n_test"} < set(simulate.arguments)
    assert predict.run()["test_error"] > 0.0 and simulate.run()["test_error"] > 0.0
    with pytest.raises(ValueError, match=r"argument must be one of .*, got 'modell'"):
        Sweep("predict", tables, {"modell": "pooled"})


# ---------------------------------------------------------------- axes


def test_arrays_are_axes_of_plain_numbers():
    lists = Sweep("oracle", {"task": {**TASK, "L": [2, 4]}}, {"model": ["pooled"]}).units()
    arrays = {**TASK, "theta": np.array([1.0, 2.0]), "L": np.array([2, 4]), "pi": np.float64(0.5)}
    assert Sweep("oracle", {"task": arrays}, {"model": np.array(["pooled"])}).units() == lists
    task = ns.Task(L=[2, 4], R=1, theta=np.array([1.0, 2.0]), pi=0.5)
    assert Sweep("oracle", {"task": task}, {"model": "pooled"}).units() == lists
    assert (
        Sweep("oracle", {"task": {**TASK, "L": range(2, 5, 2)}}, {"model": "pooled"}).units()
        == lists
    )
    theta = np.geomspace(0.1, 7.0, 5)
    result = Sweep("oracle", {"task": {**TASK, "theta": theta}}, {"model": "pooled"}).units()
    assert [unit.arguments["task"]["theta"] for unit in result] == theta.tolist()


def test_a_single_value_may_be_a_list_where_it_is_one():
    tables = {"task": {**TASK, "theta": 1.0}, "training": {"alpha0": 1.0, "alpha1": 2.0}}
    item, two = [1.0, 0.0], [0.0, 1.0]
    for given, signals in ((item, [item]), (np.array(item), [item]), ([item, two], [item, two])):
        axes = {"model": "pooled", "d": 2, "signal": given}
        result = Sweep("simulate", tables, axes, trials=1).units()
        assert [unit.arguments["signal"] for unit in result] == signals
    for given in (np.eye(2), np.eye(2).tolist(), [np.eye(2)]):
        more = tables | {"noise": {"covariance": given}}
        (result,) = Sweep("simulate", more, {"model": "pooled", "d": 2}, trials=1).units()
        assert result.arguments["noise"]["covariance"] == np.eye(2).tolist()


def test_axes_that_go_together_are_walked_side_by_side():
    task = {"L": [4, 8, 16], "R": 1, "theta": [1.0, 2.0, 3.0], "pi": [0.3, 0.5]}
    sweep = Sweep("oracle", {"task": task}, {"model": ["pooled", "bayes"]},
                  together=[["task.L", "task.theta"]])  # fmt: skip
    result = [unit.arguments for unit in sweep.units()]
    assert len(result) == sweep.count == 3 * 2 * 2
    pairs = {(item["task"]["L"], item["task"]["theta"]) for item in result}
    assert pairs == {(4, 1.0), (8, 2.0), (16, 3.0)}


def test_axes_of_tables_and_arguments_may_go_together():
    sweep = Sweep(
        ["predict", "simulate"],
        {"task": {**TASK, "theta": [1.0, 2.0]}, "training": {"alpha0": 1.0, "alpha1": [2.0, 3.0]}},
        {"model": "pooled", "d": [10, 20]},
        trials=1,
        together=[["task.theta", "training.alpha1", "d"]],
    )
    result = [unit.arguments for unit in sweep.units()]
    walked = [(item["task"]["theta"], item["training"]["alpha1"], item.get("d")) for item in result]
    assert walked == [(1.0, 2.0, None), (2.0, 3.0, None), (1.0, 2.0, 10), (2.0, 3.0, 20)]


def test_going_together_changes_no_unit():
    whole = Sweep("simulate_oracle", {"task": {**TASK, "L": [4, 8]}}, {"model": "pooled"}, trials=2)
    part = Sweep("simulate_oracle", {"task": {**TASK, "L": [4, 8]}}, {"model": "pooled"}, trials=2,
                 together=[["task.L", "task.theta"]])  # fmt: skip
    assert {unit.key for unit in part.units()} < {unit.key for unit in whole.units()}


HEAD = "call = 'oracle'\nmodel = 'bayes'\n"


def test_a_file_can_say_what_goes_together(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(
        HEAD + "together = [['task.L', 'task.theta']]\n"
        "[task]\nL = [2, 3]\nR = 1\ntheta = [1.0, 2.0]\npi = 0.5"
    )
    assert [unit.arguments["task"]["theta"] for unit in read_sweep(path).units()] == [1.0, 2.0]


def test_a_file_can_give_positions_and_losses(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(
        "call = ['oracle', 'predict']\nmodel = 'vectorized'\n"
        "[task]\nL = 3\nR = 2\ntheta = 1.0\npi = 0.5\n"
        "[task.positions]\nsets = [[0, 1], [1, 2]]\nprobabilities = [0.75, 0.25]\n"
        "[training]\nalpha0 = 1.0\nalpha1 = 9.0\n"
        "[training.loss]\nname = 'mine'\nknots = []\npieces = [[1.0, -1.0, 0.5]]\n"
    )
    oracle, predict = read_sweep(path).units()
    task = ns.Task(3, 2, 1.0, 0.5, positions=ns.Positions([(0, 1), (1, 2)], [0.75, 0.25]))
    assert oracle.run()["error"] == ns.oracle(task, "vectorized").error
    same = ns.predict(task, ns.Training(1.0, 9.0, loss="square"), "vectorized")
    assert predict.run()["test_error"] == pytest.approx(same.test_error, abs=1e-9)
    by_object = Sweep("oracle", {"task": task}, {"model": "vectorized"}).units()
    assert by_object == [oracle]


@pytest.mark.slow
def test_a_file_can_give_schedules(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(
        "call = 'align'\n[task]\nL = 3\nR = 1\ntheta = 2.0\npi = 0.5\n"
        "[training]\nalpha0 = 2.0\nalpha1 = 1.0\n"
        "schedule = [{steps = 2}, {steps = 3, eta_q = [0.0, 1.0, 2.0]}, {shares = [0.75, 0.25]}]\n"
    )
    schedules = [
        ns.Schedule.even(2),
        ns.Schedule.even(3, eta_q=(0.0, 1.0, 2.0)),
        ns.Schedule((0.75, 0.25)),
    ]
    task, trainings = (
        ns.Task(3, 1, 2.0, 0.5),
        [ns.Training(2.0, 1.0, schedule=schedule) for schedule in schedules],
    )
    units = read_sweep(path).units()
    assert units == [Unit("align", {"task": task, "training": training}) for training in trainings]
    assert (
        units
        == Sweep(
            "align",
            {"task": task, "training": {"alpha0": 2.0, "alpha1": 1.0, "schedule": schedules}},
        ).units()
    )
    assert len({unit.key for unit in units}) == 3
    with ns.Store(tmp_path / "a.sqlite") as store:
        run_units(units, store, progress=False)
        table = store.to_pandas(units)
    assert table["cosine_q"].tolist() == [
        ns.align(task, training).cosine_q for training in trainings
    ]
    assert table["training.schedule.steps"].tolist()[:2] == [2.0, 3.0]


def test_a_file_may_begin_with_a_mark(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(HEAD + "[task]\nL = 2\nR = 1\ntheta = 1.0\npi = 0.5", encoding="utf-8-sig")
    assert len(read_sweep(path).units()) == 1


def test_infinity_in_a_file_comes_back_from_a_store(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(HEAD + "tol = inf\n[task]\nL = 2\nR = 1\ntheta = 1.0\npi = 0.5")
    tol = read_sweep(path).axes["tol"]
    unit = Unit("oracle", {"task": TASK, "model": "bayes", "tol": tol})
    with ns.Store(tmp_path / "a.sqlite") as store:
        store.put(unit, {"error": np.inf}, seconds=0.0)
        row = store.get(unit)
        assert row.unit == unit and row.unit.arguments["tol"] == np.inf
        assert (row.settings["tol"], row.numbers["error"]) == (np.inf, np.inf)
        (kept,) = store._select("SELECT arguments || numbers FROM results")
    assert "Infinity" not in kept[0] and kept[0].count("1e999") == 2


def test_a_sweep_is_counted_before_it_is_listed():
    task = {**TASK, "theta": range(1000), "pi": np.linspace(0.1, 0.9, 200).tolist()}
    assert Sweep("oracle", {"task": task}, {"model": "pooled"}).count == MAX_UNITS == 200_000
    with pytest.raises(ValueError, match="the sweep has 400000 units, above 200000"):
        Sweep("oracle", {"task": task}, {"model": ["pooled", "bayes"]})


def test_a_query_is_for_attention_and_left_out_of_what_has_none():
    fields = {"alpha0": 4.0, "alpha1": 1.0}
    tables = {"task": {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}, "training": fields}
    tables["query"] = {"kappa": [1.0, float("inf")], "cosine": 0.9}
    units = Sweep("predict", tables, {"model": ["attention", "pooled"]}).units()
    assert [("query" in unit.arguments) for unit in units] == [True, True, False]
    assert units[1].run()["kappa"] == float("inf")


@pytest.mark.parametrize("call", ["predict", "align", "focus", "simulate"])
def test_a_query_cannot_be_trained_without_data_for_it(call):
    tables = {"task": {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}, "training": {"alpha1": 1.0}}
    with pytest.raises(ValueError, match=f"{call}: alpha0 must be given: the query is trained"):
        Sweep(call, tables).units()
