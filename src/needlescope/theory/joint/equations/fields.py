"""The local fields of one sample after training: a minimum in 2L numbers, by Newton's method.

A sample that is not trained on has the fields ω_l = (ω_l^q, ω_l^u), its tokens' products with query
and readout. Training on it moves them to

    h = argmin E(h),   E(h) = ℓ(f(h) + b; y) + ½ Σ_l (h_l − ω_l)ᵀ V⁻¹ (h_l − ω_l),
    f(h) = Σ_l a_l u_l,   a = softmax(q),   h_l = (q_l, u_l).

With s = ℓ' and d_l = a_l (u_l − f), the gradient of f is (d, a), and the Hessian of E is
block-diagonal plus rank two:

    H = diag_l(V⁻¹ + s [[d_l, a_l], [a_l, 0]]) + U [[0, −s], [−s, ℓ'']] Uᵀ,   U = [(a, 0), (d, a)].

So a Newton step takes O(L). E is not convex, and a sample may have several minima. The one that is
reached from h = ω describes what training reaches; `lowest` starts from other places as well, as a
ground state would.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....arrays import FloatArray
from ....errors import NotConverged
from ....losses import Loss

AT_ONCE = 1 << 17  # numbers of one kind, above which samples are solved in blocks
BLOCK = 1 << 15  # numbers of a block, so that what is made of them stays in the caches
ITERATIONS = 400
STEP = 1e-4  # largest last step of a sample: the error after it is about its square
FIRST_SHIFT = 0.1  # of the Hessian by a multiple of V⁻¹, after a first step that fails
DECREASE = 1e-4  # part of the decrease expected of a step that it must reach
ROUNDING = 1e-13


class Fields(NamedTuple):
    """Fields (L × n) of query and readout for n samples."""

    q: FloatArray
    u: FloatArray


class Loaded(NamedTuple):
    """What the loss says of n samples at given fields."""

    a: FloatArray  # attention weights, L × n
    f: FloatArray  # scores without the bias
    loss: FloatArray
    slope: FloatArray
    bend: FloatArray


class Pull(NamedTuple):
    """The strength of a sample's ties to its fields, V⁻¹, with the loss that pulls on it."""

    V: FloatArray
    ties: tuple[float, float, float]  # the entries qq, qu and uu of V⁻¹
    b: float
    y: FloatArray  # of each sample
    loss: Loss


def pull_of(V: FloatArray, b: float, y: FloatArray, loss: Loss) -> Pull:
    """Return the ties of a variance, and a loss that pulls with a bias and labels."""
    inverse = np.linalg.inv(V)
    ties = float(inverse[0, 0]), float(inverse[0, 1]), float(inverse[1, 1])
    return Pull(V, ties, b, y, loss)


def load(h: Fields, pull: Pull) -> Loaded:
    """Return attention, scores and the loss with its derivatives."""
    a = h.q - h.q.max(axis=0)
    np.exp(a, out=a)
    a /= a.sum(axis=0)
    f = np.einsum("ln,ln->n", a, h.u)
    z = f + pull.b
    loss = pull.loss
    return Loaded(a, f, loss.value(z, pull.y), loss.derivative(z, pull.y), loss.second(z, pull.y))


def energy(h: Fields, omega: Fields, pull: Pull) -> FloatArray:
    """Return E(h) of each sample."""
    return _energy(h, omega, pull, load(h, pull))


def _energy(h: Fields, omega: Fields, pull: Pull, at: Loaded) -> FloatArray:
    A, B, C = pull.ties
    dq, du = h.q - omega.q, h.u - omega.u
    square = A * np.einsum("ln,ln->n", dq, dq) + C * np.einsum("ln,ln->n", du, du)
    if B:
        square += 2.0 * B * np.einsum("ln,ln->n", dq, du)
    return np.asarray(at.loss + 0.5 * square)


def gradient(h: Fields, omega: Fields, pull: Pull) -> Fields:
    """Return the gradient of E."""
    return _gradient(h, omega, pull, load(h, pull))


def _gradient(h: Fields, omega: Fields, pull: Pull, at: Loaded) -> Fields:
    A, B, C = pull.ties
    dq, du = h.q - omega.q, h.u - omega.u
    d = at.a * (h.u - at.f)
    return Fields(at.slope * d + A * dq + B * du, at.slope * at.a + B * dq + C * du)


