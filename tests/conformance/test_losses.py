"""Every loss, built in or a user's own, through the same checks."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import (
    LOSSES,
    SQUARE,
    Logistic,
    Loss,
    PiecewiseQuadratic,
    check_loss,
    get_loss,
)
from needlescope.solvers.minimise import minimise
from tests.losses.brute_force import LABELS, SEARCH, brute_force_envelope, kinks

EPS = np.finfo(float).eps
SPREAD = np.concatenate([-np.logspace(6, -6, 49), [0.0], np.logspace(-6, 6, 49)])


def away_from_kinks(loss: Loss, y: int, z: np.ndarray, distance: float) -> np.ndarray:
    gaps = np.abs(z[:, None] - kinks(loss, y)) if len(kinks(loss, y)) else np.ones((len(z), 1))
    return z[gaps.min(axis=1) > distance]


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
            each = [float(part(np.array(item), y)) for item in z]
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
        result = loss.prox(c, np.where(c > 0.0, 1.0, 0.0), y)
        assert result[c <= 0.0].tolist() == c[c <= 0.0].tolist()

    def test_labels_may_be_an_array(self, loss: Loss, y: int) -> None:
        c = np.linspace(-3.0, 3.0, 12)
        labels = np.where(np.arange(12) % 3 == 0, y, -y)
        result = loss.prox(c, np.full(12, 0.7), labels)
        each = [
            float(loss.prox(np.array(a), np.array(0.7), int(b)))
            for a, b in zip(c, labels, strict=True)
        ]
        assert result == pytest.approx(np.array(each), rel=1e-13, abs=1e-13)

    def test_scores_and_weights_broadcast(self, loss: Loss, y: int) -> None:
        c, g = np.linspace(-3.0, 3.0, 5), np.array([[0.5], [2.0]])
        result = loss.prox(c, g, y)
        assert result.shape == (2, 5)
        each = [[float(loss.prox(np.array(a), np.array(b), y)) for a in c] for b in g.ravel()]
        assert result == pytest.approx(np.array(each), rel=1e-13, abs=1e-13)

    @pytest.mark.parametrize("g", [1e-3, 0.3, 1.0, 20.0])
    def test_its_value_is_the_least_by_brute_force(self, loss: Loss, y: int, g: float) -> None:
        for c in (-40.0, -3.0, -1.0, -0.2, 0.0, 0.7, 1.0, 2.5, 40.0):
            r = loss.prox(np.array(c), np.array(g), y)
            value = float(loss.value(r, y) + (r - c) ** 2 / (2.0 * g))
            best = brute_force_envelope(loss, c, g, y)
            assert value <= best + 1e-12 * (1.0 + abs(best))
            assert value >= best - SEARCH * (1.0 + abs(best))


class TestNames:
    def test_the_built_in_losses_are_found_by_name(self) -> None:
        assert sorted(LOSSES) == ["hinge", "logistic", "square", "squared_hinge"]
        for name, loss in LOSSES.items():
            assert get_loss(name) is loss
            assert (loss.name, repr(loss)) == (name, f"<{name} loss>")

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
        result = {name: getattr(loss, "kinked", False) for name, loss in LOSSES.items()}
        assert [name for name, kinked in result.items() if kinked] == ["hinge"]
        assert two_kinks.kinked

    def test_an_incomplete_loss_cannot_be_made(self) -> None:
        class Half(Loss):
            def value(self, z, y):
                return z

        with pytest.raises(TypeError, match="abstract"):
            Half()


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
    result, asked = (
        ns.predict(task, ns.Training(alpha1=0.6, loss=loss, ridge=0.0), "pooled").test_error
        for loss in (EQUAL_SQUARES[kind], "square")
    )
    assert result == asked


def test_only_the_square_loss_is_square():
    shifted = PiecewiseQuadratic([], [(1.0, -2.0, 2.0)], name="shifted")
    assert [loss.name for loss in (*LOSSES.values(), shifted) if loss.square] == ["square"]
