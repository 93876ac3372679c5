"""Every loss, built in or a user's own, through the same checks."""

from __future__ import annotations

import itertools
import pickle
import re
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import needlescope as ns
from needlescope import NotConverged
from needlescope.losses import (
    HINGE,
    LOSSES,
    SQUARE,
    Logistic,
    Loss,
    PiecewiseQuadratic,
    Segment,
    check_loss,
    get_loss,
)
from needlescope.solvers.minimise import minimise

LABELS = [1, -1]
EPS = np.finfo(float).eps
SPREAD = np.concatenate([-np.logspace(6, -6, 49), [0.0], np.logspace(-6, 6, 49)])
SEARCH = 1e-7  # at a kink a bounded search errs by its step, √EPS, times the slope


def kinks(loss: Loss, y: int) -> np.ndarray:
    """The scores at which a loss is not twice differentiable."""
    return y * loss.knots if isinstance(loss, PiecewiseQuadratic) else np.zeros(0)


def away_from_kinks(loss: Loss, y: int, z: np.ndarray, distance: float) -> np.ndarray:
    gaps = np.abs(z[:, None] - kinks(loss, y)) if len(kinks(loss, y)) else np.ones((len(z), 1))
    return z[gaps.min(axis=1) > distance]


def _on(one: Segment, v: np.ndarray) -> np.ndarray:
    x = v - one.anchor
    return one.level + (one.slope + 0.5 * one.bend * x) * x


def segment_values(loss: PiecewiseQuadratic, v: np.ndarray, g: float) -> np.ndarray:
    """The Moreau envelope in the margin v, read off the loss's segments."""
    found = np.full(v.shape, np.nan)
    for one in loss.segments(np.array(g)):
        inside = (v >= one.low) & (v <= one.high)
        found = np.where(inside, _on(one, v), found)
    return found


def brute_force_envelope(loss: Loss, c: float, g: float, y: int) -> float:
    """min_r ℓ(r; y) + (r − c)²/(2g), with nothing but the loss's values."""
    reach = 1.0 + g * 3.0 * (1.0 + abs(c))  # |r − c| = g|ℓ'(r)|, and |ℓ'| ≤ 3(1 + |c|) for all here
    found = minimize_scalar(
        lambda r: float(loss.value(np.array(r), y)) + (r - c) ** 2 / (2.0 * g),
        bounds=(c - reach, c + reach),
        method="bounded",
        options={"xatol": 1e-10, "maxiter": 2000},
    )
    return float(found.fun)


