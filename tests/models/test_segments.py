"""Sums over the tokens of each sample, equal in length or not, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.models.segments import Even, Ragged

LENGTHS = {"even": [3, 3, 3, 3], "ragged": [1, 5, 2, 4], "single": [7]}


@pytest.fixture(params=LENGTHS)
def lengths(request):
    return LENGTHS[request.param]


def both(lengths):
    """The samples as ragged ones and, where they are of one length, as even ones."""
    yield Ragged.at(np.cumsum([0, *lengths]))
    if len(set(lengths)) == 1:
        yield Even(lengths[0])


def parts(values, lengths):
    return np.split(values, np.cumsum(lengths)[:-1])


def softmax(z):
    return np.exp(z - z.max()) / np.exp(z - z.max()).sum()


def test_sums_and_spreads(lengths):
    rng, tokens = np.random.default_rng(0), sum(lengths)
    a, b, each = rng.normal(size=tokens), rng.normal(size=tokens), rng.normal(size=len(lengths))
    for segments in both(lengths):
        assert segments.count(tokens) == len(lengths)
        assert segments.sum(a) == pytest.approx([part.sum() for part in parts(a, lengths)])
        assert segments.dot(a, b) == pytest.approx(
            [x @ y for x, y in zip(parts(a, lengths), parts(b, lengths), strict=True)]
        )
        assert segments.spread(each).tolist() == np.repeat(each, lengths).tolist()


def test_weights_are_of_each_sample_alone(lengths):
    far = np.repeat(1000.0 * np.arange(1, len(lengths) + 1), lengths)  # exp overflows, or vanishes
    z = far + np.random.default_rng(1).normal(size=sum(lengths))
    for segments in both(lengths):
        wanted = np.concatenate([softmax(part) for part in parts(z, lengths)])
        assert segments.softmax(z) == pytest.approx(wanted, abs=1e-15)
        assert segments.uniform(len(z)) == pytest.approx(
            np.repeat(1.0 / np.array(lengths), lengths)
        )


def test_equal_peaks_share(lengths):
    z = np.round(np.random.default_rng(2).normal(size=sum(lengths)))
    wanted = [(part == part.max()) / (part == part.max()).sum() for part in parts(z, lengths)]
    for segments in both(lengths):
        assert segments.peak(z) == pytest.approx(np.concatenate(wanted))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_mixed_in_their_own_precision(lengths, dtype):
    rng = np.random.default_rng(3)
    a, rows = rng.normal(size=sum(lengths)), rng.normal(size=(sum(lengths), 2)).astype(dtype)
    pairs = list(zip(parts(a, lengths), parts(rows.astype(float), lengths), strict=True))
    for segments in both(lengths):
        mixed, mean = segments.mix(a, rows), segments.mean(rows)
        assert mixed.dtype == mean.dtype == dtype
        # a few roundings of sums of seven terms of order one
        allowed = 20.0 * float(np.finfo(dtype).eps)
        assert mixed == pytest.approx(np.array([x @ y for x, y in pairs]), abs=allowed)
        assert mean == pytest.approx(np.array([y.mean(axis=0) for _, y in pairs]), abs=allowed)
