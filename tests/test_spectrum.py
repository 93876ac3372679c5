"""Spectra as words: the well-known ones, the place of a signal in them, dimensions, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.spectrum import Levels, signal_weights
from tests.catalogue.refusals import Case, by_sentence, check

TWO = ns.Spectrum.two_levels(high=4.0, low=0.25, share=0.2)
NAMED = {
    "power law": ns.Spectrum.power_law(0.7, 50),
    "two levels": TWO,
    "marchenko-pastur": ns.Spectrum.marchenko_pastur(0.3, 200),
}


class TestNamed:
    @pytest.mark.parametrize("name", NAMED)
    def test_the_mean_is_one(self, name: str) -> None:
        assert NAMED[name].mean == pytest.approx(1.0, abs=1e-12)
        assert NAMED[name].p.sum() == pytest.approx(1.0, abs=1e-12)

    def test_a_power_law_falls_as_it_says(self) -> None:
        s = NAMED["power law"].s
        assert s[24] / s[4] == pytest.approx(5.0**-0.7)

    def test_marchenko_pastur_is_the_spectrum_of_sample_covariances(self) -> None:
        d, n = 300, 1000
        X = np.random.default_rng(0).standard_normal((n, d))
        seen = np.sort(np.linalg.eigvalsh(X.T @ X / n))
        limit = ns.Spectrum.marchenko_pastur(d / n, d).s
        assert seen == pytest.approx(limit, abs=0.1)  # the edge scatters
        assert np.mean(seen**2) == pytest.approx(np.mean(limit**2), rel=0.01)

    def test_spikes_are_added_to_the_bulk(self) -> None:
        spiked = ns.Spectrum.spiked([9.0, 3.0], share=0.05, bulk=0.5)
        assert spiked.mean == pytest.approx(0.05 * 12.0 + 0.9 * 0.5)

    def test_it_is_a_value(self) -> None:
        other = ns.Spectrum([4.0, 0.25], [1, 4])
        assert other == TWO
        assert hash(other) == hash(TWO)
        assert ns.Noise(spectrum=[2.0, 1.0]) == ns.Noise(spectrum=ns.Spectrum([2.0, 1.0]))
        assert ns.Noise(spectrum=[2.0, 1.0]) != ns.Noise(spectrum=[1.0, 2.0])


class TestWeights:
    def test_flat_is_a_weight_for_each_dimension(self) -> None:
        assert signal_weights(TWO, "flat") == pytest.approx([0.2, 0.8])
        assert signal_weights(TWO, 0.0) == pytest.approx([0.2, 0.8])

    def test_quiet_and_loud_are_the_ends(self) -> None:
        assert signal_weights(TWO, "quiet").tolist() == [0.0, 1.0]
        assert signal_weights(TWO, "loud").tolist() == [1.0, 0.0]

    def test_an_exponent(self) -> None:
        assert signal_weights(TWO, 0.5) == pytest.approx(np.array([0.4, 0.4]) / 0.8)

    def test_whitening_a_signal(self) -> None:
        assert Levels(TWO.s, TWO.p, np.array([0.36, 0.64])).gain == pytest.approx(
            np.sqrt(0.36 / 4.0 + 0.64 / 0.25)
        )


class TestDimensions:
    def test_shares_become_multiplicities(self) -> None:
        assert np.bincount(TWO.at_dimension(50)).tolist() == [10, 40]
        assert np.bincount(ns.Spectrum([3.0, 2.0, 1.0]).at_dimension(12)).tolist() == [4, 4, 4]

    def test_any_dimension_is_within_one_of_its_share(self) -> None:
        for d in range(5, 60):
            counts = np.bincount(TWO.at_dimension(d), minlength=2)
            assert np.abs(counts - d * TWO.p).max() <= 1.0


CASES = [
    Case("no eigenvalue", lambda: ns.Spectrum([]), "eigenvalues must hold at least one value"),
    Case("a zero", lambda: ns.Spectrum([1.0, 0.0]), r"eigenvalues must be a finite number above 0"),
    Case("below", lambda: ns.Spectrum([1.0, -2.0]), r"eigenvalues must be a finite number above 0"),
    Case("a table", lambda: ns.Spectrum(np.ones((2, 2))), r"flat sequence .*got an array of shape"),
    Case("tiny", lambda: ns.Spectrum([1.0, 1e-20]), r"between 1e-12 and 1e\+12 in size"),
    Case("one multiplicity", lambda: ns.Spectrum([1.0, 2.0], [3]), "multiplicities must be 2 numb"),
    Case("a share of all", lambda: ns.Spectrum.two_levels(2.0, 1.0, 1.0), r"share must be .*\(0"),
    Case("too many spikes", lambda: ns.Spectrum.spiked([2.0, 3.0], 0.5), r"share must be a number"),
    Case("a ratio", lambda: ns.Spectrum.marchenko_pastur(1.0), r"ratio must be a number in \(0, 1"),
    Case(
        "fewer dimensions than eigenvalues",
        lambda: ns.Spectrum.power_law(0.5, 100).at_dimension(50),
        r"d must leave a dimension for each of the 100 eigenvalues of the noise, got d=50",
    ),
    Case("a word", lambda: signal_weights(TWO, "soft"), "signal must be one of 'flat', 'quiet'"),
    Case("weights", lambda: signal_weights(TWO, (1.0,)), "signal must have a weight for each of"),
    Case("a sum", lambda: signal_weights(TWO, (0.5, 0.4)), "weights of signal must sum to 1, got "),
    Case("below 0", lambda: signal_weights(TWO, (1.5, -0.5)), "signal must be a finite number of"),
    Case("steep", lambda: signal_weights(TWO, 99.0), r"signal must be a number in \[-50, 50\]"),
]  # fmt: skip


@pytest.mark.parametrize("cases", by_sentence(CASES))
def test_refusals(cases: list[Case]) -> None:
    for case in cases:
        check(case)
