"""Streams: independent, named by their place alone, and true to NumPy's idea of a seed."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import PCG64, Generator, RandomState, SeedSequence, default_rng

from needlescope.running.seeds import streams

REPEATABLE = [
    0,
    7,
    np.int64(7),
    np.array(7),
    2**130,
    [1, 2],
    (1, 2),
    range(3),
    np.array([1, 2]),
    [2**70, 1],
    SeedSequence(7),
    SeedSequence(7, spawn_key=(3,), pool_size=8),
]


def label(seed: object) -> str:
    """Name a test case, the same in every test process."""
    text = repr(seed)
    return type(seed).__name__ if " at 0x" in text or " from " in text else text


def words(seed: object, *counts: int) -> list[tuple[int, ...]]:
    return [tuple(stream.generate_state(4).tolist()) for stream in streams(seed, *counts)]


@pytest.mark.parametrize("seed", REPEATABLE, ids=label)
def test_same_seed_gives_same_streams_again(seed: object) -> None:
    assert words(seed, 2, 3) == words(seed, 2, 3)


@pytest.mark.parametrize("seed", REPEATABLE, ids=label)
def test_a_stream_does_not_depend_on_how_many_there_are(seed: object) -> None:
    few = np.reshape(words(seed, 2, 3), (2, 3, 4))
    many = np.reshape(words(seed, 5, 8), (5, 8, 4))
    assert np.array_equal(few, many[:2, :3])


@pytest.mark.parametrize("seed", [*REPEATABLE, None, default_rng(7), PCG64(7)], ids=label)
def test_streams_differ(seed: object) -> None:
    drawn = words(seed, 20, 20)
    assert len(set(drawn)) == len(drawn) == 400


def test_streams_are_numpys_own_children() -> None:
    ours = streams(SeedSequence(7), 3)
    theirs = SeedSequence(7).spawn(3)
    for a, b in zip(ours, theirs, strict=True):
        assert default_rng(a).random() == default_rng(b).random()


def test_equal_seeds_of_different_kinds_agree() -> None:
    assert words(7, 2, 2) == words(np.int64(7), 2, 2) == words(SeedSequence(7), 2, 2)
    assert words([1, 2], 2, 2) == words(np.array([1, 2]), 2, 2) == words((1, 2), 2, 2)


def test_seed_sequence_is_left_as_it_was() -> None:
    seed = SeedSequence(7)
    streams(seed, 2, 3)
    assert seed.n_children_spawned == 0


def test_pool_size_and_spawn_key_are_inherited() -> None:
    child = streams(SeedSequence(7, spawn_key=(3,), pool_size=8), 1, 1)[0]
    assert child.pool_size == 8
    assert child.spawn_key == (3, 0, 0)


@pytest.mark.parametrize("make", [default_rng, PCG64], ids=["Generator", "BitGenerator"])
def test_generator_gives_new_streams_each_time(make) -> None:
    seed = make(7)
    first, second = words(seed, 2, 2), words(seed, 2, 2)
    assert not set(first) & set(second)
    assert words(make(7), 2, 2) == first


def test_generator_draws_as_before() -> None:
    seed = default_rng(7)
    streams(seed, 2, 2)
    assert seed.random() == default_rng(7).random()


def test_none_gives_new_streams_each_time() -> None:
    assert words(None, 1, 1) != words(None, 1, 1)


def test_no_places_no_streams() -> None:
    assert streams(7, 0, 3) == []


@pytest.mark.parametrize(
    "seed",
    [
        *(-1, 1.5, 7.0, True, "x", b"x", "7", [], [1, -1], [1, 2.0], [True], [[1, 2]]),
        *(np.float64(7), np.bool_(True), np.array([1.0]), np.array([[1, 2]]), np.array([-1])),
        *({1, 2}, {}, object(), RandomState(7), np.random, np.array("x"), np.array(-1)),
    ],
    ids=label,
)
def test_other_seeds_are_refused(seed: object) -> None:
    with pytest.raises(ValueError) as refusal:
        streams(seed, 1, 1)
    assert str(refusal.value) == (
        "seed must be an integer of at least 0, a sequence of them, None, or a numpy "
        f"SeedSequence, BitGenerator or Generator, got {seed!r}"
    )


class Plain(np.random.bit_generator.ISeedSequence):
    """A seed that cannot branch."""

    def generate_state(self, n_words, dtype=np.uint32):
        return np.arange(n_words, dtype=dtype)


@pytest.mark.parametrize(
    "seed",
    [Generator(PCG64(Plain())), PCG64(Plain()), RandomState(7)._bit_generator],
    ids=["Generator", "BitGenerator", "legacy"],
)
def test_generators_that_cannot_spawn_are_refused(seed: object) -> None:
    with pytest.raises(ValueError, match=r"must be a generator that can spawn, got <"):
        streams(seed, 1, 1)
