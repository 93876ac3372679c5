"""Two noises: which pairs fit, and what a task makes of them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import needlescope as ns
from needlescope.models.checks import check_test
from needlescope.models.pooled import POOLED
from needlescope.noise import noise_pair

S0, S1 = np.diag([1.0, 2.0, 3.0]), np.diag([2.0, 2.0, 0.5])
NOISE, OTHER = ns.Noise(covariance=S0), ns.Noise(covariance=S1)
LEVELS = ns.Noise(spectrum=ns.Spectrum([2.0, 0.5], [1, 3]))
XI = (1.0, 2.0, 0.0)


def test_white_noise_takes_the_form_of_the_other() -> None:
    first, second = noise_pair(None, OTHER, XI)
    assert first is not None and first.covariance.tolist() == np.eye(3).tolist()
    assert second == OTHER
    assert noise_pair(NOISE, ns.Noise(), XI)[1] == ns.Noise(covariance=np.eye(3))
    assert noise_pair(ns.Noise(), LEVELS, "flat")[0] == ns.Noise(
        spectrum=ns.Spectrum([1.0, 1.0], [1, 3])
    )


def test_the_same_noise_twice_is_one_noise() -> None:
    assert ns.Task(4, 1, 2.0, 0.5, noise=NOISE, signal_noise=NOISE, signal=XI).signal_noise is None
    assert ns.Task(4, 1, 2.0, 0.5, signal_noise=ns.Noise()) == ns.Task(4, 1, 2.0, 0.5)


def test_a_task_whitens_both() -> None:
    task = ns.Task(4, 1, 2.0, 0.5, noise=NOISE, signal_noise=OTHER, signal=XI).whitened
    assert task.noise.covariance.tolist() == np.eye(3).tolist()
    assert task.signal_noise.covariance == pytest.approx(np.diag([2.0, 1.0, 1.0 / 6.0]))
    # ξ = (1, 2, 0)/√5, whitened (1, √2, 0)/√5
    assert task.theta == pytest.approx(2.0 * np.sqrt(3.0 / 5.0))
    assert np.array(task.signal) == pytest.approx(np.array([1.0, np.sqrt(2.0), 0.0]) / np.sqrt(3.0))


def test_spectra_are_whitened_level_by_level() -> None:
    other = ns.Noise(spectrum=ns.Spectrum([6.0, 1.0], [1, 3]))
    task = ns.Task(4, 1, 2.0, 0.5, noise=LEVELS, signal_noise=other, signal=(0.5, 0.5)).whitened
    assert task.signal_noise.spectrum.s == pytest.approx([3.0, 2.0])
    assert np.array(task.signal) == pytest.approx([0.2, 0.8])


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"signal_noise": 2.0}, "signal_noise must be a needlescope.Noise, got 2.0"),
        ({"noise": 2.0, "signal_noise": OTHER}, "noise must be a needlescope.Noise, got 2.0"),
        ({"signal_noise": ns.Noise("rademacher")}, "signal_noise must be Gaussian and independent"),
        ({"signal_noise": ns.Noise(token_correlation=0.5)}, "signal_noise must be Gaussian and in"),
        (
            {"noise": LEVELS, "signal_noise": OTHER},
            "signal_noise must have a covariance if noise has one, and a spectrum if noise has one",
        ),
        (
            {"noise": LEVELS, "signal_noise": ns.Noise(spectrum=[1.0, 2.0])},
            "signal_noise must have an eigenvalue for each of those of noise, with the same multi",
        ),
        (
            {"noise": NOISE, "signal_noise": ns.Noise(covariance=2.0 * np.eye(2)), "signal": XI},
            "signal_noise must have a covariance of the shape (3, 3) of that of noise, got (2, 2)",
        ),
        (
            {"noise": NOISE, "signal_noise": OTHER, "signal": "quiet"},
            "signal must be a vector where signal_noise has a covariance",
        ),
        ({"signal_noise": OTHER}, "signal must be a vector where signal_noise has a covariance"),
        (
            {"signal_noise": LEVELS, "signals": (0.5, 0.5)},
            "a task of several signals supports only white noise",
        ),
    ],
)
def test_a_pair_that_does_not_fit_is_refused(fields: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(words)}"):
        ns.Task(4, 1, 2.0, 0.5, **fields)


def test_a_test_task_has_the_same_pair() -> None:
    task = ns.Task(4, 1, 2.0, 0.5, signal_noise=LEVELS)
    with pytest.raises(ValueError, match="test_task must have the noise and signal of the task"):
        check_test(POOLED, task, task.replace(signal_noise=None))