@pytest.mark.parametrize("y", LABELS)
class TestEveryLoss:
    def test_derivatives_agree_with_finite_differences(self, loss: Loss, y: int) -> None:
        z = np.random.default_rng(1).uniform(-30.0, 30.0, 400)
        z = away_from_kinks(loss, y, z, 1e-3)
        h = 1e-4
        up, down = loss.value(z + h, y), loss.value(z - h, y)
        # rounding of ℓ over h, and h² times a third derivative of at most two
        tolerance = 4.0 * EPS * (1.0 + np.abs(up)) / h + h * h
        assert np.all(np.abs((up - down) / (2 * h) - loss.derivative(z, y)) < tolerance)
        slopes = (loss.derivative(z + h, y) - loss.derivative(z - h, y)) / (2 * h)
        assert np.all(np.abs(slopes - loss.second(z, y)) < 4.0 * EPS * 31.0 / h + 4 * h * h)

    def test_it_is_convex(self, loss: Loss, y: int) -> None:
        z = np.sort(np.concatenate([SPREAD, np.linspace(-5, 5, 201), kinks(loss, y)]))
        slope = loss.derivative(z, y)
        assert np.all(np.diff(slope) >= -8 * EPS * np.maximum(1.0, np.abs(slope[1:])))
        assert np.all(loss.second(z, y) >= 0.0)
        z, slope = z[::3], slope[::3]
        gap = loss.value(z, y) - (loss.value(z, y)[:, None] + slope[:, None] * (z - z[:, None]))
        size = np.abs(loss.value(z, y))[:, None] + np.abs(slope[:, None] * (z - z[:, None])) + 1.0
        assert np.all(gap >= -8 * EPS * size - 8 * EPS * np.abs(loss.value(z, y)))

    def test_large_scores_give_finite_numbers_without_warnings(self, loss: Loss, y: int) -> None:
        for part in (loss.value, loss.derivative, loss.second):
            assert np.isfinite(part(SPREAD, y)).all()  # warnings are errors

    def test_large_scores_keep_the_slope_at_infinity(self, loss: Loss, y: int) -> None:
        far = np.array([-1e6, 1e6])
        growth = (loss.value(2 * far, y) - loss.value(far, y)) / far
        expected = loss.derivative(1.5 * far, y)  # exact for parabolas and lines
        # a pseudo-Huber loss is a line up to 1/z; logistic and lines are exact to rounding
        assert growth == pytest.approx(expected, rel=1e-9, abs=1e-9)

    def test_scalars_arrays_and_label_arrays_agree(self, loss: Loss, y: int) -> None:
        z = np.linspace(-3.0, 3.0, 7)
        for part in (loss.value, loss.derivative, loss.second):
            whole = np.broadcast_to(part(z, y), z.shape)
            assert np.array_equal(np.broadcast_to(part(z, np.full(7, float(y))), z.shape), whole)
            each = [float(part(np.array(one), y)) for one in z]
            assert each == pytest.approx(whole.tolist(), rel=4 * EPS)  # vector units round anew
            assert part(z.reshape(7, 1), y).shape == (7, 1)

    def test_a_loss_of_the_margin_is_one(self, loss: Loss, y: int) -> None:
        z = np.linspace(-3.0, 3.0, 8)
        same = np.allclose(loss.value(z, y), loss.value(y * z, 1), rtol=0, atol=1e-15)
        assert same or not loss.of_margin
        assert loss.of_label(y) is loss


@pytest.mark.parametrize("y", LABELS)
class TestProx:
    @pytest.mark.parametrize("g", [1e-6, 1e-3, 0.1, 1.0, 10.0, 1e3, 1e6])
    def test_it_satisfies_its_optimality_condition(self, loss: Loss, y: int, g: float) -> None:
        c = np.concatenate([SPREAD, np.linspace(-4, 4, 81), kinks(loss, y)])
        c = np.concatenate([c, kinks(loss, y) + g * loss.derivative(kinks(loss, y), y)])
        r = loss.prox(c, np.full_like(c, g), y)
        # r itself is exact to a few roundings of the numbers that enter it: c and g ℓ'(c)
        near = 8 * EPS * (np.abs(c) + np.abs(r) + g * np.abs(loss.derivative(c, y)))
        low = r - near + g * loss.derivative(r - near, y)
        high = r + near + g * loss.derivative(r + near, y)
        slack = 8 * EPS * (np.abs(r) + np.abs(c) + g * np.abs(loss.derivative(r, y)))
        assert np.all(low <= c + slack)
        assert np.all(high >= c - slack)

    def test_it_does_not_decrease_and_does_not_expand(self, loss: Loss, y: int) -> None:
        c = np.linspace(-50.0, 50.0, 2001)
        for g in (0.01, 1.0, 100.0):
            steps = np.diff(loss.prox(c, np.full_like(c, g), y))
            assert steps.min() >= -1e-12 * g
            assert steps.max() <= (c[1] - c[0]) * (1 + 1e-9) + 1e-12 * g

    def test_without_weight_it_is_the_score_itself(self, loss: Loss, y: int) -> None:
        c = np.linspace(-3.0, 3.0, 13)
        assert loss.prox(c, np.zeros(13), y).tolist() == c.tolist()

    def test_with_weight_for_some_only_the_others_stay(self, loss: Loss, y: int) -> None:
        c = np.linspace(-3.0, 3.0, 13)
        found = loss.prox(c, np.where(c > 0.0, 1.0, 0.0), y)
        assert found[c <= 0.0].tolist() == c[c <= 0.0].tolist()

    def test_labels_may_be_an_array(self, loss: Loss, y: int) -> None:
        c = np.linspace(-3.0, 3.0, 12)
        labels = np.where(np.arange(12) % 3 == 0, y, -y)
        found = loss.prox(c, np.full(12, 0.7), labels)
        each = [
            float(loss.prox(np.array(a), np.array(0.7), int(b)))
            for a, b in zip(c, labels, strict=True)
        ]
        assert found == pytest.approx(np.array(each), rel=1e-13, abs=1e-13)

    def test_scores_and_weights_broadcast(self, loss: Loss, y: int) -> None:
        c, g = np.linspace(-3.0, 3.0, 5), np.array([[0.5], [2.0]])
        found = loss.prox(c, g, y)
        assert found.shape == (2, 5)
        each = [[float(loss.prox(np.array(a), np.array(b), y)) for a in c] for b in g.ravel()]
        assert found == pytest.approx(np.array(each), rel=1e-13, abs=1e-13)

    @pytest.mark.parametrize("g", [1e-3, 0.3, 1.0, 20.0])
    def test_its_value_is_the_least_by_brute_force(self, loss: Loss, y: int, g: float) -> None:
        for c in (-40.0, -3.0, -1.0, -0.2, 0.0, 0.7, 1.0, 2.5, 40.0):
            r = loss.prox(np.array(c), np.array(g), y)
            value = float(loss.value(r, y) + (r - c) ** 2 / (2.0 * g))
            best = brute_force_envelope(loss, c, g, y)
            assert value <= best + 1e-12 * (1.0 + abs(best))
            assert value >= best - SEARCH * (1.0 + abs(best))


