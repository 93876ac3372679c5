"""Piecewise quadratic losses: their envelope's segments, their cones, and what is refused."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest

from needlescope.losses import HINGE, KINK, SQUARED_HINGE, PiecewiseQuadratic, Segment
from tests.conftest import TWO_KINKS
from tests.losses.brute_force import LABELS, SEARCH, brute_force_envelope, kinks


def _on(one: Segment, v: np.ndarray) -> np.ndarray:
    x = v - one.anchor
    return one.level + (one.slope + 0.5 * one.bend * x) * x


def segment_values(loss: PiecewiseQuadratic, v: np.ndarray, g: float) -> np.ndarray:
    """The Moreau envelope in the margin v, read off the loss's segments."""
    result = np.full(v.shape, np.nan)
    for segment in loss.segments(np.array(g)):
        inside = (v >= segment.low) & (v <= segment.high)
        result = np.where(inside, _on(segment, v), result)
    return result


class TestSegments:
    @pytest.mark.parametrize("g", [1e-3, 0.5, 1.0, 30.0, 1e3])
    def test_the_envelope_is_the_brute_force_minimum(
        self, piecewise: PiecewiseQuadratic, g: float
    ) -> None:
        edges = [segment.high for segment in piecewise.segments(np.array(g))[:-1]]
        v = np.concatenate([np.linspace(-6.0, 6.0, 25), np.array(edges, float)])
        best = [brute_force_envelope(piecewise, item, g, 1) for item in v]
        assert segment_values(piecewise, v, g) == pytest.approx(best, rel=SEARCH, abs=SEARCH)

    def test_they_tile_the_line_and_join_smoothly(self, piecewise: PiecewiseQuadratic) -> None:
        g = np.array([1e-3, 0.7, 40.0])
        result = piecewise.segments(g)
        assert np.all(result[0].low == -np.inf)
        assert np.all(result[-1].high == np.inf)
        for left, right in itertools.pairwise(result):
            at = left.high
            assert at == pytest.approx(right.low, rel=1e-13)
            assert np.all(left.low <= left.high)
            slopes = [item.slope + item.bend * (at - item.anchor) for item in (left, right)]
            assert slopes[0] == pytest.approx(slopes[1], abs=1e-11)
            values = [_on(item, at) for item in (left, right)]
            assert values[0] == pytest.approx(values[1], rel=1e-11, abs=1e-11)

    def test_a_kink_has_a_segment_of_its_own(self, two_kinks: PiecewiseQuadratic) -> None:
        assert len(HINGE.segments(np.array(1.0))) == 3
        assert len(two_kinks.segments(np.array(1.0))) == 6  # four pieces, two kinks, a smooth join

    def test_no_score_falls_between_segments(self) -> None:
        loss = PiecewiseQuadratic([1.0], [(1.0, -2.0, 0.0), (0.0, -1.0 + 5e-13, -0.5 - 5e-13)])
        g = 1e6
        between = 1.0 + g * (-1.0 + 2e-13)
        assert float(loss.prox(np.array(between), np.array(g), 1)) == pytest.approx(1.0, abs=1e-5)


class TestCone:
    @pytest.mark.parametrize("y", LABELS)
    def test_it_is_the_directional_derivative(self, piecewise: PiecewiseQuadratic, y: int) -> None:
        for z in (-2.0, -0.3, 0.0, 1.7, *kinks(piecewise, y)):
            cone = piecewise.cone(float(z), y)
            for direction in (-1.0, 1.0):
                h = 1e-6 * direction
                slope = (
                    piecewise.value(np.array(z + h), y) - piecewise.value(np.array(z), y)
                ) / 1e-6
                # second derivative at most one, and rounding of ℓ/h
                assert float(cone.value(np.array(direction), y)) == pytest.approx(
                    float(slope), abs=1e-6
                )

    def test_it_is_kinked_exactly_at_kinks(self, two_kinks: PiecewiseQuadratic) -> None:
        assert HINGE.cone(1.0, 1).kinked
        assert HINGE.cone(-1.0, -1).kinked
        assert not HINGE.cone(-1.0, 1).kinked
        assert not HINGE.cone(1.0, -1).kinked
        assert two_kinks.cone(0.5, 1).kinked
        assert two_kinks.cone(-2.0, -1).kinked
        assert not two_kinks.cone(-1.0, 1).kinked  # a knot without a jump of the slope

    def test_the_derivative_at_a_kink_is_that_on_its_right(
        self, two_kinks: PiecewiseQuadratic
    ) -> None:
        kinks = np.array([0.5, 2.0])  # slopes −½ | 0 and 0 | ¼
        assert two_kinks.derivative(kinks, 1).tolist() == [0.0, 0.25]
        assert two_kinks.derivative(-kinks, -1).tolist() == [0.0, -0.25]

    def test_it_is_positively_homogeneous(self, piecewise: PiecewiseQuadratic) -> None:
        z = np.linspace(-3.0, 3.0, 13)
        for at in (-1.0, 0.5, 1.0):
            cone = piecewise.cone(at, 1)
            assert cone.value(7.0 * z, 1) == pytest.approx(7.0 * cone.value(z, 1), abs=1e-14)


