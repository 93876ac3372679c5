"""The stored grids are what the theory says, and interpolation passes through them."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.explorer.export.axes import LINES, nodes, scaled, tokens
from needlescope.explorer.export.grids import FILE, STEP, UNKNOWN, cubic, grids, stored
from needlescope.explorer.export.values import TOL, error, error_of

COVERS = ("axes",)


@pytest.mark.parametrize("line", LINES)
def test_random_entries_are_computed_again(line: str) -> None:
    rng, grid = np.random.default_rng(5), grids()[line]
    for _ in range(4):
        L, R = list(grid.values)[rng.integers(len(grid.values))]
        block = grid.values[L, R]
        index = tuple(rng.integers(block.shape))
        at = {
            name: float(nodes(name, LINES[line][name])[k])
            for name, k in zip(grid.names, index, strict=True)
        }
        shown = float(error_of(block[index] * STEP, at["pi"]))
        assert float(error(line, L, R, at)) == pytest.approx(shown, abs=TOL), (L, R, at)


@pytest.mark.parametrize("line", LINES)
def test_at_a_node_the_stored_value_is_shown(line: str) -> None:
    grid = grids()[line]
    (L, R), block = list(grid.values.items())[-1]
    at = {name: float(nodes(name, LINES[line][name])[1]) for name in grid.names}
    assert grid.t(L, R, at) == pytest.approx(float(block[(1,) * block.ndim]) * STEP, abs=1e-9)


def test_the_file_is_small_and_whole() -> None:
    assert FILE.stat().st_size < 1_000_000
    for line, grid in grids().items():
        shape = tuple(len(nodes(name, LINES[line][name])) for name in grid.names)
        assert {block.shape for block in grid.values.values()} == {shape}
        assert not any((block == UNKNOWN).any() for block in grid.values.values())


def test_cubics_are_interpolated_exactly_between_nodes_and_beyond() -> None:
    places = np.array([0.0, 1.0, 2.5, 3.0, 5.0])
    for x in (-0.5, 0.3, 2.7, 4.9, 5.5):
        first, weights = cubic(places, x)
        near = places[first : first + 4]
        assert weights @ (near**3 - near) == pytest.approx(x**3 - x)


def test_few_nodes_are_all_used() -> None:
    first, weights = cubic(np.array([0.0, 1.0]), 0.25)
    assert (first, weights.tolist()) == (0, [0.75, 0.25])


def test_nodes_are_even_on_their_scale_and_end_where_they_should() -> None:
    for counts in LINES.values():
        for name, count in counts.items():
            if name != "R":
                steps = np.diff(scaled(name, nodes(name, count)))
                assert steps == pytest.approx(steps[0])
    assert nodes("pi", 4)[[0, -1]].tolist() == [0.05, 0.5]
    for line in LINES:
        if "R" in LINES[line]:
            assert all(1 in Rs and L in Rs for L, Rs in tokens(line).items())


def test_what_is_not_known_is_stored_as_such() -> None:
    assert stored([np.nan, -1.0]).tolist() == [UNKNOWN, round(-1.0 / STEP)]
