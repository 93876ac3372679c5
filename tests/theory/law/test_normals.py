"""Attention's law as a function of normals: the same as from uniforms, and further out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from needlescope.theory.law.attention import draw
from needlescope.theory.law.normals import NormalLaw, tokens
from needlescope.theory.law.tokens import Tokens


@pytest.mark.parametrize("n", [1, 5, 200])
def test_tokens_are_those_of_the_uniforms(n):
    z = np.random.default_rng(0).normal(size=(50, Tokens.dims(n)))
    direct, result = Tokens.draw(n, ndtr(z)), tokens(n, z)
    assert result.g == pytest.approx(direct.g, rel=1e-9, abs=1e-9)
    assert result.z == pytest.approx(direct.z, rel=1e-6)


def test_one_token_is_its_normal_wherever_that_is():
    z = np.array([[-36.0], [-3.0], [0.5], [9.0], [30.0]])
    assert tokens(1, z).g == pytest.approx(z, rel=1e-9)
    assert np.isfinite(tokens(3, np.full((1, 3), -60.0)).g).all()
    assert np.isfinite(tokens(3, np.full((1, 3), 60.0)).g).all()


@pytest.mark.parametrize("kappa", [0.7, np.inf])
@pytest.mark.parametrize("label", [1, -1])
def test_means_are_those_of_the_law(label, kappa):
    law = NormalLaw(6, 2 if label > 0 else 0, 3.0, kappa, 0.8, label)
    z = np.random.default_rng(1).normal(size=(40_000, law.dims))
    result = law.nodes(z, np.full(len(z), 1.0 / len(z)))
    drawn = draw(6, 2, kappa, 3.0 * 0.8, 2**13)[0 if label > 0 else 1]
    for mine, theirs in (
        (result.A, drawn.A),
        (result.m[:, 1], 3.0 * 0.6 * drawn.mass),
        (result.m[:, 0], 3.0 * 0.8 * drawn.mass + drawn.score),
    ):
        assert abs(mine.mean() - theirs.mean()) <= 4.5 * mine.std() / np.sqrt(len(mine)) + 1e-12
