"""The Gaussian-smoothed Moreau envelope Ψ(m, V, g) = E M(m + √V G; g) and its derivatives.

M(c; g) = min_r ℓ(r; y) + (r − c)²/(2g), G ~ N(0, 1). With r the minimiser, ℓ' = ℓ'(r) and
h = ℓ''/(1 + g ℓ'') (all by the heat equation ∂_V = ½ ∂²_m and the envelope theorem):

    Ψ_m = E ℓ'     Ψ_V = ½ E h     Ψ_g = −½ E ℓ'²     Ψ_mm = E h      Ψ_mV = ½ E[hG]/√V
    Ψ_VV = ¼ E[h(G² − 1)]/V        Ψ_mg = −E[ℓ'h]     Ψ_Vg = −½ E[ℓ'hG]/√V    Ψ_gg = E[ℓ'²h]

Piecewise-quadratic losses have these in closed form. For smooth losses the integral over G is
taken in the variable r instead: G = (r + g ℓ'(r) − m)/√V needs no prox, and the integrand is
analytic on the loss's own scale however sharp the prox becomes as g grows. Nodes whose mass is
wide on that scale share one grid in r; the others get a grid of their own, centred on their prox.
The total mass of the quadrature, which must be one, is its error check.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from ...arrays import FloatArray
from ...errors import NotConverged
from ...losses import Loss, PiecewiseQuadratic, Segment

# Half-width of the integration range, in standard deviations: mass outside 2e-17.
ENVELOPE_RANGE = 8.5
MASS_TOLERANCE = 1e-7
STEP = 0.3  # of the shared grid near r = 0, on the loss's own scale
NARROW_SEGMENT = 0.5  # standard deviations
LEGENDRE = np.polynomial.legendre.leggauss(8)
_PHI = 1.0 / np.sqrt(2.0 * np.pi)


class Envelope(NamedTuple):
    """Ψ and its first and second derivatives, one entry a node."""

    value: FloatArray
    m: FloatArray
    V: FloatArray
    g: FloatArray
    mm: FloatArray
    mV: FloatArray
    VV: FloatArray
    mg: FloatArray
    Vg: FloatArray
    gg: FloatArray


class Moments(NamedTuple):
    """Expectations over G: of M, ℓ', ℓ'², h, hG, h(G² − 1), ℓ'h, ℓ'hG, ℓ'²h."""

    value: FloatArray
    slope: FloatArray
    slope2: FloatArray
    h: FloatArray
    hG: FloatArray
    hH2: FloatArray
    slope_h: FloatArray
    slope_hG: FloatArray
    slope2_h: FloatArray


def envelope(loss: Loss, y: FloatArray, m: FloatArray, V: FloatArray, g: FloatArray) -> Envelope:
    """Return Ψ and its derivatives at nodes (m, V, g) with labels ``y``; all of one shape.

    >>> from needlescope.losses import SQUARE
    >>> unit = np.ones(1)
    >>> float(envelope(SQUARE, unit, 0 * unit, unit, unit).value[0])  # ½ E(G − 1)²/2
    0.5
    """
    s = np.sqrt(V)
    e = moments(loss, y, m, s, g)
    return Envelope(
        value=e.value,
        m=e.slope,
        V=0.5 * e.h,
        g=-0.5 * e.slope2,
        mm=e.h,
        mV=0.5 * e.hG / s,
        VV=0.25 * e.hH2 / V,
        mg=-e.slope_h,
        Vg=-0.5 * e.slope_hG / s,
        gg=e.slope2_h,
    )


def moments(loss: Loss, y: FloatArray, m: FloatArray, s: FloatArray, g: FloatArray) -> Moments:
    """Return the expectations over G of the prox's functions at c = m + s G."""
    if loss.of_margin:  # flip the score of negatives: odd functions of it change sign
        e = _of_label(loss, 1, y * m, s, g)
        return e._replace(slope=y * e.slope, hG=y * e.hG, slope_h=y * e.slope_h)
    total = np.empty((9, len(m)))
    for label in (1, -1):
        part = y == label
        if part.any():
            total[:, part] = _of_label(loss.of_label(label), label, m[part], s[part], g[part])
    return Moments(*total)


