"""Training: what it accepts, what it refuses and in which words."""

from __future__ import annotations

import dataclasses
import pickle
import re
from typing import Any

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import LOSSES, Logistic

POSITIVE = ("alpha0", "alpha1", "beta", "eta_w", "eta_q")
JOINT = ns.Training.joint(2.0, ridge=0.05, ridge_q=[0.1, 0.2])
NON_NEGATIVE = ("ridge", "eta_b")
NUMERIC = (*POSITIVE, *NON_NEGATIVE)


def training(**changes: Any) -> ns.Training:
    return ns.Training(**{"alpha0": 4.0, "alpha1": 1.0, **changes})


class Kinked(Logistic):
    kinked = True


class TestAccepts:
    def test_data_for_the_query_are_optional(self) -> None:
        assert ns.Training(alpha1=1.0).alpha0 is None

    def test_only_the_amounts_of_data_are_required(self) -> None:
        result = dataclasses.asdict(ns.Training(4, 1))
        assert result == {
            "alpha0": 4.0,
            "alpha1": 1.0,
            "loss": "logistic",
            "ridge": 1e-2,
            "beta": 1.0,
            "eta_w": 1.0,
            "eta_b": 1.0,
            "eta_q": 10.0,
            "first_step": "joint",
            "query_steps": 1,
            "balanced": False,
            "schedule": None,
            "ridge_q": None,
        }
        with pytest.raises(ValueError, match="alpha1 must be given"):
            ns.Training(4.0)

    @pytest.mark.parametrize("name", NUMERIC)
    def test_numbers_of_any_kind_become_floats(self, name: str) -> None:
        result = getattr(training(**{name: np.int16(3)}), name)
        assert type(result) is float
        assert result == 3.0

    @pytest.mark.parametrize("name", NON_NEGATIVE)
    def test_zero_is_allowed_where_it_means_something(self, name: str) -> None:
        assert getattr(training(**{name: 0}), name) == 0.0

    @pytest.mark.parametrize("name", sorted(LOSSES))
    def test_every_loss_by_its_name(self, name: str) -> None:
        assert training(loss=name).loss == name

    def test_a_loss_of_ones_own(self, pseudo_huber: ns.Loss) -> None:
        assert training(loss=pseudo_huber).loss is pseudo_huber

    @pytest.mark.parametrize("step", ["joint", "sequential"])
    def test_both_first_steps(self, step: str) -> None:
        assert training(first_step=step).first_step == step

    @pytest.mark.parametrize("value", [True, False, np.True_, np.False_])
    def test_balanced_or_not(self, value: Any) -> None:
        result = training(balanced=value).balanced
        assert type(result) is bool and result == value

    def test_fields_broadcast_in_the_order_of_numpy(self) -> None:
        grid = training(alpha1=[1.0, 2.0, 3.0], ridge=[[0.1], [0.2]], loss="hinge")
        assert grid.shape == (2, 3)
        result = [(scalar.ridge, scalar.alpha1, scalar.loss) for scalar in grid.scalars(grid.shape)]
        assert result == [(r, a, "hinge") for r in (0.1, 0.2) for a in (1.0, 2.0, 3.0)]


class TestRefuses:
    @pytest.mark.parametrize("name", NUMERIC)
    @pytest.mark.parametrize("value", [True, "1", None, 1j, [None], [[1.0], [2.0, 3.0]]], ids=repr)
    def test_what_is_not_a_number(self, name: str, value: Any) -> None:
        if name in ("alpha0", "alpha1") and value is None:
            pytest.skip("not given: alpha0 is optional, and alpha1 has a sentence of its own")
        sentence = f"{name} must be a finite number, or an array of them, got {value!r}"
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            training(**{name: value})

    @pytest.mark.parametrize("name", NUMERIC)
    @pytest.mark.parametrize("value", [-1, -1e-300, np.nan, np.inf, -np.inf])
    def test_negative_or_not_finite_numbers(self, name: str, value: float) -> None:
        words = "above 0" if name in POSITIVE else "of at least 0"
        sentence = f"{name} must be a finite number {words}, got {float(value)!r}"
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            training(**{name: value})

    @pytest.mark.parametrize("name", POSITIVE)
    def test_zero_where_nothing_would_happen(self, name: str) -> None:
        with pytest.raises(ValueError, match=f"^{name} must be a finite number above 0, got 0.0$"):
            training(**{name: 0})

    @pytest.mark.parametrize("name", NUMERIC)
    def test_empty_arrays(self, name: str) -> None:
        with pytest.raises(ValueError, match=f"^{name} must hold at least one value"):
            training(**{name: []})

    @pytest.mark.parametrize("name", NUMERIC)
    def test_one_bad_entry_in_an_array(self, name: str) -> None:
        with pytest.raises(ValueError, match=rf"^{name} .*got -2.0 in an array of shape \(3,\)$"):
            training(**{name: [1.0, -2.0, -3.0]})

    @pytest.mark.parametrize(
        "value",
        ["logit", "Logistic", "", None, 3, ["hinge"], Logistic, np.array("hinge")],
        ids=repr,
    )
    def test_an_unknown_loss(self, value: Any) -> None:
        sentence = (
            "loss must be one of 'square', 'logistic', 'hinge', 'squared_hinge' or a "
            f"needlescope.Loss, got {value!r}"
        )
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            training(loss=value)

    @pytest.mark.parametrize("value", ["both", "Joint", None, 0, ["joint"]], ids=repr)
    def test_an_unknown_first_step(self, value: Any) -> None:
        sentence = f"first_step must be one of 'joint', 'sequential', got {value!r}"
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            training(first_step=value)

    @pytest.mark.parametrize("value", ["yes", None, 0, 1.0, [True, False]], ids=repr)
    def test_what_is_neither_balanced_nor_not(self, value: Any) -> None:
        sentence = f"balanced must be True or False, got {value!r}"
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            training(balanced=value)

    def test_arrays_that_do_not_broadcast(self) -> None:
        with pytest.raises(ValueError, match="arrays in Training must broadcast") as caught:
            training(alpha1=[1.0, 2.0], eta_q=[1.0, 2.0, 3.0])
        assert "alpha1 (2,), eta_q (3,)" in str(caught.value)


