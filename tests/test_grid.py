"""Validated numeric fields, and grids of them."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from needlescope.grid import Gridded, check_broadcast, choice, integer, real, whole

NOT_NUMBERS = [
    *(True, False, None, "1.5", b"1", 1j, len, Fraction(1, 2), Decimal(1)),
    *(np.bool_(True), np.complex128(1.0), np.datetime64("2025-09-25"), [None], ["a"], [1.0, "a"]),
    *([1j, 2.0], [[1.0], [2.0, 3.0]], {1.0}, {"a": 1.0}, np.array([True]), np.array([1.0], object)),
]


@dataclass(frozen=True, eq=False)
class Pair(Gridded):
    """The smallest gridded problem."""

    a: Any
    b: Any = 0.0
    tag: str = "x"

    _gridded: ClassVar[tuple[str, ...]] = ("a", "b")

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", integer("a", self.a, 1))
        object.__setattr__(self, "b", real("b", self.b, 0.0, 1.0))
        check_broadcast("Pair", a=self.a, b=self.b)


class TestReal:
    @pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int8(2), np.uint64(2)])
    def test_a_number_of_any_kind_becomes_a_float(self, value: Any) -> None:
        result = real("x", value, 0.0, np.inf)
        assert type(result) is float
        assert result == 2.0

    def test_a_zero_dimensional_array_is_a_number(self) -> None:
        assert type(real("x", np.array(2.0), 0.0, np.inf)) is float

    @pytest.mark.parametrize("value", [[1, 2], (1.0, 2.0), np.array([1, 2]), np.float32([1, 2])])
    def test_a_sequence_becomes_a_float_array(self, value: Any) -> None:
        result = real("x", value, 0.0, np.inf)
        assert result.dtype == np.float64
        assert result.tolist() == [1.0, 2.0]

    @pytest.mark.parametrize("value", NOT_NUMBERS, ids=repr)
    def test_what_is_not_a_number_is_refused_by_name_and_value(self, value: Any) -> None:
        sentence = f"x must be a finite number, or an array of them, got {value!r}"
        with pytest.raises(ValueError, match=re.escape(sentence)):
            real("x", value, 0.0, np.inf)

    def test_a_bool_among_numbers_is_refused(self) -> None:
        with pytest.raises(ValueError, match="x must be a finite number"):
            real("x", [True, 0.5], 0.0, np.inf)

    @pytest.mark.parametrize(
        ("value", "options", "words"),
        [
            (-0.1, {}, "a number in [0, 1], got -0.1"),
            (1.1, {}, "a number in [0, 1], got 1.1"),
            (0.0, {"open_low": True}, "a number in (0, 1], got 0.0"),
            (1.0, {"open_high": True}, "a number in [0, 1), got 1.0"),
            (1, {"open_low": True, "open_high": True}, "a number in (0, 1), got 1.0"),
            (np.nan, {}, "a number in [0, 1], got nan"),
            (np.inf, {}, "a number in [0, 1], got inf"),
            (-np.inf, {}, "a number in [0, 1], got -inf"),
            ([0.5, 2.0, 3.0], {}, "a number in [0, 1], got 2.0 in an array of shape (3,)"),
            ([[0.5], [np.nan]], {}, "a number in [0, 1], got nan in an array of shape (2, 1)"),
        ],
    )
    def test_out_of_range_is_refused_with_value_and_range(
        self, value: Any, options: dict[str, bool], words: str
    ) -> None:
        with pytest.raises(ValueError, match=f"^{re.escape('x must be ' + words)}$"):
            real("x", value, 0.0, 1.0, **options)

    @pytest.mark.parametrize(
        ("open_low", "words"), [(True, "a finite number above 0"), (False, "of at least 0")]
    )
    @pytest.mark.parametrize("value", [-1.0, np.inf, np.nan])
    def test_without_an_upper_end_the_range_says_finite(
        self, value: float, open_low: bool, words: str
    ) -> None:
        with pytest.raises(ValueError, match=f"x must be .*{words}, got {value!r}"):
            real("x", value, 0.0, np.inf, open_low=open_low)

    @pytest.mark.parametrize("value", [0.0, 1.0, [0.0, 1.0]])
    def test_closed_ends_belong_to_the_range(self, value: Any) -> None:
        assert np.array_equal(real("x", value, 0.0, 1.0), value)

    @pytest.mark.parametrize("value", [[], np.zeros((0, 3)), np.zeros((2, 0))], ids=repr)
    def test_an_empty_array_is_refused(self, value: Any) -> None:
        with pytest.raises(ValueError, match="x must hold at least one value, got an empty array"):
            real("x", value, 0.0, 1.0)


class TestInteger:
    @pytest.mark.parametrize("value", [3, np.int8(3), np.uint16(3), np.array(3)])
    def test_an_integer_of_any_kind_becomes_an_int(self, value: Any) -> None:
        result = integer("L", value, 1)
        assert type(result) is int
        assert result == 3

    @pytest.mark.parametrize("value", [*NOT_NUMBERS, 3.0, np.float64(3.0), [1, 2.0]], ids=repr)
    def test_what_is_not_an_integer_is_refused_by_name_and_value(self, value: Any) -> None:
        sentence = f"L must be an integer, or an array of them, got {value!r}"
        with pytest.raises(ValueError, match=re.escape(sentence)):
            integer("L", value, 1)

    def test_a_bool_among_integers_is_refused(self) -> None:
        with pytest.raises(ValueError, match="L must be an integer"):
            integer("L", [True, 2], 1)

    @pytest.mark.parametrize(
        ("value", "words"),
        [
            (0, "an integer in 1..1000000000, got 0"),
            (-7, "an integer in 1..1000000000, got -7"),
            ([4, 0], "an integer in 1..1000000000, got 0 in an array of shape (2,)"),
        ],
    )
    def test_out_of_range_is_refused_with_value_and_range(self, value: Any, words: str) -> None:
        with pytest.raises(ValueError, match=f"^{re.escape('L must be ' + words)}$"):
            integer("L", value, 1)

    @pytest.mark.parametrize(
        "value",
        [
            2**70,
            pytest.param(2**63),
        ],
    )
    def test_an_integer_that_int64_cannot_hold_is_refused_by_its_own_value(
        self, value: int
    ) -> None:
        with pytest.raises(ValueError, match=f"L must be .*got {value}"):
            integer("L", value, 1)

    def test_an_empty_array_is_refused(self) -> None:
        with pytest.raises(ValueError, match="L must "):
            integer("L", [], 1)
        with pytest.raises(ValueError, match="L must hold at least one value"):
            integer("L", np.zeros(0, int), 1)


class TestChoice:
    def test_an_allowed_word_is_returned(self) -> None:
        assert choice("step", "b", ("a", "b")) == "b"

    @pytest.mark.parametrize("value", ["c", "A", "", None, 1, ["a"], np.array(["a"])], ids=repr)
    def test_anything_else_is_refused_with_the_allowed_words(self, value: Any) -> None:
        sentence = f"step must be one of 'a', 'b', got {value!r}"
        with pytest.raises(ValueError, match=re.escape(sentence)):
            choice("step", value, ("a", "b"))


class TestBroadcast:
    def test_arrays_that_do_not_broadcast_are_refused_by_name_and_shape(self) -> None:
        with pytest.raises(ValueError, match="the arrays in Pair must broadcast") as caught:
            Pair([1, 2, 3], [0.1, 0.2])
        assert "a (3,), b (2,)" in str(caught.value)

    @pytest.mark.parametrize(
        ("a", "b", "shape"),
        [
            (1, 0.5, ()),
            ([1], 0.5, (1,)),
            ([1, 2], 0.5, (2,)),
            ([1, 2], [0.1, 0.2], (2,)),
            ([[1], [2]], [0.1, 0.2, 0.3], (2, 3)),
            (np.ones((2, 1, 4), int), np.ones((3, 1)), (2, 3, 4)),
        ],
    )
    def test_shape_is_what_numpy_broadcasts_to(
        self, a: Any, b: Any, shape: tuple[int, ...]
    ) -> None:
        assert Pair(a, b).shape == shape


class TestScalars:
    def test_a_single_problem_lists_itself(self) -> None:
        item = Pair(3, 0.5)
        assert item.scalars(()) == [item]

    def test_scalars_come_in_c_order(self) -> None:
        grid = Pair([[1], [2]], [0.1, 0.2, 0.3], tag="t")
        result = [(scalar.a, scalar.b, scalar.tag) for scalar in grid.scalars(grid.shape)]
        assert result == [(a, b, "t") for a in (1, 2) for b in (0.1, 0.2, 0.3)]

    def test_scalars_broadcast_to_a_larger_shape(self) -> None:
        result = Pair([1, 2]).scalars((3, 2))
        assert [item.a for item in result] == [1, 2, 1, 2, 1, 2]

    def test_scalars_of_an_array_are_plain_numbers(self) -> None:
        item = Pair([1, 2], np.float32([0.5, 0.25])).scalars((2,))[1]
        assert (type(item.a), type(item.b), item.shape) == (int, float, ())

    def test_a_shape_that_does_not_fit_is_refused(self) -> None:
        with pytest.raises(ValueError, match="broadcast"):
            Pair([1, 2]).scalars((3,))


class TestGridded:
    def test_replace_changes_only_what_was_asked(self) -> None:
        assert Pair(3, 0.5, "t").replace(b=0.25) == Pair(3, 0.25, "t")

    def test_replace_validates_anew(self) -> None:
        with pytest.raises(ValueError, match=re.escape("b must be a number in [0, 1], got 2.0")):
            Pair(3, 0.5).replace(b=2)

    def test_replace_refuses_an_unknown_field_and_lists_the_known(self) -> None:
        sentence = "Pair has no field 'c'; its fields are a, b, tag"
        with pytest.raises(ValueError, match=sentence):
            Pair(3).replace(c=1)

    def test_fields_cannot_be_assigned(self) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            Pair(3).a = 4  # type: ignore[misc]

    def test_arrays_cannot_be_written(self) -> None:
        with pytest.raises(ValueError, match="read-only"):
            Pair([1, 2]).a[0] = 5

    def test_a_change_of_the_callers_array_does_not_reach_the_problem(self) -> None:
        mine = np.array([1, 2])
        item = Pair(mine)
        mine[0] = 9
        assert item.a.tolist() == [1, 2]
        assert mine.flags.writeable

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (Pair(3, 0), Pair(np.int16(3), 0.0)),
            (Pair([1, 2], [0.5, 0.5]), Pair((1, 2), np.array([0.5, 0.5]))),
        ],
    )
    def test_equal_problems_are_equal_and_hash_alike(self, one: Pair, other: Pair) -> None:
        assert one == other
        assert hash(one) == hash(other)
        assert {one: "found"}[other] == "found"

    @pytest.mark.parametrize(
        "other",
        [Pair([1, 3]), Pair([1, 2], 0.5), Pair([[1, 2]]), Pair([1, 2], [0.0, 0.0]), Pair(1), "a"],
        ids=repr,
    )
    def test_different_problems_are_not_equal(self, other: Any) -> None:
        assert Pair([1, 2]) != other

    def test_another_type_with_the_same_fields_is_not_equal(self) -> None:
        class Twin(Pair):
            pass

        assert Pair(1) != Twin(1)


@pytest.mark.parametrize("value", [0, -1, 2.0, True, "3", None, [3]])
def test_a_whole_number_is_a_single_one(value: Any) -> None:
    with pytest.raises(ValueError, match="count must be a whole number of at least 1, got"):
        whole("count", value, 1)
    assert whole("count", np.int8(3), 1) == 3


@pytest.mark.parametrize(
    "value",
    [
        np.ma.array([1.0, 2.0], mask=[False, True]),
        np.ma.array([1.0, 2.0]),
        np.ma.masked,
        [1.0, np.ma.masked],
    ],
)
def test_masked_values_are_refused(value):
    with pytest.raises(ValueError, match="theta must not be masked: leave out what is hidden"):
        real("theta", value, 0.0, np.inf)
