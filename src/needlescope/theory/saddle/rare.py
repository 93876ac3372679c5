"""The problem behind capacity where rare samples carry it.

The larger a capacity, the rarer the samples that limit it: at α* = 10²⁶ one in 10²⁶ counts. So the
integral over a label's samples is drawn where its integrand lies (`law.tilted`), which depends on
the minimiser (μ, b), which depends on the integral. The two are found in turns. All Gaussians of
the last turns stay in use, the standard one too, so that nothing near is lost. A value is accepted
when two turns agree, and its error is the spread of independent replicates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...errors import NotConverged
from ...lattice import REPLICATES
from ...models.nodes import JointLaw, Nodes
from ..law.ladder import ERRORS_WITHIN_ACCURACY
from ..law.normals import NormalLaw
from ..law.tilted import STEPS, Tilt, share_with_a_say, spread, standard, temper
from .margin import log_shortfall, separability, shortfall

FIRST, LAST = 2**10, 2**15  # lattice points of a Gaussian in a replicate
TURNS = 12
MANY = 0.25  # of plain draws with a say: then nothing rare can matter
FEW = 0.01  # of tilted draws: with fewer, what is rare is not found yet
TILTS = 3  # that stay in use, beside the standard normal
AGREE = 4.0  # standard errors between turns that agree
NIL = 1e-250  # less counts as zero
LARGEST = 2**22  # numbers of a replicate's draws


class Known(NamedTuple):
    """The minimum, and its relative standard error."""

    value: float
    relative: float


class _Turn(NamedTuple):
    """A minimum as one turn found it."""

    value: float
    relative: float
    at: FloatArray
    say: float  # the share of draws with a say, of the label with the least


def rare_separability(
    positive: NormalLaw, negative: NormalLaw, pi: float, accuracy: float
) -> Known:
    """Minimise E[(√U G − y(μ·m + b)/√A)₊²] to a relative accuracy, or as well as can be."""
    laws, chances = (positive, negative), (pi, 1.0 - pi)
    tilts = [[standard(law.dims)] for law in laws]
    points, before, settled = FIRST, None, False
    at = None
    for turn in range(TURNS):
        now = _minimised(laws, chances, tilts, points, at)
        at = now.at
        settled = settled or _settled(before, now)
        if turn and now.value < NIL:
            return Known(0.0, 0.0)
        if settled:
            widest = max(law.dims for law in laws)
            done = ERRORS_WITHIN_ACCURACY * now.relative <= accuracy
            if done or points == LAST or points * widest > LARGEST:
                return Known(now.value, now.relative)
            points *= 4
        else:
            tilts = [
                [kept[0], *kept[1:][1 - TILTS :], _where(law, now.at, turn)]
                for law, kept in zip(laws, tilts, strict=True)
            ]
        before = now
    raise NotConverged(
        f"the samples that limit the capacity are too rare to be found: after {TURNS} turns it is "
        f"about {1.0 / max(now.value, NIL):.2g}, and still changes"
    )


def _settled(before: _Turn | None, now: _Turn) -> bool:
    """Whether the draws are where the integral lies."""
    if now.value < NIL or now.say < FEW:
        return False
    if before is None or before.value < NIL:
        return now.say >= MANY
    doubt = np.hypot(before.relative, now.relative)
    return bool(abs(np.log(now.value / before.value)) <= AGREE * doubt)


def _where(law: NormalLaw, at: FloatArray, turn: int) -> Tilt:
    """Return the Gaussian that looks like a label's integrand at (μ, b)."""
    one = np.ones(1)

    def log_f(z: FloatArray) -> FloatArray:
        return log_shortfall(law.nodes(z, one), law.label, at)

    return temper(law.dims, log_f, REPLICATES + STEPS * turn)


def _minimised(
    laws: tuple[NormalLaw, NormalLaw],
    chances: tuple[float, float],
    tilts: list[list[Tilt]],
    points: int,
    start: FloatArray | None,
) -> _Turn:
    """Draw, minimise, and look at how the replicates spread and the weights lie."""
    parts = [
        _drawn(law, kept, points, index)
        for law, kept in zip(laws, tilts, strict=True)
        for index in range(REPLICATES)
    ]
    m, tau, A = (np.concatenate(column) for column in zip(*(one[:3] for one in parts), strict=True))
    sizes = [len(part.A) for part in parts]
    y = np.repeat([law.label for law in laws for _ in range(REPLICATES)], sizes).astype(float)
    chance = np.repeat([p for p in chances for _ in range(REPLICATES)], sizes)
    weight = chance * np.concatenate([part.weight for part in parts]) / REPLICATES
    joint = JointLaw(y, m, tau, A, weight, weight[None])
    found = separability(joint, start)
    terms = weight * shortfall(joint, found.at)
    cuts = np.cumsum(sizes)[:-1]
    sums = np.array([part.sum() for part in np.split(terms, cuts)]).reshape(2, REPLICATES)
    replicas = REPLICATES * sums.sum(axis=0)
    value = max(found.value, 1e-300)
    return _Turn(
        found.value,
        float(replicas.std(ddof=1) / np.sqrt(REPLICATES) / value),
        found.at,
        min(_say(part, value) for part in np.split(terms, [cuts[REPLICATES - 1]])),
    )


def _say(terms: FloatArray, value: float) -> float:
    """Return the share of a label's draws with a say, or one if the label hardly matters."""
    if terms.sum() < 1e-4 * value:
        return 1.0
    with np.errstate(divide="ignore"):
        return share_with_a_say(np.log(terms))


def _drawn(law: NormalLaw, tilts: list[Tilt], points: int, index: int) -> Nodes:
    z, log_weight = spread(tilts, points, index)
    return law.nodes(z, np.exp(log_weight) / len(z))