class Hessian:
    """The Hessian of E at fields h, its blocks of V⁻¹ enlarged by ``shift`` of each sample.

    ``positive`` says where it is positive definite. By Haynsworth's inertia formula the number of
    negative eigenvalues is that of the blocks plus that of the positive ones of C⁻¹ + UᵀB⁻¹U, minus
    one (C is indefinite).
    """

    def __init__(self, h: Fields, pull: Pull, at: Loaded, shift: FloatArray | float = 0.0) -> None:
        A, B, C = pull.ties
        s, self.a, grow = at.slope, at.a, 1.0 + np.asarray(shift)
        self.d = h.u - at.f
        self.d *= at.a
        qq, qu, uu = s * self.d, s * self.a, C * grow
        qq += A * grow
        qu += B * grow
        det = qq * uu - qu * qu
        mixed = det < 0.0
        negative = _count(mixed) + 2 * _count((qq < 0.0) & ~mixed)  # eigenvalues of the blocks
        det[np.abs(det) < 1e-300] = 1e-300
        # the blocks' inverse is [[uu, qu], [qu, qq]]; X = blocks⁻¹ U
        np.divide(1.0, det, out=det)
        self.uu, self.qq = uu * det, np.multiply(qq, det, out=qq)
        self.qu = np.multiply(qu, np.negative(det, out=det), out=qu)
        self.x1 = Fields(self.uu * self.a, self.qu * self.a)
        self.x2 = Fields(self.uu * self.d + self.x1.u, self.qq * self.a + self.qu * self.d)
        S11 = _dot(self.a, self.x1.q)
        S12 = _dot(self.a, self.x2.q)
        S22 = _dot(self.d, self.x2.q) + _dot(self.a, self.x2.u)
        self.s, self.bend = s, at.bend
        self.I = (1.0 - s * S12, -s * S22, -s * S11 + at.bend * S12, 1.0 - s * S12 + at.bend * S22)
        det2 = self.I[0] * self.I[3] - self.I[1] * self.I[2]
        one = (negative == 1) & (det2 < 0.0) & (S22 < 0.0)  # that the rank two lifts above 0
        self.positive = ((negative == 0) & (det2 > 0.0)) | one
        self.det2 = np.where(np.abs(det2) < 1e-300, 1e-300, det2)

    @property
    def middle(self) -> FloatArray:
        """K of H⁻¹ = blocks⁻¹ − X K Xᵀ, 2 × 2 for each sample."""
        (p, q, r, t), s, c, zero = self.I, self.s, self.bend, 0.0 * self.s
        C = np.array([[zero, -s], [-s, c]])
        return np.asarray(np.einsum("ijn,jkn->ikn", np.array([[t, -q], [-r, p]]) / self.det2, C))

    def solve(self, right: Fields) -> Fields:
        """Return H⁻¹ times a vector of each sample."""
        q, u = self.uu * right.q + self.qu * right.u, self.qq * right.u + self.qu * right.q
        r1, r2 = _dot(self.a, q), _dot(self.d, q) + _dot(self.a, u)
        c1, c2 = -self.s * r2, -self.s * r1 + self.bend * r2
        k1 = (self.I[3] * c1 - self.I[1] * c2) / self.det2
        k2 = (self.I[0] * c2 - self.I[2] * c1) / self.det2
        for part, x1, x2 in zip((q, u), self.x1, self.x2, strict=True):
            part -= x1 * k1
            part -= x2 * k2
        return Fields(q, u)


def _count(truths: NDArray[np.bool_]) -> NDArray[np.int16]:
    return np.asarray(np.add.reduce(truths, axis=0, dtype=np.int16))