def _of_label(loss: Loss, y: int, m: FloatArray, s: FloatArray, g: FloatArray) -> Moments:
    if isinstance(loss, PiecewiseQuadratic):
        e = _piecewise_moments(loss, y * m, s, g)
        return e._replace(slope=y * e.slope, hG=y * e.hG, slope_h=y * e.slope_h)
    total = np.empty((10, len(m)))
    left, step = np.arange(len(m)), STEP
    allowed = MASS_TOLERANCE + 1e-14 * (np.abs(m) + g) / s  # G itself is rounded
    for _ in range(5):
        total[:, left] = _smooth_moments(loss, y, m[left], s[left], g[left], step)
        left = left[np.abs(total[9, left] - 1.0) > allowed[left]]
        if not len(left):
            return Moments(*total[:9])
        step *= 0.5
    raise NotConverged(
        f"the Gaussian integral of the {loss.name} loss misses mass "
        f"{total[9, left[0]] - 1:.1e}; check that its second derivative is the derivative of its "
        "derivative, and that it is smooth on a scale of 0.1 or more"
    )


def _piecewise_moments(
    loss: PiecewiseQuadratic, centre: FloatArray, s: FloatArray, g: FloatArray
) -> Moments:
    total = np.zeros((9, len(centre)))
    for segment in loss.segments(g):
        low, high, anchor, level, slope, bend = segment
        a, b = (low - centre) / s, (high - centre) / s
        i0, i1, i2 = _truncated(a, b)
        offset = centre - anchor
        p, q = slope + bend * offset, bend * s
        first = p * i0 + q * i1
        second = p * (p * i0 + 2.0 * q * i1) + q * q * i2
        cross = p * i1 + q * i2
        value = (level + (slope + 0.5 * bend * offset) * offset) * i0
        value = value + s * p * i1 + 0.5 * bend * s * s * i2
        part = np.stack([value, first, second, i0, i1, i2 - i0, first, cross, second])
        part[3:] *= bend
        narrow = np.flatnonzero(b - a < NARROW_SEGMENT)
        if len(narrow):
            part[:, narrow] = _narrow_moments(segment.at(narrow), centre[narrow], s[narrow])
        total += part
    return Moments(*total)


def _narrow_moments(segment: Segment, centre: FloatArray, s: FloatArray) -> FloatArray:
    """The same by Gauss–Legendre, for segments so short that closed forms would cancel."""
    half = 0.5 * (segment.high - segment.low)
    v = 0.5 * (segment.high + segment.low) + half * LEGENDRE[0][:, None]
    x = (v - centre) / s
    weight = density(x) * (half / s) * LEGENDRE[1][:, None]
    u = v - segment.anchor
    slope = segment.slope + segment.bend * u
    value = segment.level + (segment.slope + 0.5 * segment.bend * u) * u
    item = np.ones_like(x)
    rows = [value, slope, slope**2, item, x, x * x - 1.0, slope, slope * x, slope**2]
    total = np.array([(weight * row).sum(axis=0) for row in rows])
    total[3:] *= segment.bend
    return total


