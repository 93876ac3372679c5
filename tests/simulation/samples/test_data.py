"""Data as recipes: the same samples at every pass, with the law of the task, in little memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.random import SeedSequence
from scipy import stats

import needlescope as ns
from needlescope.arrays import FloatArray
from needlescope.models import blocks as module
from needlescope.models.blocks import Arrays, Block, Data, Joined, block_rows, hold
from needlescope.models.segments import Ragged
from needlescope.noise import STANDARD, Noise
from needlescope.running.seeds import generator
from needlescope.simulation.samples.data import Tokens, labels, positions, tokens

ALARM = 1e-5
TASK = ns.Task(L=6, R=2, theta=3.0, pi=0.4)


def make(task: ns.Task = TASK, n: int = 50, d: int = 4, seed: int = 0, **others: object) -> Tokens:
    noise = others.pop("noise", STANDARD)
    xi = others.pop("xi", np.eye(1, d)[0])
    assert not others
    return tokens(task, n, xi, noise, SeedSequence(seed))


def copies(data: Data) -> list[tuple[np.ndarray, np.ndarray, slice]]:
    return [(X.copy(), y.copy(), rows) for X, y, rows, _ in data.blocks()]


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven samples of the usual shape in a block."""
    monkeypatch.setattr(module, "TOKEN_BLOCK", 7 * 6 * 4 + 5)


class TestBlocks:
    @pytest.mark.parametrize("n", [1, 6, 7, 8, 13, 14, 50])
    @pytest.mark.parametrize("kind", ["tokens", "arrays", "joined"])
    def test_they_cover_all_rows_once_and_in_order(
        self, small_blocks: None, n: int, kind: str
    ) -> None:
        data: Data = make(n=n)
        if kind == "arrays":
            data = hold(data)
        elif kind == "joined":
            data = Joined((make(n=5, seed=1), data, hold(make(n=9, seed=2))))
        total, place = len(data.y), 0
        for X, y, rows, _ in data.blocks():
            assert rows.start == place < rows.stop <= total
            assert rows.step in (None, 1)
            assert X.shape == (rows.stop - rows.start, 6, 4)
            assert np.array_equal(y, data.y[rows])
            place = rows.stop
        assert place == total

    def test_a_recipe_gives_the_same_samples_again(self, small_blocks: None) -> None:
        data = make()
        first, again = copies(data), copies(data)
        assert len(first) == len(again) == 8
        for item, other in zip(first, again, strict=True):
            assert np.array_equal(item[0], other[0])
            assert np.array_equal(item[1], other[1])
        anew = copies(make())
        assert all(np.array_equal(a[0], b[0]) for a, b in zip(first, anew, strict=True))

    def test_two_passes_at_once_do_not_disturb_each_other(self, small_blocks: None) -> None:
        data = make()
        alone = [X for X, _, _ in copies(data)]
        both = zip(data.blocks(), data.blocks(), strict=True)
        for expected, (item, other) in zip(alone, both, strict=True):
            assert np.array_equal(item.X, expected)
            assert np.array_equal(other.X, expected)

    def test_a_pass_left_early_changes_nothing(self, small_blocks: None) -> None:
        data = make()
        expected = hold(data).X
        for _ in zip(range(3), data.blocks(), strict=False):
            pass
        assert np.array_equal(hold(data).X, expected)

    def test_scribbling_on_a_block_does_not_reach_the_next_pass(self, small_blocks: None) -> None:
        data = make(noise=Noise(covariance=np.diag([1.0, 2.0, 3.0, 4.0]), token_correlation=0.5))
        expected = hold(data).X
        for X, _, _, _ in data.blocks():
            X[...] = np.nan
        assert np.array_equal(hold(data).X, expected)

    def test_blocks_differ_from_each_other(self, small_blocks: None) -> None:
        blocks = [X for X, _, _ in copies(make(n=21))]
        assert np.isin(blocks[0], blocks[1]).mean() < 0.1
        assert np.isin(blocks[1], blocks[2]).mean() < 0.1

    @pytest.mark.parametrize("noise", [Noise("rademacher"), Noise("student", df=3.0)], ids=repr)
    def test_other_noise_comes_again_too(self, small_blocks: None, noise: Noise) -> None:
        data = make(noise=noise)
        assert np.array_equal(hold(data).X, hold(data).X)

    def test_block_size(self) -> None:
        assert block_rows(1, 1) == module.TOKEN_BLOCK
        assert block_rows(module.TOKEN_BLOCK, 2) == 1  # a sample is never cut
        assert 0.5 * module.TOKEN_BLOCK < block_rows(10, 100) * 1000 <= module.TOKEN_BLOCK


