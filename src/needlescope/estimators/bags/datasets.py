"""Example data that need no network: Musk, and bags of handwritten digits."""

from __future__ import annotations

import csv
import gzip
from importlib.resources import files
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.utils import check_random_state

from ...arrays import IndexArray
from ...grid import integer, real, yes_or_no
from .bags import Bags

MOST_DIGITS = 2 * 10**7  # digits: 5 GB
NOISIEST = 1e6  # beyond, single precision leaves nothing of the digits


def load_musk1() -> tuple[Bags, IndexArray]:
    """Return Musk (Version 1): 92 molecules, each a bag of its conformations; 1 for a musk.

    David Chapman and Ajay Jain, UCI Machine Learning Repository, 1994, CC BY 4.0.

    Returns
    -------
    X : Bags
    y : array (92,)

    Raises
    ------
    FileNotFoundError
        If the package was installed without its data.

    Examples
    --------
    >>> from needlescope.estimators import load_musk1
    >>> X, y = load_musk1()
    >>> X, int(y.sum())
    (<92 bags of 2 to 40 instances, 166 features, float32>, 47)
    """
    packed = files(__package__).joinpath("musk1/musk1.csv.gz").read_bytes()
    rows = list(csv.reader(gzip.decompress(packed).decode().splitlines()))
    table = np.array(rows[1:], np.float32)
    bags = Bags.from_table(table[:, 2:], table[:, 1].astype(int))
    bags.names = rows[0][2:]
    return bags, table[bags.starts[:-1], 0].astype(int)


def make_digit_bags(
    bags: int = 400,
    L: int = 20,
    R: int = 1,
    digit: int = 3,
    noise: float = 0.0,
    positive: float = 0.5,
    random_state: Any = None,
    return_instances: bool = False,
) -> Any:
    """Return bags of L handwritten digits; R instances of a positive bag show one digit.

    Parameters
    ----------
    bags : int, default 400
        The number of bags, at least 2; with at most 2·10⁷ digits in all.
    L, R : int, default 20 and 1
        The number of digits in a bag, and of those that show ``digit`` in a positive one, 1 to L.
    digit : int, default 3
        The digit of positive bags, 0 to 9; negative bags have the others.
    noise : float, default 0
        Standard deviation of Gaussian noise on every pixel, at most 10⁶; pixels are in [0, 1].
    positive : float, default 0.5
        Share of positive bags, in (0, 1); there is at least one bag of each class.
    random_state : int, RandomState or None, default None
        For what is drawn.
    return_instances : bool, default False
        Whether to return which instances show the digit, too.

    Returns
    -------
    X : array (bags, L, 64), float32
    y : array (bags,)
        1 for positive bags, else 0.
    instances : array (bags, L) of bool
        Which show the digit, with ``return_instances``.

    Raises
    ------
    ValueError
        If a parameter is outside of its range.

    Examples
    --------
    >>> from needlescope.estimators import make_digit_bags
    >>> X, y = make_digit_bags(bags=10, L=5, R=2, random_state=0)
    >>> X.shape, int(y.sum())
    ((10, 5, 64), 5)
    >>> _, _, shows = make_digit_bags(bags=10, L=5, R=2, random_state=0, return_instances=True)
    >>> shows.sum(axis=1).tolist() == (2 * y).tolist()
    True
    """
    numbers = {"bags": bags, "L": L, "R": R, "noise": noise, "positive": positive}
    for name, value in numbers.items():
        if np.ndim(value):
            raise ValueError(f"{name} must be a single number, got {value!r}")
    integer("bags", bags, 2, 10**7)
    integer("L", L, 1, 10**6)
    integer("digit", digit, 0, 9)
    integer("R", R, 1, L)
    if bags * L > MOST_DIGITS:
        raise ValueError(
            f"bags times L must be at most {MOST_DIGITS} digits, got {bags} bags with L={L}; "
            "draw fewer of them, several times"
        )
    real("noise", noise, 0.0, NOISIEST)
    real("positive", positive, 0.0, 1.0, open_low=True, open_high=True)
    yes_or_no("return_instances", return_instances)
    random = check_random_state(random_state)
    images, shown = load_digits(return_X_y=True)
    images = (images / 16.0).astype(np.float32)
    wanted, others = images[shown == digit], images[shown != digit]
    y = np.zeros(bags, int)
    y[: min(max(round(positive * bags), 1), bags - 1)] = 1
    random.shuffle(y)
    X = others[random.randint(len(others), size=(bags, L))]
    shows = np.zeros((bags, L), bool)
    for k in np.flatnonzero(y):
        places = random.permutation(L)[:R]
        X[k, places], shows[k, places] = wanted[random.randint(len(wanted), size=R)], True
    if noise:
        X += random.normal(scale=noise, size=X.shape).astype(np.float32)
    return (X, y, shows) if return_instances else (X, y)