def _truncated(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return ∫_a^b x^k φ(x) dx for k = 0, 1, 2, accurate in both tails."""
    a, b = np.clip(a, -40.0, 40.0), np.clip(b, -40.0, 40.0)  # φ underflows there
    i0 = np.where(a > 0.0, ndtr(-a) - ndtr(-b), ndtr(b) - ndtr(a))
    da, db = density(a), density(b)
    return i0, da - db, i0 + a * da - b * db


def density(x: FloatArray) -> FloatArray:
    """Return the standard normal density."""
    result: FloatArray = _PHI * np.exp(-0.5 * x * x)
    return result


def _smooth_moments(
    loss: Loss, y: int, m: FloatArray, s: FloatArray, g: FloatArray, step: float
) -> FloatArray:
    """Return the nine moments and, in the last row, the mass."""
    ends = np.stack([m - ENVELOPE_RANGE * s, m, m + ENVELOPE_RANGE * s])
    low, centre, high = loss.prox(ends, g, y, tolerance=1e-3)  # only where to put the grid
    bend = 5.0 + np.log1p(g.max())  # the shared grid: uniform up to about there, relative beyond
    width = np.minimum(centre - low, high - centre) / ENVELOPE_RANGE
    wide = width > step * np.hypot(1.0, centre / bend)
    total = np.empty((10, len(m)))
    if wide.any():
        grid, dr = _shared_grid(low[wide].min(), high[wide].max(), step, bend)
        total[:, wide] = _integrate(loss, y, m[wide], s[wide], g[wide], grid[None], dr[None])
    narrow = ~wide
    if narrow.any():
        x, w = centre[narrow, None], 2.0 * width[narrow, None]
        u0 = np.arcsinh((low[narrow, None] - x) / w)
        u1 = np.arcsinh((high[narrow, None] - x) / w)
        count = int(np.ceil(np.max(u1 - u0) / (0.4 * step))) + 1
        u = u0 + (u1 - u0) * np.linspace(0.0, 1.0, count)
        du = (u1 - u0) / (count - 1)
        grid, dr = x + w * np.sinh(u), w * np.cosh(u) * du
        total[:, narrow] = _integrate(loss, y, m[narrow], s[narrow], g[narrow], grid, dr)
    return total


def _shared_grid(
    low: float, high: float, step: float, bend: float
) -> tuple[FloatArray, FloatArray]:
    first = int(np.floor(np.arcsinh(low / bend) * bend / step)) - 1
    last = int(np.ceil(np.arcsinh(high / bend) * bend / step)) + 1
    u = np.arange(first, last + 1) * (step / bend)
    return bend * np.sinh(u), step * np.cosh(u)


def _integrate(
    loss: Loss, y: int, m: FloatArray, s: FloatArray, g: FloatArray, r: FloatArray, dr: FloatArray
) -> FloatArray:
    """Trapezoid rule in r; ``r`` and ``dr`` have one row, shared by all nodes, or one a node."""
    d1, d2 = loss.derivative(r, y), loss.second(r, y)
    d12, value = d1 * d1, loss.value(r, y)
    columns = (d2, d1 * d2, d12 * d2, value * d2, np.ones_like(d1), d1, d12, value)
    G = r + g[:, None] * d1
    G -= m[:, None]
    G /= s[:, None]
    P = np.exp(-0.5 * G * G)
    P *= (_PHI / s)[:, None]
    if len(r) == 1:
        weights = np.concatenate(columns).T * dr.T
        total = (P @ weights).T
        P *= G
        total_G = (P @ weights[:, :2]).T
        P *= G
        hG2 = P @ weights[:, 0]
    else:
        P *= dr
        total = np.array([np.einsum("ij,ij->i", P, column) for column in columns])
        P *= G
        total_G = np.array([np.einsum("ij,ij->i", P, column) for column in columns[:2]])
        P *= G
        hG2 = np.einsum("ij,ij->i", P, d2)
    h, slope_h, slope2_h, value_h, mass, slope, slope2, value_0 = total
    slope2 = slope2 + g * slope2_h  # E f = ∫φ f dr/s + g ∫φ f ℓ'' dr/s
    return np.stack(
        [
            value_0 + g * value_h + 0.5 * g * slope2,
            slope + g * slope_h,
            slope2,
            h,
            total_G[0],
            hG2 - h,
            slope_h,
            total_G[1],
            slope2_h,
            mass + g * h,
        ]
    )
