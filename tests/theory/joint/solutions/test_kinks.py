"""Rounded kinks: what two widths say of none, and what a third says of them."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import HINGE
from needlescope.theory.joint.prediction import problem_of
from needlescope.theory.joint.solutions.branches import coarse
from needlescope.theory.joint.solutions.kinks import WIDTHS, at_width, sharpen
from needlescope.theory.joint.solutions.solver import refine

TASK = ns.Task(L=4, R=1, theta=4.0, pi=0.4)
PROBLEM = problem_of(TASK, ns.Training.joint(2.0, "hinge", ridge=0.2, ridge_q=0.1), "field")


@pytest.fixture(scope="module")
def widest():
    smooth = at_width(PROBLEM, WIDTHS[0])
    return refine(smooth, coarse(smooth).x, 256)


def test_the_change_halves_with_the_width(widest):
    narrow = refine(at_width(PROBLEM, 0.5 * WIDTHS[0]), widest.x, 256, widest.slopes)
    narrower = refine(at_width(PROBLEM, 0.25 * WIDTHS[0]), narrow.x, 256, narrow.slopes)
    first, second = narrow.loss - widest.loss, narrower.loss - narrow.loss
    np.testing.assert_allclose(second, 0.5 * first, rtol=0.3)


def test_no_width_is_near_a_tiny_one(widest):
    sharp = sharpen(PROBLEM, widest, 256)
    tiny = refine(at_width(PROBLEM, 0.005), sharp.x, 256, widest.slopes)
    error = tiny.each.std(axis=0, ddof=1) / np.sqrt(len(tiny.each))
    gap = np.abs(sharp.each.mean(axis=0) - tiny.each.mean(axis=0))
    far = np.abs(widest.each.mean(axis=0) - tiny.each.mean(axis=0))
    assert (gap < 0.5 * error + np.abs(sharp.left)).all()
    assert far.max() > 5.0 * gap.max()
    narrow = refine(at_width(PROBLEM, WIDTHS[-1]), sharp.x, 256, widest.slopes)
    assert gap.max() < 0.5 * np.abs(narrow.each.mean(axis=0) - tiny.each.mean(axis=0)).max()
    assert np.abs(sharp.left).max() > 1e-4
    assert sharp.loss.mean() == pytest.approx(tiny.loss.mean(), abs=3.0 * sharp.loss_left + 1e-3)


def test_a_loss_without_kinks_is_left_alone(widest):
    problem = problem_of(TASK, ns.Training.joint(2.0, ridge=0.2, ridge_q=0.1), "field")
    assert sharpen(problem, widest, 256) is widest
    assert at_width(problem, 0.1) == problem
    assert at_width(PROBLEM, 0.1).loss is not HINGE