class TestSegments:
    @pytest.mark.parametrize("g", [1e-3, 0.5, 1.0, 30.0, 1e3])
    def test_the_envelope_is_the_brute_force_minimum(
        self, piecewise: PiecewiseQuadratic, g: float
    ) -> None:
        edges = [one.high for one in piecewise.segments(np.array(g))[:-1]]
        v = np.concatenate([np.linspace(-6.0, 6.0, 25), np.array(edges, float)])
        best = [brute_force_envelope(piecewise, one, g, 1) for one in v]
        assert segment_values(piecewise, v, g) == pytest.approx(best, rel=SEARCH, abs=SEARCH)

    def test_they_tile_the_line_and_join_smoothly(self, piecewise: PiecewiseQuadratic) -> None:
        g = np.array([1e-3, 0.7, 40.0])
        found = piecewise.segments(g)
        assert np.all(found[0].low == -np.inf)
        assert np.all(found[-1].high == np.inf)
        for left, right in itertools.pairwise(found):
            at = left.high
            assert at == pytest.approx(right.low, rel=1e-13)
            assert np.all(left.low <= left.high)
            slopes = [one.slope + one.bend * (at - one.anchor) for one in (left, right)]
            assert slopes[0] == pytest.approx(slopes[1], abs=1e-11)
            values = [_on(one, at) for one in (left, right)]
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

    def test_it_is_positively_homogeneous(self, piecewise: PiecewiseQuadratic) -> None:
        z = np.linspace(-3.0, 3.0, 13)
        for at in (-1.0, 0.5, 1.0):
            cone = piecewise.cone(at, 1)
            assert cone.value(7.0 * z, 1) == pytest.approx(7.0 * cone.value(z, 1), abs=1e-14)


