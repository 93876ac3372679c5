"""Noise as a word: what it says of itself, and refusals in words."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from needlescope.noise import STANDARD, Noise
from tests.covariances import ar1, spread


class TestFormulas:
    @pytest.mark.parametrize("rho", [0.0, 0.3, -0.8, 0.999])
    @pytest.mark.parametrize("L", [1, 2, 3, 40])
    def test_token_variance_is_the_quadratic_form(self, L: int, rho: float) -> None:
        a = np.random.default_rng(L).standard_normal((7, L))
        before = a.copy()
        result = Noise(token_correlation=rho).token_variance(a)
        # rounding of a sum of L² terms of order one
        assert result == pytest.approx(np.einsum("nl,lm,nm->n", a, ar1(L, rho), a), abs=1e-12 * L)
        assert np.array_equal(a, before)

    def test_covary(self) -> None:
        u, v, sigma = *np.random.default_rng(0).standard_normal((2, 5)), spread(5)
        assert STANDARD.covary(u, v) == pytest.approx(u @ v)
        assert Noise(covariance=sigma).covary(u, v) == pytest.approx(u @ sigma @ v)
        assert Noise(covariance=sigma).covary(u, u) == pytest.approx(u @ sigma @ u)


class TestNoise:
    def test_which_noise_is_the_theorys_own(self) -> None:
        assert STANDARD.standard
        assert Noise().standard
        for other in (
            *(Noise("rademacher"), Noise("student", df=3.0)),
            *(Noise(covariance=2.0 * np.eye(2)), Noise(token_correlation=0.1)),
        ):
            assert not other.standard

    def test_which_noise_is_gaussian(self) -> None:
        assert Noise(covariance=spread(2), token_correlation=-0.5).gaussian
        assert not Noise("rademacher").gaussian
        assert not Noise("student", df=100.0).gaussian

    def test_it_shows_what_differs_from_the_standard(self) -> None:
        assert repr(Noise()) == "Noise(entries='gaussian')"
        noise = Noise("student", df=3, covariance=np.eye(4), token_correlation=0.5)
        assert repr(noise) == (
            "Noise(entries='student', df=3.0, covariance=<4 × 4>, token_correlation=0.5)"
        )

    def test_the_covariance_is_a_copy_that_cannot_be_changed(self) -> None:
        sigma = spread(3)
        noise = Noise(covariance=sigma)
        sigma[0, 0] = 100.0
        assert noise.covariance[0, 0] != 100.0
        with pytest.raises(ValueError, match="read-only"):
            noise.covariance[0, 0] = 1.0

    def test_lists_will_do_for_a_covariance(self) -> None:
        assert Noise(covariance=[[2, 1], [1, 2]]).covary(np.eye(2)[0], np.eye(2)[1]) == 1.0

    def test_dimension(self) -> None:
        Noise().check_dimension(7)
        Noise(covariance=np.eye(3)).check_dimension(3)
        sentence = "covariance must be 4 × 4 to go with d=4, got 3 × 3"
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            Noise(covariance=np.eye(3)).check_dimension(4)


SQUARE = "covariance must be a square d × d array, got shape "
REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {"entries": "uniform"},
        "entries must be one of 'gaussian', 'rademacher', 'student', got 'uniform'",
    ),
    ({"entries": None}, "entries must be one of 'gaussian', 'rademacher', 'student', got None"),
    ({"entries": "student"}, "df must be given with entries='student': a number above 2"),
    ({"entries": "student", "df": 2.0}, "df must be a finite number above 2, got 2.0"),
    ({"entries": "student", "df": 1}, "df must be a finite number above 2, got 1.0"),
    ({"entries": "student", "df": -3.0}, "df must be a finite number above 2, got -3.0"),
    ({"entries": "student", "df": np.nan}, "df must be a finite number above 2, got nan"),
    ({"entries": "student", "df": np.inf}, "df must be a finite number above 2, got inf"),
    (
        {"entries": "student", "df": [3.0, 4.0]},
        "df must be a single number, got an array of shape (2,)",
    ),
    (
        {"entries": "student", "df": "3"},
        "df must be a finite number, or an array of them, got '3'",
    ),
    ({"token_correlation": 1.0}, "token_correlation must be a number in (-1, 1), got 1.0"),
    ({"token_correlation": -1}, "token_correlation must be a number in (-1, 1), got -1.0"),
    ({"token_correlation": np.nan}, "token_correlation must be a number in (-1, 1), got nan"),
    (
        {"token_correlation": None},
        "token_correlation must be a finite number, or an array of them, got None",
    ),
    (
        {"token_correlation": [0.1, 0.2]},
        "token_correlation must be a single number, got an array of shape (2,)",
    ),
    ({"covariance": 1.0}, f"{SQUARE}()"),
    ({"covariance": np.ones(3)}, f"{SQUARE}(3,)"),
    ({"covariance": np.ones((2, 3))}, f"{SQUARE}(2, 3)"),
    ({"covariance": np.ones((1, 2, 2))}, f"{SQUARE}(1, 2, 2)"),
    ({"covariance": np.zeros((0, 0))}, f"{SQUARE}(0, 0)"),
    ({"covariance": "eye"}, "covariance must be a square array of real numbers, got str"),
    (
        {"covariance": [[1.0, 0.0], [0.0]]},
        "covariance must be a square array of real numbers, got list",
    ),
    (
        {"covariance": [[1.0, np.nan], [np.nan, 1.0]]},
        "covariance must be finite, got NaN or infinity in it",
    ),
    (
        {"covariance": [[np.inf, 0.0], [0.0, 1.0]]},
        "covariance must be finite, got NaN or infinity in it",
    ),
    (
        {"covariance": [[1.0, 0.5], [0.25, 1.0]]},
        "covariance must be symmetric, got entries that differ by 0.25 across the diagonal; "
        "pass (S + S.T) / 2 if that is rounding",
    ),
    (
        {"covariance": [[1.0, 2.0], [2.0, 1.0]]},
        "covariance must be positive definite, got a smallest eigenvalue of -1; "
        "add a small multiple of the identity if the law is meant to be degenerate",
    ),
    (
        {"covariance": -np.eye(2)},
        "covariance must be positive definite, got a smallest eigenvalue of -1; "
        "add a small multiple of the identity if the law is meant to be degenerate",
    ),
    (
        {"covariance": np.zeros((2, 2))},
        "covariance must be positive definite, got a smallest eigenvalue of 0; "
        "add a small multiple of the identity if the law is meant to be degenerate",
    ),
]


@pytest.mark.parametrize(("fields", "sentence"), REFUSED)
def test_what_is_no_law_of_noise_is_refused_in_words(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        Noise(**fields)


@pytest.mark.parametrize("entries", ["gaussian", "rademacher"])
def test_degrees_of_freedom_without_students_law_are_refused(entries: str) -> None:
    with pytest.raises(ValueError, match=r"^df belongs to entries='student', got df=3\.0 with "):
        Noise(entries, df=3.0)


def test_a_complex_covariance_is_refused() -> None:
    """Not silently stripped of its imaginary part, whoever hides warnings."""
    sigma = np.array([[1.0, 0.5j], [-0.5j, 1.0]])
    with pytest.raises(ValueError, match="covariance must be a square array of real numbers"):
        Noise(covariance=sigma)
