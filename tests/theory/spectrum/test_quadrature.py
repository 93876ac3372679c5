"""A few nodes in place of many levels: sums that the theory takes are the same."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.theory.spectrum.quadrature import quadrature

SPECTRA = {
    "steep": ns.Spectrum.power_law(2.0, 3000),
    "shallow": ns.Spectrum.power_law(0.4, 10_000),
    "marchenko-pastur": ns.Spectrum.marchenko_pastur(0.95, 1000),
    "one cloud": ns.Spectrum(np.linspace(0.99, 1.01, 100)),
}


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("power", [1, 2, 3])
def test_resolvents(name: str, power: int) -> None:
    s = np.sort(SPECTRA[name].s)
    result = quadrature(s)
    assert result is not None
    nodes, basis = result
    assert len(nodes) <= len(s) // 2
    weight = np.random.default_rng(0).exponential(size=len(s))
    for ratio in (1e-6, 0.03, 1.0, 7.0, 1e4):
        f = [(x / (ratio + x)) ** power for x in (s, nodes)]
        # an interval of unit length, ten nodes; powers have their poles where the first one has it
        assert (basis @ weight) @ f[1] == pytest.approx(weight @ f[0], rel=1e-7)


def test_few_levels_stay_as_they_are() -> None:
    assert quadrature(np.arange(1.0, 20.0)) is None