def _dot(x: FloatArray, y: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ln,ln->n", x, y))


def minimum(omega: Fields, pull: Pull, start: Fields | None = None) -> Fields:
    """Return the minimum that Newton's method reaches from ``start``, the fields ω by default.

    A step that is not downhill, or brings too little, is taken anew with the ties strengthened
    (Levenberg); samples that have arrived take no part in the rest.
    """
    L, n = omega.q.shape
    if L * n <= AT_ONCE:
        return _minimum(omega, pull, omega if start is None else start)
    blocks = [slice(k, k + BLOCK // L + 1) for k in range(0, n, BLOCK // L + 1)]
    each = [
        _minimum(
            Fields(*(item[:, block] for item in omega)),
            pull._replace(y=pull.y[block]),
            Fields(*(item[:, block] for item in start or omega)),
        )
        for block in blocks
    ]
    return Fields(*(np.concatenate(items, axis=1) for items in zip(*each, strict=True)))


def _minimum(omega: Fields, pull: Pull, h: Fields) -> Fields:
    done = Fields(h.q.copy(), h.u.copy())
    index, shift = np.arange(h.q.shape[1]), np.zeros(h.q.shape[1])
    at = load(h, pull)
    value = _energy(h, omega, pull, at)
    arrived = np.zeros(len(index), bool)
    for _ in range(ITERATIONS):
        slope = _gradient(h, omega, pull, at)
        hessian = Hessian(h, pull, at, shift)
        step = hessian.solve(slope)
        fall = _dot(step.q, slope.q) + _dot(step.u, slope.u)
        size = np.maximum(np.abs(step.q).max(axis=0), np.abs(step.u).max(axis=0))
        new = Fields(h.q - step.q, h.u - step.u)
        at_new = load(new, pull)
        new_value = _energy(new, omega, pull, at_new)
        enough = new_value <= value - DECREASE * fall + ROUNDING * (1.0 + np.abs(value))
        good = hessian.positive & (((fall >= 0.0) & enough) | (size < STEP))
        if good.all():
            h, at, value = new, at_new, new_value
        else:
            h = Fields(*(np.where(good, x, old) for x, old in zip(new, h, strict=True)))
            at = Loaded(*(np.where(good, x, old) for x, old in zip(at_new, at, strict=True)))
            value = np.where(good, new_value, value)
        arrived |= good & (size < STEP) & (shift == 0.0)
        calmer = np.where(shift > 0.2 * FIRST_SHIFT, 0.2 * shift, 0.0)
        shift = np.where(good, calmer, np.maximum(4.0 * shift, FIRST_SHIFT))
        if arrived.sum() > 0.1 * len(index) or arrived.all():
            here = np.flatnonzero(arrived)
            for whole, part in zip(done, h, strict=True):
                whole[:, index[here]] = part.take(here, axis=1)
            left = np.flatnonzero(~arrived)
            if not len(left):
                return done
            index, shift, value = index[left], shift[left], value[left]
            h = Fields(*(item.take(left, axis=1) for item in h))
            omega = Fields(*(item.take(left, axis=1) for item in omega))
            at = Loaded(*(item.take(left, axis=-1) for item in at))
            pull, arrived = pull._replace(y=pull.y[left]), arrived[left]
    raise NotConverged(
        f"the fields of {len(index)} samples did not converge in {ITERATIONS} Newton steps; a "
        "larger ridge makes it easier"
    )


UP, DOWN = 3, 2  # tokens that are pushed up, or down, to find other minima
PUSH = 4.0  # how far above all others, or below where it is, a token's logit is pushed


def lowest(omega: Fields, pull: Pull) -> tuple[Fields, FloatArray]:
    """Return the lowest of several minima of each sample, and by how much it is below the first.

    The first is reached from the fields. The others are reached from where one token attracts most
    attention, those that serve the label best, or none, the most attended of those that do not.
    """
    best = minimum(omega, pull)
    value = first = energy(best, omega, pull)
    serves = pull.y * omega.u
    ranked = np.argsort(-serves, axis=0)
    hinders = np.where(serves < serves.mean(axis=0), omega.q, -np.inf)
    attended = np.argsort(-hinders, axis=0)
    everyone = np.arange(omega.q.shape[1])
    starts = [(ranked[k], True) for k in range(min(UP, len(omega.q)))]
    starts += [(attended[k], False) for k in range(min(DOWN, len(omega.q)))]
    for token, up in starts:
        q = omega.q.copy()
        q[token, everyone] = q.max(axis=0) + PUSH if up else q[token, everyone] - PUSH
        other = minimum(omega, pull, Fields(q, omega.u))
        lower = energy(other, omega, pull)
        better = lower < value
        best = Fields(np.where(better, other.q, best.q), np.where(better, other.u, best.u))
        value = np.where(better, lower, value)
    return best, first - value