class TestNames:
    def test_the_built_in_losses_are_found_by_name(self) -> None:
        assert sorted(LOSSES) == ["hinge", "logistic", "square", "squared_hinge"]
        for name, one in LOSSES.items():
            assert get_loss(name) is one
            assert (one.name, repr(one)) == (name, f"<{name} loss>")

    def test_a_loss_is_itself(self, loss: Loss) -> None:
        assert get_loss(loss) is loss

    @pytest.mark.parametrize("bad", ["huber", None, 1, Loss, {"hinge"}], ids=repr)
    def test_anything_else_is_refused_with_the_known_names(self, bad: Any) -> None:
        sentence = (
            "loss must be one of 'square', 'logistic', 'hinge', 'squared_hinge' or a "
            f"needlescope.Loss, got {bad!r}"
        )
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            get_loss(bad)

    def test_only_losses_with_a_jump_of_slope_are_kinked(
        self, two_kinks: PiecewiseQuadratic
    ) -> None:
        found = {name: getattr(one, "kinked", False) for name, one in LOSSES.items()}
        assert [name for name, kinked in found.items() if kinked] == ["hinge"]
        assert two_kinks.kinked

    def test_an_incomplete_loss_cannot_be_made(self) -> None:
        class Half(Loss):
            def value(self, z, y):
                return z

        with pytest.raises(TypeError, match="abstract"):
            Half()


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

    def test_a_loss_that_is_not_convex_has_no_prox(self) -> None:
        class Bumpy(Loss):
            name = "bumpy"

            def value(self, z, y):
                return np.cos(5.0 * z)

            def derivative(self, z, y):
                return -5.0 * np.sin(5.0 * z)

            def second(self, z, y):
                return np.full_like(z, np.nan)

        with pytest.raises(
            NotConverged, match="prox of the bumpy loss did not converge; is it convex"
        ):
            Bumpy().prox(np.linspace(-1.0, 1.0, 9), np.full(9, 3.0), 1)


class HalfBent(Logistic):
    """A second derivative that is off by a factor of two."""

    def second(self, z, y):
        return 2.0 * super().second(z, y)


class Wavy(Loss):
    """Not convex."""

    name = "wavy"

    def value(self, z, y):
        return np.sin(y * z)

    def derivative(self, z, y):
        return y * np.cos(y * z)

    def second(self, z, y):
        return -np.sin(y * z)


def test_a_second_derivative_must_be_that_of_the_derivative():
    with pytest.raises(ValueError, match=r"second derivative of the logistic loss is not that of"):
        check_loss(HalfBent())


def test_a_loss_must_be_convex():
    with pytest.raises(ValueError, match=r"the wavy loss must be convex, but its slope falls at"):
        check_loss(Wavy())


def test_honest_losses_pass(loss):
    check_loss(loss)


EQUAL_SQUARES = {
    "pickled": pickle.loads(pickle.dumps(SQUARE)),
    "of another name": PiecewiseQuadratic([], [(1.0, -1.0, 0.5)], name="least squares"),
    "with a knot that is none": PiecewiseQuadratic([0.3], [(1.0, -1.0, 0.5)] * 2),
}


@pytest.mark.parametrize("kind", EQUAL_SQUARES)
def test_an_equal_square_loss_is_solved_as_the_square_loss_is_without_a_ridge(kind):
    """Fewer samples than weights: only the square loss has a limit, the solution of least norm."""
    rng = np.random.default_rng(0)
    F, y = rng.standard_normal((20, 30)), np.where(rng.random(20) < 0.5, 1.0, -1.0)
    same = minimise(F, y, EQUAL_SQUARES[kind], ridge=0.0)
    assert same.w.tolist() == minimise(F, y, "square", ridge=0.0).w.tolist()
    task = ns.Task(L=4, R=1, theta=3.0, pi=0.4)
    found, asked = (
        ns.predict(task, ns.Training(alpha1=0.6, loss=loss, ridge=0.0), "pooled").test_error
        for loss in (EQUAL_SQUARES[kind], "square")
    )
    assert found == asked


def test_only_the_square_loss_is_square():
    shifted = PiecewiseQuadratic([], [(1.0, -2.0, 2.0)], name="shifted")
    assert [loss.name for loss in (*LOSSES.values(), shifted) if loss.square] == ["square"]
