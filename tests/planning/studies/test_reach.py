"""What a known signal makes of a measure."""

from __future__ import annotations

import pytest
from scipy.special import ndtr, ndtri

import needlescope as ns
from needlescope.planning.studies.measures import get_measure
from needlescope.planning.studies.reach import best_value, check_reachable

TASK = ns.Task(L=10, R=1, theta=3.0, pi=0.3)


def test_the_error_and_balanced_accuracy_are_those_of_the_theory():
    even = TASK.replace(pi=0.5)
    balanced, error = best_value(TASK, get_measure("balanced_accuracy", 0.3))
    assert abs(balanced - (1.0 - ns.oracle(even, "bayes").error)) < 4.0 * error + 1e-3


def test_one_instance_has_closed_forms():
    task = ns.Task(L=1, R=1, theta=2.0, pi=0.3)
    value, error = best_value(task, get_measure("sensitivity", 0.3, 0.9))
    assert abs(value - ndtr(2.0 - ndtri(0.9))) < 4.0 * error
    spectrum = ns.Noise(spectrum=ns.Spectrum.spiked(9.0, 0.02))
    loud = ns.Task(L=1, R=1, theta=2.0, pi=0.3, noise=spectrum, signal=(1.0, 0.0))
    strength = float(loud.whitened.theta)
    auc, error = best_value(loud, get_measure("auc", 0.3))
    assert abs(auc - ndtr(strength / 2.0**0.5)) < 4.0 * error


@pytest.mark.parametrize(
    ("name", "good", "bad", "side"),
    [("auc", 0.8, 0.99, "below"), ("log_loss", 0.5, 0.05, "above")],
)
def test_beyond_it_a_target_is_refused(name, good, bad, side):
    measure = get_measure(name, 0.3)
    check_reachable(TASK, measure, good)
    with pytest.raises(ValueError, match=f"target must be {side} .*, the {name} with a known"):
        check_reachable(TASK, measure, bad)
