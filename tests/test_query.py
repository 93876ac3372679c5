"""Query: what it accepts, what it refuses and in which words."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pytest

import needlescope as ns


@pytest.mark.parametrize(("kappa", "cosine"), [(0, -1), (0.0, 1), (1e6, 0.0), (2, np.float32(0.5))])
def test_the_whole_range_is_accepted_as_floats(kappa: Any, cosine: Any) -> None:
    item = ns.Query(kappa, cosine)
    assert (type(item.kappa), type(item.cosine)) == (float, float)
    assert (item.kappa, item.cosine) == (kappa, cosine)


@pytest.mark.parametrize("name", ["kappa", "cosine"])
@pytest.mark.parametrize("value", [True, "1", None, 1j, [None]], ids=repr)
def test_what_is_not_a_number_is_refused(name: str, value: Any) -> None:
    sentence = f"{name} must be a finite number, or an array of them, got {value!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        ns.Query(**{"kappa": 1.0, "cosine": 0.5, name: value})


@pytest.mark.parametrize("value", [-1e-12, -1.0, np.nan, -np.inf])
def test_a_negative_strength_is_refused(value: float) -> None:
    sentence = f"^kappa must be a finite number of at least 0, or infinite, got {value!r}$"
    with pytest.raises(ValueError, match=sentence):
        ns.Query(value, 0.5)


def test_an_infinite_strength_is_hard_attention() -> None:
    rare = ns.Task(L=10, R=1, theta=4.0, pi=0.01)
    assert ns.Query(ns.oracle(rare).kappa, 1.0).kappa == np.inf
    assert ns.Query([1.0, np.inf], 0.5).kappa.tolist() == [1.0, np.inf]


@pytest.mark.parametrize("value", [-1.1, 1.0 + 1e-9, np.nan, np.inf])
def test_a_cosine_outside_its_range_is_refused(value: float) -> None:
    with pytest.raises(
        ValueError, match=f"^{re.escape(f'cosine must be a number in [-1, 1], got {value!r}')}$"
    ):
        ns.Query(1.0, value)


@pytest.mark.parametrize("name", ["kappa", "cosine"])
def test_empty_arrays_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must hold at least one value"):
        ns.Query(**{"kappa": 1.0, "cosine": 0.5, name: []})


def test_arrays_that_do_not_broadcast_are_refused() -> None:
    with pytest.raises(ValueError, match="arrays in Query must broadcast") as caught:
        ns.Query([1.0, 2.0], [0.1, 0.2, 0.3])
    assert "kappa (2,), cosine (3,)" in str(caught.value)


def test_both_fields_are_required() -> None:
    with pytest.raises(ValueError, match="cosine must be a finite number"):
        ns.Query(1.0)


def test_it_is_frozen_and_its_arrays_read_only() -> None:
    item = ns.Query([1.0, 2.0], 0.5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        item.kappa = 1.0  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        item.kappa[0] = 3.0


def test_scalars_come_in_c_order() -> None:
    grid = ns.Query([[1.0], [2.0]], [0.1, 0.2])
    assert grid.shape == (2, 2)
    result = [(scalar.kappa, scalar.cosine) for scalar in grid.scalars((2, 2))]
    assert result == [(1.0, 0.1), (1.0, 0.2), (2.0, 0.1), (2.0, 0.2)]


def test_equality_hash_and_replace() -> None:
    item = ns.Query([1, 2], 0.5)
    assert item == ns.Query(np.array([1.0, 2.0]), 0.5)
    assert hash(item) == hash(ns.Query((1.0, 2.0), 0.5))
    assert item != ns.Query([1, 2], 0.25)
    assert item.replace(cosine=0.25) == ns.Query([1, 2], 0.25)
    with pytest.raises(ValueError, match=re.escape("cosine must be a number in [-1, 1], got 2.0")):
        item.replace(cosine=2)
    with pytest.raises(
        ValueError, match="Query has no field 'beta'; its fields are cosine, cosines, kappa"
    ):
        item.replace(beta=2)
