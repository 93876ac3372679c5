"""What a known signal makes of a measure."""

from __future__ import annotations

import numpy as np
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


def test_of_bags_of_several_lengths_the_bayes_error_is_the_mean_over_lengths():
    value, error = best_value(TASK, get_measure("error", 0.3), lengths=(2, 30))
    each = [ns.oracle(TASK.replace(L=L), "bayes").error for L in (2, 30)]
    assert each[1] > each[0] + 20.0 * error  # so that one of the two alone would be seen
    assert abs(value - np.mean(each)) < 4.0 * error + 1e-3


def test_of_several_signals_of_one_instance_there_is_a_closed_form():
    """With probabilities 1 and 0 two signals are one; the error of an even pair is an integral."""
    task, measure = ns.Task(L=1, R=1, theta=2.0, pi=0.5), get_measure("error", 0.5)
    one, error = best_value(task.replace(signals=(1.0, 0.0)), measure)
    assert abs(one - ndtr(-1.0)) < 4.0 * error
    x = np.linspace(-7.0, 9.0, 801)
    first, second = np.meshgrid(x, x)
    density = np.exp(-0.5 * (first**2 + second**2)) / (2.0 * np.pi)
    ratio = 0.5 * (np.exp(2.0 * first - 2.0) + np.exp(2.0 * second - 2.0))
    exact = 0.5 * (density * np.minimum(1.0, ratio)).sum() * (x[1] - x[0]) ** 2
    value, error = best_value(task.replace(signals=(0.5, 0.5)), measure)
    assert abs(value - exact) < 4.0 * error and exact > one + 10.0 * error


@pytest.mark.parametrize(
    ("name", "good", "bad", "side"),
    [("auc", 0.8, 0.99, "below"), ("log_loss", 0.5, 0.05, "above")],
)
def test_beyond_it_a_target_is_refused(name, good, bad, side):
    measure = get_measure(name, 0.3)
    check_reachable(TASK, measure, good)
    with pytest.raises(ValueError, match=f"target must be {side} .*, the {name} with a known"):
        check_reachable(TASK, measure, bad)
