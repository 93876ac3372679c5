"""The Gaussian-smoothed Moreau envelope against brute-force quadrature and finite differences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from needlescope import NotConverged
from needlescope.losses import HINGE, LOGISTIC, SQUARE, Loss, PiecewiseQuadratic
from needlescope.theory.saddle import envelope as module
from needlescope.theory.saddle.envelope import Envelope, envelope

X, W = np.polynomial.legendre.leggauss(16)
AROUND = np.concatenate([0.5 * np.sinh(np.linspace(-12, 12, 121)), np.linspace(-40, 40, 81)])
FLOOR = 1e-12  # of an expectation over events that are ten standard deviations away

# How exactly the integrals are promised, relative to the expectation of their absolute value.
# Smooth losses: a trapezoid rule whose mass is checked to 1e-7; the other moments oscillate more
# and follow to about 2e-5 (logistic, analytic for |Im r| < π) and 1e-4 (pseudo-Huber, |Im r| < 1).
TOLERANCE = {"logistic": 5e-5, "pseudo_huber": 2e-4}
EXACT = 1e-6  # closed forms; what is left is cancellation between the pieces

GRID = np.array(
    list(
        itertools.product(
            (1e-3, 0.03, 1.0, 30.0, 1e3, 1e6),  # g
            (1e-2, 0.3, 3.0, 50.0, 1e3),  # s
            (-1e3, -30.0, -1.0, 0.4, 7.0, 200.0),  # m
            (1.0, -1.0),  # y
        )
    )
)


def knots(loss: Loss) -> list[tuple[float, float, float]]:
    """Knots of a piecewise loss with the slopes on their left and right."""
    if not isinstance(loss, PiecewiseQuadratic):
        return []
    pieces = itertools.pairwise(loss.pieces.tolist())
    return [
        (k, a * k + b, c * k + d)
        for k, ((a, b, _), (c, d, _)) in zip(loss.knots.tolist(), pieces, strict=True)
    ]


def panels(loss: Loss, y: int, m: float, s: float, g: float) -> np.ndarray:
    """Edges in G between which the prox of m + sG is smooth."""
    turns = [y * (k + g * slope) for k, *slopes in knots(loss) for slope in slopes]
    c = np.concatenate([AROUND + g * loss.derivative(AROUND, y), turns])
    edges = np.concatenate([(c - m) / s, np.linspace(-10.0, 10.0, 41)])
    return np.unique(np.clip(edges, -10.0, 10.0))


def brute_force(loss: Loss, y: int, m: float, s: float, g: float) -> tuple[np.ndarray, np.ndarray]:
    """Ψ and its nine derivatives by Gauss–Legendre over G with the prox, and E|·| of each."""
    edges = panels(loss, y, m, s, g)
    half, middle = 0.5 * np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
    G = (middle[:, None] + half[:, None] * X).ravel()
    weight = (half[:, None] * W).ravel() * np.exp(-0.5 * G * G) / np.sqrt(2.0 * np.pi)
    c = m + s * G
    r = loss.prox(c, np.full_like(c, g), y)
    slope, bend = loss.derivative(r, y), loss.second(r, y)
    h = bend / (1.0 + g * bend)
    for k, left, right in knots(loss):
        stuck = (np.abs(y * r - k) < 1e-9) & (right - left > 1e-9)  # the prox rests at a kink
        slope, h = np.where(stuck, (c - r) / g, slope), np.where(stuck, 1.0 / g, h)
    V = s * s
    parts = [
        loss.value(r, y) + 0.5 * g * slope * slope,
        slope,
        0.5 * h,
        -0.5 * slope * slope,
        h,
        0.5 * h * G / s,
        0.25 * h * (G * G - 1.0) / V,
        -slope * h,
        -0.5 * slope * h * G / s,
        slope * slope * h,
    ]
    return np.array([weight @ part for part in parts]), np.array(
        [weight @ np.abs(part) for part in parts]
    )


def at_nodes(loss: Loss, nodes: np.ndarray) -> np.ndarray:
    """Envelope fields × nodes, for rows (g, s, m, y)."""
    g, s, m, y = nodes.T
    return np.array(envelope(loss, y, m, s * s, g))


def assert_agree(loss: Loss, nodes: np.ndarray, tolerance: float) -> None:
    result = at_nodes(loss, nodes)
    for node, column in zip(nodes, result.T, strict=True):
        g, s, m, y = node
        expected, size = brute_force(loss, int(y), m, s, g)
        units = np.array([1, 1, 1, 1, 1, 1 / s, 1 / s**2, 1, 1 / s, 1])
        wrong = np.abs(column - expected) > tolerance * size + FLOOR * units * (1.0 + expected[0])
        names = [name for name, bad in zip(Envelope._fields, wrong, strict=True) if bad]
        assert not names, f"{loss.name} at g, s, m, y = {node.tolist()}: {names}"


def too_narrow(nodes: np.ndarray) -> np.ndarray:
    return nodes[:, 1] > 1e3 * nodes[:, 0]


@pytest.mark.sampled(3)
def test_every_derivative_agrees_with_quadrature_over_the_prox(loss: Loss) -> None:
    nodes = GRID
    if isinstance(loss, PiecewiseQuadratic):
        nodes = nodes[~too_narrow(nodes)]
    elif loss.name == "pseudo_huber":
        nodes = nodes[nodes[:, 0] < 1e3]
    assert_agree(loss, nodes, TOLERANCE.get(loss.name, EXACT))


@pytest.mark.parametrize("g", [1e3, 1e6])
def test_a_smooth_loss_of_ones_own_works_at_large_g(pseudo_huber: Loss, g: float) -> None:
    assert_agree(pseudo_huber, GRID[GRID[:, 0] == g], TOLERANCE["pseudo_huber"])


def test_a_kink_much_narrower_than_the_spread_keeps_its_digits() -> None:
    assert_agree(HINGE, GRID[too_narrow(GRID)], EXACT)


@pytest.mark.parametrize("y", [1.0, -1.0])
def test_the_square_loss_is_in_closed_form(y: float) -> None:
    m, V, g = np.array([-3.0, 0.2, 40.0]), np.array([0.01, 2.0, 900.0]), np.array([1e-3, 1.0, 1e4])
    result = envelope(SQUARE, np.full(3, y), m, V, g)
    assert result.value == pytest.approx(0.5 * ((m - y) ** 2 + V) / (1 + g), rel=1e-11)
    assert result.m == pytest.approx((m - y) / (1 + g), rel=1e-11)
    assert pytest.approx(0.5 / (1 + g), rel=1e-13) == result.V
    assert result.g == pytest.approx(-0.5 * ((m - y) ** 2 + V) / (1 + g) ** 2, rel=1e-11)
    assert result.mV == pytest.approx(np.zeros(3), abs=1e-15)
    assert pytest.approx(np.zeros(3), abs=1e-15) == result.VV


NEAR = np.array(
    list(
        itertools.product(
            (0.05, 1.0, 40.0), (0.2, 1.5, 12.0), (-4.0, -0.7, 0.3, 2.5, 9.0), (1.0, -1.0)
        )
    )
)


@pytest.mark.sampled(15)
@pytest.mark.parametrize(
    ("of", "by", "field"),
    [
        *(("value", "m", "m"), ("value", "V", "V"), ("value", "g", "g")),
        *(("m", "m", "mm"), ("m", "V", "mV"), ("V", "m", "mV"), ("V", "V", "VV")),
        *(("m", "g", "mg"), ("g", "m", "mg"), ("V", "g", "Vg"), ("g", "V", "Vg"), ("g", "g", "gg")),
    ],
)
def test_each_derivative_is_the_finite_difference(loss: Loss, of: str, by: str, field: str) -> None:
    g, s, m, y = NEAR.T
    V = s * s
    # steps relative to the scale on which Ψ varies: the Gaussian's width, V, g
    h = {"m": 1e-3 * s, "V": 1e-3 * V, "g": 1e-3 * g}[by]
    zero = 0.0 * h
    moves = [(h, zero, zero), (zero, h, zero), (zero, zero, h)][("m", "V", "g").index(by)]
    up, down = (
        getattr(
            envelope(loss, y, m + sign * moves[0], V + sign * moves[1], g + sign * moves[2]), of
        )
        for sign in (1, -1)
    )
    exact = envelope(loss, y, m, V, g)
    size = np.array([brute_force(loss, int(b), a, c, d)[1] for d, c, a, b in NEAR]).T
    scale = size[Envelope._fields.index(field)]
    # the third difference is 1e-6 of the scale on which the function varies; the quadrature's
    # own error, at most 1e-7 here, is divided by a step of 1e-3
    tolerance = 2e-4 * scale + 1e-9 * np.abs(getattr(exact, of)) / h + FLOOR / h
    assert np.all(np.abs((up - down) / (2 * h) - getattr(exact, field)) < tolerance)


def test_signs_of_the_derivatives(loss: Loss) -> None:
    g, s, m, y = GRID[GRID[:, 0] < 1e3].T
    result = envelope(loss, y, m, s * s, g)
    assert np.all(result.V >= 0.0)
    assert np.all(result.g <= 0.0)
    assert np.all(result.mm >= 0.0)
    assert pytest.approx(0.5 * result.mm, rel=1e-13) == result.V
    assert np.all(g * result.mm <= 1.0 + 1e-7)  # h ≤ 1/g


def test_flipping_label_and_score_flips_odd_derivatives(piecewise: PiecewiseQuadratic) -> None:
    g, s, m, y = NEAR.T
    for loss in (piecewise, LOGISTIC):
        item, other = (envelope(loss, sign * y, sign * m, s * s, g) for sign in (1.0, -1.0))
        for field in Envelope._fields:
            odd = -1.0 if field in ("m", "mV", "mg") else 1.0
            expected = odd * getattr(item, field)
            assert getattr(other, field) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_a_node_does_not_depend_on_its_company(loss: Loss) -> None:
    nodes = NEAR[::3]
    together = at_nodes(loss, nodes)
    alone = np.concatenate([at_nodes(loss, node[None]) for node in nodes], axis=1)
    size = np.array([brute_force(loss, int(y), m, s, g)[1] for g, s, m, y in nodes]).T
    tolerance = TOLERANCE.get(loss.name, 1e-13)
    assert np.all(np.abs(together - alone) <= tolerance * size + FLOOR)


def test_declaring_a_loss_of_the_margin_changes_nothing() -> None:
    class Undeclared(type(LOGISTIC)):
        of_margin = False

    nodes = GRID[::7]
    item, other = at_nodes(LOGISTIC, nodes), at_nodes(Undeclared(), nodes)
    size = np.array([brute_force(LOGISTIC, int(y), m, s, g)[1] for g, s, m, y in nodes]).T
    assert np.all(np.abs(item - other) <= TOLERANCE["logistic"] * size + FLOOR)


class TestMassCheck:
    @pytest.mark.parametrize("factor", [0.5, 0.999, 1.001, 2.0])
    def test_a_second_derivative_that_does_not_match_is_found_out(self, factor: float) -> None:
        class Inconsistent(type(LOGISTIC)):
            name = "inconsistent"

            def second(self, z, y):
                return factor * super().second(z, y)

        item = np.ones(1)
        with pytest.raises(
            NotConverged, match="Gaussian integral of the inconsistent loss"
        ) as caught:
            envelope(Inconsistent(), item, 0.5 * item, 4.0 * item, 2.0 * item)
        assert "second derivative is the derivative of its derivative" in str(caught.value)

    def test_one_inconsistent_label_is_found_out(self) -> None:
        class Half(type(LOGISTIC)):
            of_margin = False

            def second(self, z, y):
                return super().second(z, y) * (1.0 if y > 0 else 1.01)

        item = np.ones(1)
        assert np.isfinite(envelope(Half(), item, item, item, item).value).all()
        with pytest.raises(NotConverged, match="misses mass"):
            envelope(Half(), -item, item, item, item)

    def test_a_loss_too_sharp_for_the_grid_is_refused(self) -> None:
        class Sharp(Loss):
            name = "sharp"
            of_margin = True

            def value(self, z, y):
                return LOGISTIC.value(2000.0 * z, y) / 2000.0

            def derivative(self, z, y):
                return LOGISTIC.derivative(2000.0 * z, y)

            def second(self, z, y):
                return 2000.0 * LOGISTIC.second(2000.0 * z, y)

        item = np.ones(1)
        with pytest.raises(NotConverged, match="smooth on a scale of"):
            envelope(Sharp(), item, 0.5 * item, 4.0 * item, 2.0 * item)

    def test_a_coarser_grid_is_refined_until_the_mass_is_right(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fine = at_nodes(LOGISTIC, NEAR)
        monkeypatch.setattr(module, "STEP", 1.5)
        coarse = at_nodes(LOGISTIC, NEAR)
        size = np.array([brute_force(LOGISTIC, int(y), m, s, g)[1] for g, s, m, y in NEAR]).T
        assert np.all(np.abs(coarse - fine) <= 1e-4 * size + FLOOR)
        assert np.any(coarse != fine)