class TestValue:
    def test_it_is_frozen(self) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            training().ridge = 1.0  # type: ignore[misc]

    def test_its_arrays_are_read_only(self) -> None:
        with pytest.raises(ValueError, match="read-only"):
            training(ridge=[0.1, 0.2]).ridge[0] = 1.0

    def test_replace_keeps_the_other_fields(self, pseudo_huber: ns.Loss) -> None:
        item = training(loss=pseudo_huber, first_step="sequential").replace(alpha1=[1, 2])
        assert item == training(loss=pseudo_huber, first_step="sequential", alpha1=[1.0, 2.0])

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"alpha1": 0}, "alpha1 must be a finite number above 0, got 0.0"),
            ({"loss": "x"}, "loss must be one of 'square'"),
            ({"first_step": "x"}, "first_step must be one of 'joint', 'sequential', got 'x'"),
            ({"lam": 1}, "Training has no field 'lam'; its fields are alpha0, alpha1, balanced"),
        ],
    )
    def test_replace_is_validated(self, changes: dict[str, Any], words: str) -> None:
        with pytest.raises(ValueError, match=f"^{re.escape(words)}"):
            training().replace(**changes)

    @pytest.mark.parametrize("changes", [{}, {"alpha1": [1.0, 2.0]}, {"loss": "hinge"}])
    def test_equal_trainings_hash_alike(self, changes: dict[str, Any]) -> None:
        item, other = training(**changes), training(**changes)
        assert item == other == pickle.loads(pickle.dumps(item))
        assert hash(item) == hash(other)

    @pytest.mark.parametrize(
        "changes",
        [
            *({name: 0.123} for name in NUMERIC),
            *({"loss": "hinge"}, {"first_step": "sequential"}, {"balanced": True}),
        ],
        ids=str,
    )
    def test_any_different_field_makes_trainings_different(self, changes: dict[str, Any]) -> None:
        assert training(**changes) != training()


class TestQuerySteps:
    def test_may_be_a_grid(self) -> None:
        result = training(query_steps=[1, 5])
        assert result.shape == (2,) and [scalar.query_steps for scalar in result.scalars((2,))] == [
            1,
            5,
        ]

    @pytest.mark.parametrize("call", [ns.align, ns.predict, ns.focus])
    def test_theory_follows_one(self, call: Any) -> None:
        task = ns.Task(L=4, R=1, theta=3.0, pi=0.5)
        with pytest.raises(ValueError, match=r"^query_steps must be 1 here, got 5: the theory"):
            call(task, training(query_steps=5))

    def test_play_no_part_without_a_query_to_train(self) -> None:
        task, many = ns.Task(L=4, R=1, theta=3.0, pi=0.5), training(query_steps=5)
        told = ns.predict(task, many, "pooled")
        assert told.test_error == ns.predict(task, training(), "pooled").test_error
        given = ns.predict(task, many, query=ns.Query(1.0, 0.9), tol=1e-2)
        assert 0.0 < given.test_error < 0.5
        result = ns.simulate(task, many, "pooled", d=20, trials=2, n_jobs=1)
        assert result.options["sampler"] == "reduced"


class TestJoint:
    """Query and readout trained together: one more kind of training, with a ridge of the query."""

    def test_it_is_a_training_with_a_ridge_of_the_query(self) -> None:
        assert JOINT.is_joint and not training().is_joint
        assert (JOINT.alpha0, JOINT.alpha1, JOINT.ridge) == (None, 2.0, 0.05)
        assert JOINT.shape == (2,)
        assert "eta_q" in JOINT.idle and not training().idle
        assert [item.ridge_q for item in JOINT.scalars((2,))] == [0.1, 0.2]
        assert JOINT.replace(alpha1=3.0).is_joint
        assert pickle.loads(pickle.dumps(JOINT)) == JOINT

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"alpha0": 1.0}, r"alpha0 must be left out with ridge_q, got 1\.0: query and readout"),
            ({"beta": 2.0}, r"beta must be 1 with ridge_q, got 2\.0: .* divided by β²"),
            (
                {"query_steps": 2},
                r"query_steps must be 1 with ridge_q, got 2: joint training takes",
            ),
            ({"balanced": True}, r"balanced must be False with ridge_q, got True"),
            ({"first_step": "sequential"}, r"first_step must be 'joint' with ridge_q, got 'seq"),
            ({"schedule": ns.Schedule.even(2)}, r"schedule must be None with ridge_q, got Sched"),
            ({"ridge": 0.0}, r"ridge must be above 0 with ridge_q, got 0\.0: .* such as 1e-4"),
            ({"ridge_q": 0.0}, r"ridge_q must be a finite number above 0, got 0\.0"),
            (
                {"loss": Kinked()},
                r"joint training needs a loss without kinks, or a Piecewise.*, got <logistic",
            ),
        ],
    )
    def test_what_does_not_go_with_it_is_refused(
        self, changes: dict[str, Any], sentence: str
    ) -> None:
        with pytest.raises(ValueError, match=sentence):
            JOINT.replace(**changes)
