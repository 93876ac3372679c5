"""Task and Positions: what they accept, what they refuse and in which words."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import re
from typing import Any

import numpy as np
import pytest

import needlescope as ns
from tests.covariances import spread

GOOD: dict[str, Any] = {"L": 10, "R": 2, "theta": 5.0, "pi": 0.5}
INTEGERS, REALS = ("L", "R"), ("theta", "pi")
PAIRS = ns.Positions([(0, 1), (1, 2)], [0.75, 0.25])


def task(**changes: Any) -> ns.Task:
    return ns.Task(**{**GOOD, **changes})


class TestAccepts:
    def test_positions_are_uniform_by_default(self) -> None:
        assert task().positions == "uniform"

    def test_numbers_are_kept_as_plain_int_and_float(self) -> None:
        item = ns.Task(np.int32(10), np.uint8(2), np.float32(5), np.float64(0.5))
        kinds = [type(getattr(item, name)) for name in ("L", "R", "theta", "pi")]
        assert kinds == [int, int, float, float]
        assert item == task()

    @pytest.mark.parametrize(
        "edge", [{"L": 1, "R": 1}, {"L": 2}, {"theta": 0}, {"pi": 1e-6}, {"pi": 1.0 - 1e-6}]
    )
    def test_the_ends_of_the_ranges_are_allowed(self, edge: dict[str, Any]) -> None:
        item = task(**edge)
        assert all(getattr(item, name) == value for name, value in edge.items())

    def test_fields_broadcast_in_the_order_of_numpy(self) -> None:
        grid = task(L=[[10], [20]], theta=[1.0, 2.0, 3.0])
        assert grid.shape == (2, 3)
        result = [(scalar.L, scalar.theta) for scalar in grid.scalars(grid.shape)]
        assert result == [(L, t) for L in (10, 20) for t in (1.0, 2.0, 3.0)]


class TestRefuses:
    @pytest.mark.parametrize("name", INTEGERS)
    @pytest.mark.parametrize(
        "value", [True, 2.0, np.float64(2), "2", None, 2j, [2.5], [None], np.nan, np.inf], ids=repr
    )
    def test_what_is_not_an_integer(self, name: str, value: Any) -> None:
        sentence = f"{name} must be an integer, or an array of them, got {value!r}"
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            task(**{name: value})

    @pytest.mark.parametrize("name", INTEGERS)
    @pytest.mark.parametrize("value", [0, -1])
    def test_integers_below_one(self, name: str, value: int) -> None:
        top, rest = ("1000000000", "") if name == "L" else ("L", " with L=")
        sentence = f"{name} must be an integer in 1..{top}, got {value}{rest}"
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
            task(**{name: value})

    @pytest.mark.parametrize("name", REALS)
    @pytest.mark.parametrize("value", [True, "2", None, 2j, [None], ["a"]], ids=repr)
    def test_what_is_not_a_number(self, name: str, value: Any) -> None:
        sentence = f"{name} must be a finite number, or an array of them, got {value!r}"
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            task(**{name: value})

    @pytest.mark.parametrize("value", [-1e-9, -1, np.nan, np.inf, -np.inf])
    def test_theta_below_zero_or_not_finite(self, value: float) -> None:
        sentence = f"^theta must be a finite number of at least 0, got {float(value)!r}$"
        with pytest.raises(ValueError, match=sentence):
            task(theta=value)

    @pytest.mark.parametrize("value", [0, 1, -0.5, 1.5, np.nan, np.inf])
    def test_pi_outside_the_open_interval(self, value: float) -> None:
        sentence = re.escape(f"pi must be a number in (0, 1), got {float(value)!r}")
        with pytest.raises(ValueError, match=f"^{sentence}$"):
            task(pi=value)

    @pytest.mark.parametrize("name", [*INTEGERS, *REALS])
    def test_empty_arrays(self, name: str) -> None:
        dtype = int if name in INTEGERS else float
        with pytest.raises(ValueError, match=f"^{name} must hold at least one value, got an empty"):
            task(**{name: np.zeros(0, dtype)})

    def test_one_bad_entry_in_an_array_and_says_which_value(self) -> None:
        sentence = re.escape("pi must be a number in (0, 1), got 1.0 in an array of shape (2, 2)")
        with pytest.raises(ValueError, match=sentence):
            task(pi=[[0.1, 0.2], [0.3, 1.0]])

    @pytest.mark.parametrize(
        ("L", "R", "got"),
        [(10, 12, "12 with L=10"), ([10, 3], 4, "4 with L=3"), (4, [[1], [5]], "5 with L=4")],
    )
    def test_more_signal_tokens_than_tokens(self, L: Any, R: Any, got: str) -> None:
        with pytest.raises(
            ValueError, match=f"^{re.escape(f'R must be an integer in 1..L, got {got}')}$"
        ):
            task(L=L, R=R)

    def test_arrays_that_do_not_broadcast(self) -> None:
        with pytest.raises(ValueError, match="arrays in Task must broadcast") as caught:
            task(theta=[1.0, 2.0], pi=[0.1, 0.2, 0.3])
        assert "theta (2,), pi (3,)" in str(caught.value)

    @pytest.mark.parametrize(
        "value",
        [
            *("Uniform", "", None, 3, ((0, 1),), [[0, 1]], ns.Positions),
            *(pytest.param(value) for value in (np.array([[0, 1], [1, 2]]), np.array(["uniform"]))),
        ],
        ids=repr,
    )
    def test_unknown_positions(self, value: Any) -> None:
        sentence = f"positions must be 'uniform' or a needlescope.Positions, got {value!r}"
        with pytest.raises(ValueError, match=re.escape(sentence)):
            task(positions=value)

    @pytest.mark.parametrize("R", [1, 3, [2, 3]])
    def test_positions_with_another_number_of_signal_tokens(self, R: Any) -> None:
        with pytest.raises(ValueError, match="positions must mark R tokens in each set") as caught:
            task(R=R, positions=PAIRS)
        assert "got sets of 2 with R=" in str(caught.value)

    @pytest.mark.parametrize("L", [2, [10, 2]])
    def test_positions_beyond_the_last_token(self, L: Any) -> None:
        with pytest.raises(
            ValueError, match=r"positions must hold indices in 0..L-1, got 2 with L="
        ):
            task(L=L, positions=PAIRS)

    def test_a_missing_or_unknown_field(self) -> None:
        with pytest.raises(TypeError, match="pi"):
            ns.Task(L=10, R=1, theta=5.0)  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="alpha"):
            task(alpha=1.0)


class TestValue:
    def test_it_is_frozen(self) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            task().L = 5  # type: ignore[misc]

    def test_its_arrays_are_read_only_copies(self) -> None:
        mine = np.array([1.0, 2.0])
        item = task(theta=mine)
        mine[0] = 7.0
        assert item.theta.tolist() == [1.0, 2.0]
        with pytest.raises(ValueError, match="read-only"):
            item.theta[0] = 3.0

    def test_replace_keeps_the_other_fields(self) -> None:
        item = task(R=2, positions=PAIRS)
        assert item.replace(theta=1).positions is PAIRS
        assert item.replace(theta=1) == task(R=2, theta=1.0, positions=PAIRS)
        assert item.theta == 5.0

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"L": 1}, "R must be an integer in 1..L, got 2 with L=1"),
            ({"pi": 1.0}, "pi must be a number in (0, 1), got 1.0"),
            (
                {"kappa": 1.0},
                "Task has no field 'kappa'; its fields are L, R, label_noise, noise, pi, "
                "positions, signal, signal_noise, signals, theta",
            ),
        ],
    )
    def test_replace_is_validated(self, changes: dict[str, Any], words: str) -> None:
        with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
            task().replace(**changes)

    @pytest.mark.parametrize("changes", [{}, {"theta": [1.0, 2.0]}, {"positions": PAIRS}])
    def test_equal_tasks_hash_alike_and_survive_copy_and_pickle(
        self, changes: dict[str, Any]
    ) -> None:
        item = task(**changes)
        for other in (task(**changes), copy.deepcopy(item), pickle.loads(pickle.dumps(item))):
            assert other == item
            assert hash(other) == hash(item)

    @pytest.mark.parametrize(
        "changes", [{"L": 11}, {"R": 1}, {"theta": [5.0]}, {"pi": 0.4}, {"positions": PAIRS}]
    )
    def test_any_different_field_makes_tasks_different(self, changes: dict[str, Any]) -> None:
        assert task(**changes) != task()

    def test_it_prints_as_what_makes_it(self) -> None:
        assert repr(task()) == "Task(L=10, R=2, theta=5.0, pi=0.5, positions='uniform')"


class TestPositions:
    def test_sets_are_sorted_and_equally_likely_by_default(self) -> None:
        result = ns.Positions([(3, 1), np.array([0, 2]), [4, 0]])
        assert result.sets == ((1, 3), (0, 2), (0, 4))
        assert result.probabilities == pytest.approx((1 / 3, 1 / 3, 1 / 3), rel=1e-15)

    def test_a_bare_index_is_a_set_of_one(self) -> None:
        assert ns.Positions([3, 0]).sets == ((3,), (0,))

    def test_probabilities_are_normalised_within_rounding(self) -> None:
        result = ns.Positions([0, 1, 2], np.array([0.1, 0.2, 0.7 + 5e-10]))
        assert sum(result.probabilities) == pytest.approx(1.0, abs=1e-15)

    def test_patterns_mark_the_sets(self) -> None:
        assert PAIRS.patterns(4).tolist() == [[1, 1, 0, 0], [0, 1, 1, 0]]

    def test_equality_and_hash_go_by_sets_and_probabilities(self) -> None:
        same = ns.Positions([(1, 0), (2, 1)], np.array([0.75, 0.25]))
        assert same == PAIRS
        assert hash(same) == hash(PAIRS)
        assert ns.Positions([(0, 1), (1, 2)]) != PAIRS
        assert ns.Positions([(0, 1), (0, 2)], [0.75, 0.25]) != PAIRS
        assert PAIRS != "uniform"

    def test_it_is_frozen(self) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            PAIRS.sets = ()  # type: ignore[misc]

    @pytest.mark.parametrize(
        ("sets", "words"),
        [
            ([], "positions.sets must be one or more sets of equal size R, got []"),
            (
                [(0,), (1, 2)],
                "positions.sets must be one or more sets of equal size R, got [(0,), ",
            ),
            ([(1, 1)], "positions.sets must hold distinct token indices, got (1, 1)"),
            ([(0, -1)], "positions.sets must be an integer in 0..1000000000, got -1"),
            ([(0, 1.0)], "positions.sets must be an integer, or an array of them, got (0, 1.0)"),
            ([(0.5,)], "positions.sets must be an integer, or an array of them, got (0.5,)"),
            ([True], "positions.sets must be an integer, or an array of them, got True"),
            ([None], "positions.sets must be an integer, or an array of them, got None"),
            ("ab", "positions.sets must be a sequence of sets of tokens, got 'ab'"),
            ([()], "positions.sets must "),
            ([np.zeros(0, int)], "positions.sets must hold at least one value"),
        ],
        ids=repr,
    )
    def test_bad_sets_are_refused(self, sets: Any, words: str) -> None:
        with pytest.raises(ValueError, match=re.escape(words)):
            ns.Positions(sets)

    @pytest.mark.parametrize("sets", [None, 5])
    def test_what_is_no_sequence_is_refused_by_name(self, sets: Any) -> None:
        with pytest.raises(ValueError, match=r"positions\.sets must"):
            ns.Positions(sets)

    def test_sets_nested_too_deep_are_refused(self) -> None:
        with pytest.raises(ValueError, match=r"positions\.sets must"):
            ns.Positions([[[0, 1], [2, 3]]])

    @pytest.mark.parametrize(
        ("chances", "words"),
        [
            ([0.5], "must have one entry for each of the 2 sets, got shape (1,)"),
            (0.5, "must have one entry for each of the 2 sets, got shape (1,)"),
            ([[0.5, 0.5]], "must have one entry for each of the 2 sets, got shape (1, 2)"),
            ([0.5, 0.6], "must sum to 1, got a sum of 1.1"),
            ([0.5, 0.5 - 1e-6], "must sum to 1, got a sum of 0.999999"),
            ([0.0, 1.0], "must be a number in (0, 1], got 0.0"),
            ([-0.5, 1.0], "must be a number in (0, 1], got -0.5"),
            ([0.5, np.nan], "must be a number in (0, 1], got nan"),
            ([0.5, np.inf], "must be a number in (0, 1], got inf"),
            ([0.5, None], "must be a finite number, or an array of them, got [0.5, None]"),
            ("half", "must be a finite number, or an array of them, got 'half'"),
        ],
        ids=repr,
    )
    def test_bad_probabilities_are_refused(self, chances: Any, words: str) -> None:
        with pytest.raises(ValueError, match=re.escape(f"positions.probabilities {words}")):
            ns.Positions([(0, 1), (1, 2)], chances)


@pytest.mark.parametrize("none", [None, 0, 0.0, (0.0, 0.0), [0, 0]])
def test_no_label_noise_goes_without_saying(none):
    task = ns.Task(L=10, R=1, theta=5.0, pi=0.5, label_noise=none)
    assert task == ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    assert "label_noise" not in repr(task) and task.flips == (0.0, 0.0)


def test_label_noise_is_a_share_or_a_pair():
    item, both, two = (
        ns.Task(L=10, R=1, theta=5.0, pi=0.5, label_noise=given)
        for given in (0.1, np.array([0.1, 0.1]), (0.1, 0.2))
    )
    assert item == both and item.flips == (0.1, 0.1)
    assert two.flips == (0.1, 0.2) and "label_noise=(0.1, 0.2)" in repr(two)


class TestNoise:
    TWO = ns.Noise(spectrum=ns.Spectrum.two_levels(high=4.0, low=0.25, share=0.2))

    def test_white_noise_is_none(self) -> None:
        assert ns.Task(4, 1, 3.0, 0.5, noise=ns.Noise()) == ns.Task(4, 1, 3.0, 0.5)
        assert ns.Task(4, 1, 3.0, 0.5).whitened == ns.Task(4, 1, 3.0, 0.5)

    def test_whitening_multiplies_the_strength(self) -> None:
        task = ns.Task(4, 1, [3.0, 5.0], 0.5, noise=self.TWO, signal="quiet")
        assert task.whitened.theta == pytest.approx([6.0, 10.0])
        assert task.whitened.noise is None

    def test_flat_is_the_default(self) -> None:
        assert ns.Task(4, 1, 3.0, 0.5, noise=self.TWO).signal == "flat"

    def test_a_vector_has_weights_along_the_eigenvectors(self) -> None:
        sigma = spread(5)
        s, vectors = np.linalg.eigh(sigma)
        xi = np.arange(1.0, 6.0)
        task = ns.Task(4, 1, 3.0, 0.5, noise=ns.Noise(covariance=sigma), signal=xi)
        assert task.levels.s == pytest.approx(s)
        assert task.levels.weight == pytest.approx((vectors.T @ xi) ** 2 / 55.0)
        assert task == ns.Task(4, 1, 3.0, 0.5, noise=ns.Noise(covariance=sigma), signal=1.0 * xi)

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"noise": 3}, "noise must be a needlescope.Noise, got 3"),
            ({"signal": "loud"}, "signal says where in the noise's spectrum the signal lies"),
            (
                {"noise": ns.Noise("rademacher")},
                "the noise of a task is Gaussian, got Noise(entries=",
            ),
            (
                {"noise": ns.Noise(token_correlation=0.5), "signal": "loud"},
                "signal says where in the noise's spectrum the signal lies, got 'loud' with noise "
                "without a covariance",
            ),
            ({"noise": TWO, "signals": (0.5, 0.5)}, "a task of several signals supports only whit"),
            ({"noise": TWO, "signal": (0.5, 0.4)}, "the weights of signal must sum to 1, got a su"),
            ({"noise": TWO, "signal": "low"}, "signal must be one of 'flat', 'quiet', 'loud'"),
            ({"noise": TWO, "signal": (1.0,)}, "signal must have a weight for each of the 2 eigen"),
            (
                {"noise": ns.Noise(covariance=np.eye(3) * 2.0), "signal": (1.0, 1.0)},
                "signal must be a vector of 3 numbers with a covariance of 3 × 3",
            ),
            (
                {"noise": ns.Noise(covariance=np.eye(3) * 2.0), "signal": (0.0, 0.0, 0.0)},
                "signal must be a vector of 3 numbers with a covariance of 3 × 3, not all of",
            ),
        ],
    )
    def test_refusals(self, changes: dict[str, Any], words: str) -> None:
        with pytest.raises(ValueError, match=f"^{re.escape(words)}"):
            ns.Task(4, 1, 3.0, 0.5, **changes)