class TestLabels:
    @pytest.mark.parametrize("pi", [0.5, 0.2, 0.01, 0.97])
    def test_rate(self, pi: float) -> None:
        y = labels(TASK.replace(pi=pi), 40_000, generator(SeedSequence(1)))
        assert set(np.unique(y)) == {-1.0, 1.0}
        assert stats.binomtest(int((y > 0).sum()), len(y), pi).pvalue > ALARM

    def test_they_do_not_repeat_and_are_not_ordered(self) -> None:
        y = labels(TASK.replace(pi=0.5), 40_000, generator(SeedSequence(2)))
        assert abs((y[1:] * y[:-1]).sum()) < 5.0 * np.sqrt(len(y))
        assert abs((y * np.linspace(-1.0, 1.0, len(y))).sum()) < 5.0 * np.sqrt(len(y) / 3.0)

    def test_they_are_independent_of_the_noise(self) -> None:
        data = make(TASK.replace(theta=0.0, pi=0.5), n=20_000, d=1)
        means = hold(data).X.astype(float).reshape(20_000, 6)
        z = (data.y[:, None] * means).sum(axis=0) / np.sqrt(20_000)
        assert np.abs(z).max() < 5.0
        z = (data.y[:, None] * (means**2 - 1.0)).sum(axis=0) / np.sqrt(2.0 * 20_000)
        assert np.abs(z).max() < 5.0


class TestPositions:
    @pytest.mark.parametrize(
        ("L", "R"), [(1, 1), (2, 1), (2, 2), (5, 1), (5, 2), (5, 3), (5, 4), (5, 5), (9, 2)]
    )
    def test_every_subset_is_equally_likely(self, L: int, R: int) -> None:
        task = ns.Task(L=L, R=R, theta=1.0, pi=0.5)
        drawn = np.sort(positions(task, 30_000, generator(SeedSequence(3))), axis=1)
        assert drawn.shape == (30_000, R)
        subsets = dict.fromkeys(combinations(range(L), R), 0)
        for row in map(tuple, drawn.tolist()):
            subsets[row] += 1  # a KeyError here: not a set of R distinct tokens
        if len(subsets) > 1:
            assert stats.chisquare(list(subsets.values())).pvalue > ALARM

    def test_many_of_many_tokens(self) -> None:
        task = ns.Task(L=300, R=100, theta=1.0, pi=0.5)
        drawn = np.sort(positions(task, 3000, generator(SeedSequence(4))), axis=1)
        assert (np.diff(drawn, axis=1) > 0).all()
        assert drawn.min() >= 0
        assert drawn.max() < 300
        z = (np.bincount(drawn.ravel(), minlength=300) - 1000.0) / np.sqrt(3000 * 2.0 / 9.0)
        assert np.abs(z).max() < 5.5  # the largest of 300

    def test_given_law(self) -> None:
        given = ns.Positions([(0, 1), (4, 2), (3, 5)], [0.7, 0.2, 0.1])
        task = TASK.replace(positions=given)
        drawn = [tuple(sorted(row)) for row in positions(task, 20_000, generator(SeedSequence(5)))]
        counts = [drawn.count(item) for item in ((0, 1), (2, 4), (3, 5))]
        assert sum(counts) == 20_000
        assert stats.chisquare(counts, 20_000 * np.array([0.7, 0.2, 0.1])).pvalue > ALARM

    @pytest.mark.parametrize("R", [1, 3])
    def test_none(self, R: int) -> None:
        task = ns.Task(L=4, R=R, theta=1.0, pi=0.5)
        assert positions(task, 0, generator(SeedSequence(6))).shape == (0, R)


