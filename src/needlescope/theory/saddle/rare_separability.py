"""The problem behind capacity where rare samples carry it.

The larger a capacity, the rarer the samples that limit it: at α* = 10²⁶ one in 10²⁶ counts. So the
integral over a label's samples is drawn where its integrand lies (`law.tilted`), which depends on
the minimiser (μ, b), which depends on the integral. The two are found in turns. All Gaussians of
the last turns stay in use, the standard one too, so that nothing near is lost. A value is accepted
when two turns agree, and its error is the spread of independent replicates.

Of groups above 128 tokens `law.tokens` keeps the largest and takes the rest for Gaussian, which is
no matter of that spread. Against draws of every token, at the minimiser found here, that cost
nothing to be seen: eight capacities from 95 to 4e26 at L from 140 to 801 (R ≤ 5, κ from 1 to 10)
agreed within 0.5 %, each known to 0.2 to 0.4 % by those draws. One with R = 20, κ = 0.5 at L = 400
differed by 0.8 %, two standard errors of the check, so a percent is open where the bulk weighs
most; others of that sort were checked to 2 to 16 % only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...errors import NotConverged
from ...lattice import REPLICATES
from ...models.nodes import Nodes, grouped
from ..law.importance import (
    MAX_FITS,
    Proposal,
    draw_mixture,
    effective_share,
    fit_proposals,
    standard_normal,
)
from ..law.ladder import ERRORS_WITHIN_TOL
from ..law.normals import NormalLaw
from .margin import log_shortfall, separability, shortfall

FIRST_POINTS, LAST_POINTS = 2**10, 2**15  # lattice points of a Gaussian in a replicate
MAX_ITERATIONS = 12
PLAIN_EFFECTIVE_SHARE = 0.25  # of plain draws with a say: then nothing rare can matter
LEAST_EFFECTIVE_SHARE = 0.01  # of tilted draws: with fewer, what is rare is not found yet
MAX_PROPOSALS = 6  # that stay in use, beside the standard normal
AGREEMENT = 4.0  # standard errors between turns that agree
LEAST_VALUE = 1e-250  # less counts as zero
MAX_NUMBERS = 2**22  # numbers of a replicate's draws


class Separability(NamedTuple):
    """The minimum, and its relative standard error."""

    value: float
    relative: float


class _Iteration(NamedTuple):
    """A minimum as one turn found it."""

    value: float
    relative: float
    at: FloatArray
    first: float  # the value where the turn before was least
    say: float  # the share of draws with a say, of the law with the least
    heaviest: list[FloatArray]  # draw of each law


def rare_separability(
    laws: Sequence[NormalLaw], shares: Sequence[float], tol: float
) -> Separability:
    """Minimise E[(√U G − y(μ·m + b)/√A)₊²] to a relative tolerance, or as well as can be.

    The data are a mixture of ``laws``, each with its share.
    """
    tilts = [[standard_normal(law.dims)] for law in laws]
    points, before = FIRST_POINTS, None
    for turn in range(MAX_ITERATIONS):
        now = _iterate(laws, shares, tilts, points, before)
        if now.first < LEAST_VALUE:
            return Separability(0.0, 0.0)
        if _converged(before, now):
            widest = max(law.dims for law in laws)
            excess = ERRORS_WITHIN_TOL * now.relative / tol
            if excess <= 1.0 or points == LAST_POINTS or points * widest > MAX_NUMBERS:
                return Separability(now.value, now.relative)
            points = min(LAST_POINTS, points * (2 if excess < 1.5 else 4))
        else:
            tilts = [
                [kept[0], *_proposals(law, now.at, start, turn), *kept[1:]][: 1 + MAX_PROPOSALS]
                for law, kept, start in zip(laws, tilts, now.heaviest, strict=True)
            ]
        before = now
    raise NotConverged(
        f"the samples that limit the capacity are too rare to be found: after {MAX_ITERATIONS} turns it is "
        f"about {1.0 / max(now.value, LEAST_VALUE):.2g}, and still changes"
    )


def _converged(before: _Iteration | None, now: _Iteration) -> bool:
    """Whether the draws are where the integral lies."""
    if now.value < LEAST_VALUE or now.say < LEAST_EFFECTIVE_SHARE:
        return False
    if before is None or before.value < LEAST_VALUE:
        return now.say >= PLAIN_EFFECTIVE_SHARE
    uncertainty = np.hypot(before.relative, now.relative)
    return bool(abs(np.log(now.value / before.value)) <= AGREEMENT * uncertainty)


def _proposals(law: NormalLaw, at: FloatArray, start: FloatArray, turn: int) -> list[Proposal]:
    """Return Gaussians that look like a law's integrand at (μ, b)."""
    item = np.ones(1)

    def log_f(z: FloatArray) -> FloatArray:
        return log_shortfall(law.nodes(z, item), law.label, at)

    return fit_proposals(start if turn else 0.0 * start, log_f, REPLICATES + MAX_FITS * turn)


def _iterate(
    laws: Sequence[NormalLaw],
    shares: Sequence[float],
    tilts: list[list[Proposal]],
    points: int,
    before: _Iteration | None,
) -> _Iteration:
    """Draw, minimise, and look at how the replicates spread and the weights lie."""
    draws = [_drawn(law, kept, points) for law, kept in zip(laws, tilts, strict=True)]
    parts = zip(laws, shares, draws, strict=True)
    joint = grouped([(float(law.label), share, nodes) for law, share, (_, nodes) in parts])
    start = None if before is None else before.at
    result = separability(joint, start)
    terms = joint.weight * shortfall(joint, result.at)
    sides = np.split(terms, np.cumsum([len(z) for z, _ in draws])[:-1])
    replicas = REPLICATES * sum(side.reshape(REPLICATES, -1).sum(axis=1) for side in sides)
    value = max(result.value, 1e-300)
    return _Iteration(
        result.value,
        float(np.std(replicas / value, ddof=1) / np.sqrt(REPLICATES)),
        result.at,
        np.inf if start is None else float(joint.weight @ shortfall(joint, start)),
        min(_effective_share(side, value) for side in sides),
        [z[side.argmax()] for (z, _), side in zip(draws, sides, strict=True)],
    )


def _drawn(law: NormalLaw, tilts: list[Proposal], points: int) -> tuple[FloatArray, Nodes]:
    """Draw all replicates of a law, one after the other: their normals, and where they lead."""
    parts = [draw_mixture(tilts, points, index) for index in range(REPLICATES)]
    z, log_weight = (np.concatenate(column) for column in zip(*parts, strict=True))
    return z, law.nodes(z, np.exp(log_weight) / len(z))


def _effective_share(terms: FloatArray, value: float) -> float:
    """Return the share of a law's draws with a say, or one if the law hardly matters."""
    if terms.sum() < 1e-4 * value:
        return 1.0
    with np.errstate(divide="ignore"):
        return effective_share(np.log(terms))
