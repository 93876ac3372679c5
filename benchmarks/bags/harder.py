"""Sets that no linear look at instances solves: ``python -m benchmarks.bags.harder FOLDER SEED``.

patches: an image of clutter (strokes cut from handwritten digits) in overlapping patches; any whole
digit is hidden in a positive one. bursts: windows of a noisy series, as log spectra; a positive one
has short bursts, each at one of four pitches. count: every bag has cells of a kind, a positive one
three or more, a negative one two or fewer. both: a positive bag has cells of both of two kinds, a
negative one of one kind or of none. Rules and constants are settled on the seeds 0 and 1.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

SIDE, PATCH, STRIDE = 29, 9, 5  # pixels of an image, of a patch, and between patches

Bag = tuple[Any, int, Any]  # instances, label, which of them carry the signal


def patches(rng: np.random.Generator, bags: int = 400) -> Iterator[Bag]:
    """Draw images of clutter, cut into patches."""
    images = load_digits().data.reshape(-1, 8, 8) / 16.0
    corners = range(0, SIDE - PATCH + 1, STRIDE)
    for k in range(bags):
        canvas, y = np.zeros((SIDE, SIDE)), k % 2
        for _ in range(22):
            piece = images[rng.integers(len(images))]
            top, left = rng.integers(0, 5, 2)
            piece = np.rot90(piece[top : top + 4, left : left + 4], rng.integers(4))
            row, column = rng.integers(0, SIDE - 4, 2)
            own = canvas[row : row + 4, column : column + 4]
            np.maximum(own, piece, out=own)
        row, column = STRIDE * rng.integers(0, (SIDE - PATCH) // STRIDE + 1, 2)
        down, right = rng.integers(0, PATCH - 8 + 1, 2)
        own = canvas[row + down : row + down + 8, column + right : column + right + 8]
        if y:
            own[:] = images[rng.integers(len(images))]
        canvas += 0.1 * rng.standard_normal(canvas.shape)
        places = [(a, b) for a in corners for b in corners]
        X = np.array([canvas[a : a + PATCH, b : b + PATCH].ravel() for a, b in places])
        yield X, y, np.array([(a, b) == (row, column) for a, b in places]) * y


def bursts(rng: np.random.Generator, bags: int = 300, width: int = 48) -> Iterator[Bag]:
    """Draw coloured noise with a gain of its own, cut into windows."""
    t = np.arange(width)
    for k in range(bags):
        windows, y = int(rng.integers(20, 50)), k % 2
        size = windows * width
        colour = np.exp(-np.arange(60) / rng.uniform(1.0, 3.0))
        x = np.convolve(rng.standard_normal(size + 60), colour, "valid")[:size]
        x *= np.exp(rng.normal(0.0, 0.3)) / x.std()
        signal = np.zeros(windows, int)
        for place in rng.choice(windows, int(rng.integers(1, 4)), replace=False) if y else ():
            pitch = rng.choice([0.09, 0.17, 0.29, 0.41])
            phase = 2.0 * np.pi * (pitch * t + rng.random())
            own = slice(place * width, (place + 1) * width)
            x[own] += 1.5 * x.std() * np.hanning(width) * np.sin(phase)
            signal[place] = 1
        table = np.abs(np.fft.rfft(x.reshape(windows, width) * np.hanning(width), axis=1))
        yield np.log(table**2 + 1e-6), y, signal


def count(rng: np.random.Generator, bags: int = 300, d: int = 12) -> Iterator[Bag]:
    """Draw bags with one or two cells of a kind, or with three to five."""
    centre = np.zeros(d)
    centre[:4] = 1.6
    for k in range(bags):
        X, y = rng.standard_normal((int(rng.integers(15, 30)), d)), k % 2
        several = int(rng.integers(3, 6)) if y else int(rng.integers(0, 3))
        X[:several] = centre + 0.5 * rng.standard_normal((several, d))
        signal = np.arange(len(X)) < several
        order = rng.permutation(len(X))
        yield X[order], y, (signal * y)[order]


def both(rng: np.random.Generator, bags: int = 300, d: int = 12) -> Iterator[Bag]:
    """Draw bags with cells of two kinds, of one of them, or of none."""
    centres = np.zeros((2, d))
    centres[0, :3], centres[1, 3:6] = 2.2, 2.2
    for k in range(bags):
        X, y = rng.standard_normal((int(rng.integers(12, 24)), d)), k % 2
        present = (True, True) if y else [(True, False), (False, True), (False, False)][k // 2 % 3]
        signal, free = np.zeros(len(X), int), iter(range(len(X)))
        for kind in (0, 1):
            for _ in range(int(rng.integers(1, 5)) * present[kind]):
                place = next(free)
                X[place] = centres[kind] + 0.6 * rng.standard_normal(d)
                signal[place] = y
        order = rng.permutation(len(X))
        yield X[order], y, signal[order]


MAKERS = {"patches": patches, "bursts": bursts, "count": count, "both": both}


def main(words: list[str]) -> int:
    """Write the sets of a seed to a folder."""
    if len(words) != 2 or not words[1].isdecimal():
        print("usage: python -m benchmarks.bags.harder FOLDER SEED", file=sys.stderr)
        return 2
    folder, seed = Path(words[0]), int(words[1])
    folder.mkdir(parents=True, exist_ok=True)
    for place, (name, make) in enumerate(MAKERS.items()):
        X, y, signal = zip(*make(np.random.default_rng([seed, place])), strict=True)
        bag = np.repeat(np.arange(len(X)), [len(item) for item in X])
        np.savez(
            folder / f"{name}-{seed}.npz",
            X=np.concatenate(X).astype(np.float32),
            bag=bag,
            y=np.array(y),
            signal=np.concatenate(signal),
        )
        print(f"{name}-{seed}: {len(y)} bags, {len(bag)} instances, {X[0].shape[1]} features")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