class TestSignal:
    @pytest.mark.parametrize("R", [1, 2, 5, 6])
    @pytest.mark.parametrize(
        "noise",
        [STANDARD, Noise("rademacher", covariance=np.diag([1.0, 4, 9, 16]), token_correlation=0.3)],
        ids=repr,
    )
    def test_it_is_theta_xi_on_marked_tokens_of_positives(
        self, small_blocks: None, R: int, noise: Noise
    ) -> None:
        xi = np.array([0.6, 0.0, -0.8, 0.0])
        task = TASK.replace(R=R)
        with_signal = make(task, n=200, xi=xi, noise=noise)
        without = make(task.replace(theta=0.0), n=200, xi=xi, noise=noise)
        assert np.array_equal(with_signal.y, without.y)
        difference = hold(with_signal).X.astype(float) - hold(without).X
        marked = np.abs(difference).max(axis=2) > 1e-3
        assert np.array_equal(marked.sum(axis=1), np.where(with_signal.y > 0, R, 0))
        # single precision of numbers below 50
        assert difference == pytest.approx(3.0 * marked[:, :, None] * xi, abs=2e-5)
        assert not difference[~marked].any()

    def test_positions_follow_the_given_law(self) -> None:
        given = ns.Positions([(0, 1), (3, 5)], [0.9, 0.1])
        task = TASK.replace(theta=100.0, positions=given)
        data = make(task, n=4000)
        result = hold(data).X[data.y > 0][:, :, 0] > 50.0
        first = result[:, 0]
        assert np.array_equal(result[:, [1, 3, 5]], np.stack([first, ~first, ~first], axis=1))
        assert not result[:, [2, 4]].any()
        assert stats.binomtest(int(first.sum()), len(first), 0.9).pvalue > ALARM

    def test_only_one_class(self) -> None:
        """By chance, with few samples of a rare class, or by construction."""
        for label in (-1.0, 1.0):
            y = np.full(30, label)
            data = Tokens(TASK, y, np.eye(1, 4)[0], STANDARD, SeedSequence(0))
            X = hold(data).X.astype(float)
            expected = 3.0 * 2 / 6 * (label > 0)
            assert X[:, :, 0].mean() == pytest.approx(expected, abs=5.0 / np.sqrt(180))


