"""Where special directions lie: explicit vectors in a large dimension, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.models import get_model
from needlescope.theory.alignment import align_one
from needlescope.theory.law.ladder import ROUGH
from needlescope.theory.law.limits import train_limit
from needlescope.theory.spectrum.directions import Directions, QueryParts, directions

COVERS = ("checks",)
NOISE = ns.Noise(spectrum=ns.Spectrum([5.0, 1.0, 0.2], [1, 2, 3]))
TASK = ns.Task(6, 1, 4.0, 0.4, noise=NOISE, signal=(0.5, 0.2, 0.3))


def of(model: str, task: ns.Task, query: ns.Query, parts: QueryParts | None = None) -> Directions:
    limit = train_limit(get_model(model), task.whitened, query, ROUGH)
    result = directions(get_model(model), task, query, parts, limit)
    assert result is not None
    return result


def explicit(vectors: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Return Σ UUᵀ on each level of orthonormal columns made from vectors, in their order."""
    U = np.linalg.qr(vectors)[0]
    U *= np.sign(np.einsum("ij,ij->j", U, vectors))
    return np.stack([U[place == k].T @ U[place == k] for k in range(3)])[::-1]  # s increases


def levels(d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the level, the eigenvalue and the whitened signal of each dimension."""
    rng, place = np.random.default_rng(0), NOISE.spectrum.at_dimension(d)
    s, xi = NOISE.spectrum.s[place], rng.standard_normal(d)
    xi *= np.sqrt(np.array(TASK.signal) / np.bincount(place, xi**2))[place]
    return place, s, xi / np.sqrt(s)


def test_those_of_a_linear_model_are_the_whitened_signal() -> None:
    place, _, zeta = levels(60)
    expected = np.bincount(place, zeta**2)[::-1] / (zeta @ zeta)
    assert of("pooled", TASK, ns.Query(0.0, 0.0)).W[:, 0, 0] == pytest.approx(expected)
    assert of("vectorized", TASK, ns.Query(0.0, 0.0)).W[:, 0, 0] == pytest.approx(expected)


@pytest.mark.parametrize("cosine", [0.0, 0.7, -0.4, 1.0])
def test_a_given_query_is_random_beside_the_signal(cosine: float) -> None:
    place, _, zeta = levels(60_000)
    unit = zeta / np.linalg.norm(zeta)
    across = np.random.default_rng(1).standard_normal(len(unit))
    across -= (across @ unit) * unit
    q = cosine * unit + np.sqrt(1.0 - cosine**2) * across / np.linalg.norm(across)
    W = of("attention", TASK, ns.Query(1.0, cosine)).W
    if cosine == 1.0:
        unit = across
    # of 60,000 random directions the shares of a level scatter by 1/√d
    assert pytest.approx(explicit(np.column_stack([q, unit]), place), abs=0.015) == W


@pytest.mark.parametrize("balanced", [False, True])
def test_a_trained_query(balanced: bool) -> None:
    training = ns.Training(3.0, 1.0, balanced=balanced)
    row = align_one(TASK, training)
    parts = row["parts"]
    place, _, zeta = levels(60_000)
    unit = zeta / np.linalg.norm(zeta)
    noise = np.random.default_rng(2).standard_normal(len(unit))
    noise *= np.sqrt(parts.noise / np.bincount(place, noise**2))[place]
    q = parts.along[place] * unit + noise
    assert q @ q == pytest.approx(1.0, abs=0.02)
    assert q @ unit == pytest.approx(row["cosine_q"], abs=0.02)
    W = of("attention", TASK, ns.Query(1.0, row["cosine_q"]), parts).W
    assert pytest.approx(explicit(np.column_stack([q, unit]), place), abs=0.02) == W


def test_the_parts_of_a_trained_query_add_up_to_its_norm_and_cosine() -> None:
    row = align_one(TASK, ns.Training(3.0, 1.0, loss="square", eta_b=0.2))
    z = TASK.levels.weight / (TASK.levels.s * TASK.levels.gain**2)
    along, noise = row["parts"].along, row["parts"].noise
    assert along @ z == pytest.approx(row["cosine_q"], rel=1e-12)
    assert along**2 @ z + noise.sum() == pytest.approx(1.0, rel=1e-12)


def test_all_of_each_direction_is_somewhere() -> None:
    noise = ns.Noise(spectrum=ns.Spectrum.power_law(0.7, 500))
    result = of("attention", TASK.replace(noise=noise, signal=1.0), ns.Query(1.0, 0.6))
    for item in (result, result.few):
        assert item.W.sum(axis=0) == pytest.approx(np.eye(2), abs=1e-12)
        assert item.share.sum() == pytest.approx(1.0, rel=1e-12)


def test_a_schedule_is_refused() -> None:
    training = ns.Training(4.0, 1.0, schedule=ns.Schedule.even(3))
    for call in (ns.align, ns.predict, ns.focus):
        with pytest.raises(ValueError, match="the theory of a schedule of steps supports only"):
            call(TASK, training)