class TestRefusals:
    LINES = ((0.0, -1.0, 1.0), (0.0, 0.0, 0.0))

    @pytest.mark.parametrize(
        ("knots", "pieces", "words"),
        [
            ([], LINES, "one finite (a, b, c) more than it has knots, got 2 pieces for 0 knots"),
            ([1.0, 2.0], LINES, "got 2 pieces for 2 knots"),
            ([], [], "got 0 pieces for 0 knots"),
            ([np.nan], LINES, "one finite (a, b, c)"),
            ([np.inf], LINES, "one finite (a, b, c)"),
            ([1.0], [(0.0, -1.0, np.nan), (0.0, 0.0, 0.0)], "one finite (a, b, c)"),
            ([1.0], [(0.0, -np.inf, 1.0), (0.0, 0.0, 0.0)], "one finite (a, b, c)"),
            ([1.0, 1.0], (*LINES, (0.0, 1.0, -1.0)), "knots must increase, got [1.0, 1.0]"),
            ([1.0, 0.0], (*LINES, (0.0, 1.0, 0.0)), "knots must increase, got [1.0, 0.0]"),
            ([1.0], [(0.0, -1.0, 1.1), (0.0, 0.0, 0.0)], "mine loss must meet at [1.0]"),
            ([0.5], LINES, "the pieces of the mine loss must meet at [0.5]"),
            ([], [(-1.0, 0.0, 0.0)], "mine loss must be convex, got pieces [[-1.0, 0.0, 0.0]]"),
            ([1.0], LINES[::-1], "the mine loss must be convex"),
            ([0.0], [(2.0, 0.0, 0.0), (-0.1, 0.0, 0.0)], "the mine loss must be convex"),
        ],
    )
    def test_a_bad_piecewise_loss_is_refused_in_words(
        self, knots: Any, pieces: Any, words: str
    ) -> None:
        with pytest.raises(ValueError, match=re.escape(words)):
            PiecewiseQuadratic(knots, pieces, name="mine")

    @pytest.mark.parametrize(
        "pieces",
        [
            [0.0, -1.0, 1.0, 0.0, 0.0, 0.0],
            [(0.0, -1.0), (1.0, 0.0), (0.0, 0.0)],
            [(0.0, -1.0, 1.0), (0.0, 0.0)],
            [(0.0, -1.0, 1.0, 0.0), (0.0, 0.0, 0.0, 0.0)],
        ],
        ids=repr,
    )
    def test_pieces_that_are_not_triples_are_refused_in_words(self, pieces: Any) -> None:
        with pytest.raises(ValueError, match=re.escape("(a, b, c)")):
            PiecewiseQuadratic([1.0], pieces)


class TestLowerBound:
    def test_it_is_the_least_value(self, piecewise: PiecewiseQuadratic) -> None:
        u = np.concatenate([np.linspace(-50.0, 50.0, 4001), piecewise.knots])
        least = piecewise.value(u, 1).min()
        assert piecewise.lower_bound <= least
        assert least == pytest.approx(piecewise.lower_bound, abs=1e-3)

    @pytest.mark.parametrize(
        ("knots", "pieces", "least"),
        [
            ([], [(0.0, 0.0, -2.0)], -2.0),
            ([], [(2.0, -8.0, 1.0)], -15.0),  # u² − 8u + 1 at 4
            ([], [(0.0, -1.0, 0.0)], -np.inf),
            ([], [(0.0, 1.0, 0.0)], -np.inf),
            ([0.0], [(0.0, -1.0, 5.0), (1.0, -1.0, 5.0)], 4.5),
            ([0.0], [(1.0, 0.0, 5.0), (0.0, 0.0, 5.0)], 5.0),
        ],
    )
    def test_by_hand(self, knots: list[float], pieces: list[Any], least: float) -> None:
        assert PiecewiseQuadratic(knots, pieces).lower_bound == least


class TestRounded:
    @pytest.mark.parametrize("loss", [HINGE, TWO_KINKS], ids=lambda loss: loss.name)
    @pytest.mark.parametrize("width", [1.0, 0.2, 1e-2])
    def test_it_is_smooth_convex_and_close(self, loss, width):
        soft, u = loss.rounded(width), np.linspace(-4.0, 4.0, 4001)
        assert loss.kinked and not soft.kinked
        above = soft.value(u, 1) - loss.value(u, 1)
        a, b, _ = np.diff(loss.pieces, axis=0).T
        jumps = a * loss.knots + b
        assert (above >= -1e-12).all()
        assert above.max() <= jumps.max() * width / 8.0 + 1e-12  # the kinks are far apart
        near = (np.abs(u[:, None] - loss.knots[jumps > KINK]) < width / 2.0).any(axis=1)
        np.testing.assert_allclose(above[~near], 0.0, atol=1e-9)
        assert (np.diff(soft.derivative(u, 1)) > -1e-9).all()

    def test_at_the_kink_it_is_an_eighth_of_the_jump_times_the_width_above(self):
        assert float(HINGE.rounded(0.4).value(np.array(1.0), 1)) == pytest.approx(0.05)

    def test_a_loss_without_kinks_stays(self):
        u = np.linspace(-2.0, 2.0, 9)
        soft = SQUARED_HINGE.rounded(0.5)
        np.testing.assert_allclose(soft.value(u, 1), SQUARED_HINGE.value(u, 1))
