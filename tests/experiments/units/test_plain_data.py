"""Plain data: every object that a unit may be given, and every number, there and back."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import needlescope as ns
from needlescope.experiments.units.plain_data import canonical, plain, to_json
from needlescope.losses import LOSSES

TASK = {"L": 4, "R": 1, "theta": 2.0, "pi": 0.5}
TRAINING = {"alpha0": 1.0, "alpha1": 2.0}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (np.float64(0.1), 0.1),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.str_("pooled"), "pooled"),
        (np.geomspace(1.0, 4.0, 3), [1.0, 2.0, 4.0]),
        (np.eye(2), [[1.0, 0.0], [0.0, 1.0]]),
        ((1, (2.0, None)), [1, [2.0, None]]),
        (ns.Task(**TASK), TASK),
        (ns.Training(1.0, 2.0, loss="square"), TRAINING | {"loss": "square"}),
        (ns.Training(1.0, 2.0, loss="logistic", ridge=1e-2), TRAINING),
        (ns.Query(1.0, 0.5), {"kappa": 1.0, "cosine": 0.5}),
        (ns.Noise("student", df=3.0), {"entries": "student", "df": 3.0}),
        (ns.Noise(covariance=np.eye(2)), {"covariance": [[1.0, 0.0], [0.0, 1.0]]}),
        (ns.Positions([(1, 0), (2, 1)], [0.75, 0.25]),
         {"sets": [[0, 1], [1, 2]], "probabilities": [0.75, 0.25]}),
        (ns.Task(**TASK).replace(R=ns.SignalCount([1, 2], [0.75, 0.25]), label_noise=(0.1, 0.2)),
         TASK | {"R": {"values": [1, 2], "probabilities": [0.75, 0.25]},
                 "label_noise": [0.1, 0.2]}),
        (ns.Training.joint(2.0, ridge_q=0.1), {"alpha1": 2.0, "ridge_q": 0.1}),
        (ns.Training(1.0, 2.0, schedule=ns.Schedule.even(3, eta_q=2.0)),
         TRAINING | {"schedule": {"steps": 3, "eta_q": 2.0}}),
        (ns.Schedule((0.5, 0.25, 0.25), eta_b=(1.0, 0.0, 2.0)),
         {"shares": [0.5, 0.25, 0.25], "eta_b": [1.0, 0.0, 2.0]}),
        (ns.PiecewiseQuadratic([1.0], [(0, -0.5, 0.5), (0, 0.5, -0.5)], name="absolute"),
         {"name": "absolute", "knots": [1.0], "pieces": [[0.0, -0.5, 0.5], [0.0, 0.5, -0.5]]}),
    ],
)  # fmt: skip
def test_objects_become_plain(given, found):
    assert plain(given) == found
    assert json.loads(canonical(given)) == found
    assert type(plain(given)) is type(found)


def test_built_in_losses_become_their_names(loss):
    known = plain(loss)
    assert known == loss.name if loss.name in LOSSES else known["name"] == loss.name


def test_objects_and_their_fields_make_one_unit():
    fields = ns.Unit("predict", {"task": TASK, "training": TRAINING, "model": "pooled"})
    task, training = ns.Task(**TASK), ns.Training(**TRAINING)
    objects = ns.Unit("predict", {"task": task, "training": training, "model": "pooled"})
    assert fields == objects and fields.key == objects.key


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_infinity_comes_back(value):
    unit = ns.Unit("predict", {"query": {"kappa": value, "cosine": 0.5}})
    text = canonical(unit.arguments)
    assert "Infinity" not in text and "1e999" in text
    assert json.loads(text)["query"]["kappa"] == value == unit.arguments["query"]["kappa"]
    assert ns.Unit("predict", json.loads(text)).key == unit.key
    assert json.loads(to_json([{"a": (value, {"b": value})}, 1.0])) == [
        {"a": [value, {"b": value}]},
        1.0,
    ]


def test_nan_is_null_and_words_stay_words():
    assert (
        to_json({"a": math.nan, "b": "inf", "c": "1e999"})
        == '{"a": null, "b": "inf", "c": "1e999"}'
    )


def test_every_bit_of_an_argument_is_kept():
    values = np.random.default_rng(0).standard_normal(200) * 10.0 ** np.arange(-100, 100)
    assert json.loads(canonical(values)) == values.tolist()