class TestStreams:
    def test_data_sets_of_different_seeds_are_independent(self) -> None:
        task = TASK.replace(theta=0.0, pi=0.5)
        item, other = (make(task, n=20_000, seed=seed) for seed in (1, 2))
        a, b = (hold(data).X.astype(float).ravel() for data in (item, other))
        assert abs(a @ b) < 5.0 * np.sqrt(a.size)
        assert abs((a**2 - 1.0) @ (b**2 - 1.0)) < 5.0 * 2.0 * np.sqrt(a.size)
        assert abs(item.y @ other.y) < 5.0 * np.sqrt(20_000)

    def test_blocks_of_one_set_are_independent(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "TOKEN_BLOCK", 100_000)
        data = make(TASK.replace(theta=0.0), n=100_000 // 24 * 4, d=4)
        blocks = [X.astype(float).ravel() for X, _, _ in copies(data)]
        assert len(blocks) == 4
        for a, b in combinations(blocks, 2):
            assert abs(a @ b) < 5.0 * np.sqrt(a.size)

    def test_noise_has_the_law_of_the_task(self) -> None:
        X = hold(make(TASK.replace(theta=0.0), n=5000)).X
        assert stats.kstest(X.ravel(), "norm").pvalue > ALARM


class TestJoinedAndHeld:
    def test_joined_is_one_set_after_the_other(self, small_blocks: None) -> None:
        parts = (make(n=10, seed=1), make(n=23, seed=2), make(n=1, seed=3))
        joined = Joined(parts)
        assert joined.tokens == (6, 4)
        assert np.array_equal(joined.y, np.concatenate([part.y for part in parts]))
        assert np.array_equal(hold(joined).X, np.concatenate([hold(part).X for part in parts]))
        assert np.array_equal(hold(joined).y, joined.y)

    def test_joined_nests(self, small_blocks: None) -> None:
        a, b, c = (make(n=n, seed=n) for n in (10, 23, 1))
        flat, nested = hold(Joined((a, b, c))), hold(Joined((Joined((a, b)), c)))
        assert np.array_equal(flat.X, nested.X)
        assert np.array_equal(flat.y, nested.y)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_held_samples_are_the_recipe_in_that_precision(self, dtype: type) -> None:
        data = make()
        held = hold(data, dtype)
        assert held.X.dtype == dtype
        assert held.tokens == data.tokens == (6, 4)
        assert np.array_equal(held.X, np.concatenate([X for X, _, _ in copies(data)]))

    def test_arrays_hand_out_views(self) -> None:
        X = np.zeros((20, 3, 2))
        data = Arrays(X, np.ones(20))
        assert all(np.shares_memory(block.X, X) for block in data.blocks())


class TestSize:
    def test_a_pass_over_much_data_takes_little_memory(self) -> None:
        task = ns.Task(L=10, R=2, theta=1.0, pi=0.5)
        n, d = 50_000, 100  # 200 MB of tokens
        tracemalloc.start()
        try:
            seen = sum(len(X) for X, _, _, _ in make(task, n=n, d=d).blocks())
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert seen == n
        assert peak < 20e6

    def test_many_more_tokens_than_dimensions(self) -> None:
        task = ns.Task(L=20_000, R=3, theta=50.0, pi=0.5)
        data = make(task, n=60, d=2)
        assert len(copies(data)) > 1
        held = hold(data)
        marked = (held.X[:, :, 0] > 25.0).sum(axis=1)
        assert np.array_equal(marked, np.where(data.y > 0, 3, 0))

    def test_a_sample_larger_than_a_block(self) -> None:
        task = ns.Task(L=3, R=1, theta=50.0, pi=0.5)
        data = make(task, n=3, d=module.TOKEN_BLOCK // 2)
        assert [rows for _, _, rows, _ in data.blocks()] == [slice(k, k + 1) for k in range(3)]

    @pytest.mark.parametrize(("L", "d"), [(1, 1), (1, 5), (5, 1)])
    def test_one_token_or_one_dimension(self, L: int, d: int) -> None:
        data = make(ns.Task(L=L, R=1, theta=50.0, pi=0.5), n=40, d=d)
        result = hold(data).X
        assert result.shape == (40, L, d)
        assert np.array_equal((result[:, :, 0] > 25.0).sum(axis=1), (data.y > 0).astype(int))


def test_joined_samples_keep_their_lengths() -> None:
    class Bags(NamedTuple):
        X: Any
        y: FloatArray
        starts: Any

        @property
        def tokens(self) -> tuple[int, int]:
            return 0, self.X.shape[1]

        def blocks(self) -> Iterator[Block]:
            yield Block(self.X, self.y, slice(0, len(self.y)), Ragged.at(self.starts))

    first = Bags(np.arange(8.0).reshape(4, 2), np.array([1.0, -1.0]), np.array([0, 1, 4]))
    second = Bags(np.arange(6.0).reshape(3, 2), np.array([1.0]), np.array([0, 3]))
    seen = [
        (block.segments.mean(block.table).tolist(), block.rows)
        for block in Joined((first, second)).blocks()
    ]
    assert seen == [
        ([[0.0, 1.0], [4.0, 5.0]], slice(0, 2)),
        ([[2.0, 3.0]], slice(2, 3)),
    ]
